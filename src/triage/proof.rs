//! What proves the cause of one answer or block.

use std::sync::Arc;

use crate::case::Question;
use crate::explain::{Explanation, FactFinding, FactKind};
use crate::grade::{AnswerKey, Grade, PatternMatch, PatternRole, Verdict, explain_answer};
use crate::memory::{History, RecordId, StoreKind};
use crate::workspace::Workspace;

use super::cause::{AnswerState, Cause, Decided, FactProof, LineProof, MustProof, Overruled, Proof, Stated, StayedOut};
use super::decision::Decision;
use super::link::{Link, MustLink, link};

/// A state, its proof and the sentence for it.
pub(super) type Found = (AnswerState, Arc<Proof>, String);

pub(super) fn nothing(state: AnswerState, why: String) -> Found {
    (state, Arc::new(Proof::Nothing(why.clone())), why)
}

pub(super) fn by_decision(decision: &Decision) -> Found {
    let decided = Decided::from(decision);
    let sentence = format!("{} decided \u{201c}{}\u{201d}: {}", decided.author, decided.verdict, decided.reason);
    (AnswerState::Cause(Cause::FaultyKey), Arc::new(Proof::Decided(decided)), sentence)
}

impl From<&Decision> for Decided {
    fn from(decision: &Decision) -> Self {
        Self {
            verdict: decision.verdict,
            author: decision.author.clone(),
            time: decision.time.to_string(),
            reason: decision.reason.clone(),
        }
    }
}

/// What a key finds in an answer that does not pass, in the order of [`crate::grade::grade_answer`].
pub(super) enum Judged {
    Incomplete(String),
    States(Cause, PatternMatch),
    /// Names of patterns that it does not match.
    Lacks(Vec<String>),
}

impl Judged {
    pub(super) fn of(answer: &str, key: Option<&AnswerKey>, workspace: &Workspace) -> Self {
        let Some(key) = key else { return Self::Incomplete("no answer key".to_owned()) };
        if answer.trim().is_empty() {
            return Self::Incomplete("no answer".to_owned());
        }
        let found = explain_answer(answer, key, workspace.keys.replaced.as_ref());
        for (role, cause) in [(PatternRole::Forgotten, Cause::Forgotten), (PatternRole::Stale, Cause::Stale)] {
            if let Some(hit) = found.iter().find(|hit| hit.role == role && !hit.spans.is_empty()) {
                return Self::States(cause, hit.clone());
            }
        }
        let lacks = found.into_iter().filter(|hit| hit.role == PatternRole::Must && hit.spans.is_empty());
        Self::Lacks(lacks.map(|hit| hit.name).collect())
    }
}

pub(super) fn stated(hit: &PatternMatch, answer: &str, facts: Vec<FactProof>) -> Proof {
    let spans = hit.spans.iter().map(|span| Stated {
        text: answer.get(span.clone()).unwrap_or_default().to_owned(),
        start: span.start,
        end: span.end,
    });
    Proof::Stated { pattern: hit.pattern.clone(), stated: spans.collect(), facts }
}

pub(super) fn states(hit: &PatternMatch, answer: &str, cause: Cause, facts: &[FactProof]) -> String {
    let words = hit.spans.first().and_then(|span| answer.get(span.clone())).unwrap_or_default();
    let mut sentence = match cause {
        Cause::Stale => format!("the answer states \u{201c}{words}\u{201d} as current"),
        _ => format!("the answer states \u{201c}{words}\u{201d}"),
    };
    let line = facts.iter().flat_map(|fact| &fact.lines).find(|line| line.overruled.is_some());
    if let Some(overruled) = line.and_then(|line| line.overruled.as_ref()) {
        sentence.push_str(&format!("; at turn {} the user said \u{201c}{}\u{201d}", overruled.turn, overruled.text));
    }
    if let Some(fact) = facts.iter().find(|fact| fact.in_block) {
        sentence.push_str(&format!("; the block holds it: {}", fact.words()));
    } else if !facts.is_empty() {
        sentence.push_str("; the block does not hold it");
    }
    sentence
}

/// One strategy's treatment of one question.
pub(super) struct Cell<'a> {
    pub(super) question: &'a Question,
    pub(super) history: &'a History,
    pub(super) after: usize,
    pub(super) kind: StoreKind,
    pub(super) explanation: Option<Explanation>,
}

