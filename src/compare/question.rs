//! The questions on which two strategies differ.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::Judgement;
use crate::grade::Block;
use crate::workspace::{Tally, Workspace};

/// One question under one strategy, in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Side {
    /// Whether the block is known. Where it is not, the counts of it are 0 and say nothing.
    pub known: bool,
    /// Required facts found in the block.
    pub found: usize,
    /// Facts that the question requires.
    pub required: usize,
    /// Lines sent.
    pub lines: usize,
    /// Lines that carry a required fact.
    pub useful: usize,
    /// Lines that carry a replaced fact.
    pub stale: usize,
    /// Lines that carry a fact that the user asked to forget.
    pub forgotten: usize,
    /// Tokens of the lines.
    pub tokens: usize,
    /// The verdicts on the recorded answers.
    pub answers: Tally,
}

impl Side {
    fn of(block: &Block, answers: Tally) -> Self {
        Self {
            known: true,
            found: block.found(),
            required: block.required,
            lines: block.lines.len(),
            useful: block.useful(),
            stale: block.stale(),
            forgotten: block.forgotten(),
            tokens: block.tokens,
            answers,
        }
    }
}

/// One question on which two strategies differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Difference {
    /// The question's number.
    pub question: usize,
    /// The question under the selected strategy.
    pub selected: Side,
    /// The question under the baseline.
    pub baseline: Side,
    /// Required facts that only the baseline finds.
    pub lost: usize,
    /// Required facts that only the selected strategy finds.
    pub gained: usize,
}

/// How large a difference is, whichever way it goes. Sizes are compared field by field: a leak outweighs any number of
/// facts, for it is not to be traded; then a fact outweighs any number of answers, for it is the cause and they depend on
/// the model; tokens decide only among the rest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// Stale lines that one side has more, and forgotten lines that one side has more.
    pub leaks: u32,
    /// Facts that only one side finds.
    pub facts: u32,
    /// Answers that pass on one side more.
    pub passed: u32,
    /// Tokens that one side sends more.
    pub tokens: u32,
    /// What else is counted: lines, useful lines, answers failed and incomplete.
    pub rest: u32,
}

/// One thing that differs, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What the selected strategy does, such as `loses 1 fact`.
    pub text: String,
    /// Whether that is better than the baseline.
    pub judgement: Judgement,
}

impl Difference {
    /// Holds the two sides of a question against each other.
    fn of(question: usize, (selected, own): (Side, &Block), (baseline, other): (Side, &Block)) -> Self {
        // Missing facts are listed in order.
        let only =
            |of: &Block, not: &Block| of.missing.iter().filter(|fact| not.missing.binary_search(fact).is_err()).count();
        Self { question, selected, baseline, lost: only(own, other), gained: only(other, own) }
    }

    /// The same where a block is not known: only answers count, where both sides have some.
    fn in_answers(question: usize, (own, other): (Tally, Tally)) -> Option<Self> {
        let side = |answers| Side { answers, ..Side::default() };
        let answered = own.total() > 0 && other.total() > 0;
        answered.then(|| Self { question, selected: side(own), baseline: side(other), ..Self::default() })
    }

    /// How large it is. The smallest size is that of no difference.
    pub fn size(&self) -> Size {
        let (own, other) = (&self.selected, &self.baseline);
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Size {
            leaks: count(own.stale.abs_diff(other.stale) + own.forgotten.abs_diff(other.forgotten)),
            facts: count(self.lost + self.gained),
            passed: count(own.answers.pass.abs_diff(other.answers.pass)),
            tokens: count(own.tokens.abs_diff(other.tokens)),
            rest: count(
                own.lines.abs_diff(other.lines)
                    + own.useful.abs_diff(other.useful)
                    + own.answers.fail.abs_diff(other.answers.fail)
                    + own.answers.incomplete.abs_diff(other.answers.incomplete),
            ),
        }
    }

    /// Whether facts, leaks and answers are the same, so that only the costs differ.
    pub fn is_only_in_tokens(&self) -> bool {
        let Size { leaks, facts, .. } = self.size();
        leaks == 0 && facts == 0 && self.selected.answers == self.baseline.answers
    }

