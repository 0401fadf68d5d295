//! Importers on small files made by hand, with every trap that the real ones have.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::io::Cursor;
use std::path::Path;

use recallscope::case::{CaseSet, Fact};
use recallscope::import::{
    self, AnswerSet, CaseImport, DoubtKind, Fitted, Format, Memories, Opened, Options, Progress, fit, read_answers,
    read_cases,
};
use recallscope::open::{self, Inputs};
use recallscope::recording::{Answer, SentLine};

const ONE_LOCOMO: &str = include_str!("fixtures/import/locomo.json");
const ONE_LONGMEMEVAL: &str = include_str!("fixtures/import/longmemeval.json");

fn opened(name: &str, text: &str) -> Opened {
    Opened::from_reader(name, Box::new(Cursor::new(text.as_bytes().to_vec())), &Progress::default()).unwrap()
}

fn cases(text: &str, memories: Memories) -> CaseImport {
    let opened = opened("f.json", text);
    let format = Format::of(&opened).unwrap();
    read_cases(opened, None, format, Options { memories, quota: None }).unwrap()
}

fn locomo() -> CaseSet {
    cases(ONE_LOCOMO, Memories::Turns).cases
}

fn answers(name: &str, text: &str) -> AnswerSet {
    let opened = opened(name, text);
    let format = Format::of(&opened).unwrap();
    read_answers(opened, format).unwrap()
}

fn fitted(files: &[(&str, &str)], cases: &CaseSet) -> Fitted {
    fit(files.iter().map(|(name, text)| answers(name, text)).collect(), Some(cases)).unwrap()
}

fn failed(name: &str, text: &str) -> String {
    let opened = opened(name, text);
    match Format::of(&opened) {
        Err(error) => error.to_string(),
        Ok(format) if format.role() == import::Role::Cases => {
            read_cases(opened, None, format, Options::default()).unwrap_err().to_string()
        }
        Ok(format) => read_answers(opened, format).unwrap_err().to_string(),
    }
}

fn doubts(about: &import::Imported) -> Vec<String> {
    about.doubts.iter().map(ToString::to_string).collect()
}

fn ids(facts: &[Fact]) -> Vec<&str> {
    facts.iter().map(Fact::label).collect()
}

#[test]
fn locomo_keeps_everything_and_says_what_is_doubtful() {
    let CaseImport { cases, about } = cases(ONE_LOCOMO, Memories::Turns);
    assert_eq!(cases.facts_quota, 1000);
    let conversation = &cases.conversations[0];
    assert_eq!(conversation.user, "talk-1");
    let lines: Vec<&str> = conversation.events.iter().map(|event| event.text.as_str()).collect();
    assert_eq!(
        lines,
        [
            "Ada: I planted seven tulips. [a photo of red tulips]",
            "Bo: Seven? My balcony has room for two.",
            "Ada: The tulips froze last night.",
        ],
        "the caption counts as text, the search phrase and an empty caption do not"
    );
    let event = &conversation.events[2];
    assert_eq!((event.id.as_deref(), event.speaker.as_deref()), (Some("D2:1"), Some("Ada")));
    assert_eq!((event.at.as_deref(), event.turn), (Some("9:00 am on 3 March, 2024"), 3));
    assert_eq!(event.attribute, "D2:1");

    let questions = &conversation.questions;
    let names: Vec<_> = questions.iter().map(|question| question.category.as_deref().unwrap()).collect();
    let expected =
        ["single-hop", "temporal", "multi-hop", "open-domain", "adversarial", "adversarial", "9", "single-hop"];
    assert_eq!(names, expected);
    assert_eq!(questions[7].id, "locomo_0_qa7");
    assert_eq!(ids(&questions[0].required), ["D1:1"]);
    assert_eq!(ids(&questions[1].required), ["D1:1", "D2:1"], "two ids in one text, and a zero too many");
    assert_eq!(questions[1].answer.as_deref(), Some("7"));
    assert_eq!(ids(&questions[2].required), ["D1:2", "D", "D9:9"], "what names no turn is kept");
    assert!(questions[3].required.is_empty() && questions[3].answer.is_none());
    let trap = &questions[4];
    assert!(trap.abstain && trap.required.is_empty() && trap.answer.is_none());
    assert_eq!(trap.trap.as_deref(), Some("roses"));
    assert_eq!(questions[5].answer.as_deref(), Some("No"));

    let expected = [
        "f.json:2:2: talk-1 session 3: it has a date and no turns; nothing was said",
        "f.json:2:2: talk-1 session 4: it has a date and no turns; nothing was said",
        "f.json:9:3: locomo_0_qa1: its answer is a number; it is the text \"7\"",
        "f.json:9:3: locomo_0_qa1: D:1:01 stands with others in one text; it is D1:1",
        "f.json:9:3: locomo_0_qa1: D2:1 stands with others in one text; it is D2:1",
        "f.json:9:3: locomo_0_qa1: D1:1 stands twice; it counts once",
        "f.json:10:3: locomo_0_qa2: D names no turn; kept as a required fact that no line carries",
        "f.json:10:3: locomo_0_qa2: D9:9 names no turn; kept as a required fact that no line carries",
        "f.json:11:3: locomo_0_qa3: it has no answer; it is kept without one",
        "f.json:11:3: locomo_0_qa3: it cites no evidence; it has no required facts",
        "f.json:13:3: locomo_0_qa5: it is to be abstained from, and the file answers it with \"No\"; the answer is kept, \
         to abstain stays right",
        "f.json:14:3: locomo_0_qa6: found the category 9; it is kept as it stands",
        "f.json:15:3: locomo_0_qa7: the same question is locomo_0_qa0; both are kept",
    ];
    assert_eq!(doubts(&about), expected);
    let count = |what| about.counts.iter().find(|count| count.what == what).map(|count| (count.read, count.mapped));
    assert_eq!(count("sessions"), Some((4, 2)));
    assert_eq!(count("turns"), Some((3, 3)));
    assert_eq!(count("questions"), Some((8, 8)));
    assert_eq!(count("evidence"), Some((9, 6)));
}

