//! The terminal session: what was switched on, and switching it off again whatever happens.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::Show;
use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use crossterm::queue;
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, SetTitle,
    disable_raw_mode, enable_raw_mode,
};
use ratatui::Terminal;
use ratatui::layout::Rect;

use super::screen::ScreenBackend;
use super::theme::ColorDepth;

/// Whether the terminal is in the explorer's hands. Apart from the session because a panic must give it back too, and
/// once only: leaving the alternate screen a second time would put the cursor onto the message.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Whether the mouse was switched on: what was not done is not undone.
static MOUSE: AtomicBool = AtomicBool::new(false);

/// A terminal in the explorer's hands. Dropping it gives the terminal back.
pub struct Session {
    screen: Terminal<ScreenBackend>,
    /// Whether the person wants the mouse, also while the session is suspended.
    mouse: bool,
    /// Whether the terminal may show something else than what was drawn last.
    stale: bool,
}

impl Session {
    /// Takes the terminal: raw mode, alternate screen, bracketed paste.
    ///
    /// # Errors
    /// The terminal refuses.
    pub fn start(mouse: bool, depth: ColorDepth) -> io::Result<Self> {
        let mut session = Self { screen: Terminal::new(ScreenBackend::new(depth))?, mouse, stale: true };
        session.resume()?;
        Ok(session)
    }

    /// Takes the terminal (again). Its modes are set anew even where they are thought to be set already: after a stop,
    /// the shell has changed them.
    ///
    /// # Errors
    /// The terminal refuses.
    pub fn resume(&mut self) -> io::Result<()> {
        if TAKEN.load(Ordering::SeqCst) {
            disable_raw_mode()?;
        }
        enable_raw_mode()?;
        let out = self.screen.backend_mut();
        // Not twice: a terminal would forget where the cursor was on the main screen.
        if !TAKEN.swap(true, Ordering::SeqCst) {
            queue!(out, EnterAlternateScreen)?;
        }
        queue!(out, EnableBracketedPaste, SetTitle("recallscope"))?;
        if self.mouse {
            queue!(out, EnableMouseCapture)?;
            MOUSE.store(true, Ordering::SeqCst);
        }
        self.repaint();
        self.commit()
    }

    /// Gives the terminal back, undoing in reverse what was switched on. A frame that was begun is not written.
    pub fn stop(&mut self) {
        self.screen.backend_mut().take();
        give_back();
    }

    /// Turns the mouse on or off.
    ///
    /// # Errors
    /// The terminal refuses.
    pub fn set_mouse(&mut self, on: bool) -> io::Result<()> {
        if self.mouse != on {
            self.mouse = on;
            let out = self.screen.backend_mut();
            if on { queue!(out, EnableMouseCapture) } else { queue!(out, DisableMouseCapture) }?;
            MOUSE.store(on, Ordering::SeqCst);
        }
        self.commit()
    }

    /// Draws one frame as one update and in one write, so that no half of it is ever seen.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn draw(&mut self, render: impl FnOnce(&mut ratatui::Frame<'_>)) -> io::Result<()> {
        queue!(self.screen.backend_mut(), BeginSynchronizedUpdate)?;
        if std::mem::take(&mut self.stale) {
            // Not `clear`, which asks the terminal for its cursor and waits for an answer that the input thread gets.
            let size = self.screen.size()?;
            self.screen.resize(Rect::from(size))?;
        }
        self.screen.draw(render)?;
        queue!(self.screen.backend_mut(), EndSynchronizedUpdate)?;
        self.commit()
    }

    /// Forgets what is on the screen, so that the next frame is drawn whole.
    pub fn repaint(&mut self) {
        self.stale = true;
    }

    /// Asks the terminal to put a text on the clipboard (OSC 52).
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        queue!(self.screen.backend_mut(), crossterm::clipboard::CopyToClipboard::to_clipboard_from(text))?;
        self.commit()
    }

    fn commit(&mut self) -> io::Result<()> {
        let bytes = self.screen.backend_mut().take();
        let mut out = io::stdout().lock();
        out.write_all(&bytes)?;
        out.flush()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.stop();
    }
}

fn give_back() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut bytes = Vec::new();
    // Writing into memory cannot fail, and a terminal that is gone cannot be given back: errors are of no use here.
    let _ = queue!(bytes, EndSynchronizedUpdate);
    if MOUSE.swap(false, Ordering::SeqCst) {
        let _ = queue!(bytes, DisableMouseCapture);
    }
    let _ = queue!(bytes, DisableBracketedPaste, LeaveAlternateScreen, Show);
    let mut out = io::stdout().lock();
    let _ = out.write_all(&bytes).and_then(|()| out.flush());
    let _ = disable_raw_mode();
}

/// Makes a panic of this thread give the terminal back before its message is printed. A panic of another thread says
/// nothing: its job reports it, and the screen lives on.
pub fn install_panic_hook() {
    let ours = std::thread::current().id();
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == ours {
            give_back();
            usual(info);
        }
    }));
}
