//! One question as the signals see it: its key, its evidence, and everything that was answered.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;

use crate::case::{Event, Fact, Question};
use crate::grade::{AnswerKey, Pattern, Verdict, Verdicts};
use crate::recording::{Answer, Recording};
use crate::workspace::{AnswerRef, GradedRecording, Workspace};

use super::calendar::{self, Mention};
use super::index::Index;
use super::pattern::compile;
use super::signal::Part;
use super::terms::{term_spans, terms};

/// How questions ask for a conclusion instead of for something said.
static ASKS_TO_INFER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile(r"(?i)\b(?:would|might|likely|could|probably|potential|considered|suggests?|infer|based on)\b")
});

/// Answers that one proof quotes; further ones are counted.
const QUOTED: usize = 5;

/// One run: the answers of a recording under one strategy.
#[derive(Debug, Clone)]
pub struct Run {
    /// The recording's name.
    pub recording: String,
    /// The strategy.
    pub strategy: String,
    /// Which model under which instructions: runs of one source are not independent of each other.
    pub source: usize,
    /// Its graded answers that pass.
    pub passed: usize,
    /// Its graded answers.
    pub graded: usize,
    /// The questions that these answer. Several seeds of one question stand and fall together.
    pub questions: usize,
}

/// An answer to the question.
#[derive(Debug, Clone)]
pub struct Said<'a> {
    /// Which answer.
    pub at: AnswerRef,
    /// Which run, as a place in [`Subject::runs`].
    pub run: usize,
    /// The run's source.
    pub source: usize,
    /// The seed.
    pub seed: Option<i64>,
    /// Its words.
    pub text: &'a str,
    /// The verdict of the key's patterns.
    pub pattern: Option<bool>,
    /// The judges' votes.
    pub votes: &'a [bool],
    /// Whether its block held every required fact, where the block is known.
    pub informed: Option<bool>,
}

impl Said<'_> {
    /// Whether most judges accept it; nothing without votes or on a tie.
    pub fn judged(&self) -> Option<bool> {
        let yes = self.votes.iter().filter(|vote| **vote).count();
        (2 * yes != self.votes.len()).then_some(2 * yes > self.votes.len())
    }

    /// Whether it passes: by the key's patterns, or else by most judges.
    pub fn passes(&self) -> Option<bool> {
        self.pattern.or_else(|| self.judged())
    }

    /// Whether it fails.
    pub fn fails(&self) -> bool {
        self.passes() == Some(false)
    }
}

/// A required fact and the events that carry it.
#[derive(Debug, Clone)]
pub struct Cited<'a> {
    /// The fact.
    pub fact: &'a Fact,
    /// Places among the user's events.
    pub events: Vec<usize>,
}

/// One question with everything that bears on whether its key is right.
pub struct Subject<'a> {
    /// The question's number in the evaluation.
    pub number: usize,
    /// The question.
    pub question: &'a Question,
    /// Whose memory it is.
    pub user: &'a str,
    /// Its key.
    pub key: Option<&'a AnswerKey>,
    /// What marks a value as replaced.
    pub replaced: Option<&'a Pattern>,
    /// The user's events before the question.
    pub events: &'a [Event],
    /// Who said what in the user's whole history.
    pub index: &'a Index,
    /// The required facts with the events that carry them.
    pub cited: Vec<Cited<'a>>,
    /// Every answer.
    pub answers: Vec<Said<'a>>,
    /// All runs.
    pub runs: &'a [Run],
    /// The stems of the question.
    pub asked: BTreeSet<String>,
    /// The stems that the published answer adds to the question, without its dates; empty without a published answer.
    pub wanted: BTreeSet<String>,
    /// The times that the published answer names.
    pub wanted_times: Vec<Mention>,
}

impl<'a> Subject<'a> {
    /// Gathers what bears on one question.
    pub fn new(
        workspace: &'a Workspace,
        number: usize,
        index: &'a Index,
        runs: &'a [Run],
        answers: Vec<Said<'a>>,
    ) -> Option<Self> {
        let evaluation = &workspace.evaluation;
        let (_, question) = evaluation.question(number)?;
        let (history, after) = evaluation.history(number)?;
        let asked = terms(&question.question);
        let answer = question.answer.as_deref().unwrap_or_default();
        Some(Self {
            number,
            question,
            user: &history.user,
            key: workspace.keys.key(question),
            replaced: workspace.keys.replaced.as_ref(),
            events: history.events.get(..after)?,
            index,
            cited: question.required.iter().map(|fact| Cited { fact, events: index.carriers(fact, after) }).collect(),
            answers,
            runs,
            wanted: claims(answer, &asked),
            wanted_times: calendar::written(answer, None),
            asked,
        })
    }