#[test]
fn locomo_by_sessions_counts_evidence_by_session() {
    let CaseImport { cases, .. } = cases(ONE_LOCOMO, Memories::Sessions);
    let conversation = &cases.conversations[0];
    assert_eq!(conversation.events.len(), 2);
    assert_eq!(conversation.events[0].id.as_deref(), Some("D1"));
    assert!(conversation.events[0].text.ends_with("\nBo: Seven? My balcony has room for two."));
    assert_eq!(ids(&conversation.questions[1].required), ["D1", "D2"]);
}

#[test]
fn locomo_by_observations_takes_the_first_that_names_a_turn() {
    let CaseImport { cases, about } = cases(ONE_LOCOMO, Memories::Observations);
    let conversation = &cases.conversations[0];
    let events: Vec<_> =
        conversation.events.iter().map(|event| (event.id.as_deref().unwrap(), event.text.as_str())).collect();
    let expected =
        [("O1:1", "Ada planted seven tulips."), ("O1:2", "Ada likes tulips."), ("O1:3", "Bo has a small balcony.")];
    assert_eq!(events, expected);
    assert_eq!(conversation.events[0].at.as_deref(), Some("8:00 am on 2 March, 2024"));
    assert_eq!(ids(&conversation.questions[0].required), ["O1:1"]);
    assert_eq!(ids(&conversation.questions[1].required), ["O1:1", "D2:1"], "nothing was observed of D2:1");
    let of = |kind| about.doubts.iter().filter(|doubt| doubt.kind == kind).count();
    assert_eq!(of(DoubtKind::SeveralObservations), 1);
    assert_eq!(of(DoubtKind::NoObservation), 2, "two questions cite it");
}

