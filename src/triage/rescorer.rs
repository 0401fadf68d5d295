//! Grading again while a pattern is being typed.
//!
//! What does not change with a keystroke is kept: which patterns match which answers, each distinct text once, and where the
//! sentences are in which a replaced fact would count. An edit matches only the patterns that are new, only in the answers to
//! its question; verdicts and totals follow.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::grade::{AnswerKey, Pattern, Verdict, sentences};
use crate::workspace::{AnswerRef, Tally, Workspace};

use super::standing::Standing;

/// Answers matched by one worker at a time: enough to be worth a worker's own copy of the pattern.
const BATCH: usize = 4_096;

/// An answer that an edit moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// Which answer.
    pub at: AnswerRef,
    /// Its verdict before.
    pub before: Verdict,
    /// Its verdict now.
    pub after: Verdict,
}

/// What one edit did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rescored {
    /// The answers whose verdict the edit changed, in file order. [`Rescorer::moved`] has those that differ from the recording.
    pub changed: Vec<Change>,
    /// Distinct texts that a pattern was matched against.
    pub matched: usize,
}

/// The answers of a workspace, graded by keys that may be edited. Nothing is written and the workspace is not touched.
pub struct Rescorer {
    workspace: Arc<Workspace>,
    /// By recording, group and answer.
    verdicts: Vec<Vec<Vec<Verdict>>>,
    tallies: Vec<Tally>,
    /// By question: made at its first edit.
    sheets: HashMap<usize, Sheet>,
    /// Corrected keys of questions that were not edited yet.
    corrected: HashMap<usize, Arc<AnswerKey>>,
    /// Verdicts that a decision about the answer fixes, whatever its key says.
    fixed: HashMap<AnswerRef, Verdict>,
    by_question: HashMap<usize, Vec<AnswerRef>>,
    undo: Vec<(usize, Option<Arc<AnswerKey>>)>,
}

/// The answers to one question, each distinct text once.
struct Sheet {
    key: Option<Arc<AnswerKey>>,
    texts: Vec<Text>,
    /// By the text of a pattern: what it matches.
    columns: Columns,
}

#[derive(Default)]
struct Columns {
    /// In the order of the key.
    must: Vec<Arc<[bool]>>,
    stale: Option<Arc<[bool]>>,
    forgotten: Option<Arc<[bool]>>,
}

struct Text {
    first: AnswerRef,
    blank: bool,
    /// Sentences that do not mark a value as replaced.
    current: Vec<Range<usize>>,
    answers: Vec<AnswerRef>,
}

impl Rescorer {
    /// Grades a workspace under what stands decided.
    pub fn new(workspace: Arc<Workspace>, standing: &Standing) -> Self {
        let mut rescorer = Self {
            verdicts: Vec::new(),
            tallies: vec![Tally::default(); workspace.evaluation.strategies.len()],
            sheets: HashMap::new(),
            corrected: HashMap::new(),
            fixed: HashMap::new(),
            by_question: HashMap::new(),
            undo: Vec::new(),
            workspace: workspace.clone(),
        };
        rescorer.verdicts = workspace
            .recordings
            .iter()
            .map(|graded| graded.grades.iter().map(|g| Vec::with_capacity(g.len())).collect())
            .collect();
        for question in 0..workspace.evaluation.question_count() {
            if let Some((_, corrected)) = standing.corrected(question) {
                rescorer.corrected.insert(question, corrected.key.clone());
            }
        }
        for at in workspace.all_answers() {
            let (Some((graded, ..)), Some((grade, _))) = (workspace.answer(at), standing.grade(&workspace, at)) else {
                continue;
            };
            if let Some(verdict) = standing.answer_decision(at).and_then(|decision| decision.verdict.of_answer()) {
                rescorer.fixed.insert(at, verdict);
            }
            if let Some(question) = graded.question.get(at.group).copied().flatten() {
                rescorer.by_question.entry(question).or_default().push(at);
            }
            if let Some(tally) = strategy_of(&workspace, at).and_then(|strategy| rescorer.tallies.get_mut(strategy)) {
                tally.add(grade.verdict);
            }
            if let Some(verdicts) = rescorer.verdicts.get_mut(at.recording).and_then(|r| r.get_mut(at.group)) {
                verdicts.push(grade.verdict);
            }
        }
        rescorer
    }

    /// The key by which a question's answers are graded now.
    pub fn key(&self, question: usize) -> Option<&AnswerKey> {
        match self.sheets.get(&question) {
            Some(sheet) => sheet.key.as_deref(),
            None => self.unedited(question),
        }
    }

