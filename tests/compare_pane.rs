//! The Compare pane, driven by keys, and the command that prints the same.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "a test may stop")]

use std::sync::Arc;

use assert_cmd::Command;
use ratatui::buffer::Buffer;
use recallscope::case::CaseSet;
use recallscope::compare::{Comparison, Gate, Measure, Measures, gate, sentence};
use recallscope::evaluate::Evaluation;
use recallscope::memory::StoreKind;
use recallscope::open::Inputs;
use recallscope::select::{ManagedAll, Pool, Query, Ranked, Strategy};
use recallscope::source::Source;
use recallscope::tokens::GemmaCounter;
use recallscope::tui::app::App;
use recallscope::tui::options::Settings;
use recallscope::tui::pane::PaneKind;
use recallscope::tui::theme::Theme;
use recallscope::tui::{draw, press};
use recallscope::workspace::Workspace;

fn bundled() -> Workspace {
    Workspace::open(&Inputs::default(), Arc::new(GemmaCounter)).unwrap()
}

fn case_set(questions: usize) -> CaseSet {
    let questions: Vec<_> = (0..questions)
        .map(|number| {
            serde_json::json!({ "question": format!("What is number {number}?"), "required": ["seven"], "stale": [],
                "forgotten": [] })
        })
        .collect();
    let event = |turn: usize, text: &str, op: &str| serde_json::json!({ "turn": turn, "text": text, "op": op, "attribute": "number" });
    let text = serde_json::json!({
        "conversations": [{ "user": "ann", "events": [event(1, "It is seven.", "remember")], "questions": questions }],
        "facts_quota": 120,
    });
    CaseSet::load(&Source::new("test", text.to_string())).unwrap()
}

/// Sends the first lines of the pool, as many as its number says, under a name of its own.
struct Numbered(String, usize);

impl Strategy for Numbered {
    fn name(&self) -> &str {
        &self.0
    }

    fn summary(&self) -> &str {
        "for a test"
    }

    fn store(&self) -> StoreKind {
        StoreKind::Append
    }

    fn rank(&self, query: Query<'_>, pool: &Pool) -> Vec<Ranked> {
        ManagedAll.rank(query, pool).into_iter().take(self.1).collect()
    }
}

fn with_strategies(cases: CaseSet, strategies: Vec<Arc<dyn Strategy>>) -> Workspace {
    Workspace::of(Evaluation::run(Arc::new(cases), strategies, Arc::new(GemmaCounter)).unwrap(), None)
}

fn numbered(cases: CaseSet, count: usize) -> Workspace {
    let strategy = |number: usize| -> Arc<dyn Strategy> { Arc::new(Numbered(format!("strategy-{number:02}"), number)) };
    with_strategies(cases, (0..count).map(strategy).collect())
}

fn bundled_cases() -> CaseSet {
    CaseSet::load(&recallscope::bundled::cases()).unwrap()
}

fn app(workspace: Workspace, keys: &str) -> App {
    app_at(workspace, keys, (120, 40), false)
}

fn app_at(workspace: Workspace, keys: &str, (width, height): (u16, u16), ascii: bool) -> App {
    let mut settings = Settings::default();
    settings.theme = Theme { ascii, ..Theme::default() };
    let mut app = App::new(settings, PaneKind::Compare);
    app.loaded(Arc::new(workspace));
    draw(&app, width, height);
    // All scripts begin at the baseline itself.
    press(&mut app, &format!("left {keys}"), |app| {
        draw(app, width, height);
    })
    .unwrap();
    app
}

fn text(buffer: &Buffer) -> String {
    let cells: Vec<&str> = buffer.content.iter().map(|cell| cell.symbol()).collect();
    cells.chunks(usize::from(buffer.area.width).max(1)).map(|row| row.concat() + "\n").collect()
}

fn screen(app: &App) -> String {
    text(&draw(app, 120, 40))
}

#[track_caller]
fn shows(screen: &str, wanted: &str) {
    assert!(screen.contains(wanted), "no \"{wanted}\" in\n{screen}");
}

