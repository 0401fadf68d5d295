//! What a person waits for: the first frame, the evaluation, a key at 100,000 questions, a replay step at 100,000 events.
//!
//! `cargo bench --bench explorer`. Sizes double where growth matters, so that the ratio of two lines says whether the cost
//! is linear.
#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use recallscope::case::generate::{bundled_cases, long_events, scaled, to_json};
use recallscope::case::{CaseSet, LongReplay};
use recallscope::evaluate::Evaluation;
use recallscope::grade::AnswerKeys;
use recallscope::open::Inputs;
use recallscope::select;
use recallscope::source::Source;
use recallscope::tokens::GemmaCounter;
use recallscope::tui::app::App;
use recallscope::tui::options::Settings;
use recallscope::tui::{PaneKind, draw};
use recallscope::workspace::Workspace;

const SIZE: (u16, u16) = (120, 40);

fn start(c: &mut Criterion) {
    c.bench_function("start/first frame (still loading)", |b| {
        b.iter(|| {
            let app = App::new(Settings::default(), PaneKind::Overview);
            black_box(draw(&app, SIZE.0, SIZE.1))
        });
    });
    c.bench_function("start/bundled data to a complete Overview", |b| {
        b.iter(|| {
            let mut app = App::new(Settings::default(), PaneKind::Overview);
            app.loaded(Arc::new(Workspace::open(&Inputs::default(), Arc::new(GemmaCounter)).unwrap()));
            black_box(draw(&app, SIZE.0, SIZE.1))
        });
    });
}

fn evaluation(c: &mut Criterion) {
    let mut group = c.benchmark_group("evaluation");
    group.sample_size(10);
    for users in [25, 50, 100, 200] {
        let cases = Arc::new(scaled(users, 100, 100));
        group.throughput(Throughput::Elements(cases.question_count() as u64));
        group.bench_with_input(BenchmarkId::new("questions", cases.question_count()), &cases, |b, cases| {
            b.iter(|| Evaluation::run(cases.clone(), select::builtin(), Arc::new(GemmaCounter)).unwrap());
        });
    }
    for users in [25, 50, 100] {
        let text = to_json(&scaled(users, 100, 100)).unwrap();
        group.throughput(Throughput::Bytes(text.len() as u64));
        let source = Source::new("scaled.json", text);
        group.bench_with_input(BenchmarkId::new("load", users * 100), &source, |b, source| {
            b.iter(|| CaseSet::load(source).unwrap());
        });
    }
    group.finish();
}

fn workspace_of(cases: CaseSet) -> Workspace {
    Workspace::build(Arc::new(cases), AnswerKeys::default(), Vec::new(), Arc::new(GemmaCounter)).unwrap()
}

fn keys(c: &mut Criterion) {
    let mut group = c.benchmark_group("key to frame at 100,000 questions");
    group.sample_size(20).measurement_time(Duration::from_secs(3));
    let workspace = Arc::new(workspace_of(scaled(1_000, 100, 100)));
    let key = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
    let presses = [
        ("overview: down", PaneKind::Overview, key('j')),
        ("overview: end", PaneKind::Overview, key('G')),
        ("overview: only failures", PaneKind::Overview, key('f')),
        ("question: next", PaneKind::Question, key(']')),
        ("question: next failure", PaneKind::Question, key('f')),
        ("compare: down", PaneKind::Compare, key('j')),
        ("compare: baseline", PaneKind::Compare, key('b')),
        ("replay: step", PaneKind::Replay, key(']')),
        ("go to compare", PaneKind::Overview, key('3')),
    ];
    for (name, pane, press) in presses {
        let mut app = App::new(Settings::default(), pane);
        app.loaded(workspace.clone());
        draw(&app, SIZE.0, SIZE.1);
        group.bench_function(name, |b| {
            b.iter(|| {
                app.key(press);
                black_box(draw(&app, SIZE.0, SIZE.1))
            });
        });
    }
    let mut app = App::new(Settings::default(), PaneKind::Overview);
    app.loaded(workspace.clone());
    app.key(key('/'));
    group.bench_function("overview: a letter of a search that finds nothing", |b| {
        b.iter(|| {
            app.key(key('q'));
            let frame = black_box(draw(&app, SIZE.0, SIZE.1));
            app.key(KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE));
            frame
        });
    });
    let mut app = App::new(Settings::default(), PaneKind::Overview);
    app.loaded(workspace);
    app.key(KeyEvent::new(KeyCode::Char('p'), KeyModifiers::CONTROL));
    group.bench_function("finder: a letter", |b| {
        b.iter(|| {
            app.key(key('b'));
            let frame = black_box(draw(&app, SIZE.0, SIZE.1));
            app.key(KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE));
            frame
        });
    });
    group.finish();
}

fn replay(c: &mut Criterion) {
    let mut group = c.benchmark_group("replay step");
    group.sample_size(20);
    for events in [200_u64, 50_000, 100_000] {
        // A fifth of the turns have an event.
        let events = long_events(events * 5);
        let count = events.len();
        let replay = LongReplay { user: "dana".into(), events, sample_every: 1_000 };
        let cases = CaseSet { long_replay: Some(replay), ..bundled_cases() };
        let mut app = App::new(Settings::default(), PaneKind::Replay);
        app.loaded(Arc::new(workspace_of(cases)));
        app.key(KeyEvent::new(KeyCode::End, KeyModifiers::NONE));
        draw(&app, SIZE.0, SIZE.1);
        let step = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
        group.bench_function(BenchmarkId::new("back and forth", count), |b| {
            b.iter_batched(
                || (),
                |()| {
                    app.key(step('['));
                    draw(&app, SIZE.0, SIZE.1);
                    app.key(step(']'));
                    black_box(draw(&app, SIZE.0, SIZE.1))
                },
                BatchSize::SmallInput,
            );
        });
        app.key(step('a'));
        "budget".chars().for_each(|c| app.key(step(c)));
        app.key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE));
        group.bench_function(BenchmarkId::new("back and forth with a question asked", count), |b| {
            b.iter(|| {
                app.key(step('['));
                draw(&app, SIZE.0, SIZE.1);
                app.key(step(']'));
                black_box(draw(&app, SIZE.0, SIZE.1))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, start, evaluation, keys, replay);
criterion_main!(benches);
