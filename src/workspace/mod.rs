//! Everything that is open at once: the evaluation, the recordings with their grades, and what was odd in the files.

mod graded;

use std::sync::Arc;

use rayon::prelude::*;

use crate::case::CaseSet;
use crate::evaluate::{EvaluateError, Evaluation};
use crate::grade::{Abstention, AnswerKey, AnswerKeys, Counting, Grade, Grader, Verdict, Verdicts};
use crate::memory::{StoreError, Stores};
use crate::open::{self, Inputs, MemoryFile};
use crate::progress::Watch;
use crate::recording::{Answer, AnswerGroup, BlockRun, Recording};
use crate::replay::Growth;
use crate::select::{self, AnswersOnly, SentByOther, Strategy, UnknownStrategy};
use crate::source::{InputError, Warning};
use crate::tokens::TokenCounter;

pub use graded::GradedRecording;

use graded::{chosen, key_for, standards};

/// What a workspace is made of.
pub struct Parts {
    /// Events and questions.
    pub cases: Arc<CaseSet>,
    /// The answer keys.
    pub keys: AnswerKeys,
    /// Recorded answers, side by side.
    pub recordings: Vec<Recording>,
    /// Blocks that other systems sent; each becomes a strategy.
    pub runs: Vec<BlockRun>,
    /// The strategies to run, in the order of reports.
    pub strategies: Vec<Arc<dyn Strategy>>,
}

