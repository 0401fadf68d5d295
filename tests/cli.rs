//! The commands as a person or a script meets them: what they print, what they say when something is wrong, how they end.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use assert_cmd::Command;
use serde_json::Value;

const BINARY: &str = env!("CARGO_BIN_EXE_recallscope");

/// One conversation with one event and one question, to be spoilt by tests.
const GOOD: &str = r#"{
  "facts_quota": 120,
  "conversations": [{
    "user": "ann",
    "events": [
      {"turn": 1, "text": "I eat fish.", "op": "remember", "attribute": "diet"},
      {"turn": 2, "text": "I live in Porto.", "op": "remember", "attribute": "city"}
    ],
    "questions": [{"question": "Dinner?", "required": ["fish"], "stale": [], "forgotten": []}]
  }]
}
"#;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The program in the project's folder, untouched by the settings and the terminal of whoever runs the tests.
fn command() -> Command {
    let mut command = Command::new(BINARY);
    command.current_dir(root()).env("XDG_CONFIG_HOME", root().join("tests/fixtures")).env("COLUMNS", "100");
    for name in ["NO_COLOR", "COLORTERM", "CLICOLOR_FORCE", "RUST_BACKTRACE", "RUST_LOG"] {
        command.env_remove(name);
    }
    command
}

fn run(args: &[&str]) -> Output {
    command().args(args).output().unwrap()
}

/// What a command prints, when all is well and it has nothing to say about it.
fn printed(args: &[&str]) -> String {
    let output = run(args);
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), complaints.as_str()), (Some(0), ""), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn recorded(path: &str) -> Value {
    json(&fs::read_to_string(root().join(path)).unwrap())
}

/// The one sentence with which a command fails.
fn complaint(output: &Output) -> String {
    let words = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(2), "{words}");
    assert_eq!(words.lines().count(), 1, "{words}");
    assert!(output.stdout.is_empty(), "{:?}", String::from_utf8_lossy(&output.stdout));
    let sentence = words.trim_end_matches('\n');
    assert!(!sentence.chars().any(is_control), "{sentence:?}");
    sentence.strip_prefix("error: ").expect("an error").to_owned()
}

/// Controls of terminals and of the direction of text.
fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

/// The complaint about a case file, without the folder's name.
fn about_cases(content: impl AsRef<[u8]>) -> String {
    let folder = Folder::new();
    let path = folder.file("c.json", content);
    let words = complaint(&run(&["eval", &path]));
    words.strip_prefix(path.trim_end_matches("c.json")).expect("the file's name first").to_owned()
}

// What commands print.

#[test]
fn eval_prints_the_recorded_result() {
    let mut ours = json(&printed(&["eval", "--format", "json"]));
    let mut expected = recorded("recordings/evaluation-result.json");
    for value in [&mut ours, &mut expected] {
        value.as_object_mut().unwrap().remove("environment");
    }
    assert_eq!(ours, expected);
}

#[test]
fn eval_has_four_formats() {
    assert!(printed(&["eval"]).contains("managed-all"));
    let csv = printed(&["eval", "--format", "csv"]);
    let heads = "strategy,user,id,question,sent,useful,stale,forgotten,found,required,missing,memory_tokens\n";
    assert!(csv.starts_with(heads), "{csv}");
    assert_eq!(csv.lines().count(), 1 + 3 * 10);
    let markdown = printed(&["eval", "--format", "markdown"]);
    assert!(markdown.lines().all(|line| line.starts_with('|') && line.ends_with('|')), "{markdown}");
}

#[test]
fn a_file_and_standard_input_are_the_bundled_cases_too() {
    let bundled = printed(&["eval", "--format", "json"]);
    assert_eq!(printed(&["eval", "fixtures/cases.json", "--format", "json"]), bundled);
    let text = fs::read(root().join("fixtures/cases.json")).unwrap();
    let piped = command().args(["eval", "-", "--format", "json"]).write_stdin(text).output().unwrap();
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), bundled);
}

