//! Answers say that the information is missing although the block held every required fact.

use crate::audit::{Observation, Part, Signal, Subject, refusal};

/// Refusals of informed readers. Who reads all the evidence and finds no answer in it may be right.
pub struct Refused;

impl Signal for Refused {
    fn name(&self) -> &'static str {
        "informed answers refuse"
    }

    /// A model that holds the answer in its hands says so nearly always: refusals of most informed answers are ten times as
    /// frequent under a key that the notes do not support.
    fn weight(&self) -> f64 {
        2.3
    }

    /// The share of refusals among the answers whose block held every required fact. Where the block of an answer is not
    /// known it may have been uninformed: those count half. An answer that a judge or the key accepts is no refusal, and a
    /// question that needs no fact or whose published answer is itself a refusal is rightly refused.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        let abstains = subject.question.answer.as_deref().is_some_and(|answer| refusal(answer).is_some());
        if subject.question.required.is_empty() || abstains {
            return None;
        }
        let (mut refused, mut total) = (0.0_f64, 0.0);
        let mut quoted = Vec::new();
        for said in &subject.answers {
            let weight = match said.informed {
                Some(true) => 1.0,
                Some(false) => continue,
                None => 0.5,
            };
            total += 1.0;
            if said.passes() != Some(true)
                && let Some(span) = refusal(said.text)
            {
                refused += weight;
                quoted.push((said, vec![span]));
            }
        }
        if quoted.is_empty() {
            return None;
        }
        let quoted_share = quoted.len() as f64;
        let known = quoted.iter().any(|(said, _)| said.informed == Some(true));
        let why = if known { "although their blocks held every required fact" } else { "(their blocks are not known)" };
        let sentence = format!("{} of {total} answers say that the information is missing, {why}", quoted.len());
        let mut proof = vec![Part::sentence(sentence)];
        proof.extend(subject.lines());
        proof.extend(subject.quotes(quoted));
        // Models would rather answer than refuse, so the first refusals say most.
        let share = quoted_share / total;
        Observation::new((1.0 - (1.0 - share) * (1.0 - share)) * (refused / quoted_share), proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    const REFUSAL: &str = "I do not have any stored notes about who approves it.";

    fn scene(strategy: &str, answer: &str) -> f64 {
        let scene =
            Scene::asking("Who approves my desk order?").note("My manager is Priya.").requires(&["manager is Priya"]);
        scene.must(&[("Priya", "priya")]).run(strategy, answer, &[]).strength(&Refused)
    }

    #[test]
    fn it_fires_when_an_informed_answer_refuses() {
        assert_eq!(scene("managed-all", REFUSAL), 1.0);
        assert_eq!(scene("a system of my own", REFUSAL), 0.5, "its block is not known");
    }

    #[test]
    fn it_must_not_fire_when_the_block_lacked_the_fact_or_the_answer_says_something_else() {
        // The note shares no word with the question, so this strategy does not send it.
        assert_eq!(scene("managed-relevant", REFUSAL), 0.0);
        assert_eq!(scene("managed-all", "Your sister approves it."), 0.0);
    }

    #[test]
    fn it_must_not_fire_when_a_refusal_is_the_right_answer() {
        let scene =
            Scene::asking("Where do I live?").note("I moved.").requires(&["moved"]).answer("It is not mentioned.");
        assert_eq!(scene.run("managed-all", REFUSAL, &[false]).strength(&Refused), 0.0);
    }
}