/// Why a workspace could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// An input is wrong.
    #[error(transparent)]
    Input(#[from] InputError),
    /// There is no evaluation.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// A strategy is not known.
    #[error(transparent)]
    Strategy(#[from] UnknownStrategy),
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

    /// Adds another count.
    pub fn merge(&mut self, other: Self) {
        self.pass += other.pass;
        self.fail += other.fail;
        self.incomplete += other.incomplete;
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

/// Everything that is open, immutable and shared by panes and reports.
pub struct Workspace {
    /// The graded blocks.
    pub evaluation: Arc<Evaluation>,
    /// The answer keys.
    pub keys: Arc<AnswerKeys>,
    /// The graded recordings.
    pub recordings: Vec<GradedRecording>,
    /// Whose grades count, and of which questions.
    pub counting: Counting,
    /// The long replay, where the case set has one.
    pub growth: Option<Arc<Growth>>,
    /// What was odd in the inputs.
    pub warnings: Vec<Warning>,
    /// A governed store's database to look at.
    pub memory: Option<Arc<MemoryFile>>,
    /// For each strategy, the verdicts on each question's answers over all recordings.
    cells: Vec<Vec<Tally>>,
    /// For each strategy, the verdicts on its answers over all recordings, those to unknown questions too.
    tallies: Vec<Tally>,
    /// For each strategy, the verdicts on its answers to questions to abstain from, whether totals count them or not.
    abstained: Vec<Tally>,
    /// The graders that gave a grade which counts, and those that gave any.
    by: Vec<Grader>,
    graders: Vec<Grader>,
}

impl Workspace {
    /// Reads the inputs and computes everything.
    ///
    /// # Errors
    /// An input cannot be read or is wrong, or a store refuses.
    pub fn open(inputs: &Inputs, counter: Arc<dyn TokenCounter>) -> Result<Self, OpenError> {
        Self::open_watched(inputs, counter, &Watch::default())
    }

    /// [`Workspace::open`], with its work to be seen and to be stopped by another thread: large files, commands and
    /// embeddings may take long.
    ///
    /// # Errors
    /// See [`Workspace::open`]; or the work was stopped before there was anything to show.
    pub fn open_watched(inputs: &Inputs, counter: Arc<dyn TokenCounter>, watch: &Watch) -> Result<Self, OpenError> {
        // Before anything large is read: what is wrong with it should be told at once.
        let memory = inputs.memory.as_deref().map(MemoryFile::read).transpose()?.map(Arc::new);
        let mut workspace = Self::assemble_watched(open::parts_watched(inputs, watch)?, counter, watch)?;
        workspace.memory = memory;
        Ok(if inputs.counting == Counting::default() { workspace } else { workspace.counted(inputs.counting) })
    }

    /// Computes everything from inputs in memory, under the strategies of the recorded evaluation.
    ///
    /// # Errors
    /// A store refuses.
    pub fn build(
        cases: Arc<CaseSet>,
        keys: AnswerKeys,
        recordings: Vec<Recording>,
        counter: Arc<dyn TokenCounter>,
    ) -> Result<Self, OpenError> {
        Self::assemble(Parts { cases, keys, recordings, runs: Vec::new(), strategies: select::builtin() }, counter)
    }

    /// Computes everything from inputs in memory.
    ///
    /// # Errors
    /// A store refuses.
    pub fn assemble(parts: Parts, counter: Arc<dyn TokenCounter>) -> Result<Self, OpenError> {
        Self::assemble_watched(parts, counter, &Watch::default())
    }

    fn assemble_watched(parts: Parts, counter: Arc<dyn TokenCounter>, watch: &Watch) -> Result<Self, OpenError> {
        let Parts { cases, keys, recordings, runs, mut strategies } = parts;
        let growth = cases
            .long_replay
            .as_ref()
            .map(|replay| Growth::run(&mut Stores::in_memory()?, replay, replay.sample_every, &*counter))
            .transpose()?;
        let mut warnings = cases.warnings.clone();
        for run in runs {
            warnings.extend(run.warnings.iter().cloned());
            strategies.push(Arc::new(SentByOther::new(run)));
        }
        // Answers whose blocks nobody sent have a column of their own all the same.
        for group in recordings.iter().flat_map(|recording| &recording.groups) {
            if strategies.iter().all(|strategy| strategy.name() != group.strategy) {
                strategies.push(Arc::new(AnswersOnly::new(&group.strategy)));
            }
        }
        let evaluation = Evaluation::run_watched(Stores::in_memory()?, cases, strategies, counter, watch)?;
        warnings.extend(keys.warnings.iter().cloned());
        let standards = if recordings.is_empty() { Vec::new() } else { standards(&evaluation) };
        let by_name = evaluation.cases.question_names();
        let recordings: Vec<_> = recordings
            .into_par_iter()
            .map(|recording| GradedRecording::new(recording, &by_name, &keys, &standards, &evaluation))
            .collect();
        for graded in &recordings {
            warnings.extend(graded.recording.warnings.iter().cloned());
            warnings.extend(graded.strangers(&evaluation));
        }
        let evaluation = Arc::new(evaluation);
        let mut workspace =
            Self { recordings, warnings, keys: Arc::new(keys), ..Self::sharing(evaluation, growth.map(Arc::new)) };
        workspace.count();
        Ok(workspace)
    }

    /// The same inputs counted with another counter. Nothing is read again: standard input gives its text only once.
    ///
    /// # Errors
    /// A store refuses.
    pub fn recounted(&self, counter: Arc<dyn TokenCounter>) -> Result<Self, OpenError> {
        let parts = Parts {
            cases: Arc::clone(&self.evaluation.cases),
            keys: AnswerKeys::clone(&self.keys),
            recordings: self.recordings.iter().map(|graded| Recording::clone(&graded.recording)).collect(),
            runs: Vec::new(),
            strategies: self.evaluation.strategies.clone(),
        };
        let workspace = Self { memory: self.memory.clone(), ..Self::assemble(parts, counter)? };
        Ok(workspace.counted(self.counting))
    }

    /// A workspace without answers.
    pub fn of(evaluation: Evaluation, growth: Option<Growth>) -> Self {
        Self::sharing(Arc::new(evaluation), growth.map(Arc::new))
    }

    fn sharing(evaluation: Arc<Evaluation>, growth: Option<Arc<Growth>>) -> Self {
        let warnings = evaluation.cases.warnings.clone();
        let cells = vec![vec![Tally::default(); evaluation.question_count()]; evaluation.strategies.len()];
        let tallies = vec![Tally::default(); evaluation.strategies.len()];
        Self {
            evaluation,
            keys: Arc::default(),
            recordings: Vec::new(),
            counting: Counting::default(),
            growth,
            warnings,
            memory: None,
            cells,
            abstained: tallies.clone(),
            tallies,
            by: Vec::new(),
            graders: Vec::new(),
        }
    }

    /// The same answers with another grader's grades, or other questions counted. Nothing is evaluated or graded again:
    /// blocks, recordings and every grader's verdicts are shared.
    pub fn counted(&self, counting: Counting) -> Self {
        let regraded = |graded: &GradedRecording| GradedRecording {
            recording: graded.recording.clone(),
            grades: chosen(&graded.verdicts, counting.grader),
            verdicts: graded.verdicts.clone(),
            strategy: graded.strategy.clone(),
            question: graded.question.clone(),
            by_cell: graded.by_cell.clone(),
        };
        let mut workspace = Self {
            keys: self.keys.clone(),
            recordings: self.recordings.iter().map(regraded).collect(),
            counting,
            warnings: self.warnings.clone(),
            memory: self.memory.clone(),
            ..Self::sharing(self.evaluation.clone(), self.growth.clone())
        };
        workspace.count();
        workspace
    }

    /// Whether the answers to a question are among those that totals count. Answers to a question that the case set does not
    /// have are no abstention.
    pub fn counts(&self, question: Option<usize>) -> bool {
        self.counting.abstention == Abstention::In || self.counting.abstention.counts(self.is_to_abstain(question))
    }

    /// Whether a question is to be abstained from.
    pub fn is_to_abstain(&self, question: Option<usize>) -> bool {
        let found = question.and_then(|question| self.evaluation.question(question));
        found.is_some_and(|(_, question)| question.abstain)
    }

    /// Works out what else is only worked out when it is asked for.
    pub fn work_out_verdicts(&self) {
        for graded in &self.recordings {
            graded.verdicts.par_iter().flatten().for_each(|verdicts| {
                verdicts.by(Grader::Published);
            });
        }
    }

    /// Verdicts of a strategy's answers to the questions to abstain from, whether totals count them or not. Who passes has
    /// declined.
    pub fn abstained(&self, strategy: usize) -> Tally {
        self.abstained.get(strategy).copied().unwrap_or_default()
    }

    /// The graders whose grades count, in the order of [`Grader::BY_THEMSELVES`].
    pub fn by(&self) -> &[Grader] {
        &self.by
    }

    /// The graders that can grade an answer here, in the same order.
    pub fn graders(&self) -> &[Grader] {
        &self.graders
    }

    /// Whose grades the totals count and of which questions, such as `by: judges, abstention out`. Nothing where there are no
    /// answers.
    pub fn counting_words(&self) -> Option<String> {
        if self.recordings.is_empty() {
            return None;
        }
        let names: Vec<&str> = self.by.iter().map(|grader| grader.name()).collect();
        let chosen = self.counting.grader.only().map_or("nobody", Grader::name);
        let mut words = format!("by: {}", if names.is_empty() { chosen.to_owned() } else { names.join(", ") });
        if let Some(abstention) = self.counting.abstention.words() {
            words.push_str(", ");
            words.push_str(abstention);
        }
        Some(words)
    }

    fn name_graders(&mut self) {
        let mut found = [[false; 2]; 3];
        for graded in &self.recordings {
            for (grades, verdicts) in graded.grades.iter().zip(graded.verdicts.iter()) {
                for (grade, verdicts) in grades.iter().zip(verdicts) {
                    for (grader, [by, any]) in Grader::BY_THEMSELVES.into_iter().zip(&mut found) {
                        let gave = verdicts.has(grader);
                        *any |= gave;
                        *by |= gave && grade.grader == grader;
                    }
                }
            }
        }
        let named = |place: usize| {
            let all = Grader::BY_THEMSELVES.into_iter().zip(found);
            all.filter(|(_, found)| found.get(place).copied().unwrap_or_default()).map(|(grader, _)| grader).collect()
        };
        (self.by, self.graders) = (named(0), named(1));
    }

    /// The grades of an answer by every grader.
    pub fn verdicts(&self, at: AnswerRef) -> Option<&Verdicts> {
        self.recordings.get(at.recording)?.verdicts.get(at.group)?.get(at.answer)
    }

    /// Counts once what panes ask for at each frame.
    fn count(&mut self) {
        self.name_graders();
        for graded in &self.recordings {
            for ((strategy, question), grades) in graded.strategy.iter().zip(graded.question.iter()).zip(&graded.grades)
            {
                let counts = self.counts(*question);
                if self.is_to_abstain(*question)
                    && let Some(tally) = strategy.and_then(|strategy| self.abstained.get_mut(strategy))
                {
                    grades.iter().for_each(|grade| tally.add(grade.verdict));
                }
                if let Some(tally) = strategy.and_then(|strategy| self.tallies.get_mut(strategy)).filter(|_| counts) {
                    grades.iter().for_each(|grade| tally.add(grade.verdict));
                }
            }
            for ((strategy, question), groups) in graded.by_cell.iter() {
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

    /// Whether something is wrong with a question under a strategy: its block lacks or leaks a fact, an answer does not
    /// pass, or its system failed on it.
    pub fn is_failure(&self, strategy: usize, question: usize) -> bool {
        let tally = self.cell_tally(strategy, question);
        let failed = self.evaluation.failure(strategy, question).is_some();
        failed
            || tally.pass < tally.total()
            || self.evaluation.block(strategy, question).is_some_and(|block| !block.is_sound())
    }
}
