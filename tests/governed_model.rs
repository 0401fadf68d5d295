//! Random histories against a naive model: a list of everything that was ever told, folded anew for each question.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use proptest::prelude::*;
use recallscope::governed::{Abstention, Candidate, Kind, Outcome, Query, Reading, Reason, Scope, Source, Store};

const LAST: i64 = 9;
const SLOTS: [&str; 2] = ["home city", "work city"];

#[derive(Debug, Clone)]
enum Step {
    Write { scope: usize, slot: usize, value: u8, time: i64, evidence: u8, ttl: Option<i64>, note: bool, sure: bool },
    Correct { scope: usize, slot: usize, value: u8, time: i64, wrong: usize },
    Withdraw { wrong: usize },
    Backwards { scope: usize, slot: usize, back: i64 },
    Expire,
    Forget { scope: usize, slot: usize },
    Delete { scope: usize },
    Rebuild,
}

fn step() -> impl Strategy<Value = Step> {
    let write = (0..5_usize, 0..2_usize, 0..3_u8, 0..LAST, 0..3_u8, prop::option::weighted(0.2, 0..5_i64));
    prop_oneof![
        8 => (write, prop::bool::weighted(0.1), any::<bool>()).prop_map(|((scope, slot, value, time, evidence, ttl), note, sure)| {
            Step::Write { scope, slot, value, time, evidence, ttl, note, sure }
        }),
        3 => (0..5_usize, 0..2_usize, 0..3_u8, 0..LAST, 0..30_usize)
            .prop_map(|(scope, slot, value, time, wrong)| Step::Correct { scope, slot, value, time, wrong }),
        2 => (0..30_usize).prop_map(|wrong| Step::Withdraw { wrong }),
        1 => (0..5_usize, 0..2_usize, 1..4_i64).prop_map(|(scope, slot, back)| Step::Backwards { scope, slot, back }),
        2 => Just(Step::Expire),
        1 => (0..5_usize, 0..2_usize).prop_map(|(scope, slot)| Step::Forget { scope, slot }),
        1 => (0..5_usize).prop_map(|scope| Step::Delete { scope }),
        1 => Just(Step::Rebuild),
    ]
}

fn scopes() -> Vec<Scope> {
    let of = |tenant: &str, user: Option<&str>| Scope::new(tenant, user.map(str::to_owned)).unwrap();
    vec![of("a", Some("x")), of("a", Some("y")), of("a", None), of("b", Some("x")), of("b", None)]
}

/// Everything that was told about one record.
#[derive(Debug, Clone)]
struct Told {
    candidate: Candidate,
    recorded: i64,
    withdrawn: Option<i64>,
    retired: bool,
    deleted: bool,
}

/// What a read sees of the model.
#[derive(Debug, Clone, Copy)]
struct Look {
    known: i64,
    valid: i64,
    present: Option<i64>,
}

#[derive(Default)]
struct Model {
    told: Vec<Told>,
}

impl Model {
    /// The slot's rows that were known and not withdrawn, in the order of their beginnings; each lasts until the next.
    fn timeline(&self, at: usize, known: i64) -> Vec<usize> {
        let of = &self.told[at].candidate;
        let mut placed: Vec<usize> = (0..self.told.len())
            .filter(|&other| {
                let told = &self.told[other];
                let same = told.candidate.scope == of.scope && told.candidate.key == of.key;
                let semantic = told.candidate.kind == Kind::Semantic;
                same && semantic
                    && !told.deleted
                    && told.recorded <= known
                    && told.withdrawn.is_none_or(|when| known < when)
            })
            .collect();
        placed.sort_by_key(|&other| (self.told[other].candidate.time, other));
        placed
    }

    fn holds(&self, at: usize, look: Look) -> bool {
        let told = &self.told[at];
        if told.deleted || told.retired || told.recorded > look.known || told.candidate.time > look.valid {
            return false;
        }
        if let (Some(present), Some(horizon)) = (look.present, told.candidate.expires_at())
            && present >= horizon
        {
            return false;
        }
        if told.candidate.kind != Kind::Semantic {
            return true;
        }
        let line = self.timeline(at, look.known);
        line.into_iter().rfind(|&other| self.told[other].candidate.time <= look.valid) == Some(at)
    }

