//! Everything that is open at once: the evaluation, the recordings with their grades, and what was odd in the files.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::bundled;
use crate::case::CaseSet;
use crate::evaluate::Evaluation;
use crate::grade::{AnswerKey, AnswerKeys, Grade, Verdict, grade_answer};
use crate::memory::{StoreError, Stores};
use crate::recording::{Answer, AnswerGroup, Recording};
use crate::replay::Growth;
use crate::select;
use crate::source::{InputError, Source, Warning};
use crate::tokens::TokenCounter;

/// Which files to open; what is not named is the bundled data.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    /// The case file; `-` is standard input.
    pub cases: Option<PathBuf>,
    /// Recordings, side by side.
    pub answers: Vec<PathBuf>,
    /// The answer keys.
    pub keys: Option<PathBuf>,
}

/// Why a workspace could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// An input is wrong.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Verdict counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Answers that pass.
    pub pass: usize,
    /// Answers that fail.
    pub fail: usize,
    /// Answers that cannot be graded.
    pub incomplete: usize,
}

impl Tally {
    /// Counts one more.
    pub fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Pass => self.pass += 1,
            Verdict::Fail => self.fail += 1,
            Verdict::Incomplete => self.incomplete += 1,
        }
    }

    /// Counts one less.
    pub fn take(&mut self, verdict: Verdict) {
        let count = match verdict {
            Verdict::Pass => &mut self.pass,
            Verdict::Fail => &mut self.fail,
            Verdict::Incomplete => &mut self.incomplete,
        };
        *count = count.saturating_sub(1);
    }

    /// All answers.
    pub fn total(self) -> usize {
        self.pass + self.fail + self.incomplete
    }
}

/// An answer of a graded recording: which group, and which answer of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AnswerRef {
    /// Place of the recording in [`Workspace::recordings`].
    pub recording: usize,
    /// Place of the group in the recording.
    pub group: usize,
    /// Place of the answer in the group.
    pub answer: usize,
}

/// A recording with the grade of each of its answers.
pub struct GradedRecording {
    /// The answers.
    pub recording: Recording,
    /// For each group, the grade of each answer.
    pub grades: Vec<Vec<Grade>>,
    /// For each group, its strategy's place in the evaluation, where it has one.
    pub strategy: Vec<Option<usize>>,
    /// For each group, its question's number in the evaluation, where it has one.
    pub question: Vec<Option<usize>>,
    by_cell: HashMap<(usize, usize), Vec<usize>>,
}

/// Everything that is open, immutable and shared by panes and reports.
pub struct Workspace {
    /// The graded blocks.
    pub evaluation: Evaluation,
    /// The answer keys.
    pub keys: Arc<AnswerKeys>,
    /// The graded recordings.
    pub recordings: Vec<GradedRecording>,
    /// The long replay, where the case set has one.
    pub growth: Option<Growth>,
    /// What was odd in the inputs.
    pub warnings: Vec<Warning>,
    /// For each strategy, the verdicts on each question's answers over all recordings.
    cells: Vec<Vec<Tally>>,
    /// For each strategy, the verdicts on its answers over all recordings, those to unknown questions too.
    tallies: Vec<Tally>,
}

impl Workspace {
    /// Reads the inputs and computes everything.
    ///
    /// # Errors
    /// An input cannot be read or is wrong, or a store refuses.
    pub fn open(inputs: &Inputs, counter: Arc<dyn TokenCounter>) -> Result<Self, OpenError> {
        let cases = Arc::new(load_cases(inputs)?);
        let keys = load_keys(inputs)?;
        let recordings = load_recordings(inputs)?;
        Self::build(cases, keys, recordings, counter)
    }

    /// Computes everything from inputs in memory.
    ///
    /// # Errors
    /// A store refuses.
    pub fn build(
        cases: Arc<CaseSet>,
        keys: AnswerKeys,
        recordings: Vec<Recording>,
        counter: Arc<dyn TokenCounter>,
    ) -> Result<Self, OpenError> {
        let growth = cases
            .long_replay
            .as_ref()
            .map(|replay| Growth::run(&mut Stores::in_memory()?, replay, replay.sample_every, &*counter))
            .transpose()?;
        let evaluation = Evaluation::run(cases.clone(), select::builtin().into(), counter)?;
        let mut warnings = cases.warnings.clone();
        warnings.extend(keys.warnings.iter().cloned());
        let recordings: Vec<_> = recordings
            .into_iter()
            .map(|recording| {
                warnings.extend(recording.warnings.iter().cloned());
                let graded = GradedRecording::new(recording, &keys, &evaluation);
                warnings.extend(graded.strangers());
                graded
            })
            .collect();
        let mut workspace = Self { recordings, warnings, keys: Arc::new(keys), ..Self::of(evaluation, growth) };
        workspace.count();
        Ok(workspace)
    }

