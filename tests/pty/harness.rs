//! The real binary in a pseudo-terminal: what it writes goes through a terminal emulator, and every wait has a deadline.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::LocalModes;

/// How long anything may take; only ever reached where a test fails.
const DEADLINE: Duration = Duration::from_secs(30);
/// Nothing written for this long is a terminal at rest.
const QUIET: Duration = Duration::from_millis(150);
/// How often something outside of the terminal is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// What is to be started, and where.
pub struct Setup {
    args: Vec<String>,
    script: Option<String>,
    variables: BTreeMap<&'static str, String>,
    size: (u16, u16),
    controlling: bool,
}

/// The explorer on the bundled cases, on a terminal of 100x30 with 256 colours.
pub fn explorer(args: &[&str]) -> Setup {
    let variables = [("TERM", "xterm-256color"), ("LANG", "en_US.UTF-8"), ("RUST_BACKTRACE", "0")];
    Setup {
        args: args.iter().map(|&arg| arg.to_owned()).collect(),
        script: None,
        variables: variables.map(|(name, value)| (name, value.to_owned())).into(),
        size: (100, 30),
        controlling: true,
    }
}

impl Setup {
    pub fn size(mut self, columns: u16, rows: u16) -> Self {
        self.size = (columns, rows);
        self
    }

    pub fn variable(mut self, name: &'static str, value: &str) -> Self {
        self.variables.insert(name, value.to_owned());
        self
    }

    /// Starts the program from a shell: `"$0" "$@"` is the program with its arguments.
    pub fn script(mut self, script: &str) -> Self {
        self.script = Some(script.to_owned());
        self
    }

    /// Without a controlling terminal, as under `setsid`.
    pub fn alone(mut self) -> Self {
        self.controlling = false;
        self
    }

    pub fn start(self) -> Pty {
        let program = env!("CARGO_BIN_EXE_recallscope");
        let mut command = match &self.script {
            None => CommandBuilder::new(program),
            Some(script) => {
                let mut command = CommandBuilder::new("/bin/sh");
                command.args(["-c", script, program]);
                command
            }
        };
        command.args(&self.args);
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        command.env_clear();
        command.env("PATH", std::env::var("PATH").unwrap_or_default());
        command.env("HOME", root.join("tests/fixtures"));
        command.env("XDG_CONFIG_HOME", root.join("tests/fixtures"));
        self.variables.iter().for_each(|(name, value)| command.env(name, value));
        command.cwd(root);
        command.set_controlling_tty(self.controlling);

        let pair = native_pty_system().openpty(pty_size(self.size)).unwrap();
        let mut child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let pid = child.process_id().unwrap();
        let (exited, exit) = mpsc::channel();
        thread::spawn(move || exited.send(child.wait().unwrap()));

        let closing = Arc::new(AtomicBool::new(false));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (written, chunks) = mpsc::channel();
        let stop = Arc::clone(&closing);
        thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if stop.load(Ordering::SeqCst) || written.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let (rows, columns) = emulated(self.size);
        Pty {
            writer: Some(pair.master.take_writer().unwrap()),
            master: Some(pair.master),
            emulator: vt100::Parser::new(rows, columns, 0),
            chunks,
            exit,
            status: None,
            bytes: Vec::new(),
            pid,
            closing,
        }
    }
}

fn pty_size((cols, rows): (u16, u16)) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

/// Rows and columns of an emulator, which must have at least one of each.
fn emulated((columns, rows): (u16, u16)) -> (NonZeroU16, NonZeroU16) {
    let at_least_one = |count| NonZeroU16::new(count).unwrap_or(NonZeroU16::MIN);
    (at_least_one(rows), at_least_one(columns))
}

/// A program in a pseudo-terminal.
pub struct Pty {
    master: Option<Box<dyn MasterPty + Send>>,
    writer: Option<Box<dyn Write + Send>>,
    emulator: vt100::Parser,
    chunks: Receiver<Vec<u8>>,
    exit: Receiver<ExitStatus>,
    status: Option<u32>,
    /// Everything that was written to the terminal.
    pub bytes: Vec<u8>,
    /// The process that was started: the shell where a script was.
    pub pid: u32,
    closing: Arc<AtomicBool>,
}

impl Pty {
    pub fn screen(&self) -> &vt100::Screen {
        self.emulator.screen()
    }

    pub fn text(&self) -> String {
        self.screen().contents()
    }