#[test]
fn longmemeval_sorts_sessions_and_tells_stale_from_required() {
    let CaseImport { cases, about } = cases(ONE_LONGMEMEVAL, Memories::Turns);
    assert_eq!(cases.facts_quota, 4000);
    let first = &cases.conversations[0];
    assert_eq!(first.user, "update1");
    let events: Vec<_> = first.events.iter().map(|event| event.id.as_deref().unwrap()).collect();
    assert_eq!(
        events,
        ["old_turn_000", "old_turn_001", "new_turn_000", "old#2_turn_000"],
        "in the order of their dates"
    );
    assert_eq!(first.events[0].text, "user: My best time is 27 minutes.");
    assert_eq!(first.events[0].at.as_deref(), Some("2023/05/20 (Sat) 02:21"));
    assert_eq!(first.events[1].speaker.as_deref(), Some("assistant"));
    let question = &first.questions[0];
    assert_eq!((question.id.as_str(), question.category.as_deref()), ("update1", Some("knowledge-update")));
    assert_eq!(question.asked_at.as_deref(), Some("2023/07/01 (Sat) 10:00"));
    assert_eq!(ids(&question.required), ["new_turn_000"]);
    assert_eq!(ids(&question.stale), ["old_turn_000"]);

    let abstain = &cases.conversations[1].questions[0];
    assert!(abstain.abstain && abstain.required.is_empty() && abstain.stale.is_empty());
    let unflagged = &cases.conversations[2].questions[0];
    assert_eq!((unflagged.answer.as_deref(), unflagged.required.len()), (Some("4"), 0));
    assert_eq!(cases.conversations[3].user, "update1#2");
    assert_eq!(cases.conversations[3].questions[0].id, "update1#2");

    let said = doubts(&about).join("\n");
    for expected in [
        "f.json:2:1: update1: its sessions do not stand in the order of their dates; they are sorted",
        "update1: a second session has the id old; it is old#2",
        "update1: the session empty has a date and no turns",
        "unflagged: no turn of the answer session s is flagged; none of its turns is a fact",
        "unflagged: no turn is flagged for it; it has no required facts: only its answer can be graded",
        "unflagged: the answer session gone is not in the haystack",
        "unflagged: its answer is a number; it is the text \"4\"",
        "unflagged: 1 sessions have 1 ids and 0 dates; they are matched in order",
        "update1: a second question has this id; it is update1#2",
    ] {
        assert!(said.contains(expected), "{expected}\nis not in\n{said}");
    }
}

#[test]
fn longmemeval_by_sessions_needs_no_flags() {
    let CaseImport { cases, .. } = cases(ONE_LONGMEMEVAL, Memories::Sessions);
    let question = &cases.conversations[0].questions[0];
    assert_eq!((ids(&question.required), ids(&question.stale)), (vec!["new"], vec!["old"]));
    assert_eq!(ids(&cases.conversations[2].questions[0].required), ["s"]);
}

const DETAILED: &str = r#"{"detailed_results": {"u0": [
 {"question_id": "locomo_0_qa0", "question": "What did Ada plant?", "golden_answer": "tulips", "generated_answer": "Tulips.",
  "llm_judgments": {"judgment_1": true, "judgment_2": false, "judgment_3": true}, "category": "4"},
 {"question_id": "locomo_0_qa1", "question": "How many?", "golden_answer": "8", "generated_answer": 8,
  "llm_judgments": {"judgment_1": "maybe"}},
 {"question_id": "locomo_0_qa99", "question": "Who?", "generated_answer": null}]},
 "metadata": {"answer_model": "m-1"}}"#;

#[test]
fn detailed_results_keep_each_vote() {
    let fitted = fitted(&[("runs/mine.json", DETAILED)], &locomo());
    let recording = &fitted.recordings[0];
    assert_eq!(recording.model_name(), "m-1");
    let groups: Vec<_> =
        recording.groups.iter().map(|group| (group.strategy.as_str(), group.question.as_str())).collect();
    assert_eq!(groups, [("mine", "locomo_0_qa0"), ("mine", "locomo_0_qa1"), ("mine", "locomo_0_qa99")]);
    assert_eq!(recording.groups[0].answers[0].judge, [true, false, true]);
    assert_eq!(recording.groups[1].answers[0].answer, "8");
    assert_eq!(recording.groups[2].answers[0].answer, "");
    let said = doubts(&fitted.about[0]).join("\n");
    for expected in [
        "runs/mine.json:4:2: locomo_0_qa1: found a text as judgment_1, expected true or false; it is no vote",
        "runs/mine.json:4:2: locomo_0_qa1: the answer is a number; it is the text \"8\"",
        "runs/mine.json:4:2: locomo_0_qa1: found \"How many?\", the case set asks \"How many tulips, and what became of them?\"",
        "runs/mine.json:4:2: locomo_0_qa1: it was judged by \"8\", the case set has \"7\"; the votes are kept",
        "runs/mine.json:6:2: locomo_0_qa99: it has no answer; it is empty, and so incomplete",
        "runs/mine.json:6:2: locomo_0_qa99: the case set does not have its question",
        "locomo_0_qa1: it has 0 votes, others 3; they are kept",
        "adversarial: this file answers none of these 2 questions",
        "locomo_0_qa7: it has no answer here",
    ] {
        assert!(said.contains(expected), "{expected}\nis not in\n{said}");
    }
}

