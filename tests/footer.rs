//! The footer tells the truth: the keys that work now, what Esc would do now, and what a search has found.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{app, drive, text};
use recallscope::tui::PaneKind;
use recallscope::tui::app::App;

/// The last row after some keys.
fn footer_at(app: &mut App, keys: &str, size: (u16, u16)) -> String {
    text(&drive(app, keys, size)).lines().last().unwrap().trim().to_owned()
}

fn footer(app: &mut App, keys: &str) -> String {
    footer_at(app, keys, (120, 40))
}

#[test]
fn an_open_overlay_shows_its_own_keys() {
    let mut app = app(PaneKind::Overview);
    let words = footer(&mut app, "?");
    assert!(words.starts_with("↑↓ scroll") && words.ends_with("esc closes"), "{words}");
    let words = footer(&mut app, "esc w");
    assert!(words.starts_with("↑↓ scroll") && words.ends_with("esc closes"), "{words}");
    let words = footer(&mut app, "esc ctrl-p");
    assert_eq!(words, "type to narrow  ↑↓ choose  enter opens  esc closes");
    assert!(footer(&mut app, "esc").ends_with("q quit"));
}

#[test]
fn a_line_being_typed_shows_how_to_end_it_where_there_is_room() {
    let mut app = app(PaneKind::Overview);
    assert!(footer(&mut app, "/ \"x\"").ends_with("enter finds · esc drops"));
    assert!(footer_at(&mut app, "", (120, 12)).starts_with("search: x"));
    let long = "a letter a letter a letter a letter a letter a letter";
    assert!(!footer_at(&mut app, &format!("\"{long}\""), (80, 24)).contains("esc drops"));
    assert!(footer(&mut app, "esc 4 a").ends_with("enter keeps · esc drops"));
}

#[test]
fn esc_says_what_it_does_now() {
    let mut app = app(PaneKind::Overview);
    assert!(!footer(&mut app, "").contains("esc"));
    assert!(footer(&mut app, "f").starts_with("esc clear filters"));
    assert!(footer(&mut app, "z").starts_with("esc unzoom"));
    assert!(!footer(&mut app, "").contains("z zoom"), "it is zoomed already");
    assert!(footer(&mut app, "esc / \"w\" enter").starts_with("match "), "what was found is said first");
    assert!(footer(&mut app, "down").starts_with("esc stop search"));
    assert!(footer(&mut app, "esc").starts_with("esc clear filters"));
    assert!(footer(&mut app, "esc 2 s").starts_with("esc one side"));
    assert!(footer(&mut app, "6 f").starts_with("esc show all"));
    assert!(footer(&mut app, "esc tab").starts_with("esc to the queue"));
}

#[test]
fn a_number_in_replay_says_what_can_be_done_with_it() {
    let mut app = app(PaneKind::Replay);
    let words = footer(&mut app, "3");
    assert!(words.starts_with("G go to turn  enter Compare  esc drop"), "{words}");
    let words = footer(&mut app, "8");
    assert!(words.starts_with("G go to turn  esc drop"), "{words}");
    let zoomed = footer(&mut app, "esc z 3");
    assert!(zoomed.starts_with("G go to turn  enter Compare  esc drop"), "{zoomed}");
    let dropped = footer(&mut app, "esc");
    assert!(dropped.starts_with("esc unzoom"), "the number goes before the zoom: {dropped}");
}

#[test]
fn the_most_useful_keys_fit_on_80_columns_and_general_ones_never_go_before() {
    for (pane, keys, hints) in [
        (PaneKind::Overview, "", "enter open  ←→ strategy  f failures  c cause  x disagree"),
        (PaneKind::Question, "", "←→ strategy  f failure  ] question  enter open  tab next part"),
        (PaneKind::Compare, "right", "enter open  ←→ strategy  b baseline  r ranking  tab next part"),
        (PaneKind::Replay, "", "[] step  } next change  tab next part  z zoom  a ask"),
        (PaneKind::Answers, "", "enter open  v verdict"),
        (PaneKind::Triage, "", "x key wrong  o key right  i pattern  ] next  tab next part"),
    ] {
        let words = footer_at(&mut app(pane), keys, (80, 24));
        assert!(words.starts_with(hints), "{pane:?}: {words}");
        assert!(words.ends_with("? help  q quit"), "{pane:?}: {words}");
    }
    for pane in PaneKind::ALL {
        let mut app = app(pane);
        let wide = footer_at(&mut app, "", (400, 24));
        for columns in (40..160).step_by(3) {
            let words = footer_at(&mut app, "", (columns, 24));
            let own = words.trim_end_matches("? help  q quit").trim_end();
            assert!(wide.starts_with(own), "{pane:?} at {columns}: {words}");
        }
    }
}

#[test]
fn triage_is_offered_where_one_is_not_there_already() {
    assert!(footer_at(&mut app(PaneKind::Overview), "", (200, 60)).contains("t triage this"));
    assert!(!footer_at(&mut app(PaneKind::Triage), "", (400, 60)).contains("triage this"));
}

#[test]
fn a_search_says_which_match_it_is_at() {
    let mut app = app(PaneKind::Overview);
    let typing = footer(&mut app, "/ \"should\"");
    assert!(typing.contains("match 1 of 3 (n next, N before)  enter finds · esc drops"), "{typing}");
    assert_eq!(footer(&mut app, "enter"), "match 1 of 3 (n next, N before)");
    assert_eq!(footer(&mut app, "n"), "match 2 of 3 (n next, N before)");
    assert_eq!(footer(&mut app, "n n"), "match 1 of 3, on from the top (n next, N before)");
    assert_eq!(footer(&mut app, "N"), "match 3 of 3, on from the end (n next, N before)");
    assert_eq!(footer(&mut app, "/ \"on-call\" enter n"), "the only match");
    assert_eq!(footer(&mut app, "/ \"nowhere\" enter"), "\"nowhere\" is not here");
    // Another list has other matches.
    assert_eq!(footer(&mut app, "/ \"should\" enter u u g n"), "match 2 of 2 (n next, N before)");
    assert_eq!(footer(&mut app, "esc esc n"), "nothing was searched for yet");
}

#[test]
fn every_pane_counts_its_matches() {
    for (pane, keys) in [
        (PaneKind::Question, "/ \"a\" enter"),
        (PaneKind::Compare, "right / \"a\" enter"),
        (PaneKind::Replay, "/ \"a\" enter"),
        (PaneKind::Replay, "} tab / \"a\" enter"),
        (PaneKind::Answers, "/ \"a\" enter"),
        (PaneKind::Triage, "/ \"a\" enter"),
    ] {
        let words = footer(&mut app(pane), keys);
        assert!(words.starts_with("match ") || words == "the only match", "{pane:?}: {words}");
    }
}