#[test]
fn the_bundled_pairs_are_measured() {
    let workspace = bundled();
    let measures = Measures::all(&workspace);
    let [all, relevant, append] = measures[..] else { panic!("three strategies") };
    let signed = |of: &Measures, measure: Measure| measure.signed(of, &all);
    assert_eq!(signed(&relevant, Measure::FactsFound), "-4");
    assert_eq!(signed(&relevant, Measure::MemoryTokens), "-541");
    assert_eq!(signed(&relevant, Measure::StaleLines), "0");
    assert_eq!(signed(&relevant, Measure::Pass), "-10");
    assert_eq!(signed(&append, Measure::StaleLines), "+3");
    assert_eq!(signed(&append, Measure::ForgottenLines), "+2");
    assert_eq!(signed(&append, Measure::MemoryTokens), "+241");
    assert_eq!(signed(&append, Measure::Pass), "-15");
    assert_eq!((gate(&relevant, &all), gate(&append, &all)), (Gate::Ok, Gate::Selected));
    assert_eq!(
        sentence("managed-relevant", &relevant, "managed-all", &all),
        "managed-relevant sends 541 tokens fewer than managed-all, but finds 4 facts fewer and passes 10 answers fewer"
    );
}

#[test]
fn the_differences_add_up_to_the_measures() {
    let workspace = bundled();
    for (selected, baseline) in [(1, 0), (2, 0), (0, 2), (2, 1)] {
        let comparison = Comparison::of(&workspace, selected, baseline);
        let sums = &workspace.evaluation.summaries;
        let sum = |of: fn(&recallscope::compare::Side) -> usize| {
            comparison.differences.iter().map(|d| of(&d.selected) as i64 - of(&d.baseline) as i64).sum::<i64>()
        };
        let whole = |of: fn(&recallscope::grade::BlockSummary) -> usize| {
            of(&sums[selected]) as i64 - of(&sums[baseline]) as i64
        };
        assert_eq!(sum(|side| side.found), whole(|sum| sum.facts_found));
        assert_eq!(sum(|side| side.tokens), whole(|sum| sum.memory_tokens));
        assert_eq!(sum(|side| side.stale + side.forgotten), whole(|sum| sum.leaks()));
        let passed = workspace.tally(selected).pass as i64 - workspace.tally(baseline).pass as i64;
        assert_eq!(sum(|side| side.answers.pass), passed);
        assert!(comparison.differences.is_sorted_by(|a, b| a.size() >= b.size()));
    }
    assert!(Comparison::of(&workspace, 1, 1).differences.is_empty());
}

#[test]
fn the_pane_opens_with_a_strategy_to_compare() {
    let mut app = App::new(Settings::default(), PaneKind::Compare);
    app.loaded(Arc::new(bundled()));
    let first = screen(&app);
    shows(&first, "▌managed-relevant");
    shows(&first, "managed-relevant sends 541 tokens fewer than managed-all");
    // Nobody has moved the shared cursor yet: elsewhere it is where it was.
    press(&mut app, "2 3 j 2", |app| _ = draw(app, 120, 40)).unwrap();
    shows(&screen(&app), "managed-relevant strategy 2 of 3");
    press(&mut app, "3 left 1 3", |app| _ = draw(app, 120, 40)).unwrap();
    shows(&screen(&app), "managed-all is the baseline.");
    let mut app = App::new(Settings::default(), PaneKind::Compare);
    app.loaded(Arc::new(bundled()));
    press(&mut app, "b", |app| _ = draw(app, 120, 40)).unwrap();
    shows(&screen(&app), "Measures against append-all");
    shows(&screen(&app), "▌managed-relevant");
}

#[test]
fn questions_that_only_cost_more_are_counted_apart() {
    let wide = text(&draw(&app_at(bundled(), "right right", (200, 60), false), 200, 60));
    shows(&wide, "5 of 10 differ in facts, leaks or answers, 5 only in tokens: append-all against managed-all");
    shows(&wide, "facts leaks answers  facts leaks answers  what differs");
    let narrow = text(&draw(&app_at(bundled(), "right right", (80, 24), false), 80, 24));
    shows(&narrow, "5 of 10 differ in facts, leaks or answers, 5 only in tokens");
}

#[test]
fn the_baseline_itself_is_explained() {
    let screen = screen(&app(bundled(), ""));
    shows(&screen, "managed-all is the baseline. ← and → choose what is measured against it, b another baseline.");
    shows(&screen, "What the others do");
    shows(&screen, "gate FAILED: append-all leaks 2 forgotten and 3 stale lines more than managed-all");
}

#[test]
fn moving_right_compares_the_next_strategy() {
    let app = app(bundled(), "right");
    let first = screen(&app);
    shows(&first, "managed-relevant sends 541 tokens fewer than managed-all, but finds 4 facts fewer");
    shows(&first, "▌managed-relevant");
    shows(&first, "6/10     -4 worse");
    shows(&first, "-541 better");
    shows(&first, "4 of 10 differ in facts, leaks or answers, 6 only in tokens: managed-relevant against managed-all");
    shows(&first, "▌chen  Order snacks for the team meeting.");
    shows(&first, "loses 1 fact, 5 answers fewer pass, 52 tokens fewer");
    let second = screen(&app_at(bundled(), "right right right", (120, 40), false));
    shows(&second, "gate FAILED: append-all leaks");
    shows(&second, "leaks 1 forgotten line, 5 answers fewer pass, 31 tokens more");
    shows(&screen(&app_at(bundled(), "right right left left left", (120, 40), false)), "managed-all is the baseline.");
}

