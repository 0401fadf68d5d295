//! A memory system of the user's own as a strategy: a program that is told every event and asked every question.
//!
//! The program is started once, with `sh -c`. It reads JSON lines: `start`, then for each conversation its events and its
//! questions, in the order of the case file. It answers each question, and nothing else, with one JSON line of records, best
//! first; the facts quota cuts. What goes wrong with a question stays with that question.
//!
//! After a crash, a time-out or a line that is no answer the program is started again and told everything so far, since
//! nobody knows what the old one would say next. [`PATIENCE`] questions in a row that end so are the end: the rest is not
//! asked.

mod process;
mod protocol;

use std::time::Duration;

use crate::case::{CaseSet, Conversation, Question};
use crate::progress::Watch;
use crate::recording::{BlockRun, SentBlock, SentLine};

use process::{Program, Silence, ending};
use protocol::{Answer, ToProgram};

pub use protocol::{K, PROTOCOL};

/// Questions in a row that may break the program before the rest is not asked any more.
pub const PATIENCE: usize = 3;
/// The default of how long a program may be silent over a question.
pub const TIMEOUT: Duration = Duration::from_secs(30);

/// Runs a command over a case set. Never fails as a whole: each question has its records, or why there are none.
pub fn run(cases: &CaseSet, name: &str, command: &str, timeout: Duration, watch: &Watch) -> BlockRun {
    let mut asking = Asking {
        cases,
        name,
        command,
        timeout,
        watch,
        program: None,
        said: 0,
        broken: 0,
        last: String::new(),
        done: 0,
    };
    let mut blocks = Vec::with_capacity(cases.question_count());
    for (place, conversation) in cases.conversations.iter().enumerate() {
        for question in &conversation.questions {
            blocks.push(asking.block(place, conversation, question));
        }
    }
    if let Some(program) = asking.program.take() {
        program.end(true);
    }
    let origin = format!("the command {command}");
    BlockRun { origin, strategy: name.to_owned(), blocks, ranked: true, warnings: Vec::new() }
}

/// A run over a case set, between two questions.
struct Asking<'a> {
    cases: &'a CaseSet,
    name: &'a str,
    command: &'a str,
    timeout: Duration,
    watch: &'a Watch,
    /// The running program; none before the first question and after a failure.
    program: Option<Program<'a>>,
    /// The conversations whose events the running program was told.
    said: usize,
    /// The questions in a row that broke the program.
    broken: usize,
    /// How the last one did.
    last: String,
    /// The questions before this one.
    done: usize,
}

impl Asking<'_> {
    fn block(&mut self, place: usize, conversation: &Conversation, question: &Question) -> SentBlock {
        self.watch.say(&format!("{}: {} of {} questions", self.name, self.done, self.cases.question_count()));
        self.done += 1;
        let (lines, failure) = match self.records(place, conversation, question) {
            Ok(lines) => (lines, None),
            Err(failure) => (Vec::new(), Some(failure)),
        };
        SentBlock { user: Some(conversation.user.clone()), question: question.id.clone(), lines, failure }
    }

    fn records(
        &mut self,
        place: usize,
        conversation: &Conversation,
        question: &Question,
    ) -> Result<Vec<SentLine>, String> {
        if self.watch.is_stopped() {
            return Err("not asked: the run was stopped".to_owned());
        }
        if self.broken >= PATIENCE {
            return Err(format!("not asked: {PATIENCE} questions in a row had failed before; the last: {}", self.last));
        }
        let mut batch = Vec::new();
        let mut program = match self.program.take() {
            Some(program) => program,
            None => {
                self.said = 0;
                let facts_quota = self.cases.facts_quota;
                ToProgram::Start { protocol: PROTOCOL, strategy: self.name, facts_quota }.write(&mut batch);
                Program::start(self.command, self.watch).inspect_err(|reason| self.breaks(reason))?
            }
        };
        for conversation in self.cases.conversations.iter().take(place + 1).skip(self.said) {
            for event in &conversation.events {
                ToProgram::event(&conversation.user, event).write(&mut batch);
            }
        }
        self.said = place + 1;
        ToProgram::question(&conversation.user, question).write(&mut batch);
        let reason = match program.ask(batch, self.timeout).map(|line| protocol::read(&line)) {
            Ok(Answer::Records(lines)) => {
                self.broken = 0;
                self.program = Some(program);
                return Ok(lines);
            }
            Ok(Answer::Refused(reason)) => {
                self.broken = 0;
                self.program = Some(program);
                return Err(reason);
            }
            Ok(Answer::Nonsense(reason)) => {
                let (_, noise) = program.end(false);
                with_noise(reason, noise)
            }
            Err(Silence::TooLong) => {
                program.end(false);
                "answered with more than 16 MB in one line".to_owned()
            }
            Err(Silence::TimedOut) => {
                let (_, noise) = program.end(false);
                with_noise(format!("gave no answer within {} seconds", self.timeout.as_secs_f64()), noise)
            }
            Err(Silence::Ended) => {
                let (status, noise) = program.end(true);
                if self.watch.is_stopped() {
                    return Err("not answered: the run was stopped".to_owned());
                }
                with_noise(format!("{} before it answered", ending(status)), noise)
            }
        };
        self.breaks(&reason);
        Err(reason)
    }

    fn breaks(&mut self, reason: &str) {
        self.broken += 1;
        reason.clone_into(&mut self.last);
    }
}

fn with_noise(reason: String, noise: Option<String>) -> String {
    match noise {
        Some(noise) => format!("{reason}; on standard error: {noise}"),
        None => reason,
    }
}