#[test]
fn rows_by_conversation_follow_the_answerable_questions() {
    let rows = r#"{"0": [
 {"question": "What did Ada plant?", "answer": "tulips", "response": "tulips", "llm_score": 1, "bleu_score": 0.1},
 {"question": "Who has a balcony?", "answer": "Bo", "response": "Ada", "llm_score": 0},
 {"question": "What did Ada plant?", "answer": "tulips", "response": "roses", "llm_score": 0.25},
 {"question": "Nobody asked this?", "answer": "x", "response": "y", "llm_score": null}]}"#;
    let fitted = fitted(&[("memo.json", rows)], &locomo());
    let groups = &fitted.recordings[0].groups;
    let found: Vec<_> = groups.iter().map(|group| (group.question.as_str(), group.answers[0].judge.clone())).collect();
    let expected = [
        ("locomo_0_qa0", vec![true]),
        ("locomo_0_qa2", vec![false]),
        ("locomo_0_qa7", vec![false]),
        ("Nobody asked this?", vec![]),
    ];
    assert_eq!(found, expected, "the question that stands twice is told apart by the order");
    assert_eq!(groups[2].answers[0].score, Some(0.25));
    let said = doubts(&fitted.about[0]).join("\n");
    assert!(said.contains("memo.json:3:2: locomo_0_qa2: it stands at place 1 of conversation 0"), "{said}");
    assert!(said.contains("memo.json:5:2: Nobody asked this?: found nothing as llm_score; it has no vote"), "{said}");
}

fn arena(seed: i64, turns: &str) -> String {
    format!(
        r#"{{"strategy": "bm25", "run_id": "1", "ingest_records": [], "errors": ["ingest s: no"], "recall_records": [
 {{"question_id": "locomo_0_qa0", "answer": "Tulips", "supporting_session_ids": [], "supporting_turn_ids": {turns},
  "score": {{"judge_score": 80.0, "judge_rationale": "close"}}, "latency_ms": 12.5, "cost_usd": 0.001, "tokens_used": 932,
  "error": false}},
 {{"question_id": "locomo_0_qa1", "answer": "timed out", "supporting_turn_ids": [], "error": true}},
 {{"question_id": "locomo_0_qa2", "answer": "?", "supporting_session_ids": [], "supporting_turn_ids": []}}],
 "metadata": {{"seed": {seed}, "model": "m"}}}}"#
    )
}

