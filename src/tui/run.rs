//! The event loop: one channel for keys, signals and background work; a frame is drawn when something changed, and only then.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;

use anyhow::Context;
use crossterm::event::{Event, KeyCode};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};

use super::app::{App, Effect};
use super::jobs::{self, JobResult};
use super::options::Settings;
use super::pane::PaneKind;
use super::terminal::{Session, install_panic_hook};
use crate::diagnosis::{Audited, Diagnosis};
use crate::grade::Counting;
use crate::open::Inputs;
use crate::progress::Watch;
use crate::rank::Ranking;
use crate::source::io_reason;
use crate::triage::TriageFile;
use crate::workspace::Workspace;

/// What can happen.
enum Message {
    /// The terminal reports something.
    Input(Event),
    /// The terminal gives no more input; why.
    InputEnded(String),
    /// The data is here, or cannot be opened; with the number of the opening.
    Loaded(usize, JobResult<Arc<Workspace>>),
    /// What follows from the data, or from a new decision, with what to say.
    Diagnosed(usize, JobResult<(Arc<Diagnosis>, Option<String>)>),
    /// Which keys are probably wrong.
    Audited(usize, JobResult<Arc<Audited>>),
    /// So many of so many questions are ranked; with the number of the opening.
    Ranking(usize, usize, usize),
    /// The ranking measures are there; with the number of the opening.
    Ranked(usize, JobResult<Option<Arc<Ranking>>>),
    /// The data is counted in another way, with what follows from it.
    Counted(usize, JobResult<(Arc<Workspace>, Arc<Diagnosis>)>),
    /// How far opening the data is, and what Esc does; with the number of the opening.
    Opening(usize, String, &'static str),
    /// A repaired case file is there.
    Repaired(JobResult<PathBuf>),
    /// Something to say.
    Said(JobResult<String>),
    /// A signal arrived.
    Signal(i32),
}

/// Which part should panic, to try how that ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum PanicTest {
    /// The thread that draws.
    Ui,
    /// A background job.
    Job,
}

/// What the explorer is started with.
#[derive(Debug, Clone)]
pub struct Start {
    /// Which files to open.
    pub inputs: Inputs,
    /// A tokenizer to count with instead of the built-in one.
    pub tokenizer: Option<PathBuf>,
    /// The file of decisions; where none is named, `triage.json` beside the cases.
    pub triage: Option<PathBuf>,
    /// How things look, and the keys.
    pub settings: Settings,
    /// Try how a panic ends.
    pub panic_test: Option<PanicTest>,
}

/// Opens the explorer and stays until the person leaves or a signal ends it. Returns the signal, if one did.
///
/// # Errors
/// The terminal cannot be used, or the inputs cannot be opened.
pub fn run(start: Start) -> anyhow::Result<Option<i32>> {
    anyhow::ensure!(
        std::env::var("TERM").as_deref() != Ok("dumb"),
        "the terminal (TERM=dumb) cannot show the explorer; `recallscope eval` and `recallscope show` print the same values"
    );
    install_panic_hook();
    let (sender, receiver) = mpsc::channel();
    // Before the terminal is taken: a signal must not find it taken and nobody to give it back.
    watch_signals(sender.clone()).context("signals cannot be watched")?;
    let session = Session::start(start.settings.mouse, start.settings.theme.depth).map_err(|_| {
        anyhow::anyhow!(
            "there is no terminal to show the explorer on; `recallscope eval` and `recallscope show` print the same values"
        )
    })?;
    let mut runner = Runner {
        app: App::new(start.settings.clone(), PaneKind::Overview),
        session,
        receiver,
        sender,
        start,
        load: 0,
        generation: 0,
        watch: Arc::default(),
        stoppable: false,
        failure: None,
        ranking: Arc::default(),
        echo: false,
    };
    runner.draw()?;
    watch_input(runner.sender.clone());
    runner.load();
    let ended = runner.events();
    let failure = runner.failure.take();
    runner.watch.stop();
    drop(runner);
    match failure {
        Some(message) => Err(anyhow::Error::msg(message)),
        None => ended,
    }
}