#[test]
fn grade_prints_the_recorded_grades() {
    let expected = recorded("recordings/answer-grades.json");
    assert_eq!(json(&printed(&["grade", "--format", "json"])), expected);
    let files = ["grade", "recordings/answer-result.json", "--keys", "fixtures/answer-keys.json", "--format", "json"];
    assert_eq!(json(&printed(&files)), expected);
    assert_eq!(
        printed(&["grade", "--format", "csv"]).lines().next().unwrap(),
        "strategy,question,seed,verdict,reason,answer,by,key,judge,published,credit"
    );
}

#[test]
fn generate_prints_the_bundled_cases_byte_for_byte() {
    let cases = fs::read_to_string(root().join("fixtures/cases.json")).unwrap();
    assert_eq!(printed(&["generate"]), cases);
    let folder = Folder::new();
    let path = folder.path().join("made.json");
    assert_eq!(printed(&["generate", "--output", path.to_str().unwrap()]), "");
    assert_eq!(fs::read_to_string(&path).unwrap(), cases);
    let nowhere = folder.path().join("no/made.json");
    assert!(
        complaint(&run(&["generate", "-o", nowhere.to_str().unwrap()])).ends_with("cannot be written: no such file")
    );
}

#[test]
fn replay_prints_the_recorded_growth() {
    let growth = json(&printed(&["replay", "--format", "json"]));
    assert_eq!(growth, recorded("recordings/evaluation-result.json")["growth"]);
    let turns = |args: &[&str]| -> Vec<u64> {
        let growth = json(&printed(&[&["replay", "--format", "json"], args].concat()));
        growth["append"].as_array().unwrap().iter().map(|sample| sample["turn"].as_u64().unwrap()).collect()
    };
    assert_eq!(turns(&["--every", "75"]), [75, 150, 200]);
    let alice = turns(&["--user", "alice"]);
    assert_eq!(alice, (1..=*alice.last().unwrap()).collect::<Vec<_>>());
    assert_eq!(
        complaint(&run(&["replay", "--user", "zoe"])),
        "--user zoe: no such user, expected one of alice, bob, chen"
    );
}

#[test]
fn count_gives_one_row_a_line_and_empty_lines_too() {
    let count = |format: &str, text: &[u8]| {
        let output = command().args(["count", "-", "--format", format]).write_stdin(text).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let csv = count("csv", b"one two\n\nthree\r\n\xe2\x82\xac");
    let rows: Vec<_> = csv.lines().collect();
    assert_eq!((rows[0], rows.len(), rows[2]), ("count", 5, "0"));
    assert_eq!(count("csv", b""), "count\n");
    assert_eq!(json(&count("json", b"one two\n\n")).as_array().unwrap().len(), 2);
    assert!(count("table", b"a\tb\x1b[2J\n").contains("a    b^[[2J"));
}

#[test]
fn config_prints_settings_that_can_be_loaded() {
    let folder = Folder::new();
    let path = folder.file("config.toml", printed(&["config"]));
    let shown = printed(&["show", "--config", &path]);
    assert_eq!(shown, printed(&["show"]));
    let wrong = folder.file("wrong.toml", "[keys]\nquitt = [\"x\"]\n");
    assert!(complaint(&run(&["show", "--config", &wrong])).ends_with("did you mean \"quit\"?"));
}

#[test]
fn show_draws_in_three_formats_and_at_any_size() {
    assert!(printed(&["show"]).contains("What went wrong, where?"));
    assert!(printed(&["show", "--pane", "answers", "--format", "ansi"]).contains("\x1b[0"));
    assert!(printed(&["show", "--format", "svg"]).ends_with("</svg>\n"));
    let sixteen = printed(&["show", "--format", "ansi", "--colors", "16"]);
    assert!(sixteen.contains(";36m") && !sixteen.contains("38;"), "{sixteen}");
    assert_eq!(printed(&["show", "--size", "0x0"]), "");
    assert_eq!(printed(&["show", "--size", "400x200"]).lines().count(), 200);
    assert_eq!(run(&["show", "--size", "65535x65535"]).status.code(), Some(2));
    assert_eq!(printed(&["show", "--size", "39x10"]).lines().next().unwrap(), "39x10: needs 40x10");
    assert!(printed(&["show", "--press", "?"]).contains("esc closes"));
    let words = complaint(&run(&["show", "--press", "hyper-x"]));
    assert!(words.starts_with("found the key \"hyper-x\", expected"), "{words}");
    assert!(printed(&["show", "--ascii"]).is_ascii());
}

#[test]
fn no_color_leaves_escape_sequences_without_colours() {
    let shown = |args: &[&str]| {
        let output = command().env("NO_COLOR", "1").arg("show").args(args).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let colored = |text: &str| text.contains(";38;2;") || text.contains(";3");
    let plain = shown(&["--format", "ansi"]);
    assert!(plain.contains("\x1b[0;1m") && !colored(&plain), "{plain}");
    assert!(colored(&shown(&["--format", "ansi", "--colors", "16"])));
    assert!(shown(&["--format", "ansi", "--theme", "dark"]).contains(";38;2;"));
    assert_eq!(shown(&["--format", "svg"]), printed(&["show", "--format", "svg"]));
}

#[test]
fn completions_and_the_manual_page_know_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(&["completions", shell]);
        assert!(["eval", "grade", "replay", "show"].iter().all(|name| script.contains(name)), "{shell}");
    }
    let manual = printed(&["man"]);
    assert!(manual.contains(".TH recallscope 1") && manual.contains(".TH recallscope-eval 1"), "{manual}");
    assert!(!manual.contains("panic-test"), "hidden things stay hidden");
}

