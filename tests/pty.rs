//! The explorer on a real terminal, as far as a pseudo-terminal is one. The cases are public bug reports about programs
//! of this kind: how they leave the terminal, what they do when it changes size, stops, or goes away.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

#[path = "pty/harness.rs"]
mod harness;

use harness::{Pty, explorer, frames, pid, styles, work, writes};
use rustix::process::{Signal, kill_process};

const CTRL_C: &str = "\x03";
const CTRL_L: &str = "\x0c";
const CTRL_P: &str = "\x10";
const CTRL_Z: &str = "\x1a";
const ESC: &str = "\x1b";

fn ready(args: &[&str]) -> Pty {
    let mut pty = explorer(args).start();
    pty.ready();
    pty
}

fn temporary(content: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), content).unwrap();
    file
}

fn name(file: &tempfile::NamedTempFile) -> &str {
    file.path().to_str().unwrap()
}

/// Settings in which the mouse is on from the start.
fn with_mouse() -> tempfile::NamedTempFile {
    temporary("mouse = true\n")
}

// Leaving.

#[test]
fn q_leaves_and_gives_the_terminal_back() {
    let mut pty = ready(&[]);
    assert!(pty.is_raw() && pty.screen().alternate_screen() && pty.screen().bracketed_paste());
    pty.send("q");
    assert_eq!(pty.exit(), 0);
    pty.assert_given_back();
    assert_eq!(pty.text(), "", "nothing is left on the main screen");
}

#[test]
fn ctrl_c_leaves_from_everywhere() {
    for keys in ["", "?", CTRL_P, "/", "w", "2", "5"] {
        let mut pty = ready(&[]);
        if !keys.is_empty() {
            pty.press(keys);
        }
        pty.send(CTRL_C);
        assert_eq!(pty.exit(), 0, "{keys:?}");
        pty.assert_given_back();
    }
}

#[test]
fn ctrl_c_leaves_while_the_data_is_still_coming() {
    let mut pty = explorer(&["-"]).script("tail -f /dev/null | \"$0\" \"$@\"").start();
    pty.wait_text("Reading the cases");
    pty.send(CTRL_C);
    pty.wait_given_back();
}

#[test]
fn the_check_itself_sees_a_terminal_that_was_not_given_back() {
    let mut pty = ready(&[]);
    pty.signal(Signal::KILL);
    pty.exit();
    assert!(pty.is_raw() && pty.screen().alternate_screen());
}

#[test]
fn signals_leave_cleanly_with_their_exit_code() {
    for (signal, number) in [(Signal::TERM, 15), (Signal::HUP, 1), (Signal::INT, 2), (Signal::QUIT, 3)] {
        let mut pty = ready(&[]);
        pty.signal(signal);
        assert_eq!(pty.exit(), 128 + number);
        pty.assert_given_back();
        assert_eq!(pty.text(), "");
    }
}

#[test]
fn a_signal_leaves_cleanly_from_every_view() {
    for keys in ["2", "3", "4", "5", "?", CTRL_P, "/", "w", "z"] {
        let mut pty = ready(&[]);
        pty.press(keys);
        pty.signal(Signal::TERM);
        assert_eq!(pty.exit(), 143, "{keys:?}");
        pty.assert_given_back();
    }
}

#[test]
fn the_mouse_is_given_back_where_it_was_on() {
    let settings = with_mouse();
    let mut pty = ready(&["--config", name(&settings)]);
    assert!(pty.since(0).contains("\x1b[?1000h"));
    pty.send("q");
    assert_eq!(pty.exit(), 0);
    pty.assert_given_back();

    let mut pty = ready(&[]);
    assert!(!pty.since(0).contains("\x1b[?1000"), "the mouse is off unless asked for, so that text can be selected");
    pty.send("m");
    pty.wait_text("mouse on");
    pty.send("m");
    pty.wait_text("mouse off");
    pty.send("m");
    pty.wait_text("mouse on");
    pty.signal(Signal::TERM);
    assert_eq!(pty.exit(), 143);
    pty.assert_given_back();
}

