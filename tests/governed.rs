//! The governed store against `fixtures/governed/governed-expected.json`: every scenario is a test of its own, and whatever a
//! scenario holds that no check reads is a failure.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "governed/pure.rs"]
mod pure;
#[path = "governed/read.rs"]
mod read;
#[path = "governed/steps.rs"]
mod steps;

use std::collections::BTreeSet;

use serde_json::Value;

fn fixture() -> Value {
    serde_json::from_str(include_str!("../fixtures/governed/governed-expected.json")).unwrap()
}

fn check(name: &str) {
    let fixture = fixture();
    let scenario = fixture["scenarios"].as_array().unwrap().iter().find(|scenario| scenario["name"] == name).unwrap();
    let mut scenario = read::Fields::of(scenario);
    scenario.take("name");
    scenario.take("about");
    if let Some(steps) = scenario.find("steps") {
        steps::run(name, steps.as_array().unwrap().len());
    } else {
        let input = scenario.find("input");
        pure::run(name, input.as_ref(), &scenario.take("expect"));
    }
    scenario.done();
}

macro_rules! scenarios {
    ($($test:ident = $name:literal,)+) => {
        $(#[test] fn $test() { check($name); })+

        #[test]
        fn every_scenario_of_the_file_is_checked() {
            let fixture = fixture();
            let named = fixture["scenarios"].as_array().unwrap().iter().map(|scenario| scenario["name"].as_str().unwrap());
            let listed = [$($name),+];
            assert_eq!(listed.len(), 33);
            assert_eq!(named.collect::<BTreeSet<_>>(), listed.into_iter().collect());
        }
    };
}

scenarios! {
    write_gate = "write gate",
    write_gate_edges = "write gate, edges",
    newer_fact_supersedes = "newer fact supersedes",
    two_clocks = "two clocks",
    a_withdrawn_move = "a withdrawn move",
    an_old_fact_learned_late = "an old fact learned late",
    a_fact_of_the_future = "a fact of the future",
    isolation = "isolation",
    shared_rows_of_a_tenant = "shared rows of a tenant",
    time_to_live = "time to live",
    ties = "ties",
    replays = "replays",
    names_that_run_together = "names that run together",
    self_editing_agent = "self-editing agent",
    temporary_mode = "temporary mode",
    deletion_is_a_traversal = "deletion is a traversal",
    summaries_of_summaries = "summaries of summaries",
    weak_evidence_for_a_summary = "weak evidence for a summary",
    unsafe_ranking_leaks = "unsafe ranking leaks",
    forgetting_policies_disagree = "forgetting policies disagree",
    capacity = "capacity",
    deletion_of_one_of_three_contributors = "deletion of one of three contributors",
    lessons_earn_promotion = "lessons earn promotion",
    rollback = "rollback",
    support_of_two_on_thin_evidence = "support of two on thin evidence",
    the_same_case_twice_is_no_support = "the same case twice is no support",
    support_of_two_on_enough_evidence = "support of two on enough evidence",
    a_lesson_that_breaks_solved_cases = "simple gate, a lesson that breaks solved cases",
    regression_gate = "regression gate",
    abstention_threshold = "abstention threshold",
    cache_keys = "cache keys",
    five_abilities = "five abilities",
    cost_matched_comparison = "cost-matched comparison",
}
