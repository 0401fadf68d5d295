//! Strategies side by side: every measure against a baseline, and the questions that make the difference.

use serde::Serialize;
use serde_json::{Map, Number, Value, json};

use crate::compare::{Comparison, Difference, Judgement, Measure, Measures, Side, gate, sentence};
use crate::workspace::{Tally, Workspace};

use super::Table;

/// The comparison of all strategies with one of them: what the Compare pane shows, for every pair at once.
#[derive(Serialize)]
pub struct CompareReport {
    baseline: String,
    strategies: Map<String, Value>,
}

#[derive(Serialize)]
struct StrategyReport {
    /// `ok`, `failed`, or `unknown` where no block is known.
    gate: &'static str,
    measures: Map<String, Value>,
    /// None for the baseline itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    against_baseline: Option<AgainstReport>,
}

#[derive(Serialize)]
struct AgainstReport {
    sentence: String,
    measures: Map<String, Value>,
    /// The largest first.
    questions: Vec<Value>,
}

impl CompareReport {
    /// Compares every strategy with the one at `baseline`.
    pub fn new(workspace: &Workspace, baseline: usize) -> Self {
        let measures = Measures::all(workspace);
        let base = measures.get(baseline).copied().unwrap_or_default();
        let name = |strategy| name(workspace, strategy);
        let mut strategies = Map::new();
        for (strategy, own) in measures.iter().enumerate() {
            let against_baseline = (strategy != baseline).then(|| AgainstReport {
                sentence: full_sentence(name(strategy), own, name(baseline), &base),
                measures: Measure::ALL.iter().map(|&measure| against(measure, own, &base)).collect(),
                questions: Comparison::of(workspace, strategy, baseline)
                    .differences
                    .iter()
                    .filter_map(|difference| question_value(workspace, difference))
                    .collect(),
            });
            let report = StrategyReport {
                gate: gate_word(own),
                measures: Measure::ALL
                    .iter()
                    .map(|&measure| (measure.name().to_owned(), number(measure, measure.value(own))))
                    .collect(),
                against_baseline,
            };
            // A value of numbers and texts cannot fail to be one of JSON.
            strategies.insert(name(strategy).to_owned(), serde_json::to_value(report).unwrap_or_default());
        }
        Self { baseline: name(baseline).to_owned(), strategies }
    }
}

fn name(workspace: &Workspace, strategy: usize) -> &str {
    workspace.evaluation.strategies.get(strategy).map_or("", |strategy| strategy.name())
}

fn gate_word(of: &Measures) -> &'static str {
    match of.holds_gate() {
        None => "unknown",
        Some(true) => "ok",
        Some(false) => "failed",
    }
}

/// The sentence with the gate before it, where that failed.
fn full_sentence(name: &str, own: &Measures, baseline_name: &str, baseline: &Measures) -> String {
    let text = sentence(name, own, baseline_name, baseline);
    gate(own, baseline).words().map_or_else(|| text.clone(), |words| format!("{words}: {text}"))
}

/// Counts as whole numbers.
fn number(measure: Measure, value: Option<f64>) -> Value {
    match value {
        None => Value::Null,
        Some(value) if measure.places() == 0 => Value::from(value as i64),
        Some(value) => Number::from_f64(value).map_or(Value::Null, Value::Number),
    }
}

fn against(measure: Measure, own: &Measures, baseline: &Measures) -> (String, Value) {
    let judgement = match measure.judge(own, baseline) {
        Judgement::Unknown => Value::Null,
        judgement => Value::from(judgement.word()),
    };
    let difference = number(measure, measure.difference(own, baseline));
    (measure.name().to_owned(), json!({ "difference": difference, "judgement": judgement }))
}

fn question_value(workspace: &Workspace, difference: &Difference) -> Option<Value> {
    let (conversation, question) = workspace.evaluation.question(difference.question)?;
    Some(json!({
        "user": conversation.user,
        "id": question.id,
        "question": question.question,
        "differs": difference.changes().into_iter().map(|change| change.text).collect::<Vec<_>>(),
        "selected": side_value(&difference.selected),
        "baseline": side_value(&difference.baseline),
    }))
}

fn side_value(side: &Side) -> Value {
    let Tally { pass, fail, incomplete } = side.answers;
    let answers = json!({ "pass": pass, "fail": fail, "incomplete": incomplete });
    if !side.known {
        return answers;
    }
    json!({
        "found": side.found,
        "required": side.required,
        "sent": side.lines,
        "useful": side.useful,
        "stale": side.stale,
        "forgotten": side.forgotten,
        "memory_tokens": side.tokens,
        "pass": pass,
        "fail": fail,
        "incomplete": incomplete,
    })
}

/// The measures that there is something to measure on: those of answers only where some are recorded.
fn measured(measures: &[Measures]) -> Vec<Measure> {
    let answered = measures.iter().any(Measures::is_answered);
    Measure::ALL.into_iter().filter(|measure| answered || !measure.needs_answers()).collect()
}