#[test]
fn an_error_of_loading_can_be_read_after_leaving() {
    let broken = temporary("{\"facts_quota\": \u{7f}");
    let mut pty = explorer(&[name(&broken)]).start();
    assert_eq!(pty.exit(), 2);
    pty.assert_given_back();
    let words = pty.text().replace('\n', "");
    let expected = format!("error: {}:1:17: this is not JSON: found `^?`, expected a value", name(&broken));
    assert_eq!(words, expected);
}

#[test]
fn a_panic_of_the_screen_can_be_read_after_leaving() {
    let settings = with_mouse();
    let mut pty = ready(&["--panic-test", "ui", "--config", name(&settings)]);
    pty.send("j");
    assert_eq!(pty.exit(), 101);
    pty.assert_given_back();
    assert!(pty.text().contains("panic test: the message of a panic can be read"), "{}", pty.text());
}

#[test]
fn a_panic_of_a_job_is_told_in_one_sentence() {
    let mut pty = explorer(&["--panic-test", "job"]).start();
    assert_eq!(pty.exit(), 2);
    pty.assert_given_back();
    assert!(pty.text().starts_with("error: opening the data failed in a way that it never should"), "{}", pty.text());
    assert!(!pty.text().contains("panicked at"), "{}", pty.text());
}

#[test]
fn closing_the_terminal_ends_the_process() {
    let mut pty = ready(&[]);
    pty.hang_up();
    assert!([129, 2].contains(&pty.exit()), "by the signal, or by the write that failed before it");
}

// Stopping and coming back.

const SHELL: &str = "\"$0\" \"$@\"; echo \"[left with $?]\"";

#[test]
fn after_a_stop_everything_is_drawn_again() {
    let settings = with_mouse();
    for by_key in [true, false] {
        let mut pty = explorer(&["--config", name(&settings)]).script(SHELL).start();
        pty.ready();
        let before = pty.picture();
        let program = pty.program();
        if by_key {
            pty.send(CTRL_Z);
        } else {
            kill_process(pid(program), Signal::TSTP).unwrap();
        }
        pty.wait_stopped(program);
        pty.settle();
        pty.assert_given_back();
        let mark = pty.bytes.len();
        kill_process(pid(program), Signal::CONT).unwrap();
        pty.wait_for("explorer", |pty| pty.screen().alternate_screen() && pty.text().contains("1 Overview"));
        pty.settle();
        assert!(pty.is_raw());
        assert!(
            pty.since(mark).contains("\x1b[2J") && pty.since(mark).contains("\x1b[?1000h"),
            "drawn and armed again"
        );
        assert_eq!(pty.picture(), before);
        pty.send("q");
        pty.wait_text("[left with 0]");
        assert_eq!(pty.exit(), 0);
        pty.assert_given_back();
    }
}

#[test]
fn ctrl_z_stops_the_whole_pipe() {
    let script = "set -m; tail -f /dev/null | \"$0\" -; echo \"[back]\"; read line; fg; echo \"[left]\"";
    let mut pty = explorer(&[]).script(script).start();
    pty.wait_text("Reading the cases");
    for _ in 0..2 {
        pty.press("?");
    }
    pty.send(CTRL_Z);
    pty.wait_text("[back]");
    pty.wait_given_back();
    pty.send("\n");
    pty.wait_for("explorer", |pty| pty.screen().alternate_screen() && pty.text().contains("Reading the cases"));
    pty.settle();
    assert!(pty.is_raw() && pty.screen().alternate_screen(), "it is not stopped a second time");
    pty.send("q");
    pty.wait_given_back();
    // The other end of the pipe goes on, and the terminal sends it the interrupt again.
    pty.send(CTRL_C);
    pty.exit();
}

#[test]
fn a_stop_from_outside_is_noticed_when_it_ends() {
    let mut pty = explorer(&[]).script(SHELL).start();
    pty.ready();
    let program = pty.program();
    kill_process(pid(program), Signal::STOP).unwrap();
    pty.wait_stopped(program);
    let mark = pty.bytes.len();
    kill_process(pid(program), Signal::CONT).unwrap();
    pty.wait_for("another frame", |pty| pty.since(mark).contains("\x1b[2J"));
    pty.settle();
    assert!(pty.is_raw());
    pty.send("q");
    pty.wait_text("[left with 0]");
}

