//! The Answers pane: filters, the proof of a grade, the ways in and out, and answers that bite.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "test helpers")]

use std::sync::{Arc, LazyLock};

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Modifier;
use serde_json::json;

use recallscope::bundled;
use recallscope::case::CaseSet;
use recallscope::diagnosis::Diagnosis;
use recallscope::grade::{AnswerKeys, Verdict};
use recallscope::open::Inputs;
use recallscope::recording::Recording;
use recallscope::source::Source;
use recallscope::tokens::GemmaCounter;
use recallscope::triage::{Cause, Triage};
use recallscope::tui::action::Action;
use recallscope::tui::app::App;
use recallscope::tui::keymap::Keymap;
use recallscope::tui::options::Settings;
use recallscope::tui::pane::answers::AnswersPane;
use recallscope::tui::pane::{Cursor, Pane, Response, Typing, View};
use recallscope::tui::theme::ColorDepth;
use recallscope::tui::theme::{Role, Theme};
use recallscope::tui::{PaneKind, draw, press};
use recallscope::workspace::{AnswerRef, Workspace};

static BUNDLED: LazyLock<Arc<Workspace>> =
    LazyLock::new(|| Arc::new(Workspace::open(&Inputs::default(), Arc::new(GemmaCounter)).unwrap()));

/// The bundled cases and keys with other recordings.
fn with_recordings(recordings: Vec<Recording>) -> Arc<Workspace> {
    let cases = Arc::new(CaseSet::load(&bundled::cases()).unwrap());
    let keys = AnswerKeys::load(&bundled::answer_keys()).unwrap();
    Arc::new(Workspace::build(cases, keys, recordings, Arc::new(GemmaCounter)).unwrap())
}

fn recording(name: &str, answers: &serde_json::Value) -> Recording {
    let text = json!({"model": {"name": name}, "system": "Be kind.", "answers": answers}).to_string();
    Recording::load(&Source::new(format!("{name}.json"), text)).unwrap()
}

fn app_with(workspace: &Arc<Workspace>, theme: Theme) -> App {
    let mut settings = Settings::default();
    settings.theme = theme;
    let mut app = App::new(settings, PaneKind::Answers);
    app.loaded(workspace.clone());
    app
}

/// An app on the bundled data after some keys, and its screen.
fn after(keys: &str, (width, height): (u16, u16)) -> (App, Buffer) {
    let mut app = app_with(&BUNDLED, Theme::default());
    draw(&app, width, height);
    press(&mut app, keys, |app| _ = draw(app, width, height)).unwrap();
    let buffer = draw(&app, width, height);
    (app, buffer)
}

fn rows(buffer: &Buffer) -> Vec<String> {
    let row = |row: &[Cell]| row.iter().map(Cell::symbol).collect::<String>();
    buffer.content.chunks(usize::from(buffer.area.width).max(1)).map(row).collect()
}

fn screen(keys: &str) -> String {
    rows(&after(keys, (120, 40)).1).join("\n")
}

/// The cells that spell a text, at its last place on the screen.
fn cells<'a>(buffer: &'a Buffer, text: &str) -> Vec<&'a Cell> {
    let width = usize::from(buffer.area.width);
    let length = text.chars().count();
    let spelled = |cells: &[Cell]| cells.iter().map(Cell::symbol).collect::<String>() == text;
    let row = buffer.content.chunks(width).rev().find_map(|row| row.windows(length).rev().find(|cells| spelled(cells)));
    row.unwrap_or_else(|| panic!("{text:?} is not on the screen:\n{}", rows(buffer).join("\n"))).iter().collect()
}

