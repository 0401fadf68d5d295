//! What stands decided: the last word of each author on each subject, held against the open case set and recordings.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Serialize;

use crate::evaluate::Evaluation;
use crate::grade::published::Standard;
use crate::grade::{Grade, Grader, GraderChoice, Verdict, grade_answer};
use crate::workspace::{AnswerRef, Workspace};

use super::correction::CorrectedKey;
use super::decision::{Decision, DecisionAction, Subject};
use super::file::Triage;

/// Finds the question that a decision is about.
pub struct Resolver<'a> {
    by_id: HashMap<&'a str, (usize, &'a str)>,
    by_text: HashMap<&'a str, Vec<(usize, &'a str)>>,
}

impl<'a> Resolver<'a> {
    /// A resolver for the questions of an evaluation.
    pub fn new(evaluation: &'a Evaluation) -> Self {
        let mut resolver = Self { by_id: HashMap::new(), by_text: HashMap::new() };
        for (number, (_, question)) in evaluation.cases.questions().enumerate() {
            resolver.by_id.insert(&question.id, (number, &question.question));
            resolver.by_text.entry(&question.question).or_default().push((number, &question.id));
        }
        resolver
    }

    /// The number of the question with this id or, where no other has them, these words.
    pub fn named(&self, name: &str) -> Option<usize> {
        if let Some((number, _)) = self.by_id.get(name) {
            return Some(*number);
        }
        match self.by_text.get(name).map(Vec::as_slice) {
            Some([(number, _)]) => Some(*number),
            _ => None,
        }
    }

    /// The number of the question that a decision was about. Its id counts where the words are still the same. Questions
    /// that the file does not name are numbered, so their ids move when one is added: such a question is found by its words
    /// among those of the same user. Nothing else is: a repaired copy of a question is another question.
    pub fn resolve(&self, decision: &Decision) -> Option<usize> {
        match self.by_id.get(decision.question.as_str()) {
            Some((number, text)) if decision.asked.is_empty() || *text == decision.asked => return Some(*number),
            _ => {}
        }
        let user = numbered(&decision.question)?;
        match self.by_text.get(decision.asked.as_str()).map(Vec::as_slice) {
            Some([(number, id)]) if numbered(id) == Some(user) => Some(*number),
            _ => None,
        }
    }
}

/// The user of an id of the form `USER/N`.
fn numbered(id: &str) -> Option<&str> {
    let (user, number) = id.rsplit_once('/')?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then_some(user).filter(|_| !number.is_empty())
}

/// Standing decisions on one subject that disagree. None of them is applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The question's number.
    pub question: usize,
    /// What they are about; of the first, where their answers only overlap.
    pub subject: Subject,
    /// The decisions, as places in [`Triage::decisions`], in the file's order.
    pub decisions: Vec<usize>,
}

/// What the decisions on one subject come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruling {
    /// This decision stands, undisputed; a place in [`Triage::decisions`].
    Stands(usize),
    /// They disagree; a place in [`Standing::conflicts`].
    Conflict(usize),
}

/// Why a question is not among the undisputed ones.
#[derive(Debug, Clone, Copy)]
pub enum Dispute<'a> {
    /// A decision finds fault with it.
    Decided(&'a Decision),
    /// Decisions on it disagree.
    Conflict(&'a Conflict),
}

/// Which decision gave an answer another grade than the recorded one.
#[derive(Debug, Clone, Copy)]
pub enum Regraded<'a> {
    /// One about the answer.
    Answer(&'a Decision),
    /// One that corrects its key.
    Key(&'a Decision),
}

impl<'a> Regraded<'a> {
    /// The decision.
    pub fn decision(self) -> &'a Decision {
        match self {
            Self::Answer(decision) | Self::Key(decision) => decision,
        }
    }
}

/// The decisions that stand, for one workspace. Derived; never written.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    decisions: Vec<Decision>,
    key: HashMap<usize, Ruling>,
    case: HashMap<usize, Ruling>,
    answers: HashMap<AnswerRef, Ruling>,
    current: Vec<bool>,
    /// By question, the decision that corrects its published answer, and the answer ready to grade by.
    published: HashMap<usize, (usize, Arc<Standard>)>,
    /// Subjects on which standing decisions disagree, by question.
    pub conflicts: Vec<Conflict>,
    /// Entries about questions that the case set does not have, as places in [`Triage::decisions`]. They are kept.
    pub unknown: Vec<usize>,
    /// Standing decisions about answers that no open recording has. They are kept.
    pub unmatched: Vec<usize>,
}

