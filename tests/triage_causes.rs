//! The cause of each failure, with its proof, and what the prompts of a recording tell.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::sync::Arc;

use common::{decided, workspace};
use recallscope::bundled;
use recallscope::case::{CaseSet, Fact};
use recallscope::grade::{AnswerKeys, Verdict};
use recallscope::provenance::{Provenance, ProvenanceVerdict};
use recallscope::recording::Recording;
use recallscope::report::{self, CauseReport};
use recallscope::source::Source;
use recallscope::tokens::GemmaCounter;
use recallscope::triage::{
    AnswerChoice, AnswerState, BlockState, Cause, Causes, DecisionVerdict, Link, Proof, Standing, StayedOut, Triage,
};
use recallscope::workspace::Workspace;

fn causes_of(workspace: &Workspace, triage: &Triage) -> Causes {
    Causes::of(workspace, &Standing::of(triage, workspace), &Provenance::of(workspace))
}

fn causes(workspace: &Workspace) -> Causes {
    causes_of(workspace, &Triage::default())
}

/// Forgotten, stale, missing, unused, faulty key.
fn by_cause(causes: &Causes) -> Vec<[usize; 5]> {
    causes.totals.iter().map(|totals| Cause::ALL.map(|cause| totals.of(cause))).collect()
}

/// The bundled data, with the case set, the keys or the recording changed.
fn changed(cases: impl Fn(&mut CaseSet), keys: &str, recording: impl Fn(&mut Recording)) -> Workspace {
    let mut set = CaseSet::load(&bundled::cases()).unwrap();
    cases(&mut set);
    let keys = if keys.is_empty() { bundled::answer_keys() } else { Source::new("keys.json", keys) };
    let mut recorded = Recording::load(&bundled::answers()).unwrap();
    recording(&mut recorded);
    let keys = AnswerKeys::load(&keys).unwrap();
    Workspace::build(Arc::new(set), keys, vec![recorded], Arc::new(GemmaCounter)).unwrap()
}

#[test]
fn every_bundled_failure_has_its_cause() {
    let workspace = workspace();
    let causes = causes(&workspace);
    assert_eq!(by_cause(&causes), [[0, 0, 0, 10, 0], [0, 0, 20, 0, 0], [5, 10, 0, 10, 0]]);
    let passing: Vec<usize> = causes.totals.iter().map(|totals| totals.pass).collect();
    assert_eq!(passing, [40, 30, 25]);
    assert_eq!(causes.answers.len(), 55);
    assert_eq!(causes.blocks.len(), 30);
    assert!(causes.answers.iter().all(|finding| finding.made_from_block == Some(true)));
}

#[test]
fn the_cause_agrees_with_the_recorded_reason() {
    for finding in causes(&workspace()).answers {
        let expected = match finding.reason.as_str() {
            "states a forgotten fact" => vec![Cause::Forgotten],
            "states a replaced fact as current" => vec![Cause::Stale],
            _ => vec![Cause::Missing, Cause::Unused],
        };
        assert!(matches!(finding.cause, AnswerState::Cause(cause) if expected.contains(&cause)), "{finding:?}");
    }
}

#[test]
fn with_the_desk_question_decided_its_failures_are_of_the_key() {
    let workspace = workspace();
    let expected = [[0, 0, 0, 5, 5], [0, 0, 15, 0, 5], [5, 10, 0, 5, 5]];
    let triage = decided(&workspace, "bob/2", DecisionVerdict::KeyWrong, "ada", |_| {});
    assert_eq!(by_cause(&causes_of(&workspace, &triage)), expected);
    // The same where each refusal is judged right, and where a corrected key says so.
    let answers = decided(&workspace, "bob/2", DecisionVerdict::AnswerRight, "ada", |proposal| {
        proposal.answers = Some(AnswerChoice::All);
    });
    assert_eq!(by_cause(&causes_of(&workspace, &answers)), expected);
    let corrected = decided(&workspace, "bob/2", DecisionVerdict::KeyWrong, "ada", |proposal| {
        proposal.patterns = vec![("Priya".into(), "do not have any stored notes".into())];
    });
    assert_eq!(by_cause(&causes_of(&workspace, &corrected)), expected);
    let causes = causes_of(&workspace, &triage);
    let finding = causes.answers.iter().find(|f| f.cause == AnswerState::Cause(Cause::FaultyKey)).unwrap();
    assert!(matches!(&*finding.proof, Proof::Decided(decided) if decided.author == "ada"), "{finding:?}");
    assert_eq!(finding.sentence, "ada decided \u{201c}key wrong\u{201d}: because");
    let block = causes.blocks.iter().find(|b| b.strategy == "managed-relevant" && b.question == "bob/2").unwrap();
    assert_eq!(block.cause, BlockState::Cause(Cause::FaultyKey));
}