#[test]
fn filters_narrow_and_escape_clears_them() {
    assert!(screen("").contains("all 150 answers"));
    assert!(screen("").contains("● 95 pass  ✗ 55 fail  ◌ 0 incomplete"));
    let failed = screen("v s s s");
    assert!(failed.contains("25 of 150: fail · append-all"), "{failed}");
    assert!(failed.contains("● 0 pass  ✗ 25 fail  ◌ 0 incomplete"), "{failed}");
    assert!(failed.contains("esc clears"), "{failed}");
    assert!(screen("v s s").contains("20 of 150: fail · managed-relevant"));
    assert!(screen("v s s s s").contains("55 of 150: fail"));
    assert!(screen("v s s s esc").contains("all 150 answers"));
    let reasons: Vec<String> = (1..=6).map(|times| screen(&format!("s s s {}", "r ".repeat(times)))).collect();
    assert!(reasons.iter().any(|screen| screen.contains("5 of 150: append-all · \"states a forgotten fact\"")));
    assert!(
        reasons[0].contains("10 of 150: append-all · \"states a replaced fact as current\""),
        "the most common failure"
    );
    // The reasons that occur, then all again.
    assert!(screen(&format!("v s s s {}", "r ".repeat(5))).contains("25 of 150: fail · append-all"));
}

#[test]
fn one_question_alone_and_back() {
    let only = screen("j j o");
    assert!(only.contains("15 of 150: What should I eat for dinner?"), "{only}");
    assert!(only.contains("Answer 3 of 15"), "{only}");
    let all = screen("j j o o");
    assert!(all.contains("all 150 answers") && all.contains("Answer 3 of 150"), "{all}");
}

#[test]
fn the_text_filter_works_while_typing() {
    let typing = screen("f \"passp\"");
    assert!(typing.contains("15 of 150: text \"passp\""), "{typing}");
    assert!(typing.contains("text: passp"), "{typing}");
    let nothing = screen("f \"passpzz\"");
    assert!(nothing.contains("No answer passes the filters; esc clears them."), "{nothing}");
    assert!(nothing.contains("No answer is chosen."), "{nothing}");
    assert!(screen("j j f \"passp\" esc").contains("Answer 3 of 150"), "Esc goes back to where one was");
    assert!(screen("f \"P1234567\" enter").contains("5 of 150: text \"P1234567\""));
    assert!(screen("f \"p1234567\" enter esc").contains("all 150 answers"));
}

#[test]
fn verdicts_without_answers_are_passed_over() {
    assert!(screen("v").contains("55 of 150: fail"));
    assert!(screen("v v").contains("95 of 150: pass"), "nothing is incomplete");
    assert!(screen("v v v").contains("all 150 answers"));
    // append-all never says anything right about this question.
    let wrong = screen("s s s f \"passport\" enter v v");
    assert!(wrong.contains("5 of 150: append-all · text \"passport\""), "{wrong}");
    let none = screen("f \"zebra\" enter v v enter tab i j l y");
    assert!(none.contains("No answer passes the filters"), "{none}");
}

#[test]
fn causes_are_filtered_and_proven() {
    let mut app = app_with(&BUNDLED, Theme::default());
    let screen = |app: &mut App, keys: &str| {
        press(app, keys, |app| _ = draw(app, 200, 60)).unwrap();
        rows(&draw(app, 200, 60)).join("\n")
    };
    assert!(screen(&mut app, "c").contains("the causes are not worked out yet"));
    app.diagnosed(Arc::new(Diagnosis::of(&BUNDLED, &Triage::default())));
    let diagnosis = Diagnosis::of(&BUNDLED, &Triage::default());
    let count = |cause| BUNDLED.all_answers().filter(|at| diagnosis.cause(*at) == Some(cause)).count();
    for cause in Cause::ALL.into_iter().filter(|cause| count(*cause) > 0) {
        let shown = screen(&mut app, "c");
        assert!(shown.contains(&format!("{} of 150: cause {}", count(cause), cause.name())), "{shown}");
        // The detail names the layer that broke as well.
        let layers: &[&str] = match cause {
            Cause::Unused => &[" (use)"],
            Cause::Missing => &[" (retrieval)"],
            Cause::FaultyKey => &[""],
            Cause::Stale | Cause::Forgotten => &[" (lifecycle)", " (use)"],
        };
        let named = |layer: &&str| shown.contains(&format!("cause {}{layer}: ", cause.name()));
        assert!(layers.iter().any(named), "the detail: {shown}");
    }
    assert!(screen(&mut app, "c").contains("all 150 answers"), "a cause that does not occur is passed over");
    let listed = screen(&mut app, "v");
    assert!(listed.contains("cause") && listed.contains("forgotten"), "{listed}");
}