#[test]
fn without_a_shell_to_go_back_to_it_does_not_stop() {
    let mut pty = ready(&[]);
    pty.send(CTRL_Z);
    pty.wait_text("there is no shell to go back to");
    pty.signal(Signal::TSTP);
    pty.settle();
    assert!(pty.is_raw() && pty.screen().alternate_screen());
    pty.send("q");
    assert_eq!(pty.exit(), 0);
}

// Size.

#[test]
fn a_tiny_terminal_is_waited_for() {
    for (columns, rows) in [(0, 0), (1, 1), (0, 5), (39, 30), (200, 1)] {
        let mut pty = explorer(&[]).size(columns, rows).start();
        pty.wait_for("frame", |pty| pty.since(0).contains("\x1b[?2026l"));
        for keys in ["?", "j", ESC, CTRL_P, "abc", "\r", "/", "x", "\r", "2", "3", "4", "5", "w", ESC] {
            pty.send(keys);
        }
        pty.settle();
        pty.resize(100, 30);
        pty.wait_text("1 Overview");
        pty.send(ESC);
        pty.settle();
        pty.send(CTRL_C);
        assert_eq!(pty.exit(), 0, "{columns}x{rows}");
        pty.assert_given_back();
    }
}

#[test]
fn a_terminal_that_does_not_know_its_size_is_taken_for_80x24() {
    let mut pty = explorer(&[]).size(0, 0).start();
    pty.wait_for("frame", |pty| pty.since(0).contains("\x1b[24;") && pty.since(0).contains("Overview"));
    pty.send("q");
    assert_eq!(pty.exit(), 0);
}

#[test]
fn after_a_storm_of_sizes_the_screen_is_a_fresh_one() {
    let mut pty = explorer(&[]).size(200, 60).start();
    pty.ready();
    pty.send("?");
    for round in 0..30 {
        pty.resize(10, 3);
        pty.send(["j", "\x1b[6~", "k"][round % 3]);
        pty.resize(200, 60);
        pty.send("j");
    }
    for _ in 0..70 {
        pty.send("k");
    }
    pty.resize(90, 25);
    pty.settle();
    let mut fresh = explorer(&[]).size(90, 25).start();
    fresh.ready();
    fresh.send("?");
    fresh.wait_text("esc closes");
    fresh.settle();
    assert_eq!(pty.picture(), fresh.picture());
}

#[test]
fn a_size_that_came_back_is_drawn_whole() {
    let mut pty = ready(&[]);
    let before = pty.picture();
    // The emulator cuts what does not fit, as terminals do.
    pty.resize(20, 5);
    pty.resize(100, 30);
    pty.settle();
    assert_eq!(pty.picture(), before);
}

#[test]
fn a_terminal_of_more_than_65535_cells_is_drawn() {
    let mut pty = explorer(&[]).size(400, 200).start();
    pty.ready();
    assert!(pty.text().lines().count() == 200 && pty.text().lines().last().unwrap().contains("quit"), "{}", pty.text());
    pty.send("?");
    pty.wait_text("esc closes");
    pty.send("qq");
    assert_eq!(pty.exit(), 0);
}

#[test]
fn the_mouse_at_the_edge_and_beyond_is_harmless() {
    let settings = with_mouse();
    let mut pty = ready(&["--config", name(&settings)]);
    for pane in ["1", "2", "3", "5", "6", "7", "8", "9", "4"] {
        pty.send(pane);
        for (column, row) in [(1, 1), (100, 30), (100, 1), (1, 30), (101, 31), (400, 400), (65535, 65535)] {
            for button in [0, 32, 64, 65] {
                pty.send(&format!("\x1b[<{button};{column};{row}M\x1b[<{button};{column};{row}m"));
            }
        }
    }
    pty.settle();
    pty.send("\x1b[<0;17;1M");
    pty.wait_text("Questions 10 questions");
    pty.send(CTRL_C);
    assert_eq!(pty.exit(), 0);
}

