//! The ranking measures against published implementations: `ir_measures` (which runs `trec_eval`) and `ranx`.
//!
//! The values stand in `tests/reference/rank/`, made by `make.py` there from rankings that this program wrote. Those of the
//! LongMemEval slice (MIT, see `LICENSE-longmemeval` there) come with the rankings themselves; of LoCoMo only numbers are kept,
//! and the test runs where `RECALLSCOPE_LOCOMO` names its folder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod locomo;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recallscope::case::{CaseSet, Conversation, Event, Fact, Op, Question};
use recallscope::evaluate::Evaluation;
use recallscope::rank::{Cutoff, Measure, Ranking, trec};
use recallscope::recording::{BlockRun, SentBlock, SentLine};
use recallscope::select::{self, SentByOther, Strategy};
use recallscope::tokens::TokenCounter;
use serde::Deserialize;
use serde_json::Value;

/// Counts nothing: no measure that others publish asks for tokens.
struct NoTokens;

impl TokenCounter for NoTokens {
    fn name(&self) -> &str {
        "none"
    }
    fn count(&self, _: &str) -> usize {
        1
    }
}

/// What `make.py` writes.
#[derive(Deserialize)]
struct Reference {
    versions: BTreeMap<String, String>,
    /// By strategy.
    runs: BTreeMap<String, Run>,
    /// By question: the documents that are relevant. Only where the data may be kept.
    #[serde(default)]
    qrels: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct Run {
    /// The means over all questions with relevant documents, by `LIBRARY MEASURE@K`.
    means: BTreeMap<String, f64>,
    /// By question, in the order of `columns`.
    values: BTreeMap<String, Vec<f64>>,
    columns: Vec<String>,
    /// By question, best first. Only where the data may be kept.
    #[serde(default)]
    ranking: BTreeMap<String, Vec<String>>,
}

fn reference(name: &str) -> Reference {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/rank").join(name);
    let reference: Reference = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(reference.versions.contains_key("ir_measures") && reference.versions.contains_key("ranx"));
    reference
}

const CUTOFFS: [Cutoff; 6] =
    [Cutoff::First(1), Cutoff::First(3), Cutoff::First(5), Cutoff::First(10), Cutoff::First(20), Cutoff::Whole];

/// `LIBRARY MEASURE@K` or `LIBRARY MEASURE` for the whole ranking.
fn column(name: &str) -> (Measure, usize) {
    let measure = name.split(' ').nth(1).unwrap();
    let (measure, cutoff) = measure.split_once('@').unwrap_or((measure, "all"));
    let measure = Measure::ALL.into_iter().find(|own| own.name() == measure).unwrap();
    let cutoff: Cutoff = cutoff.parse().unwrap();
    (measure, CUTOFFS.iter().position(|own| *own == cutoff).unwrap())
}

/// Holds every value of a reference against ours.
fn hold(evaluation: &Evaluation, reference: &Reference) {
    let ranking = Ranking::of(evaluation, &CUTOFFS);
    let numbers: BTreeMap<&str, usize> = evaluation
        .cases
        .questions()
        .enumerate()
        .map(|(number, (_, question))| (question.id.as_str(), number))
        .collect();
    let close = |own: f64, published: f64, what: &str| {
        assert!((own - published).abs() < 1e-9, "{what}: {own} is not {published}")
    };
    for (name, run) in &reference.runs {
        let strategy = evaluation.strategy_named(name).unwrap();
        assert!(run.columns.len() > 30 && run.means.len() == run.columns.len());
        for (question, values) in &run.values {
            for (name, published) in run.columns.iter().zip(values) {
                let (measure, cutoff) = column(name);
                let own = ranking.value(strategy, numbers[question.as_str()], cutoff, measure).unwrap();
                close(own, *published, &format!("{question}: {name}"));
            }
        }
        for (name, published) in &run.means {
            let (measure, cutoff) = column(name);
            let own = ranking.summary(strategy, cutoff, None).unwrap().mean(measure).value.unwrap();
            close(own, *published, name);
        }
    }
}

fn event(id: &str, turn: usize) -> Event {
    Event {
        turn: turn as u64,
        text: format!("line {turn}"),
        op: Op::Remember,
        attribute: id.to_owned(),
        id: Some(id.to_owned()),
        speaker: None,
        at: None,
    }
}

/// The rankings of a reference as another system would send them.
fn sent(reference: &Reference) -> Evaluation {
    let mut ids: Vec<&String> = reference.qrels.values().flatten().collect();
    ids.extend(reference.runs.values().flat_map(|run| run.ranking.values().flatten()));
    ids.sort();
    ids.dedup();
    let question = |(id, relevant): (&String, &Vec<String>)| Question {
        id: id.clone(),
        question: format!("question {id}"),
        required: relevant.iter().map(|event| Fact::Event { event: event.clone() }).collect(),
        ..Question::default()
    };
    let conversation = Conversation {
        user: "default".to_owned(),
        events: ids.into_iter().enumerate().map(|(turn, id)| event(id, turn)).collect(),
        questions: reference.qrels.iter().map(question).collect(),
    };
    let cases = CaseSet { conversations: vec![conversation], long_replay: None, facts_quota: 10, warnings: Vec::new() };
    let line = |id: &String| SentLine { text: format!("about {id}"), event: Some(id.clone()), ..SentLine::default() };
    let strategies = reference.runs.iter().map(|(name, run)| {
        let blocks = run.ranking.iter().map(|(question, ids)| SentBlock {
            question: question.clone(),
            lines: ids.iter().map(line).collect(),
            ..SentBlock::default()
        });
        let run = BlockRun {
            origin: "test".to_owned(),
            strategy: name.clone(),
            blocks: blocks.collect(),
            ranked: true,
            warnings: Vec::new(),
        };
        Arc::new(SentByOther::new(run)) as Arc<dyn Strategy>
    });
    Evaluation::run(Arc::new(cases), strategies.collect(), Arc::new(NoTokens)).unwrap()
}

#[test]
fn the_slice_is_measured_as_published_programs_measure_it() {
    let reference = reference("slice.json");
    assert_eq!(reference.qrels.len(), 15, "the questions with flagged turns");
    hold(&sent(&reference), &reference);
}

#[test]
fn locomo_is_measured_as_published_programs_measure_it() {
    let Some(folder) = locomo::folder() else {
        eprintln!("skipped: RECALLSCOPE_LOCOMO names no folder with the LoCoMo data");
        return;
    };
    hold(&locomo_evaluation(&folder), &reference("locomo.json"));
}

fn locomo_evaluation(folder: &Path) -> Evaluation {
    Evaluation::run(Arc::new(locomo::cases(folder)), select::builtin(), Arc::new(NoTokens)).unwrap()
}

/// The slice: one user, every turn an event, the flagged turns of a question's sessions required.
fn slice(folder: &Path) -> CaseSet {
    let lines = |name: &str| -> Vec<Value> {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut sessions = lines("sessions.jsonl");
    sessions.sort_by_key(|session| text(&session["timestamp"]));
    let mut events = Vec::new();
    let mut flagged: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for session in &sessions {
        for turn in session["turns"].as_array().unwrap() {
            let id = text(&turn["id"]);
            if turn["metadata"]["has_answer"] == true {
                flagged.entry(text(&session["id"])).or_default().push(id.clone());
            }
            events.push(Event { text: text(&turn["content"]), ..event(&id, events.len() + 1) });
        }
    }
    let question = |question: Value| {
        let sessions = question["ground_truth"]["supporting_session_ids"].as_array().unwrap();
        let turns = sessions.iter().filter_map(|id| flagged.get(id.as_str().unwrap())).flatten();
        Question {
            id: text(&question["id"]),
            question: text(&question["question"]),
            required: turns.map(|id| Fact::Event { event: id.clone() }).collect(),
            ..Question::default()
        }
    };
    let questions = lines("questions.jsonl").into_iter().map(question).collect();
    let conversation = Conversation { user: "default".to_owned(), events, questions };
    CaseSet { conversations: vec![conversation], long_replay: None, facts_quota: 10, warnings: Vec::new() }
}

/// Writes `slice/` and `locomo/` into the folder that `RECALLSCOPE_TREC_OUT` names, for `make.py`.
#[test]
#[ignore = "writes the rankings that tests/reference/rank/make.py has measured"]
fn rankings_for_published_programs() {
    let out = PathBuf::from(std::env::var_os("RECALLSCOPE_TREC_OUT").expect("RECALLSCOPE_TREC_OUT"));
    let slice_folder = PathBuf::from(std::env::var_os("RECALLSCOPE_SLICE").expect("RECALLSCOPE_SLICE"));
    let slice = Evaluation::run(Arc::new(slice(&slice_folder)), select::builtin(), Arc::new(NoTokens)).unwrap();
    let locomo = locomo_evaluation(&locomo::folder().expect("RECALLSCOPE_LOCOMO"));
    for (name, evaluation) in [("slice", slice), ("locomo", locomo)] {
        let folder = out.join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let file = |name: &str| BufWriter::new(File::create(folder.join(name)).unwrap());
        trec::qrels(&evaluation, &mut file("qrels.txt")).unwrap();
        for strategy in ["managed-relevant", "append-all"] {
            let place = evaluation.strategy_named(strategy).unwrap();
            trec::run(&evaluation, place, &mut file(&format!("{strategy}.run"))).unwrap();
        }
    }
}