#[test]
fn several_recordings_are_told_apart_by_their_files() {
    let answers = |text: &str| {
        let answer = json!([{"seed": 1, "answer": text}]);
        json!({"append-all": {"Which database does the billing service use?": answer}})
    };
    let named = |name: &str, text: &str| {
        let file = json!({"model": {"name": "gemma"}, "system": "", "answers": answers(text)}).to_string();
        Recording::load(&Source::new(name, file)).unwrap()
    };
    let both = with_recordings(vec![named("runs/monday.json", "MySQL."), named("runs/tuesday.json", "No idea.")]);
    let screen = |keys: &str| {
        let mut app = app_with(&both, Theme::default());
        press(&mut app, keys, |app| _ = draw(app, 200, 60)).unwrap();
        text_of(&app)
    };
    let all = screen("");
    assert!(all.contains("monday.json (gemma) · append-all") && all.contains(" tuesday.json (gem"), "{all}");
    let second = screen("d d");
    assert!(second.contains("1 of 2: tuesday.json"), "{second}");
    assert!(second.contains("tuesday.json (gemma) · append-all · seed 1"), "{second}");
    assert!(screen("d d d").contains("all 2 answers of 2 recordings"));
    let overview = screen("1");
    assert!(overview.contains("●│✗"), "what two recordings say stands apart: {overview}");
    let alike = with_recordings(vec![named("a/run.json", "MySQL."), named("b/run.json", "No idea.")]);
    let mut app = app_with(&alike, Theme::default());
    press(&mut app, "d", |_| ()).unwrap();
    assert!(text_of(&app).contains("1 of 2: a/run.json"), "{}", text_of(&app));
    assert!(self::screen("d").contains("there is no other recording"));
}

#[test]
fn the_proof_of_a_grade() {
    let forgotten = screen("v s s s f \"passport\" enter");
    for words in ["states a forgotten fact", "forgotten (must not): matched \"P1234567\"", "pattern P1234567"] {
        assert!(forgotten.contains(words), "{words}\n{forgotten}");
    }
    assert!(forgotten.contains("197 tokens: system 21, user 162, chat template 14"), "{forgotten}");
    assert!(forgotten.contains("F  - [#4] My passport number is P1234567."), "{forgotten}");
    let missing = screen("v");
    for words in
        ["○  10 to 13 November (must): no match", "same text as all 4 others", "✓  required   10 to 13 November"]
    {
        assert!(missing.contains(words), "{words}\n{missing}");
    }
    let (_, zoomed) = after("v enter z", (100, 50));
    let zoomed = rows(&zoomed).join("\n");
    for words in ["done reason  stop", "model        gemma4:e2b", "tool calls   none", "160 prompt, 7 answer"] {
        assert!(zoomed.contains(words), "{words}\n{zoomed}");
    }
}

#[test]
fn an_excused_match_is_marked_and_says_why() {
    let answer = json!([{"seed": 7, "answer": "Billing uses MySQL, not PostgreSQL.\nPostgres is old."}]);
    let answers = json!({"append-all": {"Which database does the billing service use?": answer}});
    let app = app_with(&with_recordings(vec![recording("m", &answers)]), Theme::default());
    let buffer = draw(&app, 160, 50);
    let shown = rows(&buffer).join("\n");
    for words in [
        "✓s Billing uses MySQL, not PostgreSQL.",
        "s  Postgres is old.",
        "s  stale (must not): matched \"PostgreSQL\", \"Postgres\", excused",
        "excused by \"not\", \"old\": the sentence says it was replaced",
        "replaced \\bnot\\b|n't|",
    ] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    assert!(cells(&buffer, "Postgres is old.")[0].modifier.contains(Modifier::UNDERLINED));
}