// Rest and writing.

#[test]
fn at_rest_nothing_is_written_and_nothing_runs() {
    let mut pty = ready(&[]);
    let before = work(pty.pid);
    assert!(pty.is_idle(), "something was written: {:?}", pty.since(0));
    assert_eq!(work(pty.pid), before, "no thread was woken, no time was spent");
}

#[test]
fn a_frame_is_one_update_and_one_write() {
    let mut pty = ready(&[]);
    let before = writes(pty.pid);
    let mark = pty.bytes.len();
    pty.send("?");
    pty.wait_text("esc closes");
    pty.settle();
    let written = pty.since(mark);
    let (drawn, outside) = frames(&written);
    assert_eq!((drawn.len(), outside.as_str()), (1, ""));
    if let (Some(before), Some(after)) = (before, writes(pty.pid)) {
        assert_eq!(after - before, 1);
    }
}

#[test]
fn nothing_else_than_frames_is_written() {
    let mut setup = explorer(&[]);
    for (name, value) in [("RUST_LOG", "trace"), ("RUST_BACKTRACE", "full"), ("TOKENIZERS_PARALLELISM", "true")] {
        setup = setup.variable(name, value);
    }
    let mut pty = setup.start();
    pty.ready();
    for keys in ["2", "3", "4", "5", "?", ESC, CTRL_P, "port", ESC, "1", CTRL_L] {
        pty.press(keys);
    }
    pty.settle();
    let written = pty.since(0);
    let (drawn, outside) = frames(&written);
    assert!(drawn.len() > 5);
    assert_eq!(outside, "\x1b[?1049h\x1b[?2004h\x1b]0;recallscope\x07");
    assert!(!written.contains('\n') && !written.contains("\x1b[6n"), "no line breaks, no questions to the terminal");
}

#[test]
fn the_window_title_stays_the_same() {
    let mut pty = ready(&["tests/fixtures/hostile-escapes.json"]);
    for keys in ["2", "3", "4", "5", CTRL_P, "like", "\x1b[B", ESC, "/", "like", "\r"] {
        pty.press(keys);
    }
    pty.send(CTRL_C);
    pty.exit();
    let written = pty.since(0);
    let commands: Vec<&str> = written.split("\x1b]").skip(1).map(|rest| rest.split('\x07').next().unwrap()).collect();
    assert_eq!(commands, ["0;recallscope"]);
}

// Colour and locale.

fn colours(setup: harness::Setup) -> Vec<u16> {
    let mut pty = setup.start();
    pty.ready();
    pty.send("?");
    pty.wait_text("esc closes");
    pty.settle();
    pty.send(CTRL_C);
    assert_eq!(pty.exit(), 0);
    let written = pty.since(0);
    assert!(!written.contains("\x1b[m"), "a bare reset takes bold and reverse away");
    styles(&written).into_iter().flatten().collect()
}

fn is_colour(code: &u16) -> bool {
    matches!(code, 30..=49 | 90..=107)
}

#[test]
fn without_colours_the_selection_is_still_seen() {
    for setup in [
        explorer(&[]).variable("NO_COLOR", "1"),
        explorer(&["--theme", "mono"]),
        explorer(&[]).variable("TERM", "vt100"),
    ] {
        let codes = colours(setup.variable("COLORTERM", "truecolor"));
        assert_eq!(codes.iter().filter(|code| is_colour(code)).count(), 0, "{codes:?}");
        assert!(codes.contains(&7), "what is selected is reversed");
        assert!(codes.contains(&1), "what matters is bold");
    }
    let empty = colours(explorer(&[]).variable("NO_COLOR", ""));
    assert!(empty.iter().any(is_colour), "an empty NO_COLOR says nothing");
    let asked = colours(explorer(&["--colors", "256"]).variable("NO_COLOR", "1"));
    assert!(asked.iter().any(is_colour), "what the command line says goes before the environment");
}

