//! Which abilities each memory has, for people and scripts.

use serde::Serialize;

use crate::abilities::{Answered, NOT_ASKED, Slice, Trial, Tried, answer_words};
use crate::governed::Ability;

use super::Table;

/// A trial as it is printed.
#[derive(Serialize)]
pub struct AbilitiesReport<'a> {
    suite: &'a str,
    budget: usize,
    probes: Vec<ProbeReport<'a>>,
    systems: Vec<SystemReport<'a>>,
}

#[derive(Serialize)]
struct ProbeReport<'a> {
    ability: Ability,
    question: &'a str,
    asker: String,
    as_of: Option<i64>,
    expected: Option<&'a str>,
}

#[derive(Serialize)]
struct SystemReport<'a> {
    name: &'a str,
    strategy: bool,
    slices: &'a std::collections::BTreeMap<Ability, Slice>,
    average: Option<f64>,
    tokens_per_query: Option<f64>,
    most_tokens: usize,
    foreign_answers: usize,
    answers: &'a [Answered],
}

impl<'a> AbilitiesReport<'a> {
    /// The report of a trial.
    pub fn new(trial: &'a Trial) -> Self {
        let probe = |probe: &'a crate::governed::Probe| ProbeReport {
            ability: probe.ability,
            question: &probe.question,
            asker: probe.scope.to_string(),
            as_of: probe.as_of,
            expected: probe.expected.as_deref(),
        };
        let system = |tried: &'a Tried| SystemReport {
            name: &tried.name,
            strategy: tried.is_strategy,
            slices: &tried.slices,
            average: tried.average(),
            tokens_per_query: tried.tokens_per_query(),
            most_tokens: tried.most_tokens(),
            foreign_answers: tried.foreign_answers,
            answers: &tried.answers,
        };
        Self {
            suite: &trial.suite,
            budget: trial.comparison.budget,
            probes: trial.comparison.probes.iter().map(probe).collect(),
            systems: trial.tried.iter().map(system).collect(),
        }
    }
}

/// A score in two places; a dash where it was not asked.
pub fn score_words(score: Option<f64>) -> String {
    score.map_or_else(|| NOT_ASKED.to_owned(), |score| format!("{score:.2}"))
}

/// One row a system: its slices, the average that hides them, and what a query costs.
pub fn abilities_table(trial: &Trial) -> Table {
    let mut table = Table::new([
        "system",
        "update",
        "temporal",
        "abstention",
        "isolation",
        "deletion",
        "average",
        "foreign answers",
        "tokens/query",
        "most tokens",
    ]);
    for tried in &trial.tried {
        let slice = |ability: &Ability| {
            let score = tried.slices.get(ability).and_then(|slice| slice.score());
            score_words(score.map(|score| score.score()))
        };
        let slices: Vec<String> = Ability::ALL.iter().map(slice).collect();
        let tokens = tried.tokens_per_query().map_or_else(|| NOT_ASKED.to_owned(), |tokens| format!("{tokens:.2}"));
        let rest =
            [score_words(tried.average()), tried.foreign_answers.to_string(), tokens, tried.most_tokens().to_string()];
        table.push([tried.name.clone()].into_iter().chain(slices).chain(rest));
    }
    table
}

/// One row a probe and system: what was asked, expected and answered.
pub fn probes_table(trial: &Trial) -> Table {
    let mut table =
        Table::new(["ability", "question", "asker", "as of", "expected", "system", "answer", "right", "tokens"]);
    for (place, probe) in trial.comparison.probes.iter().enumerate() {
        for tried in &trial.tried {
            let Some(answered) = tried.answers.get(place) else { continue };
            let (right, tokens) = match answered {
                Answered::Asked { right, tokens, .. } => (if *right { "yes" } else { "no" }, tokens.to_string()),
                Answered::NotAsked { .. } => ("", String::new()),
            };
            table.push([
                probe.ability.name().to_owned(),
                probe.question.clone(),
                probe.scope.to_string(),
                probe.as_of.map_or_else(String::new, |at| at.to_string()),
                answer_words(probe.expected.as_deref()).to_owned(),
                tried.name.clone(),
                answered.words().to_owned(),
                right.to_owned(),
                tokens,
            ]);
        }
    }
    table
}

/// Whether the governed store may ship, and what was not asked of whom.
pub fn abilities_lines(trial: &Trial) -> Vec<String> {
    let floors = trial.comparison.floors.iter().map(|(ability, floor)| format!("{} {floor:.2}", ability.name()));
    let mut lines = vec![format!("release floors: {}", floors.collect::<Vec<_>>().join(", "))];
    let failing = trial.failing();
    lines.push(match failing.as_slice() {
        [] => "GATE PASSED: the governed store reaches every floor".to_owned(),
        failing => {
            let below = failing.iter().map(|(ability, score)| {
                let floor = score.floor.unwrap_or_default();
                format!("{} {:.2} of {floor:.2}", ability.name(), score.score())
            });
            format!("GATE FAILED: the governed store is below {}", below.collect::<Vec<_>>().join(", "))
        }
    });
    let mut reasons: Vec<(&str, Ability)> = Vec::new();
    for (ability, reason) in trial.tried.iter().flat_map(Tried::apart) {
        if !reasons.contains(&(reason, ability)) {
            reasons.push((reason, ability));
        }
    }
    lines.extend(reasons.iter().map(|(reason, ability)| format!("{NOT_ASKED} {}: {reason}", ability.name())));
    lines
}

/// A table of a trial, each row with its suite and budget: for files that hold several trials.
pub fn within_trial(mut table: Table, trial: &Trial) -> Table {
    table.heads.splice(0..0, ["suite".to_owned(), "budget".to_owned()]);
    for row in &mut table.rows {
        row.splice(0..0, [trial.suite.clone(), trial.comparison.budget.to_string()]);
    }
    table
}