#[test]
fn without_a_terminal_the_explorer_is_its_summary() {
    let summary = printed(&[]);
    assert!(summary.contains("managed-relevant"), "{summary}");
    assert!(
        summary.ends_with(
            "10 questions, facts quota 120 tokens, counted with Gemma 4 E2B tokenizer (tokenizer-manifest.json)\n"
        ),
        "{summary}"
    );
}

#[test]
fn long_answers_are_cut_in_the_table_only() {
    let table = printed(&["grade"]);
    assert!(table.contains('…') && table.lines().all(|line| line.chars().count() < 260), "{table}");
    assert!(!printed(&["grade", "--format", "csv"]).contains('…'));
    assert!(!printed(&["grade", "--format", "markdown"]).contains('…'));
}

#[test]
fn two_runs_print_the_same_bytes() {
    for args in
        [&["eval", "--format", "json"][..], &["grade"], &["replay", "--format", "csv"], &["show", "--format", "svg"]]
    {
        assert_eq!(printed(args), printed(args), "{args:?}");
    }
}

#[test]
fn only_a_gate_exits_with_1() {
    let leak = run(&["eval", "--gate"]);
    assert_eq!(leak.status.code(), Some(1));
    assert!(String::from_utf8(leak.stderr).unwrap().contains("gate failed: append-all sent"));
    assert_eq!(run(&["eval"]).status.code(), Some(0));
    let folder = Folder::new();
    assert_eq!(run(&["eval", "--gate", &folder.file("c.json", GOOD)]).status.code(), Some(0));
    assert_eq!(run(&["eval", "--gatee"]).status.code(), Some(2));
}

#[test]
fn stores_are_kept_once() {
    let folder = Folder::new();
    let path = folder.path().join("stores");
    let args = ["eval", "--keep-stores", path.to_str().unwrap()];
    printed(&args);
    assert!(path.join("managed.sqlite").is_file());
    assert!(complaint(&run(&args)).contains("is there already"));
}

// What is wrong with the input.

#[test]
fn a_wrong_type_says_what_was_found_and_expected() {
    assert_eq!(
        about_cases(GOOD.replace("\"turn\": 2", "\"turn\": \"two\"")),
        "c.json:7:16: conversations[0].events[1].turn: found string \"two\", expected a whole number"
    );
    assert_eq!(
        about_cases(GOOD.replace("[\"fish\"]", "\"fish\"")),
        "c.json:9:55: conversations[0].questions[0].required: found string \"fish\", expected a list"
    );
    assert_eq!(about_cases("[1, 2]"), "c.json:1:1: found a list, expected an object");
    assert_eq!(about_cases("\"cases\""), "c.json:1:1: found a text, expected an object");
}