#[test]
fn a_terminal_gets_only_the_colours_that_it_has() {
    let has = |codes: &[u16], part: &[u16]| codes.windows(part.len()).any(|window| window == part);
    let of = |term: &str| colours(explorer(&[]).variable("TERM", term));
    let codes = of("xterm-256color");
    assert!(has(&codes, &[48, 5]) && !has(&codes, &[38, 2]) && !has(&codes, &[48, 2]), "{codes:?}");
    for term in ["xterm-16color", "linux", "xterm"] {
        let codes = of(term);
        assert!(!codes.contains(&38) && !codes.contains(&48), "{term}: {codes:?}");
        assert!(!codes.contains(&5), "{term}: nothing blinks");
        assert!(codes.iter().any(is_colour), "{term}");
    }
    assert!(has(&colours(explorer(&[]).variable("COLORTERM", "truecolor")), &[48, 2]));
}

#[test]
fn a_locale_without_utf8_gets_ascii() {
    for (variable, value) in [("LC_ALL", "C"), ("LC_ALL", "POSIX"), ("LC_ALL", "de_DE.ISO-8859-1")] {
        let mut pty = explorer(&["tests/fixtures/hostile-cjk.json"]).variable(variable, value).start();
        pty.ready();
        for keys in ["?", ESC, CTRL_P, "q0", ESC, "2"] {
            pty.press(keys);
        }
        assert!(pty.bytes.is_ascii(), "{variable}={value}: {}", pty.text());
    }
    for value in ["en_us.UTF8", "C.UTF-8", "ja_JP.utf8"] {
        let mut pty = explorer(&[]).variable("LANG", value).start();
        pty.ready();
        pty.send("?");
        pty.wait_text("╭");
    }
}

// Keys, paste, clipboard.

#[test]
fn pasted_text_is_never_taken_for_keys() {
    let mut pty = ready(&[]);
    let paste = "\x1b[200~qqq\n/x\x1b[31m\x1b[201~";
    pty.send(paste);
    pty.wait_text("pasted text is not taken for keys");
    pty.send("/");
    pty.wait_text("search:");
    pty.send(paste);
    pty.wait_text("search: qqq /x [31m");
    pty.send(ESC);
    pty.settle();
    pty.send(CTRL_P);
    pty.wait_text("Find");
    pty.send(paste);
    pty.wait_text("qqq /x [31m");
    pty.send(ESC);
    pty.settle();
    pty.send("q");
    assert_eq!(pty.exit(), 0);
    pty.assert_given_back();
}

#[test]
fn copying_goes_through_the_terminal_and_says_so() {
    let mut pty = ready(&["tests/fixtures/hostile-escapes.json", "--answers", "tests/fixtures/hostile-answers.json"]);
    for pane in ["1", "2", "3", "4", "5"] {
        pty.send(pane);
        pty.settle();
        let mark = pty.bytes.len();
        pty.send("y");
        pty.settle();
        let written = pty.since(mark);
        match written.split_once("\x1b]52;c;") {
            None => assert!(pty.text().contains("there is nothing to copy here"), "{}", pty.text()),
            Some((_, rest)) => {
                let end = rest.find(['\x07', '\x1b']).unwrap();
                let base64 = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
                assert!(end > 0 && rest[..end].chars().all(base64), "{rest:?}");
                assert!(pty.text().contains("copied the "), "{}", pty.text());
            }
        }
    }
    pty.send("q");
    assert_eq!(pty.exit(), 0);
}

// Other ways to start.

#[test]
fn cases_on_standard_input_leave_the_keys_to_the_terminal() {
    let mut pty = explorer(&["-"]).script(&format!("cat fixtures/cases.json | {SHELL}")).start();
    pty.ready();
    pty.send("?");
    pty.wait_text("esc closes");
    pty.send("qq");
    pty.wait_text("[left with 0]");
    pty.assert_given_back();
    assert_eq!(pty.exit(), 0);
}