    /// What the selected strategy does that the baseline does not, the gravest first.
    pub fn changes(&self) -> Vec<Change> {
        let (own, other) = (&self.selected, &self.baseline);
        let mut changes = Changes(Vec::new());
        changes.leak(own.forgotten, other.forgotten, "forgotten line");
        changes.leak(own.stale, other.stale, "stale line");
        if self.lost > 0 {
            changes.push(format!("loses {}", count(self.lost, "fact")), Judgement::Worse);
        }
        if self.gained > 0 {
            changes.push(format!("gains {}", count(self.gained, "fact")), Judgement::Better);
        }
        changes.answers(own.answers, other.answers);
        changes.amount(own.tokens, other.tokens, "token", false);
        if own.tokens == other.tokens {
            changes.amount(own.lines, other.lines, "line", false);
            changes.amount(own.useful, other.useful, "useful line", true);
        }
        changes.0
    }

    /// [`Difference::changes`] as one text.
    pub fn text(&self) -> String {
        self.changes().into_iter().map(|change| change.text).collect::<Vec<_>>().join(", ")
    }
}

/// Collects what differs.
struct Changes(Vec<Change>);

impl Changes {
    fn push(&mut self, text: String, judgement: Judgement) {
        self.0.push(Change { text, judgement });
    }

    fn leak(&mut self, own: usize, other: usize, what: &str) {
        match (own, other) {
            _ if own == other => {}
            (_, 0) => self.push(format!("leaks {}", count(own, what)), Judgement::Worse),
            _ if own > other => self.push(format!("leaks {} more", count(own - other, what)), Judgement::Worse),
            _ => self.push(format!("leaks {} fewer", count(other - own, what)), Judgement::Better),
        }
    }

    fn answers(&mut self, own: Tally, other: Tally) {
        let verb = |number: usize, one: &'static str, more: &'static str| if number == 1 { one } else { more };
        let mut differ = |own: usize, other: usize, one, more, good: bool| {
            let difference = own.abs_diff(other);
            if difference > 0 {
                let way = if own > other { "more" } else { "fewer" };
                let better = (own > other) == good;
                let text = format!("{} {way} {}", count(difference, "answer"), verb(difference, one, more));
                self.push(text, if better { Judgement::Better } else { Judgement::Worse });
            }
            difference > 0
        };
        let passes = differ(own.pass, other.pass, "passes", "pass", true);
        let incomplete = differ(own.incomplete, other.incomplete, "is incomplete", "are incomplete", false);
        // Where the numbers of answers are the same, the failed ones follow from the others.
        if !passes && !incomplete {
            differ(own.fail, other.fail, "fails", "fail", false);
        }
    }

    fn amount(&mut self, own: usize, other: usize, what: &str, more_is_better: bool) {
        if own != other {
            let way = if own > other { "more" } else { "fewer" };
            let better = (own > other) == more_is_better;
            let judgement = if better { Judgement::Better } else { Judgement::Worse };
            self.push(format!("{} {way}", count(own.abs_diff(other), what)), judgement);
        }
    }
}

/// A number and what is counted, such as `1 fact` or `2 facts`.
pub(super) fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// Two strategies, and the questions on which they differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The selected strategy's place.
    pub selected: usize,
    /// The baseline's place.
    pub baseline: usize,
    /// The largest first (see [`Size`]); those of one size in the order of the questions.
    pub differences: Vec<Difference>,
}

