//! A program of the user's as a strategy: real child processes, well and badly behaved.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use recallscope::case::{CaseSet, Conversation, Event, Fact, Op, Question};
use recallscope::command;
use recallscope::progress::Watch;
use recallscope::recording::BlockRun;

const LONG: Duration = Duration::from_secs(60);

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn event(turn: u64, text: &str) -> Event {
    Event {
        turn,
        text: text.to_owned(),
        op: Op::Remember,
        attribute: format!("a{turn}"),
        id: Some(format!("e{turn}")),
        speaker: None,
        at: None,
    }
}

fn question(id: &str, text: &str, required: &str) -> Question {
    Question {
        id: id.to_owned(),
        question: text.to_owned(),
        required: vec![Fact::Event { event: required.to_owned() }],
        ..Question::default()
    }
}

/// Two users; the first asks four questions, the second one.
fn cases() -> CaseSet {
    let ann = Conversation {
        user: "ann \"the\" [first]".to_owned(),
        events: vec![event(1, "I eat \"raw\" fish, often."), event(2, "I live in Porto."), event(3, "I drive a van.")],
        questions: vec![
            question("q1", "Where do I live?", "e2"),
            question("q2", "What do I eat?", "e1"),
            question("q3", "What do I drive?", "e3"),
            question("q4", "Where is my van?", "e3"),
        ],
    };
    let bo = Conversation {
        user: "bo".to_owned(),
        events: vec![event(1, "I live in Bergen.")],
        questions: vec![question("q5", "Where do I live?", "e1")],
    };
    CaseSet { conversations: vec![ann, bo], long_replay: None, facts_quota: 100, warnings: Vec::new() }
}

fn run(command: &str, timeout: Duration) -> BlockRun {
    command::run(&cases(), "mine", command, timeout, &Watch::default())
}

fn first_lines(run: &BlockRun) -> Vec<&str> {
    run.blocks.iter().map(|block| block.lines.first().map_or("", |line| line.text.as_str())).collect()
}

fn failures(run: &BlockRun) -> Vec<String> {
    run.blocks.iter().map(|block| block.failure.clone().unwrap_or_default()).collect()
}

/// A shell program that answers each question by a piece of shell; `$n` counts questions from 1 in each run of it.
fn answering(answer: &str) -> String {
    format!(
        "n=0; while IFS= read -r line; do case $line in *'\"type\":\"question\"'*) n=$((n+1)); {answer};; esac; done"
    )
}

const FINE: &str = r#"echo '{"records":["I drive a van."]}'"#;

#[test]
fn the_example_in_shell_gives_the_newest_lines_of_its_user() {
    let run = run(&format!("sh '{}'", root().join("fixtures/examples/newest.sh").display()), LONG);
    assert_eq!(failures(&run), [""; 5]);
    assert_eq!(
        first_lines(&run),
        ["I drive a van.", "I drive a van.", "I drive a van.", "I drive a van.", "I live in Bergen."]
    );
    let texts: Vec<_> = run.blocks[0].lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(texts, ["I drive a van.", "I live in Porto.", "I eat \"raw\" fish, often."]);
    assert_eq!(run.blocks[4].lines.len(), 1, "nothing of another user");
}

#[test]
fn the_example_in_python_ranks_by_shared_words() {
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: there is no python3");
        return;
    }
    let run = run(&format!("python3 '{}'", root().join("fixtures/examples/overlap.py").display()), LONG);
    assert_eq!(failures(&run), [""; 5]);
    let (q1, q2) = ("I live in Porto.", "I eat \"raw\" fish, often.");
    assert_eq!(first_lines(&run), [q1, q2, "I drive a van.", "I drive a van.", "I live in Bergen."]);
    assert_eq!(run.blocks[0].lines[0].event.as_deref(), Some("e2"));
}

#[test]
fn what_the_program_is_told_is_what_was_said_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let heard = folder.path().join("heard");
    let program = format!("tee '{}' | {{ {}; }}", heard.display(), answering(FINE));
    let run = run(&program, LONG);
    assert_eq!(failures(&run), [""; 5]);
    let lines: Vec<serde_json::Value> =
        fs::read_to_string(heard).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<_> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    let expected =
        ["start", "event", "event", "event", "question", "question", "question", "question", "event", "question"];
    assert_eq!(kinds, expected);
    assert_eq!(lines[0], serde_json::json!({"type": "start", "protocol": 1, "strategy": "mine", "facts_quota": 100}));
    let said = serde_json::json!({
        "type": "event", "user": "ann \"the\" [first]", "id": "e2", "turn": 2, "op": "remember",
        "attribute": "a2", "text": "I live in Porto."
    });
    assert_eq!(lines[2], said);
    // Nothing that the question is graded by goes out.
    assert_eq!(
        lines[9],
        serde_json::json!({"type": "question", "user": "bo", "id": "q5", "question": "Where do I live?", "k": 20})
    );
}

