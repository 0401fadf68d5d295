//! The pictures of the README are what `show` draws today. `RECALLSCOPE_PICTURES=write cargo test --test pictures` redraws them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use recallscope::triage::Triage;
use recallscope::tui::options::{Settings, ShowFormat};
use recallscope::tui::{PaneKind, show};

const PICTURES: [(&str, PaneKind, &str, (u16, u16)); 8] = [
    ("overview", PaneKind::Overview, "down down down right right", (110, 24)),
    ("question", PaneKind::Question, "f right right down down down down down down down down down down down", (120, 26)),
    ("compare", PaneKind::Compare, "right", (120, 30)),
    ("replay", PaneKind::Replay, "} } } } }", (120, 34)),
    ("triage", PaneKind::Triage, "tab down down", (120, 32)),
    ("answers", PaneKind::Answers, "v s s s down down down down down enter", (120, 36)),
    (
        "store",
        PaneKind::Store,
        "o / \"a withdrawn move\" enter enter a \"home city\" enter tab tab tab tab left left p left left",
        (120, 32),
    ),
    ("abilities", PaneKind::Abilities, "] down right right right right tab", (120, 40)),
];

#[test]
fn the_pictures_are_up_to_date() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/pictures");
    for (name, pane, keys, size) in PICTURES {
        let drawn =
            show(common::workspace(), &Triage::default(), &Settings::default(), pane, keys, size, ShowFormat::Svg)
                .unwrap();
        let path = format!("{folder}/{name}.svg");
        if std::env::var("RECALLSCOPE_PICTURES").as_deref() == Ok("write") {
            std::fs::write(&path, &drawn).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == drawn, "{name}.svg is not what `show` draws; see the head of tests/pictures.rs");
    }
}
