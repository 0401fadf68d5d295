//! The terminal session: what was switched on, and switching it off again whatever happens.

use std::io::{self, BufWriter, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::Show;
use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, SetTitle,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

type Screen = Terminal<CrosstermBackend<BufWriter<Stdout>>>;

/// Bytes gathered before they are written: a whole frame in one write.
const FRAME_BYTES: usize = 64 * 1024;

/// Whether the mouse was switched on. Apart from the session because a panic must undo it too, and nothing that was not done.
static MOUSE: AtomicBool = AtomicBool::new(false);

/// A terminal in the explorer's hands. Dropping it gives the terminal back.
pub struct Session {
    screen: Screen,
    on: bool,
    /// Whether the person wants the mouse, also while the session is suspended.
    mouse: bool,
}

impl Session {
    /// Takes the terminal: raw mode, alternate screen, bracketed paste.
    ///
    /// # Errors
    /// The terminal refuses.
    pub fn start(mouse: bool) -> io::Result<Self> {
        let backend = CrosstermBackend::new(BufWriter::with_capacity(FRAME_BYTES, io::stdout()));
        let mut session = Self { screen: Terminal::new(backend)?, on: false, mouse };
        session.resume()?;
        Ok(session)
    }

    /// Takes the terminal (again).
    ///
    /// # Errors
    /// The terminal refuses.
    pub fn resume(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        self.on = true;
        let out = self.screen.backend_mut();
        execute!(out, EnterAlternateScreen, EnableBracketedPaste, SetTitle("recallscope"))?;
        if self.mouse {
            execute!(out, EnableMouseCapture)?;
            MOUSE.store(true, Ordering::SeqCst);
        }
        self.screen.clear()
    }

    /// Gives the terminal back, undoing in reverse what was switched on.
    pub fn stop(&mut self) {
        if !std::mem::replace(&mut self.on, false) {
            return;
        }
        let _ = self.screen.show_cursor();
        give_back(self.screen.backend_mut());
    }

    /// Turns the mouse on or off.
    ///
    /// # Errors
    /// The terminal refuses.
    pub fn set_mouse(&mut self, on: bool) -> io::Result<()> {
        if self.mouse != on {
            self.mouse = on;
            let out = self.screen.backend_mut();
            if on { execute!(out, EnableMouseCapture) } else { execute!(out, DisableMouseCapture) }?;
            MOUSE.store(on, Ordering::SeqCst);
        }
        Ok(())
    }

    /// Draws one frame as one update, so that no half of it is ever seen.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn draw(&mut self, render: impl FnOnce(&mut ratatui::Frame<'_>)) -> io::Result<()> {
        queue!(self.screen.backend_mut(), BeginSynchronizedUpdate)?;
        self.screen.draw(render)?;
        execute!(self.screen.backend_mut(), EndSynchronizedUpdate)
    }

    /// Forgets what is on the screen, so that the next frame is drawn whole.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn clear(&mut self) -> io::Result<()> {
        self.screen.clear()
    }

    /// Asks the terminal to put a text on the clipboard (OSC 52).
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        execute!(self.screen.backend_mut(), crossterm::clipboard::CopyToClipboard::to_clipboard_from(text))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.stop();
    }
}

fn give_back(out: &mut impl Write) {
    // A terminal that is gone cannot be given back: errors are of no use here.
    let _ = execute!(out, EndSynchronizedUpdate);
    if MOUSE.swap(false, Ordering::SeqCst) {
        let _ = execute!(out, DisableMouseCapture);
    }
    let _ = execute!(out, DisableBracketedPaste, LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
}

/// Makes a panic of this thread give the terminal back before its message is printed. A panic of another thread says
/// nothing: its job reports it, and the screen lives on.
pub fn install_panic_hook() {
    let ours = std::thread::current().id();
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == ours {
            give_back(&mut io::stdout());
            usual(info);
        }
    }));
}
