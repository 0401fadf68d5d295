//! What each strategy's blocks were worth.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::case::{Conversation, Fact, Question};
use crate::evaluate::Evaluation;
use crate::grade::Block;
use crate::replay::Growth;
use crate::workspace::Workspace;

use super::{GrowthReport, Table};

/// The rule by which lines are graded, as the report states it.
const GRADER: &str = "a line is useful if it contains a required fact; stale and forgotten lines contain a listed fact";

/// The evaluation report: the keys and values of `recordings/evaluation-result.json`.
#[derive(Serialize)]
pub struct EvalReport {
    facts_quota: usize,
    trials: usize,
    grader: &'static str,
    summary: Map<String, Value>,
    questions: Map<String, Value>,
    growth: Option<GrowthReport>,
    counter: String,
    environment: Value,
}

#[derive(Serialize)]
struct QuestionReport<'a> {
    user: &'a str,
    question: &'a str,
    sent: usize,
    useful: usize,
    stale: usize,
    forgotten: usize,
    found: usize,
    required: usize,
    missing: Vec<&'a Fact>,
    memory_tokens: usize,
}

impl EvalReport {
    /// The report of an evaluation and, where the case set has one, of its long replay.
    ///
    /// # Errors
    /// A value that JSON cannot hold; there is none.
    pub fn new(evaluation: &Evaluation, growth: Option<&Growth>) -> Result<Self, serde_json::Error> {
        let mut summary = Map::new();
        let mut questions = Map::new();
        for (index, strategy) in evaluation.strategies.iter().enumerate() {
            let name = strategy.name().to_owned();
            let mut sums = serde_json::to_value(evaluation.summaries.get(index))?;
            if evaluation.summaries.get(index).is_some_and(|sum| !sum.is_known() && evaluation.question_count() > 0) {
                forget_counts(&mut sums);
            }
            let failed = evaluation.failure_count(index);
            if let Some(sums) = sums.as_object_mut().filter(|_| failed > 0) {
                sums.insert("failed".to_owned(), failed.into());
            }
            summary.insert(name.clone(), sums);
            let reports = evaluation.blocks(index).filter_map(|(number, block)| {
                let (conversation, asked) = evaluation.question(number)?;
                Some(serde_json::to_value(QuestionReport {
                    user: &conversation.user,
                    question: &asked.question,
                    sent: block.lines.len(),
                    useful: block.useful(),
                    stale: block.stale(),
                    forgotten: block.forgotten(),
                    found: block.found(),
                    required: block.required,
                    missing: block.missing.iter().filter_map(|&fact| asked.required.get(fact)).collect(),
                    memory_tokens: block.tokens,
                }))
            });
            let failed = failures(evaluation, index).map(|(_, conversation, asked, reason)| {
                Ok(json!({ "user": conversation.user, "question": asked.question, "failed": reason }))
            });
            questions.insert(name, Value::Array(reports.chain(failed).collect::<Result<_, _>>()?));
        }
        let file_bytes = growth.map(|growth| {
            let [managed, append] = growth.file_bytes;
            json!({ "managed": managed, "append": append })
        });
        Ok(Self {
            facts_quota: evaluation.cases.facts_quota,
            trials: 1,
            grader: GRADER,
            summary,
            questions,
            growth: growth.map(GrowthReport::new),
            counter: evaluation.counter.name().to_owned(),
            environment: json!({
                "recallscope": env!("CARGO_PKG_VERSION"),
                "sqlite": rusqlite::version(),
                "file_bytes_after_replay": file_bytes,
            }),
        })
    }
}

/// Of blocks that are not known there is nothing to count, which is not 0.
fn forget_counts(sums: &mut Value) {
    let counts = sums.as_object_mut().into_iter().flatten().filter(|(name, _)| *name != "questions");
    counts.for_each(|(_, count)| *count = Value::Null);
}