    fn answer(&self, reader: &Scope, question: &str, look: Look) -> Seen {
        let words: Vec<&str> = question.split(' ').collect();
        let mut found: Vec<(f64, i64, String, &Candidate)> = Vec::new();
        for at in 0..self.told.len() {
            let candidate = &self.told[at].candidate;
            let owner = &candidate.scope;
            let mine = owner.tenant() == reader.tenant() && (owner.user().is_none() || owner.user() == reader.user());
            let text = format!("{} {}", candidate.key, candidate.value);
            let shared = words.iter().filter(|word| text.split(' ').any(|other| other == **word)).count();
            if mine && shared > 0 && self.holds(at, look) {
                found.push((shared as f64 + candidate.confidence, candidate.time, candidate.id(), candidate));
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2)));
        let Some((score, time, id, best)) = found.first().cloned() else { return Seen::Nothing };
        if score < 1.5 {
            return Seen::Nothing;
        }
        let contradicts = |other: &&(f64, i64, String, &Candidate)| {
            let semantic = best.kind == Kind::Semantic && other.3.kind == Kind::Semantic;
            let elsewhere = other.3.scope != best.scope || other.3.source != best.source;
            other.0 == score
                && other.1 == time
                && semantic
                && elsewhere
                && other.3.key == best.key
                && other.3.value != best.value
        };
        if found.iter().any(|other| contradicts(&other)) { Seen::Conflict } else { Seen::Record(id) }
    }

    fn latest(&self, scope: &Scope, key: &str) -> Option<i64> {
        let slot = self.told.iter().filter(|told| {
            told.candidate.scope == *scope
                && told.candidate.key == key
                && told.candidate.kind == Kind::Semantic
                && !told.deleted
        });
        slot.flat_map(|told| [Some(told.recorded), told.withdrawn]).flatten().max()
    }

    /// Whether a row may be withdrawn.
    fn standing(&self, at: usize) -> bool {
        let told = &self.told[at];
        !told.deleted && !told.retired && told.withdrawn.is_none() && told.candidate.kind == Kind::Semantic
    }

    fn known(&self, candidate: &Candidate) -> bool {
        self.told.iter().any(|told| told.candidate.id() == candidate.id())
    }
}

#[derive(Debug, PartialEq)]
enum Seen {
    Nothing,
    Conflict,
    Record(String),
}

/// What the store's read comes to. No read may weigh a row of another scope.
fn seen(reader: &Scope, reading: &Reading) -> Seen {
    for considered in &reading.considered {
        assert!(reader.reads(&considered.record.scope), "{reader} weighed a row of {}", considered.record.scope);
    }
    match &reading.outcome {
        Outcome::Answered(answer) => Seen::Record(answer.record.id.clone()),
        Outcome::Abstained(Abstention::Conflict { .. }) => Seen::Conflict,
        Outcome::Abstained(_) => Seen::Nothing,
    }
}

fn candidate(scope: &Scope, slot: usize, value: u8, time: i64, evidence: String) -> Candidate {
    Candidate {
        key: SLOTS[slot].to_owned(),
        value: format!("v{value}"),
        scope: scope.clone(),
        evidence,
        time,
        kind: Kind::Semantic,
        source: Source::User,
        confidence: 1.0,
        ttl: None,
    }
}

