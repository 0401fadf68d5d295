//! The key passes an answer whose last word denies it.

use crate::audit::{Observation, Part, Signal, Subject, last_word_refuses};

/// Answers that state the fact and end by saying that they do not know: the key is satisfied, the reader is not.
pub struct Denied;

impl Signal for Denied {
    fn name(&self) -> &'static str {
        "the key passes answers that end in a refusal"
    }

    /// Such answers show a key that asks for a word where the question asks for a conclusion: three times as frequent under
    /// a key that is too wide.
    fn weight(&self) -> f64 {
        1.1
    }

    /// The share of passing answers that end so. A key that asks for nothing is rightly satisfied by a refusal.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        if subject.question.required.is_empty() {
            return None;
        }
        let passing: Vec<_> = subject.answers.iter().filter(|said| said.passes() == Some(true)).collect();
        let denying: Vec<_> =
            passing.iter().filter_map(|said| Some((*said, vec![last_word_refuses(said.text)?]))).collect();
        if denying.is_empty() {
            return None;
        }
        let sentence = format!("{} of {} passing answers end by denying that they know", denying.len(), passing.len());
        let strength = denying.len() as f64 / passing.len() as f64;
        let mut proof = vec![Part::sentence(sentence)];
        proof.extend(subject.quotes(denying));
        Observation::new(strength, proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(answer: &str) -> f64 {
        let scene = Scene::asking("What should I eat?").note("I eat fish now.").requires(&["fish"]);
        scene.must(&[("fish", "fish")]).run("a", answer, &[]).strength(&Denied)
    }

    #[test]
    fn it_fires_when_a_passing_answer_ends_in_a_refusal() {
        assert_eq!(scene("You eat fish. However, I do not have any information on dinner."), 1.0);
    }

    #[test]
    fn it_must_not_fire_when_the_last_word_is_the_answer() {
        assert_eq!(scene("I do not have a recipe. Eat fish."), 0.0);
    }
}