#[test]
fn the_baseline_cycles_past_the_selected_strategy() {
    shows(&screen(&app(bundled(), "right b")), "Measures against append-all");
    shows(&screen(&app(bundled(), "right b")), "gate FAILED by the baseline: managed-relevant leaks");
    shows(&screen(&app(bundled(), "right b b")), "Measures against managed-all");
    shows(&screen(&app(bundled(), "b")), "Measures against managed-relevant");
    let one = with_strategies(case_set(1), vec![Arc::new(ManagedAll)]);
    shows(&screen(&app(one, "b")), "there is no other strategy to measure against");
}

#[test]
fn enter_opens_the_question_under_the_selected_strategy() {
    let mut app = app(bundled(), "right j j enter");
    assert!(!screen(&app).contains("Measures against"), "another pane");
    press(&mut app, "3", |_| {}).unwrap();
    // Back here by its tab: the shared cursor says the same question and strategy.
    shows(&screen(&app), "▌alice When do we travel to Porto?");
    shows(&screen(&app), "▌managed-relevant");
    press(&mut app, "backspace backspace", |_| {}).unwrap();
    shows(&screen(&app), "▌alice When do we travel to Porto?");
}

#[test]
fn the_cursor_stays_on_its_question_when_the_strategy_changes() {
    let app = app(bundled(), "right j right");
    shows(&screen(&app), "▌bob   Which operating system");
}

#[test]
fn searching_looks_at_the_questions() {
    let app = app(bundled(), "right / \"hotel\" enter");
    shows(&screen(&app), "▌alice What is the budget");
    let none = app_at(bundled(), "right / \"zebra\" enter n", (120, 40), false);
    shows(&screen(&none), "\"zebra\" is not here");
}

#[test]
fn copying_takes_the_question() {
    let mut app = app(bundled(), "right y");
    let effects = app.take_effects();
    let copied = recallscope::tui::app::Effect::Copy("Order snacks for the team meeting.".to_owned());
    assert_eq!(effects, [copied]);
}

#[test]
fn zoom_gives_the_focused_part_the_whole_pane() {
    let list = screen(&app(bundled(), "right z"));
    assert!(!list.contains("Measures against"), "{list}");
    let plot = screen(&app(bundled(), "right backtab z"));
    shows(&plot, "Recall against memory tokens");
    shows(&plot, "[2] managed-relevant");
    assert!(!plot.contains("questions of 10"), "{plot}");
    shows(&screen(&app(bundled(), "right tab z")), "pass rate");
}

#[test]
fn every_size_is_drawn() {
    for keys in ["", "right", "right tab", "right tab tab", "right z", "right tab z", "right tab tab z"] {
        for size in [(0, 0), (1, 1), (20, 5), (40, 10), (80, 24), (90, 60), (120, 40), (200, 60)] {
            let app = app_at(bundled(), keys, size, false);
            draw(&app, size.0, size.1);
        }
    }
}

#[test]
fn twelve_strategies_scroll_sideways_beside_the_baseline() {
    let app = app_at(numbered(bundled_cases(), 12), "", (80, 24), false);
    let first = text(&draw(&app, 80, 24));
    shows(&first, "strategy-00");
    assert!(!first.contains("strategy-11 "), "{first}");
    let keys = "right ".repeat(11);
    let last = app_at(numbered(bundled_cases(), 12), &keys, (80, 24), false);
    let last = text(&draw(&last, 80, 24));
    shows(&last, "▌strategy-11");
    shows(&last, " strategy-00");
    shows(&last, "of 11 others");
    for size in [(40, 10), (120, 40), (200, 60)] {
        let app = app_at(numbered(bundled_cases(), 12), &keys, size, false);
        shows(&text(&draw(&app, size.0, size.1)), "strategy-11");
    }
}

#[test]
fn points_that_meet_are_all_in_the_legend() {
    let app = app(numbered(case_set(2), 5), "right tab tab");
    let screen = screen(&app);
    // Four of the five send the same single line.
    assert_eq!(screen.matches(" [2] ").count(), 5, "{screen}");
}

