//! Answers name a person whom neither question nor key names.

use crate::audit::{Observation, Part, Signal, Subject};

/// Answers that bring in another speaker: "Melanie has none, but Caroline's bowl …".
pub struct AnotherPerson;

impl Signal for AnotherPerson {
    fn name(&self) -> &'static str {
        "answers name another person"
    }

    /// Answers mention the other speaker for many good reasons; to set the person right is one of several: twice as frequent
    /// under a key that asks the wrong person.
    fn weight(&self) -> f64 {
        0.7
    }

    /// The share of answers that do so, where the question names exactly one speaker.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        let named = subject.named();
        let [(asked, _)] = named.as_slice() else { return None };
        let key = subject.question.answer.as_deref().unwrap_or_default();
        let expected =
            |name: &str| name == *asked || subject.index.named_in(key).iter().any(|(known, _)| *known == name);
        let naming: Vec<_> = subject
            .answers
            .iter()
            .filter_map(|said| {
                let named = subject.index.named_in(said.text);
                let (_, span) = named.into_iter().find(|(name, _)| !expected(name))?;
                Some((said, vec![span]))
            })
            .collect();
        if naming.is_empty() {
            return None;
        }
        let strength = naming.len() as f64 / subject.answers.len() as f64;
        let sentence = format!(
            "the question asks about {asked}; {} of {} answers bring in someone else",
            naming.len(),
            subject.answers.len()
        );
        let mut proof = vec![Part::sentence(sentence)];
        proof.extend(subject.quotes(naming));
        Observation::new(strength, proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(answer: &str) -> f64 {
        let scene =
            Scene::asking("What is Ann's bowl a reminder of?").turn("D1", "Ann", "Hi!").turn("D2", "Bo", "My bowl!");
        scene.run("a", answer, &[false]).strength(&AnotherPerson)
    }

    #[test]
    fn it_fires_when_answers_speak_of_someone_else() {
        assert_eq!(scene("Ann has none, but Bo's bowl reminds him of art."), 1.0);
    }

    #[test]
    fn it_must_not_fire_for_the_person_asked_about() {
        assert_eq!(scene("It reminds Ann of art."), 0.0);
    }
}