/// The questions on which a strategy's system failed, each with its number, and why.
fn failures(evaluation: &Evaluation, strategy: usize) -> impl Iterator<Item = (usize, &Conversation, &Question, &str)> {
    let questions = if evaluation.failure_count(strategy) == 0 { 0 } else { evaluation.question_count() };
    (0..questions).filter_map(move |number| {
        let reason = evaluation.failure(strategy, number)?;
        let (conversation, asked) = evaluation.question(number)?;
        Some((number, conversation, asked, reason))
    })
}

/// One row a strategy: the measures of its blocks, and its answers where there are recordings.
pub fn summary_table(workspace: &Workspace) -> Table {
    let mut table =
        Table::new(["strategy", "facts found", "recall", "useful lines", "usefulness", "stale", "forgotten", "tokens"]);
    let answered = !workspace.recordings.is_empty();
    if answered {
        table.heads.extend(["pass", "fail", "incomplete"].map(str::to_owned));
    }
    let evaluation = &workspace.evaluation;
    let any_failed = (0..evaluation.strategies.len()).any(|strategy| evaluation.failure_count(strategy) > 0);
    if any_failed {
        table.heads.push("failed".to_owned());
    }
    table.heads.push("gate".to_owned());
    for (index, (strategy, sum)) in evaluation.strategies.iter().zip(&evaluation.summaries).enumerate() {
        let mut row = vec![strategy.name().to_owned()];
        row.extend(super::block_cells(sum));
        if answered {
            let tally = workspace.tally(index);
            row.extend([tally.pass, tally.fail, tally.incomplete].map(|count| count.to_string()));
        }
        if any_failed {
            row.push(evaluation.failure_count(index).to_string());
        }
        let gate = match sum.leaks() {
            _ if !sum.is_known() => "-",
            0 => "ok",
            _ => "FAILED: leaks",
        };
        row.push(gate.to_owned());
        table.push(row);
    }
    table
}

/// One sentence for each strategy whose blocks leak.
pub fn gate_lines(evaluation: &Evaluation) -> Vec<String> {
    let leaking = evaluation.strategies.iter().zip(&evaluation.summaries).filter(|(_, sum)| sum.leaks() > 0);
    leaking
        .map(|(strategy, sum)| {
            format!(
                "gate failed: {} sent {} stale and {} forgotten lines",
                strategy.name(),
                sum.stale_lines,
                sum.forgotten_lines
            )
        })
        .collect()
}

/// One row a strategy and question.
pub fn blocks_table(evaluation: &Evaluation) -> Table {
    let mut table = Table::new([
        "strategy",
        "user",
        "id",
        "question",
        "sent",
        "useful",
        "stale",
        "forgotten",
        "found",
        "required",
        "missing",
        "memory_tokens",
    ]);
    for (index, strategy) in evaluation.strategies.iter().enumerate() {
        for (number, block) in evaluation.blocks(index) {
            let Some((conversation, asked)) = evaluation.question(number) else { continue };
            let texts = [strategy.name(), &conversation.user, &asked.id, &asked.question].map(str::to_owned);
            let (before, after) = block_cells(block);
            let missing: Vec<&str> =
                block.missing.iter().filter_map(|&fact| asked.required.get(fact)).map(Fact::label).collect();
            table.push(texts.into_iter().chain(before).chain([missing.join("; "), after]));
        }
        // No count is given: a question that was never answered has found nothing and lacks nothing.
        for (_, conversation, asked, reason) in failures(evaluation, index) {
            let texts = [strategy.name(), &conversation.user, &asked.id, &asked.question].map(str::to_owned);
            let counts = std::iter::repeat_n(String::new(), 6);
            table.push(texts.into_iter().chain(counts).chain([format!("failed: {reason}"), String::new()]));
        }
    }
    table
}

fn block_cells(block: &Block) -> ([String; 6], String) {
    let counts = [block.lines.len(), block.useful(), block.stale(), block.forgotten(), block.found(), block.required];
    (counts.map(|count| count.to_string()), block.tokens.to_string())
}