#[test]
fn a_crash_fails_its_question_and_the_program_is_told_everything_again() {
    // Each run of it answers one question and crashes over the next, so that every second question fails; what it
    // answers with is the number of events that it knows.
    let program = "n=0; q=0; while IFS= read -r line; do case $line in \
        *'\"type\":\"event\"'*) n=$((n+1));; \
        *'\"type\":\"question\"'*) q=$((q+1)); [ $q = 2 ] && { echo 'no index' >&2; exit 3; }; \
            echo \"{\\\"records\\\":[\\\"$n events\\\"]}\";; esac; done";
    let run = run(program, LONG);
    assert_eq!(first_lines(&run), ["3 events", "", "3 events", "", "4 events"]);
    let crash = "ended with exit code 3 before it answered; on standard error: no index";
    assert_eq!(failures(&run), ["", crash, "", crash, ""]);
}

#[test]
fn three_breaks_in_a_row_are_the_end() {
    let run = run("echo 'cannot open the index' >&2; exit 7", LONG);
    let crash = "ended with exit code 7 before it answered; on standard error: cannot open the index";
    let rest = format!("not asked: 3 questions in a row had failed before; the last: {crash}");
    assert_eq!(failures(&run), [crash, crash, crash, &rest, &rest]);
    let unknown = self::run("no-such-program-anywhere", LONG);
    assert!(failures(&unknown)[0].starts_with("was not found (exit code 127) before it answered"), "{unknown:?}");
}

#[test]
fn a_silent_program_is_given_up_with_all_that_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    // It reads nothing, says nothing, and starts another that would outlive it.
    let program = format!("sleep 1000 & echo $! >>'{}'; wait", pids.display());
    let started = Instant::now();
    let run = run(&program, Duration::from_millis(300));
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(failures(&run)[..2], ["gave no answer within 0.3 seconds"; 2]);
    for pid in fs::read_to_string(pids).unwrap().lines() {
        let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let gone = state.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'));
        assert!(state.is_empty() || gone, "{state}");
    }
}

#[test]
fn a_question_that_takes_too_long_fails_alone() {
    let program = answering(&format!("grep -q q2 <<X && sleep 1000\n$line\nX\n{FINE}"));
    let run = run(&program, Duration::from_secs(2));
    assert_eq!(failures(&run), ["", "gave no answer within 2 seconds", "", "", ""]);
}