impl Standing {
    /// Holds decisions against a workspace.
    pub fn of(triage: &Triage, workspace: &Workspace) -> Self {
        let mut standing = Self { decisions: triage.decisions.clone(), ..Self::default() };
        let resolver = Resolver::new(&workspace.evaluation);
        // By question and subject, the last entry of each author that was not withdrawn.
        let mut current: BTreeMap<(usize, &Subject), BTreeMap<&str, usize>> = BTreeMap::new();
        for (place, decision) in triage.decisions.iter().enumerate() {
            let Some(question) = resolver.resolve(decision) else {
                standing.unknown.push(place);
                continue;
            };
            let authors = current.entry((question, &decision.subject)).or_default();
            if decision.action == DecisionAction::Withdraw {
                authors.remove(decision.author.as_str());
            } else {
                authors.insert(&decision.author, place);
            }
        }
        standing.current = vec![false; triage.decisions.len()];
        let mut about_answers: HashMap<usize, Vec<usize>> = HashMap::new();
        for ((question, subject), authors) in current {
            let mut places: Vec<usize> = authors.into_values().collect();
            places.sort_unstable();
            for place in &places {
                if let Some(current) = standing.current.get_mut(*place) {
                    *current = true;
                }
            }
            if places.is_empty() {
                continue;
            }
            if matches!(subject, Subject::Answer(_)) {
                about_answers.entry(question).or_default().extend(places);
                continue;
            }
            let Some(ruling) = standing.ruling(question, places) else { continue };
            let rulings = if *subject == Subject::Key { &mut standing.key } else { &mut standing.case };
            rulings.insert(question, ruling);
        }
        standing.match_answers(workspace, &about_answers);
        standing.prepare_published(workspace);
        standing
    }

    /// What decisions of different authors on one subject come to.
    fn ruling(&mut self, question: usize, places: Vec<usize>) -> Option<Ruling> {
        let found = || places.iter().filter_map(|&place| Some((place, self.decisions.get(place)?)));
        let (last, first) = (found().next_back()?, found().next()?);
        let one_verdict = found().all(|(_, decision)| decision.verdict == first.1.verdict);
        let mut corrections = found().filter_map(|(_, decision)| decision.patterns.as_ref());
        let one_correction = match corrections.next() {
            Some(first) => corrections.all(|other| other == first),
            None => true,
        };
        let mut published = found().filter_map(|(_, decision)| decision.published.as_ref());
        let one_answer = published.next().is_none_or(|first| published.all(|other| other == first));
        if one_verdict && one_correction && one_answer {
            // Of several that agree, one that says how to correct the key speaks for all.
            let corrects = |decision: &Decision| decision.patterns.is_some() || decision.published.is_some();
            let speaker = found().rfind(|(_, decision)| corrects(decision)).unwrap_or(last);
            return Some(Ruling::Stands(speaker.0));
        }
        let conflict = Conflict { question, subject: first.1.subject.clone(), decisions: places };
        let place = self.conflicts.iter().position(|known| *known == conflict).unwrap_or_else(|| {
            self.conflicts.push(conflict);
            self.conflicts.len() - 1
        });
        Some(Ruling::Conflict(place))
    }

    fn match_answers(&mut self, workspace: &Workspace, about: &HashMap<usize, Vec<usize>>) {
        let mut matched = vec![false; self.decisions.len()];
        for at in workspace.all_answers() {
            let Some((graded, group, answer, _)) = workspace.answer(at) else { continue };
            let question = graded.question.get(at.group).copied().flatten();
            let Some((question, places)) = question.and_then(|q| Some((q, about.get(&q)?))) else { continue };
            // An author's later word on the same answer counts, even where the two selected it in different ways.
            let mut last: BTreeMap<&str, usize> = BTreeMap::new();
            for &place in places {
                let Some(decision) = self.decisions.get(place) else { continue };
                let selects = |s: &super::AnswerSelector| s.selects(&group.strategy, answer.seed, &answer.answer);
                if decision.subject.answers().is_some_and(selects) {
                    if let Some(matched) = matched.get_mut(place) {
                        *matched = true;
                    }
                    let latest = last.entry(&decision.author).or_default();
                    *latest = place.max(*latest);
                }
            }
            let mut places: Vec<usize> = last.into_values().collect();
            places.sort_unstable();
            if let Some(ruling) = self.ruling(question, places) {
                self.answers.insert(at, ruling);
            }
        }
        let mut all: Vec<usize> = about.values().flatten().copied().collect();
        all.sort_unstable();
        self.unmatched = all.into_iter().filter(|place| !matched.get(*place).copied().unwrap_or_default()).collect();
    }

    /// The entries, in the file's order.
    pub fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    /// Whether an entry is its author's last word on its subject and was not withdrawn.
    pub fn is_current(&self, place: usize) -> bool {
        self.current.get(place).copied().unwrap_or_default()
    }

    /// What stands on a question's key.
    pub fn on_key(&self, question: usize) -> Option<Ruling> {
        self.key.get(&question).copied()
    }

    /// What stands on a question and its facts.
    pub fn on_case(&self, question: usize) -> Option<Ruling> {
        self.case.get(&question).copied()
    }

