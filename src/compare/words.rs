//! What a choice costs, in one sentence.

use super::question::count;
use super::{Judgement, Measures};

/// Which of two strategies fail the gate: a leak is not a trade-off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// Neither leaks.
    Ok,
    /// The selected strategy leaks.
    Selected,
    /// The baseline leaks.
    Baseline,
    /// Both leak.
    Both,
}

impl Gate {
    /// What stands before the sentence; none where the gate holds.
    pub fn words(self) -> Option<&'static str> {
        match self {
            Self::Ok => None,
            Self::Selected => Some("gate FAILED"),
            Self::Baseline => Some("gate FAILED by the baseline"),
            Self::Both => Some("gate FAILED by both"),
        }
    }
}

/// Which of two strategies fail the gate.
pub fn gate(selected: &Measures, baseline: &Measures) -> Gate {
    match (selected.fails_gate(), baseline.fails_gate()) {
        (false, false) => Gate::Ok,
        (true, false) => Gate::Selected,
        (false, true) => Gate::Baseline,
        (true, true) => Gate::Both,
    }
}

/// A verb and what is more or fewer.
struct Clause {
    verb: &'static str,
    object: String,
    judgement: Judgement,
}

/// What a strategy does that the baseline does not: what is better first, then, after a `but`, what is worse. Names are as
/// they are in files.
pub fn sentence(name: &str, of: &Measures, baseline_name: &str, baseline: &Measures) -> String {
    let (blocks, _) = both(of, baseline);
    if !of.is_comparable(baseline) {
        return format!(
            "{name} cannot be compared with {baseline_name}: they have neither blocks nor answers in common"
        );
    }
    let clauses = clauses(of, baseline);
    let (better, worse): (Vec<_>, Vec<_>) =
        clauses.into_iter().partition(|clause| clause.judgement == Judgement::Better);
    let but = better.len();
    let all: Vec<Clause> = better.into_iter().chain(worse).collect();
    if all.is_empty() {
        return match blocks {
            true => format!("{name} does the same as {baseline_name}"),
            false => format!("{name} passes as many answers as {baseline_name}"),
        };
    }
    let last = all.len() - 1;
    let mut text = name.to_owned();
    let mut said = "";
    for (index, Clause { verb, object, .. }) in all.iter().enumerate() {
        text.push_str(match index {
            0 => " ",
            _ if index == but => ", but ",
            _ if index == last || index + 1 == but => " and ",
            _ => ", ",
        });
        if *verb != said || index == but {
            text.push_str(verb);
            text.push(' ');
            said = verb;
        }
        text.push_str(object);
        if index == 0 {
            text.push_str(&format!(" than {baseline_name}"));
        }
    }
    text
}

/// Whether both have blocks that are known, and whether both have answers.
fn both(of: &Measures, baseline: &Measures) -> (bool, bool) {
    let both = |has: fn(&Measures) -> bool| has(of) && has(baseline);
    (both(|measures| measures.blocks.is_known()), both(Measures::is_answered))
}

