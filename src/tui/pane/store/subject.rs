//! Whose store is shown, and how it came to be: the steps of a scenario, the events of a user, or a file as it is.

use std::sync::Arc;

use crate::bundled;
use crate::case::{Event, Op};
use crate::evaluate::Evaluation;
use crate::governed::scenario::{Playback, Scenario, Scenarios};
use crate::governed::{Clock, GovernedError, Heard, Scope, Turn, scope_of};
use crate::workspace::Workspace;

/// Steps that are run at a time: the rest follows while the screen lives on.
const AT_ONCE: usize = 256;

/// Whose store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    /// The file that the command line names.
    File,
    /// A bundled scenario, by its place among those with steps.
    Scenario(usize),
    /// A user of the open case set, by the place of the history.
    User(usize),
}

/// What a step came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Told {
    /// In words.
    pub(super) words: String,
    /// Whether it is what the scenario expects; nothing where nothing was expected.
    pub(super) holds: Option<bool>,
    /// Whether something was refused.
    pub(super) refused: bool,
}

/// A subject and its store after some of its steps.
pub(super) struct Player {
    scenarios: Arc<Scenarios>,
    subject: Subject,
    /// When each event of the user was said, by the store's clock.
    times: Vec<i64>,
    playback: Playback,
    /// Where the person wants to be.
    target: usize,
    /// What each step came to, as far as they were run: the same each time.
    told: Vec<Told>,
    /// Why the store cannot go on.
    pub(super) failure: Option<String>,
}

/// All subjects of a workspace, in the order of the list.
pub(super) fn subjects(workspace: &Workspace, scenarios: &Scenarios) -> Vec<Subject> {
    let file = workspace.memory.is_some().then_some(Subject::File);
    let scenarios = (0..scenarios.scenarios.len()).map(Subject::Scenario);
    let users = (0..workspace.evaluation.histories.len()).map(Subject::User);
    file.into_iter().chain(scenarios).chain(users).collect()
}

/// The bundled scenarios.
pub(super) fn scenarios() -> Result<Scenarios, String> {
    Scenarios::load(&bundled::governed()).map_err(|error| error.to_string())
}

impl Player {
    /// The store of a subject before its first step.
    pub(super) fn new(subject: Subject, scenarios: Arc<Scenarios>, workspace: &Workspace) -> Result<Self, String> {
        let open = || match (subject, &workspace.memory) {
            (Subject::File, Some(memory)) => Ok(Playback::of(memory.snapshot.open()?)),
            _ => Playback::new(),
        };
        let playback = open().map_err(|error: GovernedError| error.to_string())?;
        let mut player =
            Self { scenarios, subject, times: Vec::new(), playback, target: 0, told: Vec::new(), failure: None };
        let mut clock = Clock::default();
        let events = player.events(&workspace.evaluation).unwrap_or_default();
        player.times = events.iter().map(|event| clock.at(event)).collect();
        Ok(player)
    }

    pub(super) fn subject(&self) -> Subject {
        self.subject
    }

    pub(super) fn playback(&self) -> &Playback {
        &self.playback
    }

    pub(super) fn playback_mut(&mut self) -> &mut Playback {
        &mut self.playback
    }

    pub(super) fn scenario(&self) -> Option<&Scenario> {
        match self.subject {
            Subject::Scenario(place) => self.scenarios.scenarios.get(place),
            _ => None,
        }
    }

    /// What the operation of a step does, in words.
    pub(super) fn operation_words(&self, step: usize) -> Option<&str> {
        let step = self.scenario()?.steps.get(step)?;
        self.scenarios.operations.get(step.operation.name()).map(String::as_str)
    }