#[test]
fn matches_are_highlighted_by_what_they_mean() {
    let (_, buffer) = after("v s s s f \"passport\" enter", (120, 40));
    let theme = Theme::default();
    let forgotten = theme.style(Role::ForgottenMatch);
    for text in ["P1234567.", "passport number is P1234567"] {
        let cells = cells(&buffer, text);
        let span = if text.starts_with('P') { cells[0] } else { cells[cells.len() - 1] };
        assert_eq!(Some(span.bg), forgotten.bg, "{text}");
        assert!(span.modifier.contains(Modifier::BOLD));
    }
    // The row under the cursor stands out, with the focus and without.
    for keys in ["", "enter"] {
        let (_, buffer) = after(keys, (120, 40));
        let (first, second) = (buffer[(5, 4)].bg, buffer[(5, 5)].bg);
        assert_eq!(Some(first), theme.style(Role::Selected).bg, "{keys}");
        assert_ne!(first, second);
    }
    let (_, mono) = {
        let mut app = app_with(&BUNDLED, Theme { depth: ColorDepth::None, ..theme });
        press(&mut app, "v s s s f \"passport\" enter enter", |_| ()).unwrap();
        let buffer = draw(&app, 120, 40);
        (app, buffer)
    };
    assert!(cells(&mono, "P1234567.")[0].modifier.contains(Modifier::REVERSED));
    assert!(mono[(5, 4)].modifier.contains(Modifier::BOLD), "the row of the answer being read");
}

#[test]
fn search_goes_from_answer_to_answer_and_marks() {
    let found = "/ \"postgres\" enter";
    let (_, buffer) = after(found, (120, 40));
    let text = rows(&buffer).join("\n");
    assert!(text.contains("Which database does the billing service use?"), "{text}");
    assert_eq!(Some(cells(&buffer, "Postgre")[0].bg), Theme::default().style(Role::Found).bg);
    let place = |keys: &str| {
        let screen = screen(keys);
        let at =
            screen.find("Answer ").map(|_| screen.lines().find(|line| line.contains(" of 150 ─")).unwrap().to_owned());
        at.unwrap()
    };
    assert_ne!(place(found), place(&format!("{found} n")));
    assert_eq!(place(found), place(&format!("{found} n N")));
    assert!(screen("/ \"zebra\" enter n").contains("\"zebra\" is not here"));
}

#[test]
fn reading_goes_on_to_the_next_answer_and_to_the_question() {
    assert!(screen("enter right right left").contains("▸Answer 2 of 150 · ← before, → next"));
    assert!(screen("enter esc").contains("▸Answers"));
    assert!(screen("enter tab").contains("▸Answers"));
    for keys in ["i", "enter enter"] {
        let screen = screen(keys);
        assert!(screen.contains("Why did it fail?"), "{screen}");
    }
    assert!(screen("j j j i backspace").contains("Answer 4 of 150"), "back at the same answer");
}

/// A view of a workspace for calls on the pane itself.
fn view<'a>(workspace: &'a Arc<Workspace>, theme: &'a Theme, keymap: &'a Keymap, cursor: Cursor) -> View<'a> {
    View {
        workspace,
        diagnosis: None,
        ranked: &recallscope::tui::ranked::Ranked::Unasked,
        theme,
        keymap,
        cursor,
        zoomed: false,
        needle: "",
    }
}

#[test]
fn the_shared_cursor_follows_and_is_followed() {
    let (theme, keymap) = (Theme::default(), Keymap::default());
    let at = |cursor| view(&BUNDLED, &theme, &keymap, cursor);
    let mut pane = AnswersPane::default();
    pane.enter(&at(Cursor::default()));
    let Response::Moved(cursor) = pane.update(Action::Last, &at(Cursor::default())) else { unreachable!() };
    let last = AnswerRef { recording: 0, group: 29, answer: 4 };
    assert_eq!((cursor.question, cursor.strategy, cursor.answer), (9, 2, Some(last)));
    let Response::Go(route) = pane.update(Action::OpenQuestion, &at(cursor)) else { unreachable!() };
    assert_eq!((route.pane, route.cursor), (PaneKind::Question, cursor));

    // Filters that hide what the cursor names are cleared, the others stay.
    pane.update(Action::FilterVerdict, &at(cursor));
    pane.update(Action::AnswersStrategy, &at(cursor));
    let passed = Cursor {
        question: 0,
        strategy: 0,
        answer: Some(AnswerRef { recording: 0, group: 0, answer: 3 }),
        moment: None,
    };
    pane.enter(&at(passed));
    let (what, text) = pane.copy(&at(passed)).unwrap();
    assert_eq!((what, text.as_str()), ("answer", "I eat fish now, but still no meat."));
    let Response::Moved(cursor) = pane.update(Action::Last, &at(passed)) else { unreachable!() };
    assert_eq!(cursor.strategy, 0, "the filter of the strategy still holds");

    // The person went on to another question elsewhere: its first answer counts, not the one chosen before.
    let elsewhere = Cursor { question: 3, strategy: 2, ..passed };
    pane.enter(&at(elsewhere));
    let (_, text) = pane.copy(&at(elsewhere)).unwrap();
    assert!(text.contains("P1234567"), "{text}");
}

