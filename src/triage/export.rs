//! The decided list for other programs and for people.

use serde::Serialize;

use crate::report::Table;

use super::decision::{Decision, DecisionAction};
use super::standing::{Conflict, Dispute, Standing};

/// How an entry of the list stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryState {
    /// It stands.
    Stands,
    /// It stands, others disagree, and none is applied.
    Conflict,
    /// A later entry of its author took its place or took it back.
    Past,
    /// It takes an earlier entry back.
    Withdrawal,
    /// Its question is not in the case set.
    UnknownQuestion,
    /// Its answer is in no open recording.
    UnknownAnswer,
}

impl EntryState {
    /// The words on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stands => "stands",
            Self::Conflict => "conflict",
            Self::Past => "past",
            Self::Withdrawal => "withdrawal",
            Self::UnknownQuestion => "unknown question",
            Self::UnknownAnswer => "unknown answer",
        }
    }
}

/// An entry with its state.
#[derive(Debug, Clone, Serialize)]
pub struct Entry<'a> {
    /// How it stands.
    pub state: EntryState,
    /// The entry.
    #[serde(flatten)]
    pub decision: &'a Decision,
}

/// Every entry with its state, in the file's order.
pub fn entries(standing: &Standing) -> Vec<Entry<'_>> {
    let state = |place: usize, decision: &Decision| {
        if standing.unknown.contains(&place) {
            EntryState::UnknownQuestion
        } else if decision.action == DecisionAction::Withdraw {
            EntryState::Withdrawal
        } else if !standing.is_current(place) {
            EntryState::Past
        } else if standing.conflicts.iter().any(|conflict| conflict.decisions.contains(&place)) {
            EntryState::Conflict
        } else if standing.unmatched.contains(&place) {
            EntryState::UnknownAnswer
        } else {
            EntryState::Stands
        }
    };
    let decisions = standing.decisions().iter().enumerate();
    decisions.map(|(place, decision)| Entry { state: state(place, decision), decision }).collect()
}

/// One entry a line, as JSON.
///
/// # Errors
/// A value that JSON cannot hold; there is none.
pub fn jsonl(standing: &Standing) -> Result<String, serde_json::Error> {
    entries(standing).iter().map(|entry| Ok(serde_json::to_string(entry)? + "\n")).collect()
}

/// One row an entry.
pub fn table(standing: &Standing) -> Table {
    let mut table =
        Table::new(["question", "asked", "subject", "verdict", "action", "state", "author", "time", "reason"]);
    for Entry { state, decision } in entries(standing) {
        table.push([
            decision.question.clone(),
            decision.asked.clone(),
            decision.subject.to_string(),
            decision.verdict.name().to_owned(),
            decision.action.name().to_owned(),
            state.name().to_owned(),
            decision.author.clone(),
            decision.time.to_string(),
            decision.reason.clone(),
        ]);
    }
    table
}

/// The list for an issue or a note: a heading a question, an item an entry, in the order in which questions were first
/// decided.
pub fn markdown(standing: &Standing) -> String {
    let entries = entries(standing);
    let mut questions: Vec<&str> = Vec::new();
    for entry in &entries {
        if !questions.contains(&entry.decision.question.as_str()) {
            questions.push(&entry.decision.question);
        }
    }
    let mut text = String::from("# Decisions\n");
    for question in questions {
        let own = || entries.iter().filter(|entry| entry.decision.question == question);
        let asked =
            own().map(|entry| entry.decision.asked.as_str()).find(|asked| !asked.is_empty()).unwrap_or_default();
        text.push_str(&format!("\n## {}: {}\n\n", plain(question), plain(asked)));
        own().for_each(|entry| text.push_str(&item(entry)));
    }
    text
}

fn item(entry: &Entry<'_>) -> String {
    let Entry { state, decision } = entry;
    let mut item = format!(
        "* **{}** ({}, {}) on the {}: {} ({}, {})\n",
        decision.verdict,
        decision.action.name(),
        state.name(),
        plain(&decision.subject.to_string()),
        plain(&decision.reason),
        plain(&decision.author),
        decision.time
    );
    for line in &decision.evidence {
        item.push_str(&format!("  * turn {}: {}\n", line.turn, plain(&line.text)));
    }
    for (name, pattern) in decision.patterns.iter().flat_map(|corrected| corrected.text.patterns()) {
        item.push_str(&format!("  * {}: `{}`\n", plain(name), crate::text::displayable(pattern).replace('`', "'")));
    }
    item
}

/// Words of a file inside Markdown: on one line, nothing of them read as markup.
fn plain(text: &str) -> String {
    let shown = crate::text::displayable(text);
    let mut safe = String::with_capacity(shown.len());
    for c in shown.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|') {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}

/// One sentence for each thing about the decisions that a person should know: conflicts, questions and answers that are
/// not there.
pub fn remarks(standing: &Standing) -> Vec<String> {
    let decision = |place: &usize| standing.decisions().get(*place);
    let conflict = |conflict: &Conflict| {
        let sides: Vec<_> =
            conflict.decisions.iter().filter_map(decision).map(|d| (d.author.as_str(), d.verdict)).collect();
        let first = conflict.decisions.first().and_then(decision);
        let question = first.map_or("", |decision| decision.question.as_str());
        format!("{question}: {}: {}", conflict.subject, super::rescore::disagreement(&sides))
    };
    let unknown = standing.unknown.iter().filter_map(decision).map(|decision| {
        format!(
            "{}: the case set does not have this question (\u{201c}{}\u{201d}): the decision \u{201c}{}\u{201d} of {} is kept and not applied",
            decision.question, decision.asked, decision.verdict, decision.author
        )
    });
    let unmatched = standing.unmatched.iter().filter_map(decision).map(|decision| {
        format!(
            "{}: no open recording has the {}: the decision \u{201c}{}\u{201d} of {} is kept and not applied",
            decision.question, decision.subject, decision.verdict, decision.author
        )
    });
    standing.conflicts.iter().map(conflict).chain(unknown).chain(unmatched).collect()
}

/// Why a question is disputed, in one sentence; none where it is not.
pub fn dispute(standing: &Standing, question: usize) -> Option<String> {
    match standing.dispute(question)? {
        Dispute::Decided(decision) => Some(super::rescore::said(decision)),
        Dispute::Conflict(found) => {
            let sides = found.decisions.iter().filter_map(|place| standing.decisions().get(*place));
            let sides: Vec<_> = sides.map(|decision| (decision.author.as_str(), decision.verdict)).collect();
            Some(super::rescore::disagreement(&sides))
        }
    }
}
