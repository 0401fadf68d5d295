//! Taking a decision: from what a person proposes to entries of the list.

use std::collections::BTreeSet;

use crate::case::{Event, Op, Question};
use crate::grade::AnswerKey;
use crate::source::json::did_you_mean;
use crate::workspace::{AnswerRef, Workspace};

use super::correction::{CorrectedKey, KeyText};
use super::decision::{
    AnswerSelector, Clock, Decision, DecisionAction, DecisionVerdict, Evidence, Previous, PreviousGrade, Subject,
    SubjectKind,
};
use super::file::Triage;
use super::pattern::PatternError;
use super::standing::Resolver;

/// Which recorded answers a proposal is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerChoice {
    /// Every answer to the question.
    All,
    /// Every answer under a strategy.
    Strategy(String),
    /// One answer: strategy and seed.
    Seed(String, i64),
    /// Every answer with these words.
    Text(String),
}

impl AnswerChoice {
    /// Reads `*`, `STRATEGY` or `STRATEGY/SEED`.
    pub fn parse(text: &str) -> Self {
        match text.rsplit_once('/').and_then(|(strategy, seed)| Some((strategy, seed.parse().ok()?))) {
            _ if text == "*" => Self::All,
            Some((strategy, seed)) => Self::Seed(strategy.to_owned(), seed),
            None => Self::Strategy(text.to_owned()),
        }
    }

    fn selector(&self, text: &str) -> AnswerSelector {
        let (strategy, seed) = match self {
            Self::All | Self::Text(_) => (None, None),
            Self::Strategy(strategy) => (Some(strategy.clone()), None),
            Self::Seed(strategy, seed) => (Some(strategy.clone()), Some(*seed)),
        };
        AnswerSelector { strategy, seed, text: text.to_owned() }
    }

    fn words(&self) -> String {
        match self {
            Self::All => "no answer".to_owned(),
            Self::Strategy(strategy) => format!("no answer under the strategy \"{strategy}\""),
            Self::Seed(strategy, seed) => format!("no answer under the strategy \"{strategy}\" with the seed {seed}"),
            Self::Text(text) => format!("no answer with the words \"{text}\""),
        }
    }
}

/// What a person proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The question's id or words.
    pub question: String,
    /// What is found.
    pub verdict: DecisionVerdict,
    /// Why.
    pub reason: String,
    /// Who.
    pub author: String,
    /// Which answers, for a verdict about answers.
    pub answers: Option<AnswerChoice>,
    /// New patterns of the key, by name (see [`KeyText::set`]), on top of the author's earlier correction or else of the
    /// recorded key.
    pub patterns: Vec<(String, String)>,
    /// What the published answer should say.
    pub published: Option<String>,
    /// The turns that it rests on; where empty, those of the events that carry the question's facts.
    pub evidence: Vec<u64>,
    /// Takes the author's decision on the verdict's subject back.
    pub withdraw: bool,
}