#[test]
fn a_click_chooses() {
    let (theme, keymap) = (Theme::default(), Keymap::default());
    let (mut app, _) = after("", (120, 40));
    let click = |app: &mut App, column, row| {
        app.mouse(crossterm::event::MouseEvent {
            kind: crossterm::event::MouseEventKind::Down(crossterm::event::MouseButton::Left),
            column,
            row,
            modifiers: crossterm::event::KeyModifiers::NONE,
        });
        rows(&draw(app, 120, 40)).join("\n")
    };
    assert!(click(&mut app, 10, 7).contains("Answer 4 of 150"));
    assert!(click(&mut app, 10, 30).contains("▸Answer 4 of 150"));
    assert!(click(&mut app, 119, 39).contains("▸Answer 4 of 150"));
    press(&mut app, "z", |app| _ = draw(app, 120, 40)).unwrap();
    assert!(click(&mut app, 10, 5).contains("▸Answer 4 of 150"), "the list is not on screen");
    let mut pane = AnswersPane::default();
    assert_eq!(pane.click(3, 3, false, &view(&BUNDLED, &theme, &keymap, Cursor::default())), Response::Ignored);
}

#[test]
fn every_size_is_drawn_with_every_key() {
    for size in [(0, 0), (1, 1), (20, 5), (40, 10), (41, 13), (80, 24), (120, 40), (149, 15), (150, 15), (200, 60)] {
        for keys in ["", "enter", "enter z G", "v v v", "f \"x", "/ \"the\" n N", "G pageup h l tab backtab k j y o o"]
        {
            after(keys, size);
        }
    }
}

fn hostile() -> Arc<Workspace> {
    let long = format!("{} passport P1234567 end", "x".repeat(100_000));
    let texts = [
        "\u{1b}[2J\u{1b}]52;c;aGk=\u{7}P1234567\u{9b}31m \u{202e}txt\u{2066} pa\u{200b}ss\ttab\r\nnext\rmid\u{0}\u{7f}",
        "👩\u{200d}🔬 🚀\u{fe0f} ⚠\u{fe0f} 🇧🇷 e\u{301}\u{301}\u{301} 日本語 P1234567",
        "مرحبا שלום می\u{200c}خواهم P1234567",
        long.as_str(),
        "",
        " \n\n ",
        &"\n".repeat(5_000),
        &"P1234567".repeat(3_000),
    ];
    let answer = |text: &&str| json!({"answer": text, "tool_calls": [{"x": "\u{1b}[31m"}], "done_reason": "\u{9b}1m"});
    let answers: Vec<_> = texts.iter().map(answer).collect();
    let question = "Can you fill in my passport number on the form?";
    let evil = "no\u{1b}]0;t\u{7}\u{202e}body";
    let answers = json!({"append-all": {question: answers, evil: [answers[0]]}, evil: {question: [answers[0]]}});
    with_recordings(vec![recording("a\u{1b}[1m", &answers), recording("b\u{202e}", &answers)])
}

#[test]
fn hostile_answers_stay_text() {
    let workspace = hostile();
    for size in [(40, 10), (80, 24), (120, 40), (200, 60)] {
        let mut app = app_with(&workspace, Theme::default());
        let check = |app: &App| {
            let buffer = draw(app, size.0, size.1);
            for cell in &buffer.content {
                let bad = |c: char| {
                    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}')
                };
                assert!(!cell.symbol().chars().any(bad), "{:?}", cell.symbol());
            }
        };
        check(&app);
        let down =
            "enter G l G l G l G l G l G l G l G l G l l l l l l l l l l esc o o s s s r r r / \"p1\" n enter esc";
        press(&mut app, down, check).unwrap();
    }
}