#[test]
fn a_corrected_key_has_a_say_of_its_own() {
    let workspace = workspace();
    // Wrong in another way: now it wants the desk, which the refusals name, and a word that nobody said.
    let triage = decided(&workspace, "bob/2", DecisionVerdict::KeyTooWide, "ada", |proposal| {
        proposal.patterns = vec![("Priya".into(), r"\bdesk\b".into()), ("day".into(), "monday".into())];
    });
    let causes = causes_of(&workspace, &triage);
    assert_eq!(by_cause(&causes), [[0, 0, 0, 10, 0], [0, 0, 20, 0, 0], [5, 10, 0, 10, 0]]);
    let finding = causes.answers.iter().find(|finding| finding.question == "bob/2").unwrap();
    let Proof::Lacks(musts) = &*finding.proof else { panic!("{finding:?}") };
    assert_eq!((musts.len(), musts[0].name.as_str(), musts[0].link), (1, "day", Link::None));
    assert!(finding.sentence.contains("suspicious: the pattern of \u{201c}day\u{201d} matches no required line"));
}

#[test]
fn missing_says_why_the_record_stayed_out() {
    let workspace = workspace();
    let stayed_out = |causes: &Causes, strategy: &str, question: &str| {
        let found = causes.answers.iter().find(|f| f.strategy == strategy && f.question == question).unwrap();
        let Proof::Lacks(musts) = &*found.proof else { panic!("{found:?}") };
        assert_eq!(found.cause, AnswerState::Cause(Cause::Missing));
        musts[0].facts[0].lines[0].stayed_out.clone().unwrap()
    };
    let why = "shares no word with the question".to_owned();
    assert_eq!(stayed_out(&causes(&workspace), "managed-relevant", "alice/3"), StayedOut::NotRanked { why });
    let small = changed(|cases| cases.facts_quota = 5, "", |_| {});
    let StayedOut::OverQuota { tokens } = stayed_out(&causes(&small), "managed-all", "alice/3") else { panic!() };
    assert!(tokens > 0);
    // A key that still wants a forgotten and a replaced fact, and one that was never said.
    let demanding = |fact: &str, pattern: &str| {
        let keys = format!(r#"{{"keys": {{"alice/4": {{"must": {{"x": "{pattern}"}}}}}}}}"#);
        let fact = fact.to_owned();
        let set = move |cases: &mut CaseSet| {
            let question = &mut cases.conversations[0].questions[3];
            question.required = vec![Fact::Text(fact.clone())];
            question.forgotten.clear();
        };
        stayed_out(&causes(&changed(set, &keys, |_| {})), "managed-all", "alice/4")
    };
    assert_eq!(demanding("P1234567", "my passport number is P1234567"), StayedOut::Forgotten { turn: 35 });
    let superseded = demanding("150 euros", "150 euros per night");
    assert!(matches!(superseded, StayedOut::Superseded { turn: 22, .. }), "{superseded:?}");
    assert_eq!(superseded.words(), "superseded by #7 at turn 22");
    assert_eq!(demanding("a yellow boat", "yellow"), StayedOut::NeverStored);
}

#[test]
fn forgotten_and_stale_point_at_the_words_and_at_what_overruled_them() {
    let workspace = workspace();
    let causes = causes(&workspace);
    let proof = |cause: Cause, question: &str| {
        let of =
            |f: &&recallscope::triage::AnswerFinding| f.cause == AnswerState::Cause(cause) && f.question == question;
        let found = causes.answers.iter().find(of).unwrap();
        let Proof::Stated { stated, facts, .. } = &*found.proof else { panic!("{found:?}") };
        assert_eq!(found.answer.get(stated[0].start..stated[0].end), Some(stated[0].text.as_str()));
        let overruled = facts[0].lines[0].overruled.clone().unwrap();
        (stated[0].text.clone(), facts[0].in_block, overruled.op, overruled.turn)
    };
    assert_eq!(proof(Cause::Forgotten, "alice/4"), ("P1234567".into(), true, "forget", 35));
    assert_eq!(proof(Cause::Stale, "bob/1"), ("Linux".into(), true, "correct", 11));
}

#[test]
fn a_leak_that_no_answer_repeats_is_a_state_of_its_own() {
    let causes = causes(&workspace());
    let state = |question: &str| {
        let block = causes.blocks.iter().find(|b| b.strategy == "append-all" && b.question == question).unwrap();
        (block.cause, block.pass, block.answers)
    };
    assert_eq!(state("bob/3"), (BlockState::LeakedUnharmed(Cause::Forgotten), 5, 5));
    assert_eq!(state("alice/4"), (BlockState::Cause(Cause::Forgotten), 0, 5));
    assert_eq!(state("alice/3"), (BlockState::Cause(Cause::Stale), 0, 5));
    // Without answers nobody can say that it did no harm.
    let silent = changed(|_| {}, "", |recording| recording.groups.clear());
    let causes = Causes::of(&silent, &Standing::default(), &Provenance::default());
    assert!(causes.blocks.iter().all(|block| !matches!(block.cause, BlockState::LeakedUnharmed(_))));
    assert_eq!(causes.blocks.iter().filter(|block| block.leaks.is_some()).count(), 5);
}

#[test]
fn what_cannot_be_graded_or_has_no_block_is_said() {
    let workspace = changed(
        |_| {},
        "",
        |recording| {
            recording.groups[0].answers[0].answer = " ".into();
            recording.groups[2].strategy = "managed-best".into();
            recording.groups[1].question = "Who am I?".into();
        },
    );
    let causes = causes(&workspace);
    assert_eq!(causes.totals[0].state(AnswerState::Incomplete), 1 + 5, "one blank, five without a key");
    let stranger = causes.totals.iter().find(|totals| totals.strategy == "managed-best").unwrap();
    assert_eq!(stranger.state(AnswerState::NoBlock), 5);
    let finding = causes.answers.iter().find(|finding| finding.cause == AnswerState::NoBlock).unwrap();
    assert!(finding.sentence.ends_with("nobody knows what was sent with the question"), "{}", finding.sentence);
    assert_eq!(finding.verdict, Verdict::Fail);
    let all: usize = causes.totals.iter().map(|t| t.pass + t.states.values().sum::<usize>()).sum();
    assert_eq!(all, 150);
}

#[test]
fn the_report_has_totals_then_answers_and_blocks() {
    let causes = causes(&workspace());
    let text = report::json(&CauseReport::new(&causes, &[])).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["totals", "block_totals", "answers", "blocks", "remarks"]);
    assert_eq!(value["totals"]["append-all"]["stale"], 10);
    assert_eq!(value["totals"]["managed-all"]["faulty_key"], 0);
    assert_eq!(value["answers"][0]["cause"], "unused");
    assert_eq!(value["answers"][0]["proof"]["lacks"][0]["facts"][0]["lines"][0]["record"], 9);
    let leaked = value["blocks"].as_array().unwrap().iter().filter(|block| block["cause"] == "leaked_unharmed").count();
    assert_eq!(leaked, 1);
    assert_eq!(text, report::json(&CauseReport::new(&super_causes(), &[])).unwrap(), "the same bytes each time");
}