#[test]
fn without_recordings_there_are_no_answers() {
    let workspace = with_strategies(bundled_cases(), recallscope::select::builtin());
    let screen = screen(&app(workspace, "right"));
    assert!(!screen.contains("answers passed") && !screen.contains('●'), "{screen}");
    shows(&screen, "managed-relevant sends 541 tokens fewer than managed-all, but finds 4 facts fewer.");
    shows(&screen, "loses 1 fact, 52 tokens fewer");
}

#[test]
fn empty_states_have_a_sentence() {
    let none = with_strategies(case_set(0), recallscope::select::builtin());
    shows(&screen(&app(none, "right b tab enter j")), "The case set asks no question: there is nothing to compare.");
    let one = with_strategies(case_set(1), vec![Arc::new(ManagedAll)]);
    shows(&screen(&app(one, "right tab")), "managed-all is the only strategy: there is nothing to measure it against.");
    shows(&screen(&app(with_strategies(case_set(1), Vec::new()), "right b")), "There is no strategy to compare.");
    let same = numbered(case_set(1), 3);
    shows(
        &screen(&app(same, "right right b")),
        "strategy-02 and strategy-01 have the same measures on every question.",
    );
}

#[test]
fn nothing_required_means_no_recall_to_draw() {
    let mut cases = case_set(1);
    cases.conversations[0].questions[0].required.clear();
    let screen = screen(&app(numbered(cases, 2), "right"));
    assert_eq!(screen.matches("not drawn: no recall").count(), 2, "{screen}");
}

#[test]
fn the_ascii_theme_draws_ascii() {
    for keys in ["", "right", "right right tab", "right tab tab"] {
        for size in [(60, 12), (80, 24), (90, 60), (160, 50)] {
            let app = app_at(bundled(), keys, size, true);
            let screen = text(&draw(&app, size.0, size.1));
            assert!(screen.is_ascii(), "{screen}");
        }
    }
}

#[test]
fn a_click_selects_what_is_under_it() {
    use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
    let mut app = app(bundled(), "right");
    let mut click = |wanted: &str| {
        let rows: Vec<String> = screen(&app).lines().map(str::to_owned).collect();
        let (row, line) = rows.iter().enumerate().find(|(_, line)| line.contains(wanted)).unwrap();
        let column = line.split(wanted).next().unwrap().chars().count() as u16;
        let kind = MouseEventKind::Down(MouseButton::Left);
        app.mouse(MouseEvent { kind, column, row: row as u16, modifiers: KeyModifiers::NONE });
        screen(&app)
    };
    shows(&click("Who approves my desk"), "▌bob   Who approves my desk");
    shows(&click("append-all  "), "▌append-all");
}

fn command(arguments: &[&str]) -> String {
    let output = Command::cargo_bin("recallscope").unwrap().arg("compare").args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_command_prints_what_the_pane_shows() {
    let table = command(&[]);
    shows(&table, "managed-all (baseline)");
    shows(&table, "-541 better");
    shows(&table, "FAILED");
    shows(&table, "managed-relevant sends 541 tokens fewer than managed-all, but finds 4 facts fewer");
    shows(&command(&["--questions"]), "loses 1 fact, 5 answers fewer pass, 52 tokens fewer");
    shows(&command(&["--format", "markdown", "--baseline", "append-all"]), "| append-all (baseline)");
    let csv = command(&["--format", "csv"]);
    shows(&csv, "managed-relevant,memory_tokens,91,632,-541,better,ok\n");
    shows(&csv, "append-all,stale_lines,3,0,3,worse,failed\n");
    let csv = command(&["--format", "csv", "--questions"]);
    assert_eq!(csv.lines().count(), 21, "a head and ten questions a strategy");
}

#[test]
fn the_command_writes_json() {
    let json: serde_json::Value = serde_json::from_str(&command(&["--format", "json"])).unwrap();
    assert_eq!(json["baseline"], "managed-all");
    let relevant = &json["strategies"]["managed-relevant"];
    assert_eq!(relevant["measures"]["facts_found"], 6);
    assert_eq!(relevant["against_baseline"]["measures"]["memory_tokens"]["difference"], -541);
    assert_eq!(relevant["against_baseline"]["questions"][0]["differs"][0], "loses 1 fact");
    assert_eq!(json["strategies"]["append-all"]["gate"], "failed");
    assert!(json["strategies"]["managed-all"].get("against_baseline").is_none());
}

#[test]
fn a_baseline_that_is_not_there_is_named() {
    let output = Command::cargo_bin("recallscope").unwrap().args(["compare", "--baseline", "x"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    shows(
        &String::from_utf8_lossy(&output.stderr),
        "--baseline x: no such strategy, expected one of managed-all, managed-relevant, append-all",
    );
}