#[test]
fn nonsense_on_standard_output_is_quoted() {
    let run = run(&answering("echo 'Traceback (most recent call last):'"), LONG);
    assert_eq!(
        failures(&run)[0],
        "found Traceback (most recent call last):, expected {\"records\": [...]} on standard output"
    );
    let invalid = self::run(&answering(r#"printf '{"records":["\377"]}\n'"#), LONG);
    assert_eq!(failures(&invalid)[0], "found the byte 0xff in its answer, expected UTF-8");
    // JSON of another shape leaves the program in step: it is not started again, and the others are asked.
    let program = answering(&format!("if [ $n = 2 ]; then echo '{{\"records\":7}}'; else {FINE}; fi"));
    let shape = self::run(&program, LONG);
    assert!(failures(&shape)[1].starts_with("found {\"records\":7}, expected {\"records\": [...]}: invalid type"));
    assert_eq!(first_lines(&shape)[2], "I drive a van.");
    let refused = self::run(&answering("echo '{\"error\":\"out of quota\"}'"), LONG);
    assert_eq!(failures(&refused), ["says: out of quota"; 5]);
}

#[test]
fn floods_and_long_lines_block_nobody() {
    let noise = "head -c 3000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo 'the end' >&2";
    let noisy = run(&answering(&format!("{noise}; {FINE}")), LONG);
    assert_eq!(failures(&noisy), [""; 5]);
    let long = run(&answering("head -c 17000000 /dev/zero | tr '\\0' x; echo"), LONG);
    assert_eq!(failures(&long)[0], "answered with more than 16 MB in one line");
    // Two lines for one question: the second would be taken for the next answer. It is an answer, so nothing can tell.
    let flood = run("yes | head -c 5000000", LONG);
    assert!(failures(&flood)[0].starts_with("found y, expected"), "{:?}", failures(&flood)[0]);
}

#[test]
fn closing_standard_output_early_is_told_from_a_crash() {
    let run = run("exec 1>&-; cat >/dev/null; sleep 1000", LONG);
    assert_eq!(failures(&run)[0], "closed its standard output before it answered");
}

#[test]
fn a_program_that_reads_nothing_may_answer_all_the_same() {
    let answers = r#"for n in 1 2 3 4 5; do echo '{"records":["x"]}'; done; sleep 1000"#;
    let mut large = cases();
    // Far more than a pipe holds.
    large.conversations[0].events.extend((4..4000).map(|turn| event(turn, &"word ".repeat(50))));
    let run = command::run(&large, "mine", &format!("exec 0<&-; {answers}"), LONG, &Watch::default());
    assert_eq!(first_lines(&run), ["x"; 5]);
}

#[test]
fn stopping_ends_the_program_and_keeps_what_is_there() {
    static WATCH: std::sync::OnceLock<Watch> = std::sync::OnceLock::new();
    let watch = WATCH.get_or_init(|| {
        Watch::new(|step| {
            if step.words().as_deref() == Some("mine: 2 of 5 questions") {
                // The question goes out; its answer never comes.
                std::thread::spawn(|| WATCH.get().unwrap().stop());
            }
        })
    });
    let program = answering(&format!("if [ $n = 3 ]; then sleep 1000; else {FINE}; fi"));
    let run = command::run(&cases(), "mine", &program, LONG, watch);
    let failures = failures(&run);
    assert_eq!(failures[..2], ["", ""]);
    assert!(failures[2].ends_with("the run was stopped"), "{failures:?}");
    assert_eq!(failures[3..], ["not asked: the run was stopped"; 2]);
}

#[test]
fn the_column_stands_beside_the_others_and_failures_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cases.json");
    fs::write(&file, serde_json::to_string(&cases()).unwrap()).unwrap();
    let line = r#"echo '{"records":[{"text":"I drive a van.","event":"e3"}]}'"#;
    let program = answering(&format!("if [ $n = 2 ]; then echo '{{\"error\":\"no\"}}'; else {line}; fi"));
    let output = Command::new(env!("CARGO_BIN_EXE_recallscope"))
        .args(["eval", file.to_str().unwrap(), "--strategy", &format!("mine={program}"), "--strategy", "oracle"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(text.lines().any(|line| line.contains("failed")), "{text}");
    let row = text.lines().find(|line| line.contains("mine")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().filter(|cell| cell.chars().any(char::is_alphanumeric)).collect();
    // Four questions were answered with the line about the van, which two of them need; the failed one is in no count.
    assert_eq!(cells[..3], ["mine", "2/4", "0.500"], "{text}");
    assert_eq!(cells[cells.len() - 2..], ["1", "ok"], "{text}");
    assert!(text.find("mine").unwrap() < text.find("oracle").unwrap(), "in the order that was asked for");
    assert!(errors.contains("warning: --strategy mine: failed on 1 of 5 questions; the first: says: no"), "{errors}");
}

#[cfg(unix)]
#[test]
fn a_signal_to_any_command_ends_what_it_started() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cases.json");
    fs::write(&file, serde_json::to_string(&cases()).unwrap()).unwrap();
    for command in ["eval", "rank", "audit", "compare"] {
        let pipe = folder.path().join(command);
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        // Whoever lives holds the pipe open; whoever is left alive ends by itself, but late.
        let program = format!("exec 9>'{}'; echo up >&9; sleep 60", pipe.display());
        let mut child = Command::new(env!("CARGO_BIN_EXE_recallscope"))
            .args([command, file.to_str().unwrap(), "--strategy", &format!("mine={program}")])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut held = BufReader::new(fs::File::open(&pipe).unwrap());
        let mut line = String::new();
        held.read_line(&mut line).unwrap();
        assert_eq!(line, "up\n");
        let started = Instant::now();
        let id = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
        assert!(!child.wait().unwrap().success(), "{command}");
        held.read_to_end(&mut Vec::new()).unwrap();
        assert!(started.elapsed() < Duration::from_secs(30), "{command} left its program running");
    }
}