    fn unedited(&self, question: usize) -> Option<&AnswerKey> {
        if let Some(key) = self.corrected.get(&question) {
            return Some(key);
        }
        match self.by_question.get(&question).and_then(|answers| answers.first()) {
            Some(at) => self.workspace.key_of(*at),
            None => self.workspace.keys.key(self.workspace.evaluation.question(question)?.1),
        }
    }

    /// The verdict of an answer now.
    pub fn verdict(&self, at: AnswerRef) -> Option<Verdict> {
        verdict_in(&self.verdicts, at)
    }

    /// The verdicts of a strategy's answers now.
    pub fn tally(&self, strategy: usize) -> Tally {
        self.tallies.get(strategy).copied().unwrap_or_default()
    }

    /// Answers to a question whose verdict is not the recorded one.
    pub fn moved(&self, question: usize) -> Vec<Change> {
        let answers = self.by_question.get(&question).map_or(&[][..], Vec::as_slice);
        let change = |&at: &AnswerRef| {
            let before = self.workspace.answer(at)?.3.verdict;
            let after = self.verdict(at)?;
            (before != after).then_some(Change { at, before, after })
        };
        answers.iter().filter_map(change).collect()
    }

    /// Grades a question's answers by another key.
    pub fn edit(&mut self, question: usize, key: AnswerKey) -> Rescored {
        self.open(question);
        let before = self.sheets.get(&question).and_then(|sheet| sheet.key.clone());
        self.undo.push((question, before));
        self.apply(question, Some(Arc::new(key)))
    }

    /// Takes the last edit back; none where there is none.
    pub fn undo(&mut self) -> Option<Rescored> {
        let (question, key) = self.undo.pop()?;
        Some(self.apply(question, key))
    }

    /// Edits that can be taken back.
    pub fn edits(&self) -> usize {
        self.undo.len()
    }

    /// Gets a question's answers ready, so that its first edit is as fast as the next ones. For 100,000 answers this takes
    /// a few frames; a pane does it in the background when its pattern editor opens.
    pub fn open(&mut self, question: usize) {
        if self.sheets.contains_key(&question) {
            return;
        }
        let key = self.unedited(question).cloned().map(Arc::new);
        let texts = self.texts(question);
        let mut sheet = Sheet { key: None, texts, columns: Columns::default() };
        let (columns, _) = sheet.columns_for(key.as_deref(), &self.workspace);
        sheet.key = key;
        sheet.columns = columns;
        self.sheets.insert(question, sheet);
    }

    fn texts(&self, question: usize) -> Vec<Text> {
        let answers = self.by_question.get(&question).map_or(&[][..], Vec::as_slice);
        let mut places: HashMap<&str, usize> = HashMap::with_capacity(answers.len());
        let mut groups: Vec<(&str, Vec<AnswerRef>)> = Vec::new();
        for &at in answers {
            let text = text_of(&self.workspace, at);
            let place = *places.entry(text).or_insert_with(|| {
                groups.push((text, Vec::new()));
                groups.len() - 1
            });
            if let Some((_, answers)) = groups.get_mut(place) {
                answers.push(at);
            }
        }
        let replaced = self.workspace.keys.replaced.as_ref();
        let text = |(text, answers): (&str, Vec<AnswerRef>)| {
            let marked = |span: &Range<usize>| {
                let sentence = text.get(span.clone()).unwrap_or_default();
                replaced.is_some_and(|pattern| pattern.regex().is_match(sentence))
            };
            let current = sentences(text).filter(|span| !marked(span)).collect();
            Text {
                first: answers.first().copied().unwrap_or_default(),
                blank: text.trim().is_empty(),
                current,
                answers,
            }
        };
        groups.into_par_iter().map(text).collect()
    }

    fn apply(&mut self, question: usize, key: Option<Arc<AnswerKey>>) -> Rescored {
        let Some(sheet) = self.sheets.get_mut(&question) else { return Rescored::default() };
        let (columns, matched) = sheet.columns_for(key.as_deref(), &self.workspace);
        sheet.key = key;
        sheet.columns = columns;
        let mut rescored = Rescored { changed: Vec::new(), matched };
        for place in 0..sheet.texts.len() {
            let by_key = sheet.key.is_some().then(|| sheet.verdict(place));
            let answers = sheet.texts.get(place).map_or(&[][..], |text| &text.answers);
            for &at in answers.iter().filter(|at| !self.fixed.contains_key(at)) {
                // Without a key what others said stands: judges, or the published answer.
                let recorded = || self.workspace.answer(at).map(|(.., grade)| grade.verdict);
                let before = verdict_in(&self.verdicts, at);
                if let (Some(before), Some(after)) = (before, by_key.or_else(recorded))
                    && before != after
                {
                    rescored.changed.push(Change { at, before, after });
                }
            }
        }
        // By text so far; a reader expects the file's order.
        rescored.changed.sort_unstable_by_key(|change| change.at);
        for change in &rescored.changed {
            let Change { at, before, after } = *change;
            let verdicts = self.verdicts.get_mut(at.recording).and_then(|groups| groups.get_mut(at.group));
            if let Some(verdict) = verdicts.and_then(|verdicts| verdicts.get_mut(at.answer)) {
                *verdict = after;
            }
            if let Some(tally) = strategy_of(&self.workspace, at).and_then(|strategy| self.tallies.get_mut(strategy)) {
                tally.take(before);
                tally.add(after);
            }
        }
        rescored
    }
}