    /// The same inputs counted with another counter. Nothing is read again: standard input gives its text only once.
    ///
    /// # Errors
    /// A store refuses.
    pub fn recounted(&self, counter: Arc<dyn TokenCounter>) -> Result<Self, OpenError> {
        let recordings = self.recordings.iter().map(|graded| graded.recording.clone()).collect();
        Self::build(self.evaluation.cases.clone(), AnswerKeys::clone(&self.keys), recordings, counter)
    }

    /// A workspace without answers.
    pub fn of(evaluation: Evaluation, growth: Option<Growth>) -> Self {
        let warnings = evaluation.cases.warnings.clone();
        let cells = vec![vec![Tally::default(); evaluation.question_count()]; evaluation.strategies.len()];
        let tallies = vec![Tally::default(); evaluation.strategies.len()];
        Self { evaluation, keys: Arc::default(), recordings: Vec::new(), growth, warnings, cells, tallies }
    }

    /// Counts once what panes ask for at each frame.
    fn count(&mut self) {
        for graded in &self.recordings {
            for (strategy, grades) in graded.strategy.iter().zip(&graded.grades) {
                if let Some(tally) = strategy.and_then(|strategy| self.tallies.get_mut(strategy)) {
                    grades.iter().for_each(|grade| tally.add(grade.verdict));
                }
            }
            for ((strategy, question), groups) in &graded.by_cell {
                let Some(cell) = self.cells.get_mut(*strategy).and_then(|cells| cells.get_mut(*question)) else {
                    continue;
                };
                for grade in groups.iter().filter_map(|group| graded.grades.get(*group)).flatten() {
                    cell.add(grade.verdict);
                }
            }
        }
    }

    /// The answers to a question under a strategy, over all recordings.
    pub fn answers(&self, strategy: usize, question: usize) -> impl Iterator<Item = AnswerRef> + '_ {
        self.recordings.iter().enumerate().flat_map(move |(recording, graded)| {
            let groups = graded.by_cell.get(&(strategy, question)).map_or(&[][..], Vec::as_slice);
            groups.iter().flat_map(move |&group| {
                let count = graded.grades.get(group).map_or(0, Vec::len);
                (0..count).map(move |answer| AnswerRef { recording, group, answer })
            })
        })
    }

    /// Every answer of every recording, in file order.
    pub fn all_answers(&self) -> impl Iterator<Item = AnswerRef> + '_ {
        self.recordings.iter().enumerate().flat_map(|(recording, graded)| {
            graded.grades.iter().enumerate().flat_map(move |(group, grades)| {
                (0..grades.len()).map(move |answer| AnswerRef { recording, group, answer })
            })
        })
    }

    /// The recording, group, answer and grade that a reference names.
    pub fn answer(&self, at: AnswerRef) -> Option<(&GradedRecording, &AnswerGroup, &Answer, &Grade)> {
        let graded = self.recordings.get(at.recording)?;
        let group = graded.recording.groups.get(at.group)?;
        let grade = graded.grades.get(at.group)?.get(at.answer)?;
        Some((graded, group, group.answers.get(at.answer)?, grade))
    }

    /// The key by which an answer is graded.
    pub fn key_of(&self, at: AnswerRef) -> Option<&AnswerKey> {
        let graded = self.recordings.get(at.recording)?;
        let group = graded.recording.groups.get(at.group)?;
        let question = graded.question.get(at.group).copied().flatten();
        key_for(&self.keys, &self.evaluation, group, question)
    }

    /// Verdicts of a strategy's answers, over all recordings.
    pub fn tally(&self, strategy: usize) -> Tally {
        self.tallies.get(strategy).copied().unwrap_or_default()
    }

    /// Verdicts of the answers to one question under one strategy.
    pub fn cell_tally(&self, strategy: usize, question: usize) -> Tally {
        self.cells.get(strategy).and_then(|cells| cells.get(question)).copied().unwrap_or_default()
    }

    /// Whether something is wrong with a question under a strategy: its block lacks or leaks a fact, or an answer does
    /// not pass.
    pub fn is_failure(&self, strategy: usize, question: usize) -> bool {
        let tally = self.cell_tally(strategy, question);
        tally.pass < tally.total() || self.evaluation.block(strategy, question).is_some_and(|block| !block.is_sound())
    }
}

