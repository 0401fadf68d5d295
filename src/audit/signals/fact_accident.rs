//! A fact or pattern that matches only inside a longer word or number.

use std::ops::Range;

use crate::audit::{Observation, Part, Signal, Subject};
use crate::case::Fact;

/// Accidents of substrings: "art" in "started", the 3 of "13".
pub struct FactAccident;

impl Signal for FactAccident {
    fn name(&self) -> &'static str {
        "a fact or pattern matches only inside a longer word"
    }

    /// Facts may rightly be given as stems of words; digits inside digits never are: eight times as frequent in faulty ones.
    fn weight(&self) -> f64 {
        2.1
    }

    /// Full strength where every match of a fact, or of a pattern in the lines of the required facts, starts or ends inside a
    /// number; 0.4 where it does so inside a word. The end of a word may differ ("fish" in "fishes").
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        let mut strength: f64 = 0.0;
        let mut proof = Vec::new();
        let question = subject.question;
        for fact in question.required.iter().chain(&question.stale).chain(&question.forgotten) {
            let Fact::Text(wanted) = fact else { continue };
            let places = subject.index.carriers(fact, subject.events.len());
            let hits = places.iter().filter_map(|place| {
                let text = &subject.event(*place)?.text;
                let spans: Vec<_> = text.match_indices(wanted.as_str()).map(|(at, hit)| at..at + hit.len()).collect();
                Some((*place, text.as_str(), spans))
            });
            let hits: Vec<_> = hits.collect();
            let cuts: Vec<f64> =
                hits.iter().flat_map(|(_, text, spans)| spans.iter().map(|span| cut(text, span))).collect();
            if let Some(least) = cuts.into_iter().reduce(f64::min).filter(|least| *least > 0.0) {
                strength = strength.max(least);
                proof.push(Part::sentence(format!(
                    "\u{201c}{wanted}\u{201d} stands only inside a longer word or number:"
                )));
                proof.extend(hits.iter().filter_map(|(place, _, spans)| subject.line(*place, spans.clone())));
            }
        }
        for (name, pattern) in subject.key.iter().flat_map(|key| &key.must) {
            let lines: Vec<&str> =
                subject.evidence().into_iter().filter_map(|place| Some(subject.event(place)?.text.as_str())).collect();
            let cuts = lines.iter().flat_map(|text| pattern.regex().find_iter(text).map(|hit| cut(text, &hit.range())));
            if let Some(least) = cuts.reduce(f64::min).filter(|least| *least > 0.0) {
                strength = strength.max(least);
                proof.extend(lines.iter().filter_map(|text| Part::matched(name, pattern, text)));
            }
        }
        Observation::new(strength, proof)
    }
}

/// How badly a span cuts a word of its text: 1 inside a number, 0.4 inside a word's beginning, 0 not at all.
fn cut(text: &str, span: &Range<usize>) -> f64 {
    let before = text.get(..span.start).and_then(|text| text.chars().next_back());
    let first = text.get(span.clone()).and_then(|text| text.chars().next());
    let last = text.get(span.clone()).and_then(|text| text.chars().next_back());
    let after = text.get(span.end..).and_then(|text| text.chars().next());
    let both = |a: Option<char>, b: Option<char>, is: fn(char) -> bool| a.zip(b).is_some_and(|(a, b)| is(a) && is(b));
    let digit = |c: char| c.is_ascii_digit();
    if both(before, first, digit) || both(last, after, digit) {
        1.0
    } else if both(before, first, char::is_alphanumeric) {
        0.4
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(fact: &str, pattern: &str) -> f64 {
        let scene = Scene::asking("When?").note("Moved to 13 to 16 November, I started packing.").requires(&[fact]);
        scene.must(&[("date", pattern)]).strength(&FactAccident)
    }

    #[test]
    fn it_fires_inside_a_number_and_less_inside_a_word() {
        assert_eq!(scene("3 to 1", "13"), 1.0);
        assert_eq!(scene("13 to 16", r"3\b"), 1.0, "a pattern");
        assert_eq!(scene("art", "13"), 0.4);
    }

    #[test]
    fn it_must_not_fire_for_whole_words_and_beginnings_of_words() {
        assert_eq!(scene("13 to 16", r"\b13\b"), 0.0);
        assert_eq!(scene("pack", "13"), 0.0);
    }
}
