//! The answer sets of other systems: each format becomes rows.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::doubt::DoubtKind;
use super::own;
use super::read::{Element, Opened, Place};
use super::recognise::{Format, Role};
use super::rows::{Named, Row, Sent, Whole, model};
use super::split::Between;
use super::value::{kind, shown, text};
use crate::recording::{Answer, Recording};
use crate::source::InputError;
use crate::source::json::OrderedMap;

pub use super::rows::AnswerSet;

/// A judge's score from here on, of 0 to 1, is a vote for the answer.
const VOTE: f64 = 0.5;

/// Reads an answer set of any format.
///
/// # Errors
/// The file is not of the format.
pub fn read_answers(opened: Opened, format: Format) -> Result<AnswerSet, InputError> {
    match format {
        Format::Recording => {
            let mut set = AnswerSet::new(opened.name(), format);
            set.whole = Some(Recording::load(&opened.into_source()?)?);
            Ok(set)
        }
        Format::Jsonl => own::read(opened),
        Format::DetailedResults => detailed_results(opened),
        Format::ConversationRows => conversation_rows(opened),
        Format::MemoryArena => memory_arena(opened),
        Format::Hypotheses => hypotheses(opened),
        _ => {
            debug_assert!(format.role() != Role::Answers, "each format of answers is read above");
            Err(InputError::plain(opened.name(), format!("found {}, expected answers", format.words())))
        }
    }
}

#[derive(Deserialize)]
struct DetailedFile<'a> {
    #[serde(borrow)]
    detailed_results: OrderedMap<Vec<&'a RawValue>>,
    #[serde(default)]
    metadata: Option<Value>,
}

#[derive(Deserialize)]
struct DetailedRow {
    #[serde(default)]
    question_id: Option<Value>,
    #[serde(default)]
    question: Option<String>,
    #[serde(default)]
    golden_answer: Option<Value>,
    #[serde(default)]
    generated_answer: Option<Value>,
    #[serde(default)]
    llm_judgments: OrderedMap<Value>,
}

fn detailed_results(opened: Opened) -> Result<AnswerSet, InputError> {
    let whole = Whole::read(opened)?;
    let mut set = AnswerSet::new(&whole.name, Format::DetailedResults);
    let file: DetailedFile<'_> = whole.element().parse_object()?;
    set.model = model(file.metadata, "answer_model");
    let strategy = set.stem();
    let mut place = Place::default();
    for raw in file.detailed_results.0.iter().flat_map(|(_, rows)| rows) {
        let element = whole.row(raw, &mut place);
        let row: DetailedRow = element.parse_object()?;
        let id = text(row.question_id.as_ref()).map(|(id, _)| id);
        let named = Named { id, text: row.question, ..Named::default() };
        let votes = votes(&row.llm_judgments, &named, element, &mut set);
        let answer = words(row.generated_answer.as_ref(), &named, element, &mut set);
        set.rows.push(Row {
            at: Some(element.position),
            strategy: strategy.clone(),
            golden: text(row.golden_answer.as_ref()).map(|(answer, _)| answer),
            answer: Some(Answer { answer, judge: votes, ..Answer::default() }),
            named,
            sent: None,
        });
    }
    let most = set.rows.iter().filter_map(|row| row.answer.as_ref()).map(|answer| answer.judge.len()).max();
    for row in &set.rows {
        let count = row.answer.as_ref().map_or(0, |answer| answer.judge.len());
        if Some(count) < most {
            let found = format!("it has {count} votes, others {}", most.unwrap_or_default());
            set.doubts.add(DoubtKind::OddVotes, row.at, row.named.label(), found, "they are kept");
        }
    }
    Ok(set)
}

/// The votes of the judges, in the order of the file.
fn votes(judgments: &OrderedMap<Value>, named: &Named, element: Element<'_>, set: &mut AnswerSet) -> Vec<bool> {
    let mut votes = Vec::with_capacity(judgments.0.len());
    for (judge, vote) in &judgments.0 {
        match vote_of(vote) {
            Some(vote) => votes.push(vote),
            None => {
                let found = format!("found {} as {}, expected true or false", kind(vote), shown(judge));
                set.doubts.add(DoubtKind::OddVotes, Some(element.position), named.label(), found, "it is no vote");
            }
        }
    }
    votes
}