#[test]
fn a_missing_or_doubled_field_is_named() {
    assert_eq!(
        about_cases(GOOD.replace("\"text\": \"I eat fish.\", ", "")),
        "c.json:6:7: conversations[0].events[0]: missing field `text`"
    );
    assert_eq!(
        about_cases(GOOD.replace("\"facts_quota\"", "\"fact_quota\"")),
        "c.json:1:1: missing field `facts_quota`; found `fact_quota`, did you mean `facts_quota`?"
    );
    assert_eq!(
        about_cases(GOOD.replace("\"turn\": 2", "\"turn\": 2, \"turn\": 3")),
        "c.json:7:7: conversations[0].events[1]: found `turn` twice, expected it once"
    );
}

#[test]
fn a_value_that_makes_no_sense_is_named() {
    assert_eq!(
        about_cases(GOOD.replacen("remember", "rememebr", 1)),
        "c.json:6:48: conversations[0].events[0].op: unknown variant `rememebr`, expected one of `remember`, `correct`, \
         `forget`; did you mean `remember`?"
    );
    assert_eq!(
        about_cases(GOOD.replace("\"turn\": 1", "\"turn\": 5")),
        "c.json:7:16: found turn 2 after turn 5, expected turns in order"
    );
    let twice = GOOD.replace(
        "\"questions\": [",
        "\"questions\": [\n{\"id\": \"ann/2\", \"question\": \"Fish?\", \"required\": [], \"stale\": [], \"forgotten\": []}, ",
    );
    let words = about_cases(&twice);
    assert!(words.ends_with("found a second question with the id `ann/2`, expected each id once"), "{words}");
}

#[test]
fn numbers_that_are_too_large_are_refused() {
    assert_eq!(
        about_cases(GOOD.replace("\"turn\": 2", "\"turn\": 99999999999999999999")),
        "c.json:7:16: conversations[0].events[1].turn: found the number `1e+20`, expected a whole number"
    );
    assert_eq!(
        about_cases(GOOD.replace("\"turn\": 2", "\"turn\": 18446744073709551615")),
        "c.json:7:16: found turn 18446744073709551615, expected at most 9223372036854775807"
    );
    assert_eq!(
        about_cases(GOOD.replace("\"turn\": 2", "\"turn\": -2")),
        "c.json:7:16: conversations[0].events[1].turn: found integer `-2`, expected a whole number of at least 0"
    );
    let words = about_cases(GOOD.replace("120", "1e999"));
    assert!(words.ends_with("found a number out of range, expected one that fits into 64 bits"), "{words}");
}

#[test]
fn turns_that_are_time_stamps_do_not_fill_the_memory() {
    let stamp = GOOD.replace("\"turn\": 2", "\"turn\": 1700000000");
    let folder = Folder::new();
    let path = folder.file("c.json", &stamp);
    assert_eq!(
        complaint(&run(&["replay", &path, "--user", "ann"])),
        "1700000000 samples, one every 1 turns, expected at most 100000; --every takes fewer"
    );
    assert_eq!(
        printed(&["replay", &path, "--user", "ann", "--every", "100000000", "--format", "csv"]).lines().count(),
        35
    );
    let long = "\"long_replay\": {\"user\": \"d\", \"sample_every\": 1, \"events\": [{\"turn\": 1700000000, \"text\": \"x\", \
                \"op\": \"remember\", \"attribute\": \"y\"}]},\n  \"facts_quota\"";
    assert_eq!(
        about_cases(GOOD.replace("\"facts_quota\"", long)),
        "c.json:2:48: found a sampling step of 1, which makes 1700000000 samples, expected at most 100000"
    );
}

