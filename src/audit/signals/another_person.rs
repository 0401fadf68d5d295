//! Answers name a person whom neither question nor key names.

use crate::audit::subject::name_in;
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
        let others: Vec<&String> = subject
            .index
            .speakers()
            .iter()
            .filter(|speaker| speaker.as_str() != *asked && name_in(key, speaker).is_none())
            .collect();
        let naming: Vec<_> = subject
            .answers
            .iter()
            .filter_map(|said| {
                let span = others.iter().find_map(|speaker| name_in(said.text, speaker))?;
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