    /// What a person sees: the rows with the looks of their cells, and the cursor. A cell that was never written looks
    /// like a space.
    pub fn picture(&self) -> Vec<String> {
        let (rows, columns) = self.screen().size();
        let mut picture: Vec<String> = (0..rows.get())
            .map(|row| {
                let mut line = String::new();
                let mut look = String::new();
                for cell in (0..columns.get()).filter_map(|column| self.screen().cell(row, column)) {
                    let colours = (cell.fgcolor(), cell.bgcolor());
                    let blank = !cell.has_contents() || cell.contents() == " ";
                    let letters =
                        if blank { String::new() } else { format!("{:?} {} {}", colours.0, cell.bold(), cell.dim()) };
                    let next = format!("<{letters} {:?} {} {}>", colours.1, cell.inverse(), cell.underline());
                    if next != look {
                        line.push_str(&next);
                        look = next;
                    }
                    line.push_str(if blank { " " } else { cell.contents() });
                }
                line
            })
            .collect();
        if !self.screen().hide_cursor() {
            picture.push(format!("cursor at {:?}", self.screen().cursor_position()));
        }
        picture
    }

    /// What was written since `mark` bytes had been.
    pub fn since(&self, mark: usize) -> String {
        String::from_utf8_lossy(&self.bytes[mark..]).into_owned()
    }

    pub fn send(&mut self, keys: &str) {
        self.writer.as_mut().unwrap().write_all(keys.as_bytes()).unwrap();
    }

    /// Sends keys and waits for the next frame.
    #[track_caller]
    pub fn press(&mut self, keys: &str) {
        let mark = self.bytes.len();
        self.send(keys);
        self.wait_for("frame", |pty| pty.since(mark).contains(END));
    }

    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.master.as_ref().unwrap().resize(pty_size((columns, rows))).unwrap();
        let (rows, columns) = emulated((columns, rows));
        self.emulator.screen_mut().set_size(rows, columns);
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(pid(self.pid), signal).unwrap();
    }

    /// Takes one piece of output. Returns whether there may be more.
    fn pump(&mut self, wait: Duration) -> Result<(), RecvTimeoutError> {
        let chunk = self.chunks.recv_timeout(wait)?;
        self.emulator.process(&chunk);
        self.bytes.extend(chunk);
        Ok(())
    }

    /// Waits until `done` holds for what was written.
    #[track_caller]
    pub fn wait_for(&mut self, what: &str, done: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + DEADLINE;
        while !done(self) {
            let end = self.pump(deadline.saturating_duration_since(Instant::now()));
            assert!(end.is_ok() || done(self), "no {what} on the screen:\n{}", self.text());
        }
    }

    #[track_caller]
    pub fn wait_text(&mut self, text: &str) {
        self.wait_for(text, |pty| pty.text().contains(text));
    }

    /// Waits until the data is there and drawn.
    #[track_caller]
    pub fn ready(&mut self) {
        self.wait_for("pane", |pty| pty.text().contains("Overview") && !pty.text().contains("Reading the cases"));
        self.settle();
    }

    /// Waits until nothing is written any more.
    #[track_caller]
    pub fn settle(&mut self) {
        let deadline = Instant::now() + DEADLINE;
        while self.pump(QUIET).is_ok() {
            assert!(Instant::now() < deadline, "it never comes to rest");
        }
    }

    /// Whether anything is written in the time that a tick or a blinking cursor would take.
    pub fn is_idle(&mut self) -> bool {
        self.pump(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout)
    }

    /// Waits until the program ends, takes its last output, and returns its exit code.
    #[track_caller]
    pub fn exit(&mut self) -> u32 {
        if self.status.is_none() {
            let status = self.exit.recv_timeout(DEADLINE);
            while self.pump(QUIET).is_ok() {}
            self.status = Some(status.unwrap_or_else(|_| panic!("it does not end:\n{}", self.text())).exit_code());
        }
        self.status.unwrap()
    }

    /// The terminal goes away.
    pub fn hang_up(&mut self) {
        self.closing.store(true, Ordering::SeqCst);
        // Something written makes the reading thread notice, which holds the terminal too.
        self.send("\x0c");
        self.writer = None;
        self.master = None;
    }

    /// Whether the terminal is in the mode of a shell: lines, echo and signals.
    pub fn is_cooked(&self) -> bool {
        let modes = self.master.as_ref().unwrap().get_termios().unwrap().local_flags.bits();
        let cooked = LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG;
        modes & cooked.bits() == cooked.bits()
    }

    pub fn is_raw(&self) -> bool {
        let modes = self.master.as_ref().unwrap().get_termios().unwrap().local_flags.bits();
        modes & (LocalModes::ICANON | LocalModes::ECHO).bits() == 0
    }

    /// The terminal is as it was before: modes, main screen, cursor, paste, mouse.
    #[track_caller]
    pub fn assert_given_back(&self) {
        let all = self.since(0);
        let count = |sequence: &str| all.matches(sequence).count();
        assert!(self.is_cooked(), "the terminal is still raw");
        let screen = self.screen();
        assert!(!screen.alternate_screen(), "still on the other screen");
        assert!(!screen.hide_cursor(), "the cursor is hidden");
        assert!(!screen.bracketed_paste(), "bracketed paste is on");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None, "the mouse is on");
        assert_eq!(count("\x1b[?1049h"), count("\x1b[?1049l"), "left as often as entered");
        assert_eq!(
            count("\x1b[?1000h") > 0,
            count("\x1b[?1000l") > 0,
            "the mouse is not turned off where it was not on"
        );
        assert_eq!(open_update(&all), None, "no update is left open");
    }

    /// The program itself, where a shell started it.
    pub fn program(&mut self) -> u32 {
        let tasks = format!("/proc/{0}/task/{0}/children", self.pid);
        let read = || fs::read_to_string(&tasks).ok()?.split_whitespace().last()?.parse::<u32>().ok();
        self.look("child of the shell", read)
    }

    /// Waits until the terminal is a shell's again, where the program is not the process that was started.
    pub fn wait_given_back(&mut self) {
        self.wait_for("main screen", |pty| !pty.screen().alternate_screen());
        let deadline = Instant::now() + DEADLINE;
        while !self.is_cooked() && Instant::now() < deadline {
            let _ = self.pump(LOOK);
        }
        self.assert_given_back();
    }

    /// Waits until a process is stopped.
    pub fn wait_stopped(&mut self, process: u32) {
        self.look("stopped process", || (state(process)? == 'T').then_some(()));
    }

    fn look<T>(&mut self, what: &str, find: impl Fn() -> Option<T>) -> T {
        let deadline = Instant::now() + DEADLINE;
        loop {
            if let Some(found) = find() {
                return found;
            }
            assert!(Instant::now() < deadline, "no {what}");
            let _ = self.pump(LOOK);
        }
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        if self.status.is_none() && self.exit.try_recv().is_err() {
            let _ = kill_process(pid(self.pid), Signal::KILL);
        }
    }
}