    /// What stands on a recorded answer.
    pub fn on_answer(&self, at: AnswerRef) -> Option<Ruling> {
        self.answers.get(&at).copied()
    }

    fn decided(&self, ruling: Option<Ruling>) -> Option<&Decision> {
        match ruling? {
            Ruling::Stands(place) => self.decisions.get(place),
            Ruling::Conflict(_) => None,
        }
    }

    /// The decision that finds fault with a question: its key, its premise or its facts.
    pub fn fault(&self, question: usize) -> Option<&Decision> {
        let found = [self.on_case(question), self.on_key(question)].into_iter().filter_map(|r| self.decided(r));
        found.into_iter().find(|decision| decision.verdict.disputes_question())
    }

    /// Why a question's grades cannot be relied on.
    pub fn dispute(&self, question: usize) -> Option<Dispute<'_>> {
        let conflict =
            [self.on_key(question), self.on_case(question)].into_iter().flatten().find_map(|ruling| match ruling {
                Ruling::Conflict(place) => self.conflicts.get(place),
                Ruling::Stands(_) => None,
            });
        conflict.map(Dispute::Conflict).or_else(|| self.fault(question).map(Dispute::Decided))
    }

    /// The corrected key of a question, and the decision that made it.
    pub fn corrected(&self, question: usize) -> Option<(&Decision, &CorrectedKey)> {
        let decision = self.decided(self.on_key(question))?;
        Some((decision, decision.patterns.as_ref()?))
    }

    /// The decision that stands on an answer.
    pub fn answer_decision(&self, at: AnswerRef) -> Option<&Decision> {
        self.decided(self.on_answer(at))
    }

    /// An answer's grade after all decisions, and the decision that made it differ in verdict from the recorded one.
    pub fn grade(&self, workspace: &Workspace, at: AnswerRef) -> Option<(Grade, Option<Regraded<'_>>)> {
        let (graded, _, answer, recorded) = workspace.answer(at)?;
        if let Some(decision) = self.answer_decision(at)
            && let Some(verdict) = decision.verdict.of_answer()
        {
            let changed = (verdict != recorded.verdict).then_some(Regraded::Answer(decision));
            let reason = format!("decided: {}", decision.verdict);
            return Some((Grade::new(Grader::Decision, verdict, reason), changed));
        }
        let question = graded.question.get(at.group).copied().flatten();
        let by_patterns = || {
            let (decision, corrected) = self.corrected(question?)?;
            Some((decision, grade_answer(&answer.answer, &corrected.key, workspace.keys.replaced.as_ref())))
        };
        let by_published = || {
            let (decision, standard) = self.published.get(&question?)?;
            let grade = standard.grade(&answer.answer);
            // What the rules cannot judge stands as recorded: nobody said what is right.
            let decision = self.decisions.get(*decision)?;
            (grade.verdict != Verdict::Incomplete).then_some((decision, grade))
        };
        let regraded = match workspace.counting.grader {
            GraderChoice::Published => by_published().or_else(by_patterns),
            GraderChoice::Auto | GraderChoice::Key | GraderChoice::Judge => by_patterns().or_else(by_published),
        };
        let Some((decision, grade)) = regraded else { return Some((recorded.clone(), None)) };
        let changed = (grade.verdict != recorded.verdict).then_some(Regraded::Key(decision));
        Some((grade, changed))
    }

    /// Whether a decision can give any answer another grade.
    pub fn has_regrades(&self) -> bool {
        !(self.key.is_empty() && self.answers.is_empty())
    }

    /// The corrected published answer of a question, and the decision that made it.
    pub fn corrected_answer(&self, question: usize) -> Option<(&Decision, &str)> {
        let decision = self.decided(self.on_key(question))?;
        Some((decision, decision.published.as_deref()?))
    }

    /// Gets the corrected published answers ready to grade by.
    fn prepare_published(&mut self, workspace: &Workspace) {
        let prepared = self.key.iter().filter_map(|(&question, &ruling)| {
            let Ruling::Stands(place) = ruling else { return None };
            let published = self.decisions.get(place)?.published.as_deref()?;
            let (_, asked) = workspace.evaluation.question(question)?;
            Some((question, (place, Arc::new(Standard::corrected(asked, published)))))
        });
        self.published = prepared.collect();
    }

    /// Whether the grade of an answer is disputed by itself: a decision overturned it, or decisions on it disagree.
    pub fn is_answer_disputed(&self, at: AnswerRef, recorded: Verdict) -> bool {
        match self.on_answer(at) {
            Some(Ruling::Conflict(_)) => true,
            ruling => {
                self.decided(ruling).and_then(|d| d.verdict.of_answer()).is_some_and(|verdict| verdict != recorded)
            }
        }
    }
}

/// A shared value, written as the value.
pub(super) fn shared<T: Serialize, S: serde::Serializer>(value: &Arc<T>, serializer: S) -> Result<S::Ok, S::Error> {
    value.serialize(serializer)
}