fn super_causes() -> Causes {
    causes(&workspace())
}

fn provenance(workspace: &Workspace) -> (ProvenanceVerdict, Option<i64>, usize) {
    let found = Provenance::of(workspace);
    let one = &found.recordings[0];
    assert_eq!(found.off_count(), one.off.len());
    (one.verdict, one.template_tokens, one.off.len())
}

#[test]
fn the_bundled_recording_is_reproduced() {
    let workspace = workspace();
    assert_eq!(provenance(&workspace), (ProvenanceVerdict::Reproduced, Some(14), 0));
    let line = Provenance::of(&workspace).lines().remove(0);
    assert!(line.ends_with("reproduced: 150 of 150 prompts are the request and 14 tokens"), "{line}");
}

#[test]
fn a_changed_quota_case_or_strategy_makes_it_fail_visibly() {
    let off = |workspace: &Workspace| {
        let (verdict, _, off) = provenance(workspace);
        assert_eq!(verdict, ProvenanceVerdict::Off);
        assert!(Provenance::of(workspace).lines()[0].contains("OFF: "));
        off
    };
    assert!(off(&changed(|cases| cases.facts_quota = 40, "", |_| {})) > 0);
    // One more word in one event: the questions whose block holds its line.
    let more = |cases: &mut CaseSet| cases.conversations[1].events[6].text = "My manager is Priya Rao.".into();
    let workspace = changed(more, "", |_| {});
    assert_eq!(off(&workspace), 3 * 5 * 2);
    let causes = causes(&workspace);
    let flagged = causes.answers.iter().filter(|finding| finding.made_from_block == Some(false)).count();
    assert!(flagged > 0 && causes.answers.iter().any(|finding| finding.made_from_block == Some(true)));
    // A strategy that sends other lines than the one that was recorded.
    let swapped = |recording: &mut Recording| {
        for group in &mut recording.groups {
            group.strategy = match group.strategy.as_str() {
                "managed-all" => "append-all".into(),
                "append-all" => "managed-all".into(),
                other => other.into(),
            };
        }
    };
    assert!(off(&changed(|_| {}, "", swapped)) > 50);
}

#[test]
fn a_single_wrong_answer_is_listed() {
    let workspace = changed(|_| {}, "", |recording| recording.groups[4].answers[2].prompt_tokens = Some(131));
    let found = Provenance::of(&workspace);
    let off = &found.recordings[0].off;
    assert_eq!((off.len(), off[0].at.group, off[0].at.answer, off[0].seed), (1, 4, 2, Some(3)));
    assert_eq!(found.made_from_block(&workspace, off[0].at), Some(false));
}

#[test]
fn what_cannot_be_told_is_not_claimed() {
    let silent = |recording: &mut Recording| {
        recording.groups.iter_mut().flat_map(|g| &mut g.answers).for_each(|answer| answer.prompt_tokens = None);
    };
    assert_eq!(provenance(&changed(|_| {}, "", silent)), (ProvenanceVerdict::Nothing, None, 0));
    let one = changed(|_| {}, "", |recording| recording.groups.truncate(1));
    assert_eq!(provenance(&one), (ProvenanceVerdict::Unconfirmed, Some(14), 0));
    let at = one.all_answers().next().unwrap();
    assert_eq!(Provenance::of(&one).made_from_block(&one, at), None);
}