impl Comparison {
    /// Compares two strategies question by question. Blocks of the same measures are no difference, even where they hold
    /// other lines.
    pub fn of(workspace: &Workspace, selected: usize, baseline: usize) -> Self {
        let evaluation = &workspace.evaluation;
        let tally = |strategy, question| {
            if workspace.recordings.is_empty() { Tally::default() } else { workspace.cell_tally(strategy, question) }
        };
        let difference = |question: usize| {
            let answers = (tally(selected, question), tally(baseline, question));
            match (evaluation.block(selected, question), evaluation.block(baseline, question)) {
                (Some(own), Some(other)) => {
                    let sides = (Side::of(own, answers.0), Side::of(other, answers.1));
                    Some(Difference::of(question, (sides.0, own), (sides.1, other)))
                }
                // Answers differ whatever is known of the blocks that they were made from.
                _ => Difference::in_answers(question, answers),
            }
        };
        // Sizes are sorted before any difference is kept, which is many times as large.
        let questions = if selected == baseline { 0 } else { evaluation.question_count() };
        // Mapped one to one, so that each thread writes where the result belongs: half of the time goes into new memory.
        let size =
            |question| (Reverse(difference(question).map_or_else(Size::default, |found| found.size())), question);
        let mut order: Vec<(Reverse<Size>, usize)> = (0..questions).into_par_iter().map(size).collect();
        order.retain(|(size, _)| size.0 != Size::default());
        order.par_sort_unstable();
        let differences = order.par_iter().map(|(_, question)| difference(*question).unwrap_or_default()).collect();
        Self { selected, baseline, differences }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(found: usize, stale: usize, forgotten: usize, pass: usize, tokens: usize) -> Side {
        let answers = Tally { pass, fail: 5 - pass, incomplete: 0 };
        Side { found, required: 2, stale, forgotten, tokens, answers, ..Side::default() }
    }

    fn difference(selected: Side, baseline: Side) -> Difference {
        let lost = baseline.found.saturating_sub(selected.found);
        let gained = selected.found.saturating_sub(baseline.found);
        Difference { question: 0, selected, baseline, lost, gained }
    }

    #[test]
    fn sizes_put_leaks_before_facts_before_answers_before_tokens() {
        let plain = side(2, 0, 0, 5, 100);
        let leak = difference(side(2, 0, 1, 5, 100), plain);
        let fact = difference(side(1, 0, 0, 5, 100), plain);
        let answers = difference(side(2, 0, 0, 0, 100), plain);
        let tokens = difference(side(2, 0, 0, 5, 9), plain);
        let sizes = [leak, fact, answers, tokens].map(|difference| difference.size());
        assert!(sizes.is_sorted_by(|a, b| a > b), "{sizes:?}");
        assert_eq!(difference(plain, plain).size(), Size::default());
        assert_eq!([leak, fact, answers, tokens].map(|d| d.is_only_in_tokens()), [false, false, false, true]);
        assert_eq!(difference(plain, side(2, 0, 1, 5, 100)).size(), leak.size(), "whichever way it goes");
    }

    #[test]
    fn changes_are_said_the_gravest_first() {
        let all = difference(side(1, 1, 2, 0, 170), side(2, 0, 0, 5, 100));
        assert_eq!(
            all.text(),
            "leaks 2 forgotten lines, leaks 1 stale line, loses 1 fact, 5 answers fewer pass, 70 tokens more"
        );
        assert!(all.changes().iter().all(|change| change.judgement == Judgement::Worse));
        let back = difference(all.baseline, all.selected);
        assert_eq!(
            back.text(),
            "leaks 2 forgotten lines fewer, leaks 1 stale line fewer, gains 1 fact, 5 answers more pass, 70 tokens fewer"
        );
        assert!(back.changes().iter().all(|change| change.judgement == Judgement::Better));
        assert_eq!(
            difference(side(2, 3, 0, 1, 0), side(2, 1, 0, 0, 0)).text(),
            "leaks 2 stale lines more, 1 answer more passes"
        );
    }

    #[test]
    fn every_difference_has_words() {
        let with = |answers: Tally, lines, useful| Side { answers, lines, useful, ..Side::default() };
        let tally = |pass, fail, incomplete| Tally { pass, fail, incomplete };
        let none = with(tally(0, 1, 0), 1, 1);
        for (other, words) in [
            (with(tally(0, 0, 1), 1, 1), "1 answer more is incomplete"),
            (with(tally(0, 3, 0), 1, 1), "2 answers more fail"),
            (with(tally(0, 1, 0), 2, 1), "1 line more"),
            (with(tally(0, 1, 0), 1, 0), "1 useful line fewer"),
        ] {
            let difference = difference(other, none);
            assert_ne!(difference.size(), Size::default());
            assert_eq!(difference.text(), words);
        }
    }

    #[test]
    fn other_facts_are_lost_and_gained_at_the_same_time() {
        let block = |missing: &[usize]| Block { missing: missing.to_vec(), required: 2, ..Block::default() };
        let (own, other) = (block(&[0]), block(&[1]));
        let sides = [&own, &other].map(|block| Side::of(block, Tally::default()));
        let difference = Difference::of(0, (sides[0], &own), (sides[1], &other));
        assert_eq!((sides[0].found, sides[1].found), (1, 1));
        assert_eq!(difference.text(), "loses 1 fact, gains 1 fact");
        assert_eq!(difference.size().facts, 2);
    }
}