fn clauses(of: &Measures, baseline: &Measures) -> Vec<Clause> {
    let (own, other) = (&of.blocks, &baseline.blocks);
    let clause = |verb, own: usize, other: usize, what, more_is_better| {
        let way = if own > other { "more" } else { "fewer" };
        let judgement = if (own > other) == more_is_better { Judgement::Better } else { Judgement::Worse };
        (own != other).then(|| Clause {
            verb,
            object: format!("{} {way}", count(own.abs_diff(other), what)),
            judgement,
        })
    };
    let tokens = clause("sends", own.memory_tokens, other.memory_tokens, "token", false);
    let facts = clause("finds", own.facts_found, other.facts_found, "fact", true).or_else(|| {
        // As many facts for fewer tokens is the best that can be said, and no more facts for more tokens the worst.
        let tokens = tokens.as_ref()?;
        (other.facts_required > 0).then(|| match tokens.judgement {
            Judgement::Better => {
                Clause { verb: "finds", object: "no fewer facts".to_owned(), judgement: Judgement::Better }
            }
            _ => Clause { verb: "finds", object: "no more facts".to_owned(), judgement: Judgement::Worse },
        })
    });
    let (known, answered) = both(of, baseline);
    let passes = answered.then(|| clause("passes", of.answers.pass, baseline.answers.pass, "answer", true)).flatten();
    let (stale, forgotten) = ((own.stale_lines, other.stale_lines), (own.forgotten_lines, other.forgotten_lines));
    let way = |(own, other): (usize, usize)| own.cmp(&other);
    let leaks = if way(stale) == way(forgotten) && stale.0 != stale.1 {
        let fewer = stale.0 < stale.1;
        let object = format!(
            "{} forgotten and {} {}",
            forgotten.0.abs_diff(forgotten.1),
            count(stale.0.abs_diff(stale.1), "stale line"),
            if fewer { "fewer" } else { "more" }
        );
        let judgement = if fewer { Judgement::Better } else { Judgement::Worse };
        [Some(Clause { verb: "leaks", object, judgement }), None]
    } else {
        let leak = |(own, other), what| clause("leaks", own, other, what, false);
        [leak(forgotten, "forgotten line"), leak(stale, "stale line")]
    };
    let blocks = leaks.into_iter().chain([tokens, facts]).filter(|_| known);
    blocks.chain([passes]).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grade::BlockSummary;
    use crate::workspace::Tally;

    fn measures(found: usize, tokens: usize, stale: usize, forgotten: usize, pass: usize) -> Measures {
        let blocks = BlockSummary {
            questions: 10,
            facts_found: found,
            facts_required: 10,
            memory_tokens: tokens,
            stale_lines: stale,
            forgotten_lines: forgotten,
            ..BlockSummary::default()
        };
        Measures { blocks, answers: Tally { pass, fail: 50 - pass, incomplete: 0 } }
    }

    #[test]
    fn a_trade_a_gain_and_a_loss() {
        let base = measures(10, 632, 0, 0, 34);
        let said = |other: &Measures| sentence("b", other, "a", &base);
        assert_eq!(
            said(&measures(6, 91, 0, 0, 24)),
            "b sends 541 tokens fewer than a, but finds 4 facts fewer and passes 10 answers fewer"
        );
        assert_eq!(
            said(&measures(10, 91, 0, 0, 35)),
            "b sends 541 tokens fewer than a, finds no fewer facts and passes 1 answer more"
        );
        assert_eq!(
            said(&measures(10, 873, 3, 2, 19)),
            "b leaks 2 forgotten and 3 stale lines more than a, sends 241 tokens more, finds no more facts \
             and passes 15 answers fewer"
        );
        assert_eq!(said(&base), "b does the same as a");
        assert_eq!(
            sentence("b", &measures(10, 632, 1, 0, 34), "a", &measures(10, 632, 0, 2, 34)),
            "b leaks 2 forgotten lines fewer than a, but leaks 1 stale line more"
        );
        assert_eq!(said(&measures(11, 633, 0, 0, 34)), "b finds 1 fact more than a, but sends 1 token more");
    }

    #[test]
    fn blocks_that_are_not_known_say_nothing() {
        let base = measures(10, 632, 1, 0, 34);
        let answers = |pass| Measures { blocks: BlockSummary::default(), ..measures(0, 0, 0, 0, pass) };
        assert_eq!(sentence("b", &answers(24), "a", &base), "b passes 10 answers fewer than a");
        assert_eq!(sentence("b", &answers(34), "a", &base), "b passes as many answers as a");
        let unanswered = Measures { answers: Tally::default(), ..base };
        assert_eq!(
            sentence("b", &answers(24), "a", &unanswered),
            "b cannot be compared with a: they have neither blocks nor answers in common"
        );
    }

    #[test]
    fn the_gate_is_not_a_trade_off() {
        let (good, bad) = (measures(1, 1, 0, 0, 0), measures(10, 0, 0, 1, 50));
        assert_eq!(gate(&bad, &good).words(), Some("gate FAILED"));
        assert_eq!(gate(&good, &bad).words(), Some("gate FAILED by the baseline"));
        assert_eq!(gate(&bad, &bad).words(), Some("gate FAILED by both"));
        assert_eq!(gate(&good, &good).words(), None);
    }
}