#[test]
fn broken_json_has_a_place() {
    assert_eq!(about_cases(GOOD.replace("120", "NaN")), "c.json:2:18: this is not JSON: found `N`, expected a value");
    assert_eq!(
        about_cases(GOOD.replace("\"turn\": 2,", "\"turn\": 2,,")),
        "c.json:7:18: this is not JSON: found `,`, expected a name in quotes"
    );
    assert_eq!(
        about_cases(&GOOD[..GOOD.len() / 2]),
        "c.json:7:16: the JSON ends too early, expected its closing quote or bracket"
    );
    assert_eq!(about_cases(""), "c.json:1:1: found nothing, expected an object");
    assert_eq!(about_cases("  \n"), "c.json:2:1: found nothing, expected an object");
    let latin1 = about_cases(b"{\n  \"facts_quota\": \"\xe9\"");
    assert_eq!(latin1, "c.json:2:19: found the byte 0xe9, expected UTF-8 text");
    // A wrong type before the break does not hide that the file is broken, and where.
    assert_eq!(
        about_cases("{\"facts_quota\": true, \"conversations\": [oops"),
        "c.json:1:41: this is not JSON: found `o`, expected a value"
    );
}

#[test]
fn answers_and_keys_are_checked_like_cases() {
    let folder = Folder::new();
    let keys = folder.file("k.json", "{\"keys\": {\"Dinner?\":\n {\"must\": {\"fish\": \"(fish\"}}}}");
    assert_eq!(
        complaint(&run(&["grade", "--keys", &keys])),
        format!("{keys}:2:20: found the pattern \"(fish\", expected a regular expression: unclosed group")
    );
    let keys = folder.file("l.json", "{\"keys\": {\"a\": {\"must\": {}},\n \"a\": {\"must\": {}}}}");
    assert_eq!(
        complaint(&run(&["grade", "--keys", &keys])),
        format!("{keys}:2:7: found a second key for \"a\", expected one")
    );
    let answers = folder.file("a.json", "{\"answers\": {\"managed-all\": {\"Dinner?\":\n [{\"answer\": 3}]}}}");
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let deep = folder.file("d.json", format!("{{\"answers\": {{}}, \"model\": {{\"name\": {deep}}}}}"));
    assert!(complaint(&run(&["grade", &deep])).contains("128 deep"));
    assert_eq!(
        complaint(&run(&["grade", &answers])),
        format!("{answers}:2:14: answers.managed-all.Dinner?[0].answer: found integer `3`, expected a text in quotes")
    );
}

#[test]
fn what_cannot_be_read_is_said_in_words() {
    let folder = Folder::new();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let missing = path("none.json");
    assert_eq!(complaint(&run(&["eval", &missing])), format!("{missing}: cannot be read: no such file"));
    let directory = path("");
    assert_eq!(
        complaint(&run(&["eval", &directory])),
        format!("{directory}: cannot be read: it is a folder without questions.jsonl and sessions.jsonl")
    );
    assert_eq!(
        complaint(&command().args(["eval", "-"]).write_stdin("").output().unwrap()),
        "standard input:1:1: found nothing, expected an object"
    );
    assert_eq!(
        complaint(&command().args(["show", "-", "--keys", "-"]).write_stdin("{}").output().unwrap()),
        "`-` stands 2 times, but standard input can be read only once"
    );
    let tokenizer = folder.file("tokenizer.json", "{}");
    let words = complaint(&run(&["count", "Cargo.toml", "--tokenizer", &tokenizer]));
    assert!(words.starts_with(&tokenizer), "{words}");
}