    /// Every pattern of the key with the part of the key it belongs to.
    pub fn patterns(&self) -> Vec<(&'a str, &'a Pattern)> {
        let Some(key) = self.key else { return Vec::new() };
        let must = key.must.iter().map(|(name, pattern)| (name.as_str(), pattern));
        let stale = key.stale.iter().map(|pattern| ("stale", pattern));
        must.chain(stale).chain(key.forgotten.iter().map(|pattern| ("forgotten", pattern))).collect()
    }

    /// Whether the question asks for a conclusion ("would", "likely"): then several answers can be right, the key's words
    /// need not be said by anyone, and failing answers mean less.
    pub fn asks_to_infer(&self) -> bool {
        ASKS_TO_INFER.as_ref().is_some_and(|pattern| pattern.is_match(&self.question.question))
    }

    /// What failing answers count for: less where several answers can be right.
    pub fn firmness(&self) -> f64 {
        if self.asks_to_infer() { 0.6 } else { 1.0 }
    }

    /// Who said an event.
    pub fn speaker(&self, event: &'a Event) -> &'a str {
        event.speaker.as_deref().unwrap_or(self.user)
    }

    /// Whether the evidence is given by event ids, and at least one of them resolves.
    pub fn has_cited_events(&self) -> bool {
        self.cited.iter().any(|cited| matches!(cited.fact, Fact::Event { .. }) && !cited.events.is_empty())
    }

    /// The events that carry required facts, each once, in the order of the facts.
    pub fn evidence(&self) -> Vec<usize> {
        let mut seen = HashSet::new();
        self.cited.iter().flat_map(|cited| cited.events.iter().copied()).filter(|event| seen.insert(*event)).collect()
    }

    /// The event at a place.
    pub fn event(&self, place: usize) -> Option<&'a Event> {
        self.events.get(place)
    }

    /// The stems of everything that the evidence says, its speakers included.
    pub fn evidence_terms(&self) -> BTreeSet<String> {
        self.terms_of(self.evidence())
    }

    /// The stems of these events and of their speakers' names.
    pub fn terms_of(&self, places: impl IntoIterator<Item = usize>) -> BTreeSet<String> {
        let events = places.into_iter().filter_map(|place| self.event(place));
        events
            .flat_map(|event| term_spans(event.words()).chain(term_spans(self.speaker(event))).map(|(term, _)| term))
            .collect()
    }

    /// The day of an event, where its date can be read.
    pub fn day(&self, event: &Event) -> Option<Date> {
        calendar::day_of(event.at.as_deref()?)
    }

    /// The speakers that the question names, in the order of their first mention, each with the bytes of the name.
    pub fn named(&self) -> Vec<(&'a str, Range<usize>)> {
        self.index.named_in(&self.question.question)
    }

    /// The answers that fail.
    pub fn failing(&self) -> impl Iterator<Item = &Said<'a>> {
        self.answers.iter().filter(|said| said.fails())
    }

    /// The number of graded answers.
    pub fn graded(&self) -> usize {
        self.answers.iter().filter(|said| said.passes().is_some()).count()
    }

    /// An answer as a piece of proof.
    pub fn quote(&self, said: &Said<'_>, spans: Vec<Range<usize>>) -> Part {
        let run = self.runs.get(said.run);
        Part::Answer {
            at: said.at,
            recording: run.map(|run| run.recording.clone()).unwrap_or_default(),
            strategy: run.map(|run| run.strategy.clone()).unwrap_or_default(),
            seed: said.seed,
            text: said.text.to_owned(),
            spans,
        }
    }

    /// Answers as proof: different words first, a few of them, with a count of what is left out.
    pub fn quotes<'s>(&self, said: impl IntoIterator<Item = (&'s Said<'a>, Vec<Range<usize>>)>) -> Vec<Part>
    where
        'a: 's,
    {
        let mut seen = HashSet::new();
        let mut parts = Vec::new();
        let mut more = 0;
        for (said, spans) in said {
            if parts.len() < QUOTED && seen.insert(said.text) {
                parts.push(self.quote(said, spans));
            } else {
                more += 1;
            }
        }
        if more > 0 {
            let plural = if more == 1 { "" } else { "s" };
            parts.push(Part::sentence(format!("and {more} more answer{plural} of the kind")));
        }
        parts
    }

    /// An event as a piece of proof.
    pub fn line(&self, place: usize, spans: Vec<Range<usize>>) -> Option<Part> {
        let event = self.event(place)?;
        Some(Part::Line {
            event: place,
            id: event.id.clone(),
            speaker: self.speaker(event).to_owned(),
            at: event.at.clone(),
            text: event.text.clone(),
            spans,
        })
    }

    /// The cited events as proof.
    pub fn lines(&self) -> Vec<Part> {
        self.evidence().into_iter().filter_map(|place| self.line(place, Vec::new())).collect()
    }
}