fn take(store: &mut Store, model: &mut Model, step: &Step, now: i64) {
    let scopes = scopes();
    match step {
        Step::Write { scope, slot, value, time, evidence, ttl, note, sure } => {
            let base = candidate(&scopes[*scope], *slot, *value, *time, format!("e{evidence}"));
            let kind = if *note { Kind::Working } else { Kind::Semantic };
            let written = Candidate { ttl: *ttl, kind, confidence: if *sure { 1.0 } else { 0.5 }, ..base };
            let fresh = !model.known(&written);
            assert_eq!(store.write(&written, Some(now), None).unwrap().id.is_some(), fresh);
            if fresh {
                model.told.push(Told {
                    candidate: written,
                    recorded: now,
                    withdrawn: None,
                    retired: false,
                    deleted: false,
                });
            }
        }
        Step::Correct { scope, slot, value, time, wrong } => {
            let right = candidate(&scopes[*scope], *slot, *value, *time, format!("c{now}"));
            let Some(told) = model.told.get(*wrong).cloned() else { return };
            let fits = told.candidate.scope == right.scope && told.candidate.key == right.key && model.standing(*wrong);
            let written = store.write(&right, Some(now), Some(&told.candidate.id())).unwrap();
            assert_eq!(written.reason == Reason::Accepted, fits, "{written:?}");
            if fits {
                model.told[*wrong].withdrawn = Some(now);
                model.told.push(Told {
                    candidate: right,
                    recorded: now,
                    withdrawn: None,
                    retired: false,
                    deleted: false,
                });
            }
        }
        Step::Withdraw { wrong } => {
            let Some(told) = model.told.get(*wrong).cloned() else { return };
            let reason = store.withdraw(&told.candidate.scope, &told.candidate.id(), now).unwrap();
            assert_eq!(reason == Reason::Accepted, model.standing(*wrong));
            if model.standing(*wrong) {
                model.told[*wrong].withdrawn = Some(now);
            }
        }
        Step::Backwards { scope, slot, back } => {
            let early = candidate(&scopes[*scope], *slot, 0, 1, format!("b{now}"));
            let latest = model.latest(&early.scope, &early.key);
            let moment = now - back;
            let refused = latest.is_some_and(|latest| moment < latest);
            let written = store.write(&early, Some(moment), None).unwrap();
            assert_eq!(written.reason == Reason::ClockRunsBack, refused);
            if !refused {
                model.told.push(Told {
                    candidate: early,
                    recorded: moment,
                    withdrawn: None,
                    retired: false,
                    deleted: false,
                });
            }
        }
        Step::Expire => {
            let due = |model: &Model, at: usize| {
                let told = &model.told[at];
                let open = told.candidate.kind != Kind::Semantic || model.timeline(at, now).last() == Some(&at);
                !told.deleted
                    && !told.retired
                    && open
                    && told.candidate.expires_at().is_some_and(|horizon| horizon <= now)
            };
            let doomed: Vec<usize> = (0..model.told.len()).filter(|&at| due(model, at)).collect();
            let explained = store.would_expire(now).unwrap();
            let dropped = store.expire(now).unwrap();
            assert_eq!((dropped.len(), &dropped), (doomed.len(), &explained));
            doomed.into_iter().for_each(|at| model.told[at].retired = true);
        }
        Step::Forget { scope, slot } => {
            store.forget(&scopes[*scope], SLOTS[*slot]).unwrap();
            let slot = |told: &&mut Told| told.candidate.scope == scopes[*scope] && told.candidate.key == SLOTS[*slot];
            model.told.iter_mut().filter(slot).for_each(|told| told.deleted = true);
        }
        Step::Delete { scope } => {
            assert!(store.delete_subject(&scopes[*scope]).unwrap().complete);
            let own = |told: &&mut Told| told.candidate.scope == scopes[*scope];
            model.told.iter_mut().filter(own).for_each(|told| told.deleted = true);
        }
        Step::Rebuild => store.rebuild_index().unwrap(),
    }
}

/// Every reader, both slots, every pair of clocks; and the present with and without its instant.
fn compare(store: &Store, model: &Model, end: i64) {
    for reader in scopes().iter().chain([&Scope::new("a", Some("nobody".to_owned())).unwrap()]) {
        for question in SLOTS {
            for known in (0..=end).step_by(2).chain([end]) {
                for valid in 0..=LAST {
                    let reading = store.believed_at(question, reader, known, Some(valid)).unwrap();
                    let look = Look { known, valid, present: Some(known) };
                    assert_eq!(
                        seen(reader, &reading),
                        model.answer(reader, question, look),
                        "{reader} {question} {look:?}"
                    );
                }
            }
            let presents = [(Some(4), None), (None, Some(end)), (Some(4), Some(end)), (None, None)];
            for (as_of, now) in presents {
                let query = Query { as_of, now, ..Query::new(question, reader.clone()) };
                let look = Look { known: i64::MAX, valid: as_of.or(now).unwrap_or(i64::MAX), present: now };
                let reading = store.look(&query).unwrap();
                assert_eq!(seen(reader, &reading), model.answer(reader, question, look), "{reader} {query:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_history_answers_like_the_model(steps in prop::collection::vec(step(), 1..28)) {
        let mut store = Store::in_memory().unwrap();
        let mut model = Model::default();
        for (at, step) in steps.iter().enumerate() {
            // Two steps share a moment, so that equal transaction times occur.
            take(&mut store, &mut model, step, at as i64 / 2);
            prop_assert_eq!(store.verify_index().unwrap(), Vec::new());
        }
        compare(&store, &model, steps.len() as i64 / 2 + 1);
    }
}