    /// The events of the user.
    pub(super) fn events<'a>(&self, evaluation: &'a Evaluation) -> Option<&'a [Event]> {
        match self.subject {
            Subject::User(user) => evaluation.histories.get(user).map(|history| history.events.as_slice()),
            _ => None,
        }
    }

    /// How many steps there are.
    pub(super) fn len(&self, evaluation: &Evaluation) -> usize {
        match self.subject {
            Subject::File => 0,
            Subject::Scenario(_) => self.scenario().map_or(0, |scenario| scenario.steps.len()),
            Subject::User(_) => self.events(evaluation).map_or(0, <[Event]>::len),
        }
    }

    /// After how many steps the store is.
    pub(super) fn at(&self) -> usize {
        self.playback.at()
    }

    /// After how many steps it is to be.
    pub(super) fn target(&self) -> usize {
        self.target
    }

    /// Whether steps are still to be run.
    pub(super) fn is_under_way(&self) -> bool {
        self.failure.is_none() && self.playback.at() != self.target
    }

    /// What a step came to, if it was ever run.
    pub(super) fn told(&self, step: usize) -> Option<&Told> {
        self.told.get(step)
    }

    /// The scope that a step is about, where it is about one.
    pub(super) fn scope_of(&self, step: usize, evaluation: &Evaluation) -> Option<Scope> {
        match self.subject {
            Subject::File => None,
            Subject::Scenario(_) => self.scenario()?.steps.get(step)?.operation.scope().cloned(),
            Subject::User(user) => Some(scope_of(&evaluation.histories.get(user)?.user)),
        }
    }

    /// Goes to where so many steps are done, or as far as can be gone at once.
    pub(super) fn go(&mut self, to: usize, evaluation: &Evaluation) {
        self.target = to.min(self.len(evaluation));
        self.failure = None;
        self.advance(evaluation);
    }

    /// Runs some of the steps that are left.
    pub(super) fn advance(&mut self, evaluation: &Evaluation) {
        let Self { scenarios, subject, times, playback, target, told, failure } = self;
        let gone = match *subject {
            Subject::File => Ok(true),
            Subject::Scenario(place) => {
                let steps = scenarios.scenarios.get(place).map_or(&[][..], |scenario| scenario.steps.as_slice());
                playback.go(*target, AT_ONCE, |store, number| {
                    let Some(step) = steps.get(number) else { return Ok(()) };
                    let outcome = step.operation.run(store)?;
                    if told.len() == number {
                        let holds = Some(step.holds(&outcome));
                        told.push(Told { words: outcome.to_string(), holds, refused: outcome.is_refusal() });
                    }
                    Ok(())
                })
            }
            Subject::User(user) => {
                let Some(history) = evaluation.histories.get(user) else { return };
                let scope = scope_of(&history.user);
                playback.go(*target, AT_ONCE, |store, number| {
                    let Some((event, time)) = history.events.get(number).zip(times.get(number)) else { return Ok(()) };
                    let heard = store.hear(event, number, *time, &scope)?;
                    if told.len() == number {
                        told.push(heard_words(&heard));
                    }
                    Ok(())
                })
            }
        };
        if let Err(error) = gone {
            *failure = Some(error.to_string());
        }
    }
}

fn heard_words(heard: &Heard) -> Told {
    match heard {
        Heard::Proposed { turn, id } => {
            let refused = matches!(turn, Turn::Refused(_));
            let words = if refused { turn.to_string() } else { format!("{turn} {id}") };
            Told { words, holds: None, refused }
        }
        Heard::Forgot(forgotten) if forgotten.ids.is_empty() => {
            Told { words: "nothing to forget".to_owned(), holds: None, refused: false }
        }
        Heard::Forgot(forgotten) => {
            let count = forgotten.ids.len();
            let versions = if count == 1 { "version" } else { "versions" };
            Told { words: format!("deleted {count} {versions}"), holds: None, refused: false }
        }
    }
}

/// An event in one line, after its turn.
pub(super) fn event_words(event: &Event) -> String {
    match event.op {
        Op::Forget => format!("forget {}", event.attribute),
        op => format!("{} {} = {}", op.name(), event.attribute, event.text),
    }
}

/// What a subject is called.
pub(super) fn name(subject: Subject, workspace: &Workspace, scenarios: &Scenarios) -> String {
    match subject {
        Subject::File => workspace.memory.as_ref().map(|memory| memory.name.clone()).unwrap_or_default(),
        Subject::Scenario(place) => {
            scenarios.scenarios.get(place).map(|scenario| scenario.name.clone()).unwrap_or_default()
        }
        Subject::User(user) => {
            workspace.evaluation.histories.get(user).map(|history| history.user.clone()).unwrap_or_default()
        }
    }
}

/// What sort of subject it is.
pub(super) fn sort(subject: Subject) -> &'static str {
    match subject {
        Subject::File => "file",
        Subject::Scenario(_) => "scenario",
        Subject::User(_) => "user",
    }
}
