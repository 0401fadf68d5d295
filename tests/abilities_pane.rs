//! The Abilities pane, by key scripts: suites, budgets, cells and their probes, and the layers of the data in view.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{app, app_on, drive, mono, style_of, text, workspace};
use recallscope::abilities::Trial;
use recallscope::governed::{Ability, COST_MATCHED, FIVE_ABILITIES, Suite, System};
use recallscope::tui::PaneKind;
use recallscope::tui::app::App;
use recallscope::tui::theme::{Role, Theme};

const SIZE: (u16, u16) = (120, 40);

fn screen(app: &mut App, keys: &str) -> String {
    text(&drive(app, keys, SIZE))
}

fn row(screen: &str, name: &str) -> String {
    let named = |line: &&str| line.chars().skip(2).collect::<String>().starts_with(&format!("{name} "));
    screen.lines().find(named).unwrap().to_owned()
}

fn suite(name: &str) -> Suite {
    Suite::bundled().unwrap().into_iter().find(|suite| suite.name == name).unwrap()
}

#[test]
fn every_score_on_screen_is_that_of_the_trial() {
    let mut app = app(PaneKind::Abilities);
    for name in [FIVE_ABILITIES, COST_MATCHED] {
        let suite = suite(name);
        let trial = Trial::run(&suite, suite.comparison.budget).unwrap();
        let shown = screen(&mut app, "");
        assert!(shown.contains(&format!(" {name} · {} probes", suite.comparison.probes.len())), "{shown}");
        for tried in &trial.tried {
            let numbers: Vec<String> = row(&shown, &tried.name)
                .split_whitespace()
                .map(|word| word.trim_matches(['[', ']', '!']).to_owned())
                .filter(|word| word.parse::<f64>().is_ok() || word == "–")
                .collect();
            let score = |ability: &Ability| match tried.slices.get(ability).and_then(|slice| slice.score()) {
                Some(score) => format!("{:.2}", score.score()),
                None => "–".to_owned(),
            };
            let mut expected: Vec<String> = Ability::ALL.iter().map(score).collect();
            expected.push(format!("{:.2}", tried.average().unwrap()));
            expected.push(tried.foreign_answers.to_string());
            expected.push(format!("{:.2}", tried.tokens_per_query().unwrap()));
            assert_eq!(numbers, expected, "{name}, {}", tried.name);
        }
        drive(&mut app, "]", SIZE);
    }
    assert!(screen(&mut app, "").contains("suite 1 of 2"), "it goes round");
}

#[test]
fn a_budget_that_a_record_does_not_fit_into_fails_the_gate() {
    let mut app = app(PaneKind::Abilities);
    assert!(screen(&mut app, "b").contains("this suite has one budget only"));
    assert!(screen(&mut app, "]").contains("16 64 [128] tokens a question"));
    let tight = suite(COST_MATCHED);
    let trial = Trial::run(&tight, 16).unwrap();
    let shown = screen(&mut app, "b");
    assert!(shown.contains("[16] 64 128 tokens a question"), "{shown}");
    let ships = trial.failing().is_empty();
    assert_eq!(shown.contains("the governed store reaches every floor"), ships, "{shown}");
    assert!(screen(&mut app, "b b").contains("16 64 [128] tokens a question"));
}

#[test]
fn a_cell_opens_its_probes_and_a_probe_what_was_weighed() {
    let mut app = app(PaneKind::Abilities);
    // Row 2 is the governed store, column 1 the temporal probes.
    let opened = screen(&mut app, "down down right enter");
    assert!(opened.contains("Probes temporal, answered by governed"), "{opened}");
    assert!(opened.contains("✓ what was my home city?  acme/mina as of 15  Munich"), "{opened}");
    assert!(opened.contains("home city = Munich  [10, 20) user"), "{opened}");
    // The transcript leaks what was deleted.
    let leaked = screen(&mut app, "backtab up right right right enter");
    assert!(leaked.contains("Probes deletion, answered by transcript-only"), "{leaked}");
    assert!(leaked.contains("✗ what is my home city?") && leaked.contains(" not no answer"), "{leaked}");
    assert!(leaked.contains("no answer: nothing is readable in this scope"), "{leaked}");
}

#[test]
fn the_average_shows_every_probe() {
    let mut app = app(PaneKind::Abilities);
    let shown = screen(&mut app, "] right right right right right right right tab");
    assert!(shown.contains("Probes every ability, answered by no-memory"), "{shown}");
    let all = suite(COST_MATCHED).comparison.probes.len();
    let last = screen(&mut app, "z G");
    let listed = last.lines().filter(|line| line.contains('✓') && line.contains("tokens")).count()
        + last.lines().filter(|line| line.contains('✗') && line.contains("tokens")).count();
    assert_eq!(listed, all, "{last}");
}

#[test]
fn a_strategy_is_not_asked_about_an_earlier_time() {
    let mut app = app(PaneKind::Abilities);
    let shown = screen(&mut app, "down down down right tab");
    assert!(shown.contains("answered by managed-all"), "{shown}");
    assert!(shown.contains("not asked: a strategy sees the words of a question"), "{shown}");
}

#[test]
fn layers_are_those_of_the_data_in_view_and_open_their_strategy() {
    let mut app = app(PaneKind::Abilities);
    let shown = screen(&mut app, "tab tab");
    let append = row(&shown, "append-all");
    // The first row of that name is the system's; the layers come below.
    let layers = shown.lines().rfind(|line| line.contains("append-all")).unwrap();
    assert!(append != layers && layers.contains("10/10 1.000") && layers.contains("0/7 0.000"), "{shown}");
    let overview = screen(&mut app, "G enter");
    assert!(overview.contains("What went wrong, where?"), "{overview}");
    assert!(screen(&mut app, "backspace").contains("Layers of the data in view"), "the way back");
}

#[test]
fn what_is_below_its_floor_is_told_by_a_sign_and_by_colour() {
    let theme = Theme::default();
    let buffer = drive(&mut app(PaneKind::Abilities), "", SIZE);
    assert_eq!(style_of(&buffer, "!0.00").fg, theme.style(Role::Fail).fg);
    let plain = text(&drive(&mut app_on(workspace(), PaneKind::Abilities, mono()), "right", SIZE));
    assert!(plain.contains("!0.00") && plain.contains("[0.00]"), "{plain}");
}

#[test]
fn the_system_under_the_cursor_is_found_and_copied_by_name() {
    let mut app = app(PaneKind::Abilities);
    let found = screen(&mut app, "/ \"bm25-stem\" enter");
    assert!(found.lines().any(|line| line.contains("▌bm25-stem")), "{found}");
    assert!(found.contains("answered by bm25-stem"), "{found}");
    assert!(System::ALL.iter().all(|system| found.contains(system.name())), "{found}");
}