struct Runner {
    app: App,
    session: Session,
    receiver: Receiver<Message>,
    sender: Sender<Message>,
    start: Start,
    /// The newest job's; results of older ones are dropped.
    generation: usize,
    /// What was opened last: results about anything before are dropped. Counting other grades opens nothing.
    load: usize,
    /// Follows the opening of the data: programs that it runs end with recallscope.
    watch: Arc<Watch>,
    /// Whether the screen says that Esc stops it: an Esc pressed before that was not meant for it.
    stoppable: bool,
    failure: Option<String>,
    /// Set to stop the job that ranks.
    ranking: Arc<AtomicBool>,
    /// Whether the next request to stop is the one that the explorer sent to its own process group.
    echo: bool,
}

/// How often a job that ranks says how far it is.
const RANKING_STEPS: usize = 20;

/// What a message leads to.
enum Next {
    Go,
    Leave(Option<i32>),
}

impl Runner {
    fn draw(&mut self) -> anyhow::Result<()> {
        let app = &self.app;
        self.session.draw(|frame| app.draw(frame)).map_err(|error| gone(&error))
    }

    /// Handles messages until one ends the program. Everything that waits already is handled before the next frame.
    fn events(&mut self) -> anyhow::Result<Option<i32>> {
        loop {
            let first = match self.app.ticking() {
                None => self.receiver.recv().ok(),
                Some(wait) => match self.receiver.recv_timeout(wait) {
                    Ok(message) => Some(message),
                    Err(RecvTimeoutError::Timeout) => {
                        self.app.tick();
                        self.draw()?;
                        continue;
                    }
                    Err(RecvTimeoutError::Disconnected) => None,
                },
            };
            let Some(first) = first else { return Ok(None) };
            let mut message = Some(first);
            while let Some(now) = message {
                if let Next::Leave(signal) = self.handle(now)? {
                    return Ok(signal);
                }
                message = self.receiver.try_recv().ok();
            }
            self.draw()?;
        }
    }

