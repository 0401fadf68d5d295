//! Words of the key stand nowhere in the whole conversation.

use crate::audit::numbers;
use crate::audit::terms::{stem, term_spans};
use crate::audit::{Observation, Part, Signal, Subject};

/// A published answer that says what nobody said.
pub struct InventedWords;

impl Signal for InventedWords {
    fn name(&self) -> &'static str {
        "the key says what nobody said"
    }

    /// Keys paraphrase, so single new words are ordinary; a key made of them is invented: five times as frequent under a
    /// wrong one.
    fn weight(&self) -> f64 {
        1.6
    }

    /// The share of the key's words that no turn says. Numbers are left out: a count is seldom said. A new name counts double (names are not paraphrased), and a question
    /// that asks for a conclusion ("would", "likely") expects new words: half.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        let answer = subject.question.answer.as_deref()?;
        let total = subject.wanted.len();
        if total == 0 || subject.events.is_empty() {
            return None;
        }
        let mut invented = Vec::new();
        let mut worth = 0.0;
        for (term, span) in term_spans(answer) {
            let word = answer.get(span.clone()).unwrap_or_default();
            let new = subject.wanted.contains(&term)
                && numbers::value(&term).is_none()
                && !subject.index.says(&term, subject.events.len())
                && !is_run_together(subject, &word.to_lowercase())
                && !invented.iter().any(|(known, _)| *known == term);
            if new {
                let is_name = span.start > 0 && word.starts_with(char::is_uppercase);
                worth += if is_name { 2.0 } else { 1.0 };
                invented.push((term, word));
            }
        }
        if invented.is_empty() {
            return None;
        }
        let words: Vec<_> = invented.iter().map(|(_, word)| format!("\u{201c}{word}\u{201d}")).collect();
        let sentence = format!(
            "{} of {total} words of the key stand nowhere in the conversation: {}",
            invented.len(),
            words.join(", ")
        );
        let strength = (worth / total as f64).min(1.0) * if subject.asks_to_infer() { 0.5 } else { 1.0 };
        Observation::new(strength, vec![Part::sentence(sentence), Part::sentence(format!("the key: {answer}"))])
    }
}

/// Whether a word is two words that are said, with the space between them lost ("watchingmovies").
fn is_run_together(subject: &Subject<'_>, word: &str) -> bool {
    let said = |part: &str| {
        part.len() >= 2
            && (crate::memory::STOP_WORDS.binary_search(&part).is_ok()
                || subject.index.says(&stem(part), subject.events.len()))
    };
    word.char_indices().any(|(at, _)| {
        let parts = word.split_at_checked(at);
        parts.is_some_and(|(first, second)| first.len() + second.len() >= 7 && said(first) && said(second))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(question: &str, key: &str) -> f64 {
        let scene = Scene::asking(question).answer(key).cites(&["D1"]);
        scene.turn("D1", "Mara", "It has adventures, and we were watching movies.").strength(&InventedWords)
    }

    #[test]
    fn it_fires_when_nobody_said_the_words() {
        assert_eq!(scene("What is it about?", "dragons"), 1.0);
        assert_eq!(scene("What would it be about?", "dragons"), 0.5, "a conclusion");
    }

    #[test]
    fn it_must_not_fire_for_words_that_were_said_run_together_or_counted() {
        assert_eq!(scene("What is it about?", "adventure"), 0.0);
        assert_eq!(scene("What did they do?", "watchingmovies"), 0.0);
        assert_eq!(scene("How many are there?", "7"), 0.0);
    }
}