#[test]
fn memory_arena_results_become_answers_and_blocks() {
    let one = arena(0, r#"["D2:1", "made_up"]"#);
    let other = arena(1, r#"["D1:1"]"#);
    let fitted = fitted(&[("one.json", &one), ("other.json", &other)], &locomo());
    assert_eq!(fitted.recordings.len(), 2);
    let answer = &fitted.recordings[0].groups[0].answers[0];
    let expected = Answer {
        seed: Some(0),
        answer: "Tulips".into(),
        judge: vec![true],
        score: Some(0.8),
        rationale: Some("close".into()),
        latency_ms: Some(12.5),
        cost_usd: Some(0.001),
        total_tokens: Some(932),
        ..Answer::default()
    };
    assert_eq!(*answer, expected);
    let failed = &fitted.recordings[0].groups[1].answers[0];
    assert_eq!((failed.answer.as_str(), failed.done_reason.as_deref()), ("", Some("failed: timed out")));
    assert!(failed.judge.is_empty());

    assert_eq!(fitted.runs.len(), 1, "two seeds of one strategy are one column");
    let run = &fitted.runs[0];
    assert_eq!((run.strategy.as_str(), run.ranked), ("recorded-bm25", false), "it is no strategy of ours");
    assert_eq!(fitted.recordings[1].groups[0].strategy, "recorded-bm25");
    let lines = [
        SentLine {
            text: "Ada: The tulips froze last night.".into(),
            id: Some("D2:1".into()),
            event: Some("D2:1".into()),
            score: None,
        },
        SentLine { text: "made_up".into(), id: Some("made_up".into()), ..SentLine::default() },
    ];
    assert_eq!(run.blocks[0].lines, lines);
    assert_eq!(run.blocks[1].failure.as_deref(), Some("timed out"));
    assert_eq!(run.blocks.len(), 2, "what names no sources has no block");
    let first = doubts(&fitted.about[0]).join("\n");
    for expected in [
        "found the error \"ingest s: no\"",
        "it names made_up",
        "qa1: the system failed: timed out",
        "it names no sources",
    ] {
        assert!(first.contains(expected), "{first}");
    }
    let second = doubts(&fitted.about[1]).join("\n");
    assert!(
        second.contains("locomo_0_qa0: a second block of recorded-bm25 that differs from the first; the first counts"),
        "{second}"
    );
}

#[test]
fn hypotheses_are_graded_where_a_label_says_so() {
    let cases = cases(ONE_LONGMEMEVAL, Memories::Turns).cases;
    let text = "{\"question_id\": \"update1\", \"hypothesis\": \"26\", \"autoeval_label\": {\"model\": \"gpt-4o\", \"label\": true}}\n\
                {\"question_id\": \"none_abs\", \"hypothesis\": \"I do not know.\"}\n";
    let fitted = fitted(&[("hyp.jsonl", text)], &cases);
    let groups = &fitted.recordings[0].groups;
    assert_eq!((groups[0].strategy.as_str(), &groups[0].answers[0].judge[..]), ("hyp", &[true][..]));
    assert!(groups[1].answers[0].judge.is_empty());
    assert_eq!(fitted.recordings[0].model["judge_model"], "gpt-4o");
}

#[test]
fn own_lines_hold_answers_and_blocks() {
    let text = r#"{"recording": {"model": {"name": "m"}, "system": "Answer."}}
{"strategy": "mine", "user": "talk-1", "question": "Who has a balcony?", "lines": ["Bo does", {"text": "two", "event": "D1:2", "id": "r7", "score": 0.5}, {"text": "x", "event": "D7:7"}], "answer": "Bo", "prompt_tokens": 9, "latency_ms": 3}
{"strategy": "mine", "question_id": "locomo_0_qa1", "failure": "crashed"}
{"strategy": "mine", "question_id": "locomo_0_qa0", "answer": "a", "seed": 1, "scroe": 1}
{"strategy": "mine", "question_id": "locomo_0_qa0", "answer": "b", "seed": 2}
"#;
    let fitted = fitted(&[("own.jsonl", text)], &locomo());
    let recording = &fitted.recordings[0];
    assert_eq!((recording.model_name(), recording.system.as_str()), ("m", "Answer."));
    assert_eq!(recording.groups[0].question, "locomo_0_qa2", "found by its user and text");
    assert_eq!(recording.groups[0].answers[0].prompt_tokens, Some(9));
    assert_eq!(recording.groups[1].answers.len(), 2);
    let run = &fitted.runs[0];
    assert_eq!(run.blocks[0].lines[0], SentLine { text: "Bo does".into(), ..SentLine::default() });
    assert_eq!(run.blocks[0].lines[1].event.as_deref(), Some("D1:2"));
    assert_eq!(run.blocks[1].failure.as_deref(), Some("crashed"));
    let said = doubts(&fitted.about[0]).join("\n");
    assert!(
        said.contains("own.jsonl:4:1: locomo_0_qa0: found the unknown field `scroe`; did you mean `score`?"),
        "{said}"
    );
    assert!(said.contains("a line names the event D7:7, which was not said; it is graded by its text"), "{said}");
}

#[test]
fn answers_of_ours_keep_their_strategy_and_what_another_system_sent_gets_a_name_of_its_own() {
    let answer = |strategy: &str, more: &str| {
        format!(r#"{{"strategy": "{strategy}", "question_id": "locomo_0_qa1", "answer": "7"{more}}}"#) + "\n"
    };
    let lines = r#", "lines": ["seven tulips"]"#;
    let text = answer("recency", "") + &answer("hybrid", lines) + &answer("mine", lines);
    let fitted = fitted(&[("own.jsonl", &text)], &locomo());
    let groups: Vec<&str> = fitted.recordings[0].groups.iter().map(|group| group.strategy.as_str()).collect();
    assert_eq!(groups, ["recency", "recorded-hybrid", "mine"]);
    let runs: Vec<&str> = fitted.runs.iter().map(|run| run.strategy.as_str()).collect();
    assert_eq!(runs, ["recorded-hybrid", "mine"]);
}

#[test]
fn what_is_wrong_names_its_line_and_column() {
    assert_eq!(
        failed("o.jsonl", "{\"question\": \"q\", \"answer\": \"a\"}\n\n  {\"question\": \"q\", \"answer\": 3}\n"),
        "o.jsonl:3:31: found integer `3`, expected a text in quotes"
    );
    assert_eq!(
        failed("o.jsonl", "{\"question\": \"q\", \"answer\": \"a\"}\n{\"question\": \"q\", \"answer\": \"a\""),
        "o.jsonl:2:31: the JSON ends too early, expected its closing quote or bracket"
    );
    assert_eq!(
        failed("o.jsonl", "{\"question\": \"q\", \"answer\": \"a\"}\n{\"answer\": \"a\"}"),
        "o.jsonl:2:1: found no question, expected `question` or `question_id`"
    );
    assert_eq!(
        failed("o.jsonl", "{\"question\": \"q\", \"answer\": \"a\"}\n{\"question\": \"q\"}"),
        "o.jsonl:2:1: found neither an answer nor a block, expected `answer`, `lines` or `failure`"
    );
    let lines = "{\"question\": \"q\", \"lines\": [\"a\", 3]}";
    assert_eq!(
        failed("o.jsonl", lines),
        "o.jsonl:1:34: found integer `3`, expected a text in quotes or {\"text\": WORDS}"
    );
    assert_eq!(
        failed("l.json", "[{\"qa\": [],\n \"conversation\": 3}]"),
        "l.json:2:18: found integer `3`, expected an object"
    );
    assert_eq!(
        failed("l.json", "[{\"qa\": [{\"question\": 1}],\n \"conversation\": {}}]"),
        "l.json:1:23: found integer `1`, expected a text in quotes"
    );
    assert_eq!(
        failed("l.json", "[{\"qa\": [], \"conversation\": {}} x]"),
        "l.json:1:33: this is not JSON: found `x`, expected `,` or `]`"
    );
    assert_eq!(
        failed("l.json", "[{\"qa\": [], \"conversation\": {}"),
        "l.json:1:31: the JSON ends too early, expected its closing quote or bracket"
    );
}

#[test]
fn bytes_that_are_no_text_name_their_place() {
    let mut bytes = ONE_LOCOMO.as_bytes().to_vec();
    let at = ONE_LOCOMO.find("froze").unwrap();
    bytes[at] = 0xff;
    let opened = Opened::from_reader("l.json", Box::new(Cursor::new(bytes)), &Progress::default()).unwrap();
    let error = read_cases(opened, None, Format::Locomo, Options::default()).unwrap_err().to_string();
    assert!(error.ends_with("found the byte 0xff, expected UTF-8 text"), "{error}");
    assert!(error.starts_with("l.json:6:"), "{error}");
}

#[test]
fn answers_to_other_questions_altogether_are_an_error() {
    let text = "{\"question_id\": \"q1\", \"hypothesis\": \"x\"}\n{\"question_id\": \"q2\", \"hypothesis\": \"x\"}";
    let error = fit(vec![answers("h.jsonl", text)], Some(&locomo())).unwrap_err();
    assert_eq!(
        error.to_string(),
        "h.jsonl: none of its 2 questions is in the case set: found \"q1\", expected one such as \"locomo_0_qa0\""
    );
}

#[test]
fn hostile_words_stay_words() {
    let text = "{\"question_id\": \"\\u001b[2J\\u202e\", \"hypothesis\": \"x\"}";
    let error = fit(vec![answers("h.jsonl", text)], Some(&locomo())).unwrap_err().to_string();
    assert!(!error.contains(['\u{1b}', '\u{202e}']), "{error:?}");
    let nested = format!("[{{\"qa\": [], \"conversation\": {{\"session_1\": {}}}}}]", "[".repeat(200_000));
    assert!(failed("l.json", &nested).contains("the JSON ends too early"));
    let nested = format!("[{{\"qa\": [], \"sample_id\": {}{}}}]", "[".repeat(5_000), "]".repeat(5_000));
    assert!(failed("l.json", &nested).contains("128 deep"), "{}", failed("l.json", &nested));
}

/// A reader that sets the flag when it is asked for more.
struct Stops(Progress, Cursor<Vec<u8>>);

impl std::io::Read for Stops {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.1.position() > 2_000_000 {
            self.0.cancel();
        }
        self.1.read(buffer)
    }
}

#[test]
fn reading_stops_when_it_is_told_to() {
    let mut made = Vec::new();
    import::generate::longmemeval(8, &mut made).unwrap();
    assert!(made.len() > 4_000_000, "{}", made.len());
    let progress = Progress::default();
    let opened =
        Opened::from_reader("m.json", Box::new(Stops(progress.clone(), Cursor::new(made))), &progress).unwrap();
    let error = read_cases(opened, None, Format::Longmemeval, Options::default()).unwrap_err();
    assert!(progress.is_cancelled());
    assert_eq!(error.to_string(), "m.json: stopped before its end");
}

#[test]
fn a_file_of_many_pieces_is_read_in_order() {
    let mut made = Vec::new();
    import::generate::longmemeval(20, &mut made).unwrap();
    let text = String::from_utf8(made).unwrap();
    assert!(text.len() > 9 << 20, "more than one piece");
    let progress = Progress::default();
    let opened = Opened::from_reader("m.json", Box::new(Cursor::new(text.clone().into_bytes())), &progress).unwrap();
    let CaseImport { cases, about } = read_cases(opened, None, Format::Longmemeval, Options::default()).unwrap();
    assert_eq!(progress.done(), text.len() as u64);
    let users: Vec<_> = cases.conversations.iter().map(|conversation| conversation.user.clone()).collect();
    let expected: Vec<_> =
        (0..20).map(|number| format!("made_{number}{}", if number % 17 == 16 { "_abs" } else { "" })).collect();
    assert_eq!(users, expected);
    assert!(cases.conversations.iter().all(|conversation| conversation.events.len() == 500));
    assert_eq!(about.doubts, []);
    // The words are those that a plain parser finds.
    let plain: serde_json::Value = serde_json::from_str(&text).unwrap();
    let turn = &plain[19]["haystack_sessions"][49][9];
    let last = cases.conversations[19].events.last().unwrap();
    assert_eq!(last.text, format!("assistant: {}", turn["content"].as_str().unwrap()));
    // A mistake in the last piece has its line.
    let broken = text.replace("\"question_id\":\"made_19\"", "\"question_id\":19");
    let error = failed("m.json", &broken);
    assert!(
        error.starts_with("m.json:21:") && error.ends_with("found integer `19`, expected a text in quotes"),
        "{error}"
    );
}

fn write(folder: &Path, name: &str, text: &str) -> std::path::PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn files_are_told_apart_by_what_they_hold() {
    let folder = tempfile::tempdir().unwrap();
    let cases = write(folder.path(), "a", ONE_LOCOMO);
    let runs = write(folder.path(), "b", DETAILED);
    let keys = write(folder.path(), "c", r#"{"keys": {}}"#);
    for files in [[&cases, &runs, &keys], [&keys, &runs, &cases]] {
        let inputs = Inputs { files: files.map(Clone::clone).to_vec(), quota: Some(77), ..Inputs::default() };
        let read = open::read(&inputs, &Progress::default()).unwrap();
        assert_eq!((read.cases.conversations[0].user.as_str(), read.cases.facts_quota), ("talk-1", 77));
        assert_eq!(read.recordings.len(), 1);
        assert!(read.cases.warnings.iter().any(|warning| warning.message.contains("locomo_0_qa99")));
    }
    let mut files = vec![runs.clone(), cases.clone()];
    open::cases_first(&mut files);
    assert_eq!(files, [cases.clone(), runs.clone()]);

    let error = |inputs: Inputs| open::read(&inputs, &Progress::default()).unwrap_err().to_string();
    let second = write(folder.path(), "d", ONE_LONGMEMEVAL);
    let both = error(Inputs { files: vec![cases.clone(), second.clone()], ..Inputs::default() });
    let expected = format!(
        "{}: found LongMemEval questions with their haystacks beside the cases of {}, expected one case set",
        second.display(),
        cases.display()
    );
    assert_eq!(both, expected);
    let kind = error(Inputs { cases: Some(cases.clone()), answers: vec![keys.clone()], ..Inputs::default() });
    assert!(kind.ends_with("found answer keys, expected recorded answers or blocks"), "{kind}");
    let kind = error(Inputs { cases: Some(cases), keys: Some(runs), ..Inputs::default() });
    assert!(kind.ends_with("found detailed_results with judges' votes, expected answer keys"), "{kind}");
    let folder_error = error(Inputs { cases: Some(folder.path().to_owned()), ..Inputs::default() });
    assert!(folder_error.contains("cannot be read: it is a folder without questions.jsonl"), "{folder_error}");
}