    fn handle(&mut self, message: Message) -> anyhow::Result<Next> {
        match message {
            // While data is opened, Esc keeps what is there and does not wait for the rest.
            Message::Input(Event::Key(key)) if key.code == KeyCode::Esc && self.stoppable && self.app.is_opening() => {
                self.watch.stop();
            }
            Message::Input(Event::Key(key)) => {
                assert!(self.start.panic_test != Some(PanicTest::Ui), "panic test: the message of a panic can be read");
                self.app.key(key);
            }
            Message::Input(Event::Mouse(mouse)) => self.app.mouse(mouse),
            Message::Input(Event::Paste(text)) => self.app.paste(&text),
            Message::Input(_) => {}
            Message::InputEnded(reason) => anyhow::bail!("the terminal gives no more input: {reason}"),
            Message::Signal(SIGTSTP) if std::mem::take(&mut self.echo) => {}
            Message::Signal(SIGTSTP) => self.suspend(false)?,
            // Whoever stopped the process, the shell has used the terminal since.
            Message::Signal(SIGCONT) => self.session.resume().map_err(|error| gone(&error))?,
            // Also where the size is the old one again: what the terminal cut off meanwhile is lost.
            Message::Signal(SIGWINCH) => self.session.repaint(),
            Message::Signal(signal) => return Ok(Next::Leave(Some(signal))),
            Message::Opening(load, step, stop) if load == self.load => {
                self.stoppable = true;
                let stop = if self.watch.is_stopped() { "stopping" } else { stop };
                if self.app.is_opening() {
                    self.app.opening(format!("{step} ({stop})"));
                } else {
                    self.app.set_background(Some(step));
                }
            }
            Message::Opening(..) => {}
            Message::Loaded(load, _) if load != self.load => {}
            Message::Loaded(_, result) => {
                if let Next::Leave(signal) = self.loaded(result) {
                    return Ok(Next::Leave(signal));
                }
            }
            Message::Diagnosed(generation, result) if generation != self.generation => self.missed(result),
            Message::Diagnosed(_, Ok((diagnosis, said))) => {
                self.app.diagnosed(diagnosis);
                said.into_iter().for_each(|said| self.app.say(said));
            }
            Message::Audited(load, Ok(audit)) if load == self.load => self.app.audited(audit),
            Message::Audited(_, Ok(_)) => {}
            Message::Ranking(load, ..) | Message::Ranked(load, _) if load != self.load => {}
            Message::Ranking(_, done, all) => self.app.ranking(done, all),
            // It was stopped: nobody waits for it.
            Message::Ranked(_, Ok(None)) => {}
            Message::Ranked(_, Ok(Some(ranking))) => self.app.ranked(Ok(ranking)),
            Message::Ranked(_, Err(message)) => self.app.ranked(Err(message)),
            Message::Counted(generation, _) if generation != self.generation => {}
            Message::Counted(_, Ok((workspace, diagnosis))) => {
                // A decision kept meanwhile was diagnosed on what was counted before.
                self.generation += 1;
                self.app.set_background(None);
                self.app.counted(workspace, Some(diagnosis));
            }
            Message::Repaired(Ok(path)) => self.open_repaired(path),
            Message::Said(Ok(said)) => self.app.say(said),
            Message::Counted(_, Err(message)) => self.app.not_counted(message),
            Message::Audited(_, Err(message))
            | Message::Diagnosed(_, Err(message))
            | Message::Repaired(Err(message))
            | Message::Said(Err(message)) => {
                self.app.say(message);
            }
        }
        for effect in self.app.take_effects() {
            match effect {
                Effect::Quit => return Ok(Next::Leave(None)),
                Effect::Copy(text) => self.session.copy(&text).map_err(|error| gone(&error))?,
                Effect::Suspend => self.suspend(true)?,
                Effect::Redraw => self.session.repaint(),
                Effect::Mouse(on) => self.session.set_mouse(on).map_err(|error| gone(&error))?,
                Effect::Rank => self.rank(),
                Effect::StopRanking => self.stop_ranking(),
                Effect::Count(counting) => self.count(counting),
                change @ (Effect::Decide(_) | Effect::Repair(..) | Effect::Export) => self.change(change),
            }
        }
        Ok(Next::Go)
    }

    /// Gives the terminal back, stops the process until the shell continues it, and takes the terminal again. A key stops
    /// the whole process group, as it does outside of raw mode: the shell waits until all of a pipe has stopped.
    fn suspend(&mut self, group: bool) -> anyhow::Result<()> {
        use rustix::process::{Signal, getpid, getsid, kill_current_process_group};
        if getsid(None).is_ok_and(|leader| leader == getpid()) {
            self.app.say("there is no shell to go back to: the terminal runs recallscope alone");
            return Ok(());
        }
        self.session.stop();
        if group {
            self.echo = kill_current_process_group(Signal::TSTP).is_ok();
        }
        signal_hook::low_level::emulate_default_handler(SIGTSTP).context("the process cannot be stopped")?;
        self.session.resume().map_err(|error| gone(&error))
    }

    fn loaded(&mut self, result: JobResult<Arc<Workspace>>) -> Next {
        let first = self.load == 1;
        match result {
            Ok(workspace) => {
                // A diagnosis of what was open before may still be under way.
                self.load += 1;
                self.generation += 1;
                self.app.loaded(workspace.clone());
                self.app.set_background(None);
                match self.start.tokenizer.clone() {
                    Some(tokenizer) if first => self.recount(workspace, tokenizer),
                    _ => self.diagnose(workspace),
                }
            }
            // Without data there is nothing to explore: leave, and say why where it can be read.
            Err(message) if first => {
                self.failure = Some(message);
                return Next::Leave(None);
            }
            Err(message) => {
                self.app.set_background(None);
                self.app.say(message);
            }
        }
        Next::Go
    }