impl Sheet {
    /// What the patterns of a key match; those of the key before are not matched again. With the number of texts matched.
    fn columns_for(&self, key: Option<&AnswerKey>, workspace: &Workspace) -> (Columns, usize) {
        let Some(key) = key else { return (Columns::default(), 0) };
        let mut matched = 0;
        let mut whole = |pattern: &Pattern| {
            self.known(pattern).unwrap_or_else(|| {
                matched += self.texts.len();
                self.column(pattern, |regex, text| regex.is_match(text_of(workspace, text.first)))
            })
        };
        let must = key.must.iter().map(|(_, pattern)| whole(pattern)).collect();
        let forgotten = key.forgotten.as_ref().map(&mut whole);
        let stale = key.stale.as_ref().map(|pattern| {
            let before = self.key.as_ref().and_then(|key| key.stale.as_ref());
            match &self.columns.stale {
                Some(column) if before.is_some_and(|before| before.source() == pattern.source()) => column.clone(),
                _ => {
                    matched += self.texts.len();
                    self.column(pattern, |regex, text| {
                        let answer = text_of(workspace, text.first);
                        text.current.iter().any(|span| answer.get(span.clone()).is_some_and(|s| regex.is_match(s)))
                    })
                }
            }
        });
        (Columns { must, stale, forgotten }, matched)
    }

    /// What a pattern of the key before matches in whole answers.
    fn known(&self, pattern: &Pattern) -> Option<Arc<[bool]>> {
        let key = self.key.as_ref()?;
        let musts = key.must.iter().map(|(_, pattern)| pattern).zip(&self.columns.must);
        let mut known = musts.chain(key.forgotten.iter().zip(&self.columns.forgotten));
        known.find(|(known, _)| known.source() == pattern.source()).map(|(_, column)| column.clone())
    }

    fn column(&self, pattern: &Pattern, matches: impl Fn(&regex::Regex, &Text) -> bool + Sync) -> Arc<[bool]> {
        let batches = self.texts.par_chunks(BATCH).flat_map_iter(|texts| {
            // A copy has scratch space of its own: workers that share one wait for each other.
            let regex = pattern.regex().clone();
            let matches = &matches;
            texts.iter().map(move |text| matches(&regex, text))
        });
        batches.collect::<Vec<bool>>().into()
    }

    /// The verdict of a text, by the rules of [`crate::grade::grade_answer`].
    fn verdict(&self, place: usize) -> Verdict {
        let holds = |column: &Arc<[bool]>| column.get(place).copied().unwrap_or_default();
        let Columns { must, stale, forgotten } = &self.columns;
        if self.key.is_none() || self.texts.get(place).is_none_or(|text| text.blank) {
            return Verdict::Incomplete;
        }
        let leaks = forgotten.iter().chain(stale).any(holds);
        if leaks || !must.iter().all(holds) { Verdict::Fail } else { Verdict::Pass }
    }
}

fn verdict_in(verdicts: &[Vec<Vec<Verdict>>], at: AnswerRef) -> Option<Verdict> {
    verdicts.get(at.recording)?.get(at.group)?.get(at.answer).copied()
}

fn text_of(workspace: &Workspace, at: AnswerRef) -> &str {
    let group = workspace.recordings.get(at.recording).and_then(|graded| graded.recording.groups.get(at.group));
    group.and_then(|group| group.answers.get(at.answer)).map_or("", |answer| &answer.answer)
}

/// The strategy whose totals count an answer.
fn strategy_of(workspace: &Workspace, at: AnswerRef) -> Option<usize> {
    let graded = workspace.recordings.get(at.recording)?;
    let question = graded.question.get(at.group).copied().flatten();
    graded.strategy.get(at.group).copied().flatten().filter(|_| workspace.counts(question))
}
