//! The signals, one file each.

mod agreement;
mod another_person;
mod better_supported;
mod cited_question;
mod count;
mod date;
mod denied;
mod duration;
mod every_answer_fails;
mod fact_accident;
mod invented_words;
mod judge_and_pattern;
mod nearby_evidence;
mod pattern_in_question;
mod pattern_in_refusal;
mod pattern_misses_fact;
mod question_date;
mod refused;
mod silent_evidence;
mod split_votes;
mod stale_matches_current;
mod strong_run;
mod unchecked_fact;
mod unknown_premise;
mod unrelated_turn;
mod unresolved;
mod unsaid_fact;
mod unshared_words;
mod wrong_speaker;

use super::Signal;

/// Every signal, in the order in which equals are shown.
pub const SIGNALS: &[&dyn Signal] = &[
    &every_answer_fails::EveryAnswerFails,
    &refused::Refused,
    &agreement::Agreement,
    &better_supported::BetterSupported,
    &strong_run::StrongRun,
    &split_votes::SplitVotes,
    &judge_and_pattern::JudgeAndPattern,
    &denied::Denied,
    &another_person::AnotherPerson,
    &wrong_speaker::WrongSpeaker,
    &date::DateDoesNotFollow,
    &question_date::QuestionDate,
    &duration::Duration,
    &count::Count,
    &invented_words::InventedWords,
    &unknown_premise::UnknownPremise,
    &pattern_misses_fact::PatternMissesFact,
    &pattern_in_question::PatternInQuestion,
    &pattern_in_refusal::PatternInRefusal,
    &stale_matches_current::StaleMatchesCurrent,
    &unchecked_fact::UncheckedFact,
    &unsaid_fact::UnsaidFact,
    &fact_accident::FactAccident,
    &unshared_words::UnsharedWords,
    &silent_evidence::SilentEvidence,
    &nearby_evidence::NearbyEvidence,
    &cited_question::CitedQuestion,
    &unrelated_turn::UnrelatedTurn,
    &unresolved::Unresolved,
];