#[test]
fn escape_sequences_in_names_and_contents_stay_text() {
    let words = complaint(&run(&["eval", "\u{1b}[31m\u{202e}x.json"]));
    assert_eq!(words, "^[[31m<U+202E>x.json: cannot be read: no such file");
    let spoilt = GOOD.replacen("\"op\": \"remember\"", "\"op\": \"\\u001b]0;x\\u0007\\u202e\"", 1);
    assert!(about_cases(spoilt).contains("unknown variant `^[]0;x^G<U+202E>`"));
    let folder = Folder::new();
    let nowhere = folder.path().join("\u{1b}[2J/x.json");
    assert!(complaint(&run(&["generate", "-o", nowhere.to_str().unwrap()])).contains("^[[2J"));
    for args in [
        &["eval", "--format", "\u{1b}[31m\u{202e}"][..],
        &["\u{1b}[31m", "x", "\u{9b}2J"],
        &["replay", "--user", "\u{1b}c"],
    ] {
        let output = run(args);
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(!words.is_empty() && !words.chars().any(|c| c != '\n' && is_control(c)), "{words:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_name_that_is_not_utf8_can_be_read_and_named() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let path = folder.path().join(std::ffi::OsStr::from_bytes(b"\xff.json"));
    fs::write(&path, GOOD).unwrap();
    assert!(command().arg("eval").arg(&path).output().unwrap().status.success());
    fs::write(&path, "{").unwrap();
    assert!(
        complaint(&command().arg("eval").arg(&path).output().unwrap()).contains("\u{fffd}.json:1:1: the JSON ends")
    );
}

#[test]
fn odd_things_are_warnings() {
    let folder = Folder::new();
    let odd = GOOD
        .replace("\"attribute\": \"city\"", "\"attribute\": \"city\", \"speeker\": \"ann\"")
        .replace("\"fish\"], \"stale\": []", "\"meat\"], \"stale\": []")
        .replace(
            "\"questions\": [",
            "\"questions\": [{\"question\": \"Dinner?\", \"required\": [], \"stale\": [], \"forgotten\": []},\n",
        );
    let path = folder.file("c.json", odd);
    let expected = [
        format!("warning: {path}:7:97: unknown field `speeker` is ignored; did you mean `speaker`?"),
        format!(
            "warning: {path}:10:14: the question \"Dinner?\" stands twice, as ann/1 and ann/2: answers and keys given by \
             its text go to both"
        ),
        format!("warning: {path}:10:38: no event of ann said the required fact \"meat\""),
    ];
    for args in [&["eval"][..], &["show"], &["replay", "--user", "ann"], &[]] {
        let output = run(&[args, &[&path]].concat());
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{words}");
        assert_eq!(words.lines().collect::<Vec<_>>(), expected, "{args:?}");
        assert!(!output.stdout.is_empty());
    }
}

// How commands end.

/// A pipe that nobody reads any more.
fn closed_pipe() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

fn end(args: &[&str], stdout: Stdio, stderr: Stdio) -> Output {
    let mut command = std::process::Command::new(BINARY);
    command.args(args).current_dir(root()).env("XDG_CONFIG_HOME", root().join("tests/fixtures")).stdin(Stdio::null());
    command.stdout(stdout).stderr(stderr).spawn().unwrap().wait_with_output().unwrap()
}

#[test]
fn a_reader_that_leaves_early_is_nobodys_problem() {
    for args in [
        &["eval"][..],
        &["eval", "--format", "json"],
        &["--help"],
        &["--version"],
        &["eval", "--help"],
        &["show"],
        &[],
        &["man"],
    ] {
        let output = end(args, closed_pipe(), Stdio::piped());
        assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_in_one_sentence() {
    for args in [&["eval"][..], &["--help"], &["generate"], &["show"], &["completions", "bash"]] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = end(args, full.into(), Stdio::piped());
        assert_eq!(complaint(&output), "standard output cannot be written: no space left on device", "{args:?}");
    }
}

#[test]
fn a_closed_standard_error_changes_nothing() {
    let folder = Folder::new();
    let odd = folder.file("c.json", GOOD.replace("\"fish\"", "\"meat\""));
    let output = end(&["eval", &odd], Stdio::piped(), closed_pipe());
    assert_eq!(output.status.code(), Some(0));
    assert!(!output.stdout.is_empty());
    assert_eq!(end(&["eval", "none.json"], Stdio::null(), closed_pipe()).status.code(), Some(2));
    assert_eq!(end(&["--nonsense"], Stdio::null(), closed_pipe()).status.code(), Some(2));
}

#[test]
fn help_and_version_go_to_standard_output() {
    assert!(printed(&["--help"]).contains("Usage: recallscope"));
    assert_eq!(printed(&["--version"]), format!("recallscope {}\n", env!("CARGO_PKG_VERSION")));
    let wrong = run(&["--answrs"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(wrong.stdout.is_empty());
    assert!(String::from_utf8(wrong.stderr).unwrap().contains("--answers"));
}

// Texts that a terminal would obey.

fn hostile() -> Vec<String> {
    let folder = root().join("tests/fixtures");
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("hostile-") && name != "hostile-answers.json")
        .collect();
    names.sort();
    assert!(names.len() >= 7, "{names:?}");
    names.into_iter().map(|name| format!("tests/fixtures/{name}")).collect()
}

fn assert_tame(output: &Output, what: &str) {
    let words = String::from_utf8(output.stderr.clone()).unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(output.status.success(), "{what}: {words}");
    for text in [text, words] {
        let wild: Vec<char> = text.chars().filter(|c| *c != '\n' && is_control(*c)).collect();
        assert!(wild.is_empty(), "{what}: {wild:?}");
    }
}

#[test]
fn no_control_of_a_file_reaches_the_terminal() {
    for file in hostile() {
        for args in [
            &["eval", "--format", "table"][..],
            &["eval", "--format", "markdown"],
            &["show", "--format", "text"],
            &["show", "--pane", "question"],
            &["show", "--pane", "compare"],
            &["show", "--pane", "replay"],
            &["show", "--pane", "answers", "--answers", "tests/fixtures/hostile-answers.json"],
            &["show", "--press", ": \"q\" down enter"],
            &["show", "--press", ": \"like\" down down"],
            &["show", "--press", "w"],
        ] {
            let all = [args, &[&file]].concat();
            assert_tame(&run(&all), &format!("{all:?}"));
        }
    }
    let grades = run(&["grade", "tests/fixtures/hostile-answers.json"]);
    assert_tame(&grades, "grade");
    assert!(String::from_utf8(grades.stdout).unwrap().contains("^[]52;c;b3duZWQ=^G"));
}

#[test]
fn exports_keep_the_raw_text() {
    for file in hostile() {
        let cases = recorded(&file);
        let asked: Vec<&str> = cases["conversations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|conversation| conversation["questions"][0]["question"].as_str().unwrap())
            .collect();
        let report = json(&printed(&["eval", &file, "--format", "json"]));
        let questions: Vec<&str> = report["questions"]["managed-all"]
            .as_array()
            .unwrap()
            .iter()
            .map(|question| question["question"].as_str().unwrap())
            .collect();
        assert_eq!(questions, asked, "{file}");
        let csv = printed(&["eval", &file, "--format", "csv"]);
        for question in asked {
            assert!(csv.contains(question), "{file}: {question:?}");
        }
    }
    let recording = recorded("tests/fixtures/hostile-answers.json");
    let output = run(&["grade", "tests/fixtures/hostile-answers.json", "--format", "csv"]);
    let csv = String::from_utf8(output.stdout).unwrap();
    for answers in recording["answers"]["managed-all"].as_object().unwrap().values() {
        assert!(csv.contains(answers[0]["answer"].as_str().unwrap()));
    }
}

#[test]
fn a_line_of_a_megabyte_and_ten_thousand_questions_are_shown() {
    let folder = Folder::new();
    let long =
        folder.file("long.json", GOOD.replace("I eat fish.", &"fish and chips ".repeat(70_000)).replace('\n', " "));
    assert_tame(&run(&["show", &long]), "long");
    let question = "{\"question\": \"Dinner?\", \"required\": [\"fish\"], \"stale\": [], \"forgotten\": []}";
    let many = folder.file("many.json", GOOD.replace(question, &vec![question; 10_000].join(",\n")));
    let shown = run(&["show", &many, "--press", "G : \"dinner\" down"]);
    assert_tame(&shown, "many");
    assert!(String::from_utf8(shown.stderr).unwrap().lines().count() <= 21, "warnings are counted, not poured");
}

#[test]
fn a_foreign_tokenizer_counts_and_is_named() {
    let folder = Folder::new();
    let words = r#"{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}}"#;
    let tokenizer = folder.file("words.json", words);
    let output = run(&["eval", "--tokenizer", &tokenizer]);
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("counted with words.json (tokenizers)"), "{table}");
    assert!(table.contains("573"), "words and signs of managed-all: {table}");
    let missing = complaint(&run(&["eval", "--tokenizer", "nowhere.json"]));
    assert_eq!(missing, "nowhere.json: cannot be read: no such file");
}