/// Why a proposal is not a decision.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecideError {
    /// The question is not in the case set.
    #[error("found the question \"{name}\", expected the id or the words of one in the case set{hint}")]
    UnknownQuestion {
        /// What was given.
        name: String,
        /// `; did you mean …?`, or nothing.
        hint: String,
    },
    /// There is no reason.
    #[error("found an empty reason, expected why it was decided")]
    NoReason,
    /// A verdict about answers without saying which.
    #[error("found no answer, expected which one is meant for the verdict \"{0}\": STRATEGY/SEED, STRATEGY or *")]
    NoAnswer(DecisionVerdict),
    /// Answers with a verdict that is not about answers.
    #[error("found an answer, expected none for the verdict \"{0}\"")]
    NotAboutAnswers(DecisionVerdict),
    /// No recorded answer is meant.
    #[error("found {what} to \"{question}\" in the recordings, expected at least one")]
    NoSuchAnswer {
        /// The question's words.
        question: String,
        /// What was looked for.
        what: String,
    },
    /// Patterns with a verdict that finds no fault in the key.
    #[error("found a new pattern, expected none for the verdict \"{0}\": it finds no fault in the key")]
    NotAboutPatterns(DecisionVerdict),
    /// A corrected published answer with a verdict that finds no fault in the key.
    #[error("found a published answer, expected none for the verdict \"{0}\": it finds no fault in the key")]
    NotAboutPublished(DecisionVerdict),
    /// A corrected published answer without words.
    #[error("found an empty published answer, expected what it should say")]
    NoPublished,
    /// A pattern is not a regular expression.
    #[error("found the pattern \"{text}\" for \"{name}\", expected a regular expression: {error}")]
    Pattern {
        /// Its name.
        name: String,
        /// As it was given.
        text: String,
        /// What is wrong.
        error: PatternError,
    },
    /// The user said nothing at a turn.
    #[error("found the turn {0} as evidence, expected a turn at which {1} said something")]
    NoSuchTurn(u64, String),
    /// Nothing to take back.
    #[error("found no decision of {author} on the {subject} of \"{question}\", expected one to withdraw")]
    NothingToWithdraw {
        /// Who.
        author: String,
        /// Of what kind.
        subject: &'static str,
        /// The question, as it was given.
        question: String,
    },
}

/// Makes entries of a proposal: one, or one a distinct text for answers. `triage` is what the file says now.
///
/// # Errors
/// See [`DecideError`].
pub fn decide(
    workspace: &Workspace,
    triage: &Triage,
    proposal: &Proposal,
    clock: &dyn Clock,
) -> Result<Vec<Decision>, DecideError> {
    if proposal.reason.trim().is_empty() {
        return Err(DecideError::NoReason);
    }
    let about_answers = proposal.verdict.subject() == SubjectKind::Answer;
    if proposal.answers.is_some() && !about_answers {
        return Err(DecideError::NotAboutAnswers(proposal.verdict));
    }
    if !proposal.patterns.is_empty() && (about_answers || !proposal.verdict.disputes_question()) {
        return Err(DecideError::NotAboutPatterns(proposal.verdict));
    }
    if let Some(published) = &proposal.published {
        if proposal.verdict.subject() != SubjectKind::Key || !proposal.verdict.disputes_question() {
            return Err(DecideError::NotAboutPublished(proposal.verdict));
        }
        if published.trim().is_empty() {
            return Err(DecideError::NoPublished);
        }
    }
    let resolver = Resolver::new(&workspace.evaluation);
    let maker = Maker { workspace, triage, proposal, resolver: &resolver, clock };
    match resolver.named(&proposal.question) {
        Some(number) => maker.on_question(number),
        None if proposal.withdraw => maker.withdraw_unknown(),
        None => Err(maker.unknown_question()),
    }
}

struct Maker<'a> {
    workspace: &'a Workspace,
    triage: &'a Triage,
    proposal: &'a Proposal,
    resolver: &'a Resolver<'a>,
    clock: &'a dyn Clock,
}