pub fn pid(number: u32) -> Pid {
    Pid::from_raw(i32::try_from(number).unwrap()).unwrap()
}

fn state(process: u32) -> Option<char> {
    fs::read_to_string(format!("/proc/{process}/stat")).ok()?.rsplit_once(") ")?.1.chars().next()
}

/// How often the threads of a process have waited and been woken, and its ticks of CPU time.
pub fn work(process: u32) -> (u64, u64) {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    let ticks = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    let mut switches = 0;
    for task in fs::read_dir(format!("/proc/{process}/task")).unwrap() {
        let status = fs::read_to_string(task.unwrap().path().join("status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")).unwrap();
        switches += line.trim().parse::<u64>().unwrap();
    }
    (switches, ticks)
}

/// Calls of `write` by a process so far, where the system counts them.
pub fn writes(process: u32) -> Option<u64> {
    let io = fs::read_to_string(format!("/proc/{process}/io")).ok()?;
    io.lines().find_map(|line| line.strip_prefix("syscw:"))?.trim().parse().ok()
}

/// The parameters of each style sequence.
pub fn styles(text: &str) -> Vec<Vec<u16>> {
    text.split("\x1b[")
        .skip(1)
        .filter_map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != ';')?;
            rest[end..].starts_with('m').then(|| rest[..end].split(';').map(|n| n.parse().unwrap_or(0)).collect())
        })
        .collect()
}

const BEGIN: &str = "\x1b[?2026h";
const END: &str = "\x1b[?2026l";

fn open_update(text: &str) -> Option<usize> {
    text.rfind(BEGIN).filter(|begin| text.rfind(END).is_none_or(|end| end < *begin))
}

/// The frames of an output, each written as one update, and what was written outside of them.
pub fn frames(text: &str) -> (Vec<&str>, String) {
    let mut frames = Vec::new();
    let mut outside = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        outside.push_str(before);
        let (frame, next) = after.split_once(END).expect("an end of the frame");
        assert!(!frame.contains(BEGIN), "updates do not nest");
        frames.push(frame);
        rest = next;
    }
    outside.push_str(rest);
    (frames, outside)
}