fn vote_of(vote: &Value) -> Option<bool> {
    match vote {
        Value::Bool(vote) => Some(*vote),
        Value::Number(number) => number.as_f64().map(|score| score >= VOTE),
        Value::String(word) => match word.trim().to_ascii_lowercase().as_str() {
            "correct" | "true" | "yes" | "right" => Some(true),
            "wrong" | "false" | "no" | "incorrect" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// The words of an answer; none where the file has none, which leaves nothing to grade.
fn words(answer: Option<&Value>, named: &Named, element: Element<'_>, set: &mut AnswerSet) -> String {
    let at = Some(element.position);
    match text(answer) {
        Some((words, is_text)) => {
            if !is_text {
                let found = format!("the answer is {}", answer.map_or("missing", kind));
                let done = format!("it is the text \"{}\"", shown(&words));
                set.doubts.add(DoubtKind::OtherAnswerType, at, named.label(), found, done);
            }
            words
        }
        None => {
            let done = "it is empty, and so incomplete";
            set.doubts.add(DoubtKind::MissingAnswer, at, named.label(), "it has no answer", done);
            String::new()
        }
    }
}

#[derive(Deserialize)]
struct ConversationRow {
    question: String,
    #[serde(default)]
    answer: Option<Value>,
    #[serde(default)]
    response: Option<Value>,
    // `bleu_score` and `f1_score` compare letters with the key; recallscope compares for itself.
    #[serde(default)]
    llm_score: Option<Value>,
}

fn conversation_rows(opened: Opened) -> Result<AnswerSet, InputError> {
    let whole = Whole::read(opened)?;
    let mut set = AnswerSet::new(&whole.name, Format::ConversationRows);
    let file: OrderedMap<Vec<&RawValue>> = whole.element().parse_object()?;
    let strategy = set.stem();
    let mut place = Place::default();
    for (conversation, rows) in &file.0 {
        let number = conversation.parse::<usize>().ok();
        for (nth, raw) in rows.iter().enumerate() {
            let element = whole.row(raw, &mut place);
            let row: ConversationRow = element.parse_object()?;
            let named = Named {
                text: Some(row.question),
                // A conversation that is no number is named by its user.
                user: number.is_none().then(|| conversation.clone()),
                place: number.map(|number| (number, nth)),
                id: None,
            };
            let answer = words(row.response.as_ref(), &named, element, &mut set);
            let judge = row.llm_score.as_ref().and_then(vote_of);
            if judge.is_none() {
                let found = format!("found {} as llm_score", row.llm_score.as_ref().map_or("nothing", kind));
                set.doubts.add(DoubtKind::OddVotes, Some(element.position), named.label(), found, "it has no vote");
            }
            let score = row.llm_score.as_ref().and_then(Value::as_f64).filter(|score| *score > 0.0 && *score < 1.0);
            set.rows.push(Row {
                at: Some(element.position),
                strategy: strategy.clone(),
                golden: text(row.answer.as_ref()).map(|(answer, _)| answer),
                answer: Some(Answer { answer, judge: judge.into_iter().collect(), score, ..Answer::default() }),
                named,
                sent: None,
            });
        }
    }
    Ok(set)
}

#[derive(Deserialize)]
struct ArenaFile<'a> {
    #[serde(default)]
    strategy: Option<String>,
    #[serde(borrow)]
    recall_records: Vec<&'a RawValue>,
    #[serde(default)]
    errors: Vec<Value>,
    #[serde(default)]
    metadata: Option<Value>,
}

#[derive(Deserialize)]
struct ArenaRecord {
    question_id: String,
    #[serde(default)]
    answer: Option<Value>,
    #[serde(default)]
    supporting_session_ids: Vec<String>,
    #[serde(default)]
    supporting_turn_ids: Vec<String>,
    #[serde(default)]
    score: ArenaScore,
    #[serde(default)]
    latency_ms: Option<f64>,
    #[serde(default)]
    cost_usd: Option<f64>,
    #[serde(default)]
    tokens_used: Option<f64>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize, Default)]
struct ArenaScore {
    #[serde(default)]
    judge_score: Option<f64>,
    #[serde(default)]
    judge_rationale: Option<String>,
}

fn memory_arena(opened: Opened) -> Result<AnswerSet, InputError> {
    let whole = Whole::read(opened)?;
    let mut set = AnswerSet::new(&whole.name, Format::MemoryArena);
    let file: ArenaFile<'_> = whole.element().parse_object()?;
    let strategy = file.strategy.unwrap_or_else(|| set.stem());
    let seed = file.metadata.as_ref().and_then(|metadata| metadata.get("seed")).and_then(Value::as_i64);
    set.model = model(file.metadata, "model");
    for error in &file.errors {
        let (found, _) = text(Some(error)).unwrap_or_default();
        set.doubts.add(
            DoubtKind::FailedRecord,
            None,
            &strategy,
            format!("found the error \"{}\"", shown(&found)),
            "what else it did is kept",
        );
    }
    let mut place = Place::default();
    for raw in &file.recall_records {
        let element = whole.row(raw, &mut place);
        let record: ArenaRecord = element.parse_object()?;
        let named = Named { id: Some(record.question_id.clone()), ..Named::default() };
        let failure = failure(&record);
        if let Some(failure) = &failure {
            let found = format!("the system failed: {}", shown(failure));
            let done = "the answer is incomplete";
            set.doubts.add(DoubtKind::FailedRecord, Some(element.position), named.label(), found, done);
        }
        let sent = match &failure {
            Some(_) => Sent::Block { lines: Vec::new(), ranked: false, failure: failure.clone() },
            None => Sent::Sources {
                turns: record.supporting_turn_ids.clone(),
                sessions: record.supporting_session_ids.clone(),
            },
        };
        let answer = arena_answer(record, failure, seed, &named, element, &mut set);
        set.rows.push(Row {
            at: Some(element.position),
            strategy: strategy.clone(),
            named,
            golden: None,
            answer: Some(answer),
            sent: Some(sent),
        });
    }
    Ok(set)
}

/// Why a record failed, where it says that it did.
fn failure(record: &ArenaRecord) -> Option<String> {
    let answer = || text(record.answer.as_ref()).map(|(answer, _)| answer).filter(|answer| !answer.trim().is_empty());
    match &record.error {
        Some(Value::Bool(true)) => Some(answer().unwrap_or_else(|| "no reason given".to_owned())),
        Some(Value::String(reason)) if !reason.is_empty() => Some(reason.clone()),
        _ => None,
    }
}

fn arena_answer(
    record: ArenaRecord,
    failure: Option<String>,
    seed: Option<i64>,
    named: &Named,
    element: Element<'_>,
    set: &mut AnswerSet,
) -> Answer {
    let measured = Answer {
        seed,
        latency_ms: record.latency_ms,
        cost_usd: record.cost_usd,
        total_tokens: record.tokens_used.filter(|tokens| *tokens >= 0.0).map(|tokens| tokens as u64),
        ..Answer::default()
    };
    if let Some(failure) = failure {
        return Answer { done_reason: Some(format!("failed: {failure}")), ..measured };
    }
    let score = record.score.judge_score.map(|score| (score / 100.0).clamp(0.0, 1.0));
    Answer {
        answer: words(record.answer.as_ref(), named, element, set),
        judge: score.map(|score| score >= VOTE).into_iter().collect(),
        score,
        rationale: record.score.judge_rationale,
        ..measured
    }
}

#[derive(Deserialize)]
struct Hypothesis {
    question_id: String,
    #[serde(default)]
    hypothesis: Option<Value>,
    #[serde(default)]
    autoeval_label: Option<Label>,
}

#[derive(Deserialize)]
struct Label {
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    label: Option<Value>,
}

fn hypotheses(opened: Opened) -> Result<AnswerSet, InputError> {
    let mut set = AnswerSet::new(opened.name(), Format::Hypotheses);
    let strategy = set.stem();
    let parse = |element: Element<'_>| Ok((element.position, element.parse_object::<Hypothesis>()?));
    let mut lines = Vec::new();
    opened.each(Between::LineBreaks, parse, |line| {
        lines.push(line);
        Ok(())
    })?;
    let name = set.name.clone();
    for (position, line) in lines {
        let element = Element { name: &name, index: 0, position, bytes: &[] };
        let named = Named { id: Some(line.question_id), ..Named::default() };
        let answer = words(line.hypothesis.as_ref(), &named, element, &mut set);
        let label = line.autoeval_label;
        let vote = label.as_ref().and_then(|label| label.label.as_ref());
        let judge = vote.and_then(vote_of);
        if let (Some(vote), None) = (vote, judge) {
            let found = format!("found {} as its label, expected true or false", kind(vote));
            set.doubts.add(DoubtKind::OddVotes, Some(position), named.label(), found, "it is no vote");
        }
        if let Some(model) = label.and_then(|label| label.model) {
            set.model.entry("judge_model").or_insert(model.into());
        }
        set.rows.push(Row {
            at: Some(position),
            strategy: strategy.clone(),
            named,
            answer: Some(Answer { answer, judge: judge.into_iter().collect(), ..Answer::default() }),
            ..Row::default()
        });
    }
    Ok(set)
}