impl GradedRecording {
    fn new(recording: Recording, keys: &AnswerKeys, evaluation: &Evaluation) -> Self {
        let by_name = question_names(evaluation);
        let mut graded = Self {
            grades: Vec::with_capacity(recording.groups.len()),
            strategy: Vec::with_capacity(recording.groups.len()),
            question: Vec::with_capacity(recording.groups.len()),
            by_cell: HashMap::new(),
            recording,
        };
        for (index, group) in graded.recording.groups.iter().enumerate() {
            let questions = by_name.get(group.question.as_str()).map_or(&[][..], Vec::as_slice);
            let strategy = evaluation.strategy_named(&group.strategy);
            if let Some(strategy) = strategy {
                for &question in questions {
                    graded.by_cell.entry((strategy, question)).or_default().push(index);
                }
            }
            let question = questions.first().copied();
            graded.grades.push(grade_group(group, key_for(keys, evaluation, group, question), keys));
            graded.strategy.push(strategy);
            graded.question.push(question);
        }
        graded
    }

    /// Groups whose question or strategy the case set does not have: kept, graded where a key fits, and reported.
    fn strangers(&self) -> Vec<Warning> {
        let groups = || self.recording.groups.iter();
        let no_question = groups().zip(&self.question).filter(|(_, place)| place.is_none()).map(|(group, _)| group);
        let no_strategy = groups().zip(&self.strategy).filter(|(_, place)| place.is_none()).map(|(group, _)| group);
        let report = |what: &str, names: Vec<&str>| {
            let first = names.first()?;
            let more = if names.len() > 1 { format!(" and {} more", names.len() - 1) } else { String::new() };
            let message = format!("answers to a {what} that the case set does not have: \"{first}\"{more}");
            Some(InputError::plain(&self.recording.name, message))
        };
        let mut questions: Vec<&str> = no_question.map(|group| group.question.as_str()).collect();
        questions.sort_unstable();
        questions.dedup();
        let mut strategies: Vec<&str> = no_strategy.map(|group| group.strategy.as_str()).collect();
        strategies.sort_unstable();
        strategies.dedup();
        report("question", questions).into_iter().chain(report("strategy", strategies)).collect()
    }
}

/// Each question under its id and under its text.
pub(crate) fn question_names(evaluation: &Evaluation) -> HashMap<&str, Vec<usize>> {
    let mut names: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, (_, question)) in evaluation.cases.questions().enumerate() {
        names.entry(&question.id).or_default().push(number);
        if question.question != question.id {
            names.entry(&question.question).or_default().push(number);
        }
    }
    names
}

fn key_for<'a>(
    keys: &'a AnswerKeys,
    evaluation: &Evaluation,
    group: &AnswerGroup,
    question: Option<usize>,
) -> Option<&'a AnswerKey> {
    question
        .and_then(|number| evaluation.question(number))
        .and_then(|(_, question)| keys.key(question))
        .or_else(|| keys.by_name(&group.question))
}

fn grade_group(group: &AnswerGroup, key: Option<&AnswerKey>, keys: &AnswerKeys) -> Vec<Grade> {
    let grade = |answer: &Answer| match key {
        Some(key) => grade_answer(&answer.answer, key, keys.replaced.as_ref()),
        None => Grade::without_key(),
    };
    group.answers.iter().map(grade).collect()
}

/// The named case file or the bundled one.
///
/// # Errors
/// It cannot be read or is wrong.
pub fn load_cases(inputs: &Inputs) -> Result<CaseSet, InputError> {
    CaseSet::load(&inputs.cases.as_deref().map_or_else(|| Ok(bundled::cases()), Source::read)?)
}

/// The named keys; the bundled ones where neither cases nor answers nor keys are named; else none.
///
/// # Errors
/// They cannot be read or are wrong.
pub fn load_keys(inputs: &Inputs) -> Result<AnswerKeys, InputError> {
    match &inputs.keys {
        Some(path) => AnswerKeys::load(&Source::read(path)?),
        None if inputs.cases.is_none() => AnswerKeys::load(&bundled::answer_keys()),
        None => Ok(AnswerKeys::default()),
    }
}

/// The named recordings; the bundled one where no case file is named either; else none.
///
/// # Errors
/// One cannot be read or is wrong.
pub fn load_recordings(inputs: &Inputs) -> Result<Vec<Recording>, InputError> {
    if inputs.answers.is_empty() && inputs.cases.is_none() {
        return Ok(vec![Recording::load(&bundled::answers())?]);
    }
    inputs.answers.iter().map(|path| Recording::load(&Source::read(path)?)).collect()
}