impl Maker<'_> {
    fn unknown_question(&self) -> DecideError {
        let name = self.proposal.question.clone();
        let questions = || self.workspace.evaluation.cases.questions().map(|(_, question)| question);
        let names: Vec<&str> = questions().flat_map(|q| [q.id.as_str(), q.question.as_str()]).collect();
        let repeated = questions().filter(|question| question.question == name).map(|q| q.id.as_str());
        let repeated: Vec<&str> = repeated.collect();
        let hint = if repeated.is_empty() {
            did_you_mean(&name, &names).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default()
        } else {
            format!("; these words stand there as {}, name one of them", repeated.join(" and "))
        };
        DecideError::UnknownQuestion { name, hint }
    }

    fn on_question(&self, number: usize) -> Result<Vec<Decision>, DecideError> {
        let evaluation = &self.workspace.evaluation;
        let (Some((conversation, question)), Some((history, after))) =
            (evaluation.question(number), evaluation.history(number))
        else {
            return Err(self.unknown_question());
        };
        let said = history.events.get(..after).unwrap_or_default();
        let evidence = self.evidence(&conversation.user, said, question)?;
        let own = |subject: &Subject| self.own(|decision| self.resolver.resolve(decision) == Some(number), subject);
        let entry = |subject: Subject, previous: Previous, patterns: Option<CorrectedKey>| {
            let own = own(&subject);
            let action = self.action(own.is_some(), subject.kind())?;
            let previous = Previous { decision: own.map(|own| own.verdict), ..previous };
            Ok(Decision {
                question: question.id.clone(),
                asked: question.question.clone(),
                subject,
                verdict: self.proposal.verdict,
                action,
                reason: self.proposal.reason.trim().to_owned(),
                author: self.proposal.author.clone(),
                time: self.clock.now(),
                evidence: evidence.clone(),
                previous,
                patterns,
                published: None,
            })
        };
        match self.proposal.verdict.subject() {
            SubjectKind::Key => {
                let recorded = self.workspace.keys.key(question);
                let before = own(&Subject::Key).and_then(|own| own.patterns.as_ref());
                let before = before.map(|own| own.text.clone()).or_else(|| recorded.map(KeyText::of));
                let patterns = self.corrected(before.as_ref(), recorded)?;
                let corrected = own(&Subject::Key).and_then(|own| own.published.clone());
                let published = self.proposal.published.as_ref().map(|text| text.trim().to_owned());
                let published = published.filter(|_| !self.proposal.withdraw);
                let before_published = published.as_ref().and(corrected.or_else(|| question.answer.clone()));
                let previous = Previous { key: before, published: before_published, ..Previous::default() };
                Ok(vec![Decision { published, ..entry(Subject::Key, previous, patterns)? }])
            }
            SubjectKind::Case => {
                let previous = Previous { facts: Some(question.into()), ..Previous::default() };
                Ok(vec![entry(Subject::Case, previous, None)?])
            }
            SubjectKind::Answer => {
                let chosen = self.chosen(number, &question.question)?;
                // A withdrawal of many takes back what stands; where nothing does at all, it says so.
                let standing = chosen.iter().any(|(selector, _)| own(&Subject::Answer(selector.clone())).is_some());
                let skips = |selector: &AnswerSelector| {
                    self.proposal.withdraw && standing && own(&Subject::Answer(selector.clone())).is_none()
                };
                let entries = chosen.into_iter().filter(|(selector, _)| !skips(selector));
                entries.map(|(selector, previous)| entry(Subject::Answer(selector), previous, None)).collect()
            }
        }
    }

    /// A withdrawal of a decision whose question is gone repeats the decision's own words.
    fn withdraw_unknown(&self) -> Result<Vec<Decision>, DecideError> {
        let proposal = self.proposal;
        let named = |decision: &Decision| decision.question == proposal.question || decision.asked == proposal.question;
        let mut subjects: Vec<&Subject> = Vec::new();
        for decision in self.triage.decisions.iter().filter(|decision| named(decision)) {
            if decision.subject.kind() == proposal.verdict.subject() && !subjects.contains(&&decision.subject) {
                subjects.push(&decision.subject);
            }
        }
        let entries = subjects.into_iter().filter_map(|subject| self.own(named, subject)).map(|own| Decision {
            action: DecisionAction::Withdraw,
            reason: proposal.reason.trim().to_owned(),
            time: self.clock.now(),
            previous: Previous { decision: Some(own.verdict), ..Previous::default() },
            patterns: None,
            published: None,
            ..own.clone()
        });
        let entries: Vec<Decision> = entries.collect();
        if entries.is_empty() { Err(self.unknown_question()) } else { Ok(entries) }
    }

    /// The author's decision that stands on a subject of a question.
    fn own(&self, is_question: impl Fn(&Decision) -> bool, subject: &Subject) -> Option<&Decision> {
        let own = self.triage.decisions.iter().rev();
        let last = own
            .filter(|decision| decision.subject == *subject && decision.author == self.proposal.author)
            .find(|decision| is_question(decision))?;
        (last.action != DecisionAction::Withdraw).then_some(last)
    }

    fn action(&self, stands: bool, kind: SubjectKind) -> Result<DecisionAction, DecideError> {
        match (self.proposal.withdraw, stands) {
            (false, false) => Ok(DecisionAction::Decide),
            (false, true) => Ok(DecisionAction::Revise),
            (true, true) => Ok(DecisionAction::Withdraw),
            (true, false) => Err(DecideError::NothingToWithdraw {
                author: self.proposal.author.clone(),
                subject: kind.name(),
                question: self.proposal.question.clone(),
            }),
        }
    }

    fn evidence(&self, user: &str, said: &[Event], question: &Question) -> Result<Vec<Evidence>, DecideError> {
        if self.proposal.evidence.is_empty() {
            let facts = || question.required.iter().chain(&question.stale).chain(&question.forgotten);
            let carries = |event: &&Event| event.op != Op::Forget && facts().any(|fact| fact.is_carried_by(event));
            return Ok(said.iter().filter(carries).map(Evidence::from).collect());
        }
        let mut evidence = Vec::new();
        for &turn in &self.proposal.evidence {
            let before = evidence.len();
            evidence.extend(said.iter().filter(|event| event.turn == turn).map(Evidence::from));
            if evidence.len() == before {
                return Err(DecideError::NoSuchTurn(turn, user.to_owned()));
            }
        }
        Ok(evidence)
    }

    fn corrected(
        &self,
        before: Option<&KeyText>,
        recorded: Option<&AnswerKey>,
    ) -> Result<Option<CorrectedKey>, DecideError> {
        if self.proposal.patterns.is_empty() || self.proposal.withdraw {
            return Ok(None);
        }
        let mut text = before.cloned().or_else(|| recorded.map(KeyText::of)).unwrap_or_default();
        for (name, pattern) in &self.proposal.patterns {
            text.set(name, pattern);
        }
        let written = text.clone();
        CorrectedKey::new(text).map(Some).map_err(|(name, error)| {
            let pattern = written.patterns().find(|(known, _)| *known == name).map(|(_, text)| text.to_owned());
            DecideError::Pattern { name, text: pattern.unwrap_or_default(), error }
        })
    }

    /// The chosen answers: one selector a distinct text, with the first grade of that text.
    fn chosen(&self, number: usize, asked: &str) -> Result<Vec<(AnswerSelector, Previous)>, DecideError> {
        let choice = self.proposal.answers.as_ref().ok_or(DecideError::NoAnswer(self.proposal.verdict))?;
        let mut seen = BTreeSet::new();
        let mut chosen = Vec::new();
        for at in answers_to(self.workspace, number) {
            let Some((_, group, answer, grade)) = self.workspace.answer(at) else { continue };
            let wanted = match choice {
                AnswerChoice::All => true,
                AnswerChoice::Strategy(strategy) => *strategy == group.strategy,
                AnswerChoice::Seed(strategy, seed) => *strategy == group.strategy && answer.seed == Some(*seed),
                AnswerChoice::Text(text) => *text == answer.answer,
            };
            if wanted && seen.insert(answer.answer.as_str()) {
                let before = PreviousGrade { verdict: grade.verdict, reason: grade.reason.clone() };
                let previous = Previous { grade: Some(before), ..Previous::default() };
                chosen.push((choice.selector(&answer.answer), previous));
            }
        }
        if chosen.is_empty() {
            return Err(DecideError::NoSuchAnswer { question: asked.to_owned(), what: choice.words() });
        }
        Ok(chosen)
    }
}

/// The recorded answers to a question, under any strategy.
fn answers_to(workspace: &Workspace, question: usize) -> impl Iterator<Item = AnswerRef> + '_ {
    workspace.all_answers().filter(move |at| {
        let graded = workspace.recordings.get(at.recording);
        graded.and_then(|graded| graded.question.get(at.group).copied().flatten()) == Some(question)
    })
}