impl Cell<'_> {
    /// Why an answer does not pass by its key.
    pub(super) fn explained(&self, answer: &str, key: Option<&AnswerKey>, workspace: &Workspace) -> Found {
        match Judged::of(answer, key, workspace) {
            Judged::Incomplete(why) => nothing(AnswerState::Incomplete, why),
            Judged::States(cause, hit) => {
                let kind = if cause == Cause::Stale { FactKind::Stale } else { FactKind::Forgotten };
                let facts = self.stated_facts(kind, &hit.pattern);
                let sentence = states(&hit, answer, cause, &facts);
                (AnswerState::Cause(cause), Arc::new(stated(&hit, answer, facts)), sentence)
            }
            Judged::Lacks(names) => {
                let said = self.history.events.get(..self.after).unwrap_or_default();
                let links = key.map(|key| link(key, self.question, said)).unwrap_or_default();
                let musts = links.into_iter().filter(|must| names.contains(&must.name));
                let musts: Vec<MustProof> = musts.map(|must| self.must(must)).collect();
                // What the block lacks, no model can state: the memory comes before the model.
                let cause = if musts.iter().all(|must| must.held) { Cause::Unused } else { Cause::Missing };
                let sentence = lacks(&musts);
                (AnswerState::Cause(cause), Arc::new(Proof::Lacks(musts)), sentence)
            }
        }
    }

    /// Why an answer does not pass that judges or the published answer found wrong: they name no pattern, so the block alone
    /// tells whether the memory or the model is at fault.
    pub(super) fn by_facts(&self, grade: &Grade) -> Found {
        if grade.verdict == Verdict::Incomplete {
            return nothing(AnswerState::Incomplete, grade.reason.clone());
        }
        let facts: Vec<FactProof> = self.of_kind(FactKind::Required).map(|fact| self.fact(fact)).collect();
        let missing: Vec<String> = facts
            .iter()
            .filter(|fact| !fact.in_block)
            .map(|fact| format!("\u{201c}{}\u{201d} ({})", fact.fact, fact.words()))
            .collect();
        // What should have been declined asks nothing of the block.
        let lacking = !missing.is_empty() && !self.question.abstain;
        let block = match (lacking, facts.is_empty() || self.question.abstain) {
            (true, _) => format!("the block lacks {}", missing.join(", ")),
            (false, true) => "no fact was needed".to_owned(),
            (false, false) => "the block holds every required fact".to_owned(),
        };
        let cause = if lacking { Cause::Missing } else { Cause::Unused };
        let sentence = format!("{}: {}; {block}", grade.grader, grade.reason);
        (AnswerState::Cause(cause), Arc::new(Proof::Facts(facts)), sentence)
    }

    fn of_kind(&self, kind: FactKind) -> impl Iterator<Item = &FactFinding> {
        self.explanation.iter().flat_map(|explanation| &explanation.facts).filter(move |fact| fact.kind == kind)
    }

    fn must(&self, must: MustLink) -> MustProof {
        let required: Vec<&FactFinding> = self.of_kind(FactKind::Required).collect();
        let findings: Vec<&FactFinding> = must.facts.iter().filter_map(|place| required.get(*place).copied()).collect();
        let held = match must.link {
            Link::Line => findings.iter().any(|fact| !fact.in_block.is_empty()),
            Link::None => findings.iter().all(|fact| !fact.in_block.is_empty()),
        };
        MustProof {
            name: must.name,
            pattern: must.pattern,
            link: must.link,
            held,
            facts: findings.into_iter().map(|fact| self.fact(fact)).collect(),
        }
    }

    /// The facts of a kind whose lines a pattern matches; all of them where it matches none.
    fn stated_facts(&self, kind: FactKind, pattern: &str) -> Vec<FactProof> {
        let all: Vec<FactProof> = self.of_kind(kind).map(|fact| self.fact(fact)).collect();
        let Ok(pattern) = super::compile(pattern) else { return all };
        let matches = |fact: &&FactProof| {
            let texts = fact.lines.iter().filter_map(|line| line.text.as_deref()).chain([fact.fact.as_str()]);
            texts.into_iter().any(|text| pattern.regex().is_match(text))
        };
        let matched: Vec<FactProof> = all.iter().filter(matches).cloned().collect();
        if matched.is_empty() { all } else { matched }
    }

    pub(super) fn fact(&self, finding: &FactFinding) -> FactProof {
        let in_block = !finding.in_block.is_empty();
        let lines: Vec<LineProof> = if in_block {
            finding.in_block.iter().map(|&(id, place)| self.line(id, place, None)).collect()
        } else {
            finding.outside.iter().map(|(id, fate)| self.line(*id, self.added(*id), StayedOut::of(fate))).collect()
        };
        let never = || LineProof {
            record: None,
            turn: None,
            text: None,
            overruled: None,
            stayed_out: Some(StayedOut::NeverStored),
        };
        let lines = if lines.is_empty() { vec![never()] } else { lines };
        FactProof { fact: finding.label.clone(), kind: finding.kind, in_block, lines }
    }

    /// The event that a record of the store was made from.
    fn added(&self, id: RecordId) -> usize {
        self.history.store(self.kind).row(id).map_or(usize::MAX, |row| row.added)
    }

    fn line(&self, id: RecordId, place: usize, stayed_out: Option<StayedOut>) -> LineProof {
        let event = self.history.said(place);
        let origin = event.and_then(|event| event.id.as_deref()).and_then(|id| self.history.event_named(id));
        let place = if self.history.is_foreign(place) { origin } else { Some(place) };
        let overruled = place.and_then(|place| self.history.overruled(place, self.after));
        LineProof {
            record: Some(id),
            turn: event.map(|event| event.turn),
            text: event.map(|event| event.text.clone()),
            overruled: overruled.map(|(_, by)| Overruled { op: by.op.name(), turn: by.turn, text: by.text.clone() }),
            stayed_out,
        }
    }
}

fn lacks(musts: &[MustProof]) -> String {
    let part = |must: &MustProof| {
        let where_it_is = |held: bool| must.facts.iter().find(|fact| fact.in_block == held);
        let mut part = match (must.held, where_it_is(must.held)) {
            (true, Some(fact)) => format!(
                "the block holds \u{201c}{}\u{201d} ({}), the answer does not state \u{201c}{}\u{201d}",
                fact.fact,
                fact.words(),
                must.name
            ),
            (false, Some(fact)) => format!("the block lacks \u{201c}{}\u{201d} ({})", fact.fact, fact.words()),
            (_, None) => format!("the answer does not state \u{201c}{}\u{201d}", must.name),
        };
        if must.link == Link::None {
            part.push_str(&format!(
                "; suspicious: the pattern of \u{201c}{}\u{201d} matches no required line",
                must.name
            ));
        }
        part
    };
    musts.iter().map(part).collect::<Vec<_>>().join("; ")
}