#[test]
fn cases_on_standard_input_are_counted_with_a_foreign_tokenizer() {
    let words = temporary(
        r#"{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}}"#,
    );
    let args = ["-", "--tokenizer", name(&words)];
    let mut pty = explorer(&args).script(&format!("cat fixtures/cases.json | {SHELL}")).size(120, 30).start();
    pty.ready();
    pty.wait_text("(tokenizers)");
    pty.settle();
    assert!(pty.text().contains("What is the budget"), "{}", pty.text());
    pty.send("q");
    pty.wait_text("[left with 0]");
}

/// Starts something that must end with one plain sentence.
fn refusal(setup: harness::Setup) -> String {
    let mut pty = setup.start();
    assert_eq!(pty.exit(), 2);
    assert!(pty.is_cooked() && !pty.since(0).contains(ESC), "the terminal was not touched: {:?}", pty.since(0));
    pty.text().replace('\n', " ")
}

#[test]
fn a_terminal_that_cannot_is_told_what_can() {
    let words = refusal(explorer(&[]).size(200, 10).variable("TERM", "dumb"));
    assert_eq!(
        words,
        "error: the terminal (TERM=dumb) cannot show the explorer; `recallscope eval` and `recallscope show` print the same \
         values"
    );
}

#[test]
fn without_a_terminal_for_keys_there_is_one_plain_sentence() {
    let words = refusal(explorer(&[]).size(200, 10).alone().script("exec \"$0\" </dev/null"));
    assert_eq!(
        words,
        "error: there is no terminal to show the explorer on; `recallscope eval` and `recallscope show` print the same values"
    );
}

#[test]
fn the_terminal_cannot_be_the_cases_too() {
    let words = refusal(explorer(&["-"]).size(200, 10));
    assert_eq!(
        words,
        "error: `-` reads standard input, which is the terminal here: name a file, or send one through a pipe"
    );
}

// Texts that a terminal would obey.

#[test]
fn files_cannot_command_the_terminal() {
    for kind in ["controls", "escapes", "bidi", "tabs-crlf", "emoji", "cjk", "arabic"] {
        let file = format!("tests/fixtures/hostile-{kind}.json");
        let mut pty = ready(&[&file, "--answers", "tests/fixtures/hostile-answers.json"]);
        for keys in ["2", "3", "4", "5", "j", "1", CTRL_P, "like", "\x1b[B", "\r", "/", "like", "\r", "w", ESC] {
            pty.press(keys);
        }
        pty.send(CTRL_C);
        assert_eq!(pty.exit(), 0);
        pty.assert_given_back();
        let written = pty.since(0);
        let forbidden = |c: char| {
            (c.is_control() && !"\x1b\x07".contains(c))
                || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        let wild: Vec<char> = written.chars().filter(|&c| forbidden(c)).collect();
        assert!(wild.is_empty(), "{kind}: {wild:?}");
        // Each escape is one of ours.
        for rest in written.split(ESC).skip(1) {
            let ours = rest.starts_with("]0;recallscope\x07")
                || rest.strip_prefix('[').is_some_and(|rest| {
                    let parameters = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';' || c == '?');
                    parameters.starts_with(['H', 'm', 'J', 'K', 'h', 'l'])
                });
            assert!(ours, "{kind}: {rest:?}");
        }
        assert_eq!(written.matches('\x07').count(), 1, "{kind}: only the title's bell");
    }
}

#[test]
fn emoji_leave_no_ghosts() {
    let file = "tests/fixtures/hostile-emoji.json";
    let mut pty = ready(&[file]);
    pty.send(CTRL_P);
    pty.wait_text("Find");
    // The rows move under each other, and back.
    for keys in ["like", "\x1b[B", "\x1b[B", "\x1b[B", "\x1b[A", "\x7f\x7f\x7f\x7f", "u", "\x7f", "q", "\x7f"] {
        pty.press(keys);
    }
    pty.settle();
    let moved = pty.picture();
    pty.send(ESC);
    pty.settle();
    pty.send(CTRL_L);
    pty.settle();
    pty.send(CTRL_P);
    pty.wait_text("Find");
    pty.settle();
    pty.resize(100, 30);
    pty.settle();
    assert_eq!(pty.picture(), moved);
}
