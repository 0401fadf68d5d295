//! Scenarios that run operations on a store: what the library reads and runs, held against what the file expects.

use recallscope::bundled;
use recallscope::governed::Store;
use recallscope::governed::scenario::{Operation, Outcome, Scenario, Scenarios};

/// Reads all scenarios with steps and gives the one of a name.
pub fn scenario(name: &str) -> Scenario {
    let read = Scenarios::load(&bundled::governed()).unwrap();
    read.scenarios.into_iter().find(|scenario| scenario.name == name).unwrap()
}

pub fn run(name: &str, steps: usize) {
    let scenario = scenario(name);
    assert_eq!(scenario.steps.len(), steps, "every step of the file is read");
    let mut store = Store::in_memory().unwrap();
    for (at, step) in scenario.steps.iter().enumerate() {
        // Each policy names beforehand exactly what it drops.
        let would = match &step.operation {
            Operation::Expire { now } => Some(store.would_expire(*now).unwrap()),
            Operation::Decay { k } => Some(store.would_decay(*k).unwrap()),
            Operation::Evict { n, scope } => Some(store.would_evict(scope, *n).unwrap()),
            _ => None,
        };
        let found = step.operation.run(&mut store).unwrap();
        if let (Some(would), Outcome::Dropped(dropped)) = (&would, &found) {
            assert_eq!(would, dropped);
        }
        if let Outcome::Consolidated(made) = &found
            && let Some(id) = &made.id
        {
            assert_eq!(store.parents(id).unwrap(), made.parents);
        }
        assert_eq!(found.to_value(), step.expect, "step {}: {:?}", at + 1, step.operation);
        assert!(step.holds(&found));
        assert_eq!(store.verify_index().unwrap(), [], "the index after step {}: {:?}", at + 1, step.operation);
    }
}