/// The stems that a text adds to `known`. Its written dates are left out: they are compared as days, not as words.
pub fn claims(text: &str, known: &BTreeSet<String>) -> BTreeSet<String> {
    let times = calendar::written(text, None);
    let in_time =
        |span: &Range<usize>| times.iter().any(|time| time.span.start <= span.start && span.end <= time.span.end);
    term_spans(text).filter(|(term, span)| !known.contains(term) && !in_time(span)).map(|(term, _)| term).collect()
}

/// All runs of a workspace, and for each question its answers.
pub fn gather(workspace: &Workspace) -> (Vec<Run>, Vec<Vec<Said<'_>>>) {
    let mut gathering = Gathering {
        workspace,
        names: workspace.evaluation.cases.question_names(),
        runs: Vec::new(),
        answers: vec![Vec::new(); workspace.evaluation.question_count()],
    };
    let mut sources: HashMap<String, usize> = HashMap::new();
    for (place, graded) in workspace.recordings.iter().enumerate() {
        let next = sources.len();
        let source = *sources.entry(source(&graded.recording)).or_insert(next);
        gathering.recording(place, graded, source);
    }
    (gathering.runs, gathering.answers)
}

/// Who answered: one model asked by the same instructions is one source, in however many files. Files that do not say which
/// model it was are taken for different ones.
fn source(recording: &Recording) -> String {
    let model = if recording.model.is_empty() {
        recording.name.clone()
    } else {
        serde_json::Value::Object(recording.model.clone()).to_string()
    };
    format!("{model}\n{}", recording.system)
}

struct Gathering<'a> {
    workspace: &'a Workspace,
    names: HashMap<&'a str, Vec<usize>>,
    runs: Vec<Run>,
    answers: Vec<Vec<Said<'a>>>,
}

impl<'a> Gathering<'a> {
    fn recording(&mut self, place: usize, graded: &'a GradedRecording, source: usize) {
        let mut by_strategy: HashMap<&str, usize> = HashMap::new();
        let groups = graded.recording.groups.iter().zip(graded.verdicts.iter()).zip(graded.strategy.iter()).enumerate();
        for (number, ((group, verdicts), strategy)) in groups {
            let run = *by_strategy.entry(&group.strategy).or_insert_with(|| {
                let (recording, strategy) = (graded.recording.name.clone(), group.strategy.clone());
                self.runs.push(Run { recording, strategy, source, passed: 0, graded: 0, questions: 0 });
                self.runs.len() - 1
            });
            let said = |(answer, (said, verdicts)): (usize, (&'a Answer, &Verdicts))| Said {
                at: AnswerRef { recording: place, group: number, answer },
                run,
                source,
                seed: said.seed,
                text: &said.answer,
                pattern: match verdicts.key.as_ref().map(|grade| grade.verdict) {
                    Some(Verdict::Pass) => Some(true),
                    Some(Verdict::Fail) => Some(false),
                    Some(Verdict::Incomplete) | None => None,
                },
                votes: &said.judge,
                informed: None,
            };
            let said: Vec<Said<'a>> = group.answers.iter().zip(verdicts).enumerate().map(said).collect();
            let questions = self.names.get(group.question.as_str()).map_or(&[][..], Vec::as_slice);
            for &question in questions {
                if let Some(run) = self.runs.get_mut(run) {
                    run.count(&said);
                }
                let block = strategy.and_then(|strategy| self.workspace.evaluation.block(strategy, question));
                let informed = block.map(|block| block.missing.is_empty());
                if let Some(answers) = self.answers.get_mut(question) {
                    answers.extend(said.iter().map(|said| Said { informed, ..*said }));
                }
            }
        }
    }
}

impl Run {
    /// Counts the answers to one question.
    fn count(&mut self, said: &[Said<'_>]) {
        let graded: Vec<bool> = said.iter().filter_map(Said::passes).collect();
        self.graded += graded.len();
        self.passed += graded.iter().filter(|passes| **passes).count();
        self.questions += usize::from(!graded.is_empty());
    }
}