    /// Starts opening the data: at first counted with the built-in counter, which is there at once.
    fn load(&mut self) {
        self.stop_ranking();
        self.load += 1;
        let load = self.load;
        let start = self.start.clone();
        // Whatever an earlier opening still runs is of no use to this one.
        self.watch.stop();
        let sender = self.sender.clone();
        let watch = Arc::new(Watch::new(move |step| {
            if let Some(words) = step.words() {
                let stop = if step.goes_on() { "Esc goes on without the rest" } else { "Esc stops" };
                let _ = sender.send(Message::Opening(load, words, stop));
            }
        }));
        self.watch = Arc::clone(&watch);
        self.stoppable = false;
        let tokenizer = start.tokenizer.clone().filter(|_| load > 1);
        if let Some(path) = &tokenizer {
            self.say_counting(path);
        }
        let work = move || {
            assert!(start.panic_test != Some(PanicTest::Job), "panic test: a job's panic leaves the screen alone");
            jobs::open(&start.inputs, tokenizer.as_deref(), &watch)
        };
        self.spawn("opening the data", work, move |result| Message::Loaded(load, result));
    }

    /// Starts counting what is open with a foreign tokenizer. Its loading may take seconds: what is open is diagnosed too.
    fn recount(&mut self, workspace: Arc<Workspace>, tokenizer: PathBuf) {
        let load = self.load;
        self.say_counting(&tokenizer);
        self.diagnose(workspace.clone());
        let work = move || jobs::recount(&workspace, &tokenizer);
        self.spawn("counting the tokens", work, move |result| Message::Loaded(load, result));
    }

    fn say_counting(&mut self, tokenizer: &Path) {
        let what = format!("Loading the tokenizer {}, counting with Gemma 4 until then", tokenizer.display());
        self.app.set_background(Some(what));
    }