#[test]
fn strangers_to_the_case_set_are_shown_with_what_is_known() {
    let mut app = app_with(&hostile(), Theme::default());
    press(&mut app, "v v f \"body\" enter enter", |_| ()).unwrap();
    let shown = rows(&draw(&app, 100, 60)).join("\n");
    for words in ["2 of 20", "no answer key", "No key: the answer cannot be graded.", "does not have this question"] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    press(&mut app, "i", |_| ()).unwrap();
    assert!(rows(&draw(&app, 100, 60)).join("\n").contains("the case set does not have this question"));
}

#[test]
fn the_ascii_theme_draws_ascii() {
    let mut app = app_with(&BUNDLED, Theme { ascii: true, ..Theme::default() });
    for keys in ["", "v s s s", "r r", "enter", "z", "G", "/ \"the\"", "enter esc esc esc"] {
        press(&mut app, keys, |_| ()).unwrap();
        for size in [(80, 24), (120, 40), (200, 60)] {
            let buffer = draw(&app, size.0, size.1);
            for row in rows(&buffer) {
                assert!(row.is_ascii(), "{keys}: {row}");
            }
        }
    }
}

#[test]
fn without_recordings_it_says_how_to_get_some() {
    for workspace in [with_recordings(vec![]), with_recordings(vec![recording("m", &json!({}))])] {
        let mut app = app_with(&workspace, Theme::default());
        let shown = rows(&draw(&app, 120, 40)).join("\n");
        assert!(shown.contains("No answers recorded."), "{shown}");
        assert!(shown.contains("--answers FILE"), "{shown}");
        press(&mut app, "v s o r t i enter tab j k l G esc y z / \"x\" n enter", |app| _ = draw(app, 80, 24)).unwrap();
    }
}

#[test]
fn a_hundred_thousand_answers_are_listed_and_filtered() {
    let answer = json!({"seed": 1, "answer": "Billing uses MySQL, not PostgreSQL, as far as the notes say."});
    let answers: Vec<_> = (0..100).map(|_| &answer).collect();
    let questions: serde_json::Map<String, _> =
        (0..1000).map(|number| (format!("q{number}"), json!(answers))).collect();
    let workspace = with_recordings(vec![recording("m", &json!({"append-all": questions}))]);
    assert_eq!(workspace.all_answers().count(), 100_000);
    let mut app = app_with(&workspace, Theme::default());
    press(&mut app, "G k", |app| _ = draw(app, 200, 60)).unwrap();
    assert!(text_of(&app).contains("Answer 99999 of 100000"), "{}", text_of(&app));
    press(&mut app, "f \"far as\" enter", |app| _ = draw(app, 200, 60)).unwrap();
    assert!(text_of(&app).contains("100000 of 100000: text \"far as\""), "{}", text_of(&app));
}

fn text_of(app: &App) -> String {
    rows(&draw(app, 200, 60)).join("\n")
}

#[test]
fn typing_on_the_pane_itself_gives_up_cleanly() {
    let (theme, keymap) = (Theme::default(), Keymap::default());
    let view = view(&BUNDLED, &theme, &keymap, Cursor::default());
    let mut pane = AnswersPane::default();
    pane.enter(&view);
    assert_eq!(pane.update(Action::Cancel, &view), Response::Ignored, "nothing to clear");
    pane.update(Action::Down, &view);
    assert_eq!(
        pane.update(Action::FilterText, &view),
        Response::Prompt { label: "text".to_owned(), text: String::new() }
    );
    pane.typed("postgres", Typing::Changed, &view);
    let Response::Moved(cursor) = pane.typed("postgres", Typing::GivenUp, &view) else { unreachable!() };
    assert_eq!(cursor.answer, Some(AnswerRef { recording: 0, group: 0, answer: 1 }));
    assert_eq!(BUNDLED.answer(cursor.answer.unwrap()).unwrap().3.verdict, Verdict::Pass);
}