/// One row a measure, one column a strategy: its value, the signed difference from the baseline, and whether that is better.
pub fn compare_table(workspace: &Workspace, baseline: usize) -> Table {
    let measures = Measures::all(workspace);
    let base = measures.get(baseline).copied().unwrap_or_default();
    let mut table = Table::new(["measure"]);
    for strategy in 0..measures.len() {
        let role = if strategy == baseline { " (baseline)" } else { "" };
        table.heads.push(format!("{}{role}", name(workspace, strategy)));
    }
    for measure in measured(&measures) {
        let cells = measures.iter().enumerate().map(|(strategy, own)| {
            let value = measure.text(own);
            match measure.judge(own, &base) {
                _ if strategy == baseline => value,
                Judgement::Unknown => value,
                Judgement::Same => format!("{value}  same"),
                judgement => format!("{value}  {} {}", measure.signed(own, &base), judgement.word()),
            }
        });
        table.push(std::iter::once(measure.label().to_owned()).chain(cells));
    }
    let gates = measures.iter().map(|own| match own.holds_gate() {
        None => "-".to_owned(),
        Some(true) => "ok".to_owned(),
        Some(false) => "FAILED".to_owned(),
    });
    table.push(std::iter::once("gate".to_owned()).chain(gates));
    table
}

/// The same values, one row a strategy and measure.
pub fn compare_rows(workspace: &Workspace, baseline: usize) -> Table {
    let measures = Measures::all(workspace);
    let base = measures.get(baseline).copied().unwrap_or_default();
    let mut table = Table::new(["strategy", "measure", "value", "baseline", "difference", "judgement", "gate"]);
    let text = |measure: Measure, value: Option<f64>| match number(measure, value) {
        Value::Null => String::new(),
        value => value.to_string(),
    };
    for (strategy, own) in measures.iter().enumerate() {
        for measure in measured(&measures) {
            table.push([
                name(workspace, strategy).to_owned(),
                measure.name().to_owned(),
                text(measure, measure.value(own)),
                text(measure, measure.value(&base)),
                text(measure, measure.difference(own, &base)),
                measure.judge(own, &base).word().to_owned(),
                gate_word(own).to_owned(),
            ]);
        }
    }
    table
}

/// What each strategy but the baseline does that the baseline does not, one sentence each.
pub fn compare_lines(workspace: &Workspace, baseline: usize) -> Vec<String> {
    let measures = Measures::all(workspace);
    let base = measures.get(baseline).copied().unwrap_or_default();
    let others = measures.iter().enumerate().filter(|(strategy, _)| *strategy != baseline);
    others
        .map(|(strategy, own)| full_sentence(name(workspace, strategy), own, name(workspace, baseline), &base))
        .collect()
}

/// One row a strategy and question on which it differs from the baseline, each strategy's largest differences first.
pub fn differences_table(workspace: &Workspace, baseline: usize) -> Table {
    let mut table = Table::new([
        "strategy",
        "user",
        "id",
        "question",
        "found",
        "required",
        "stale",
        "forgotten",
        "memory_tokens",
        "pass",
        "baseline_found",
        "baseline_stale",
        "baseline_forgotten",
        "baseline_memory_tokens",
        "baseline_pass",
        "differs",
    ]);
    for strategy in (0..workspace.evaluation.strategies.len()).filter(|strategy| *strategy != baseline) {
        for difference in Comparison::of(workspace, strategy, baseline).differences {
            let Some((conversation, question)) = workspace.evaluation.question(difference.question) else { continue };
            let (own, base) = (&difference.selected, &difference.baseline);
            let texts = [name(workspace, strategy), &conversation.user, &question.id, &question.question];
            let count = |side: &Side, number: usize| if side.known { number.to_string() } else { String::new() };
            let numbers = [own.found, own.required, own.stale, own.forgotten, own.tokens].map(|n| count(own, n));
            let others = [base.found, base.stale, base.forgotten, base.tokens].map(|n| count(base, n));
            let texts = texts.map(str::to_owned).into_iter().chain(numbers).chain([own.answers.pass.to_string()]);
            table.push(texts.chain(others).chain([base.answers.pass.to_string(), difference.text()]));
        }
    }
    table
}

/// [`differences_table`] for people: both sides in one column each.
pub fn differences_summary(workspace: &Workspace, baseline: usize) -> Table {
    let answered = !workspace.recordings.is_empty();
    let mut table = Table::new(["strategy", "user", "question", "its block", "the baseline's", "what differs"]);
    for strategy in (0..workspace.evaluation.strategies.len()).filter(|strategy| *strategy != baseline) {
        for difference in Comparison::of(workspace, strategy, baseline).differences {
            let Some((conversation, question)) = workspace.evaluation.question(difference.question) else { continue };
            table.push([
                name(workspace, strategy).to_owned(),
                conversation.user.clone(),
                question.question.clone(),
                side_text(&difference.selected, answered),
                side_text(&difference.baseline, answered),
                difference.text(),
            ]);
        }
    }
    table
}

/// Found and required facts, S and F with the number of leaking lines, passed answers.
fn side_text(side: &Side, answered: bool) -> String {
    if !side.known {
        return format!("{}/{} pass", side.answers.pass, side.answers.total());
    }
    let mut text = format!("{}/{}", side.found, side.required);
    for (mark, lines) in [("S", side.stale), ("F", side.forgotten)] {
        if lines > 0 {
            text.push_str(&format!(" {mark}{lines}"));
        }
    }
    if answered {
        text.push_str(&format!(", {}/{} pass", side.answers.pass, side.answers.total()));
    }
    text
}