    /// Does some work in the background and sends what it comes to.
    fn spawn<T: Send + 'static>(
        &self,
        what: &'static str,
        work: impl FnOnce() -> JobResult<T> + Send + 'static,
        message: impl FnOnce(JobResult<T>) -> Message + Send + 'static,
    ) {
        let sender = self.sender.clone();
        thread::spawn(move || {
            // The receiver is gone when the person has left already.
            let _ = sender.send(message(jobs::guarded(what, work)));
        });
    }

    fn triage_file(&self) -> TriageFile {
        match &self.start.triage {
            Some(path) => TriageFile::at(path),
            None => TriageFile::beside(self.start.inputs.cases.as_deref()),
        }
    }

    /// Starts deriving what follows from the data.
    fn diagnose(&self, workspace: Arc<Workspace>) {
        let (load, generation, file, sender) = (self.load, self.generation, self.triage_file(), self.sender.clone());
        let work = move || {
            let diagnosed = jobs::diagnose(&workspace, &file);
            let _ = sender.send(Message::Diagnosed(generation, Ok(diagnosed)));
            // Answers asks for every verdict when it is first opened.
            workspace.work_out_verdicts();
            // Only Triage waits for it, so it comes last.
            Ok(Arc::new(Audited::of(&workspace)))
        };
        self.spawn("the diagnosis", work, move |result| Message::Audited(load, result));
    }

    /// Starts ranking every question. Whoever stops it sets the flag of this run, not of the next one.
    fn rank(&mut self) {
        let Some(workspace) = self.app.workspace().cloned() else { return };
        self.stop_ranking();
        self.ranking = Arc::default();
        let (load, sender, stop) = (self.load, self.sender.clone(), self.ranking.clone());
        let told = AtomicUsize::new(0);
        let watch = move |done: usize, all: usize| {
            let part = done * RANKING_STEPS / all.max(1);
            if told.fetch_max(part, Ordering::Relaxed) < part {
                let _ = sender.send(Message::Ranking(load, done, all));
            }
            !stop.load(Ordering::Relaxed)
        };
        let work = move || Ok(jobs::rank(&workspace, &watch));
        self.spawn("the ranking", work, move |result| Message::Ranked(load, result));
    }

    fn stop_ranking(&self) {
        self.ranking.store(true, Ordering::Relaxed);
    }

    /// A diagnosis of what is not open any more. One that came with something to say kept a decision: the file has it, and what
    /// is open now must heed it.
    fn missed(&mut self, result: JobResult<(Arc<Diagnosis>, Option<String>)>) {
        if let (Ok((_, Some(said))), Some(workspace)) = (result, self.app.workspace().cloned()) {
            self.app.say(said);
            self.diagnose(workspace);
        }
    }

    /// Starts counting in another way: grades and blocks stay, totals and causes follow anew.
    fn count(&mut self, counting: Counting) {
        let Some(workspace) = self.app.workspace().cloned() else { return };
        if self.app.background.is_some() {
            return self.app.not_counted("the tokens are still being counted: once they are, choose again");
        }
        // Whatever is under way was asked for before this.
        self.generation += 1;
        self.start.inputs.counting = counting;
        let (generation, file, diagnosis) = (self.generation, self.triage_file(), self.app.diagnosis().cloned());
        let work = move || Ok(jobs::count(&workspace, diagnosis.as_deref(), &file, counting));
        self.spawn("the counting", work, move |result| Message::Counted(generation, result));
    }

    /// Starts what changes files: decisions, repaired cases, exports.
    fn change(&mut self, effect: Effect) {
        let (Some(workspace), Some(diagnosis)) = (self.app.workspace().cloned(), self.app.diagnosis().cloned()) else {
            return;
        };
        let (generation, file) = (self.generation, self.triage_file());
        match effect {
            Effect::Decide(proposal) => {
                let author = self.start.settings.author.clone();
                let work = move || {
                    jobs::keep_decision(&workspace, &diagnosis, &file, *proposal, author.as_deref())
                        .map(|(diagnosis, said)| (diagnosis, Some(said)))
                };
                self.spawn("keeping the decision", work, move |result| Message::Diagnosed(generation, result));
            }
            Effect::Repair(question, event) => {
                let cases = self.start.inputs.cases.clone();
                let work = move || jobs::repair_case(&workspace, cases.as_deref(), question, &event);
                self.spawn("the repair", work, Message::Repaired);
            }
            Effect::Export => {
                self.spawn("the export", move || jobs::export_decisions(&diagnosis, &file), Message::Said);
            }
            _ => {}
        }
    }

    /// Opens a repaired case file in place of what was open.
    fn open_repaired(&mut self, path: PathBuf) {
        self.app.say(format!("opened {}, which has no answers recorded", path.display()));
        self.start.inputs = Inputs { cases: Some(path), ..Inputs::default() };
        self.load();
    }
}

/// Reads the keys in a thread of its own. The crate's feature `use-dev-tty` matters here: its other reader forgets keys that
/// arrive together with a change of size until the next key, and cannot read the terminal on macOS while data is piped in.
fn watch_input(sender: Sender<Message>) {
    thread::spawn(move || {
        loop {
            // A panic here would say nothing and leave a screen that no key can close.
            let message = match std::panic::catch_unwind(crossterm::event::read) {
                Ok(Ok(event)) => Message::Input(event),
                Ok(Err(error)) => Message::InputEnded(io_reason(&error)),
                Err(_) => Message::InputEnded("reading the keys failed in a way that it never should".to_owned()),
            };
            let ended = matches!(message, Message::InputEnded(_));
            if sender.send(message).is_err() || ended {
                return;
            }
        }
    });
}

fn watch_signals(sender: Sender<Message>) -> io::Result<()> {
    let mut signals =
        signal_hook::iterator::Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH])?;
    thread::spawn(move || {
        for signal in &mut signals {
            if sender.send(Message::Signal(signal)).is_err() {
                return;
            }
        }
    });
    Ok(())
}

fn gone(error: &io::Error) -> anyhow::Error {
    anyhow::anyhow!("the terminal cannot be used any more: {}", io_reason(error))
}
