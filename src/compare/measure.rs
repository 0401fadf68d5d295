//! The measures of one strategy, and how two of them are held against each other.

use crate::grade::{BlockSummary, rounded};
use crate::workspace::{Tally, Workspace};

/// Everything that is measured of one strategy.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Measures {
    /// Its blocks, added up.
    pub blocks: BlockSummary,
    /// The verdicts on its recorded answers; all 0 where it has none.
    pub answers: Tally,
}

impl Measures {
    /// The measures of each strategy, in the order of the evaluation.
    pub fn all(workspace: &Workspace) -> Vec<Self> {
        let summaries = workspace.evaluation.summaries.iter().enumerate();
        summaries.map(|(strategy, blocks)| Self { blocks: *blocks, answers: workspace.tally(strategy) }).collect()
    }

    /// Whether the strategy sends a stale or forgotten line. That fails the gate, whatever else it is good at.
    pub fn fails_gate(&self) -> bool {
        self.blocks.leaks() > 0
    }

    /// Whether the gate holds; none where no block is known.
    pub fn holds_gate(&self) -> Option<bool> {
        self.blocks.is_known().then(|| !self.fails_gate())
    }

    /// Whether there is anything to hold against another strategy: blocks that are known of both, or answers of both.
    pub fn is_comparable(&self, other: &Self) -> bool {
        self.blocks.is_known() && other.blocks.is_known() || self.is_answered() && other.is_answered()
    }

    /// Whether it has recorded answers.
    pub fn is_answered(&self) -> bool {
        self.answers.total() > 0
    }
}

/// How a strategy stands to the baseline in one measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// Better than the baseline.
    Better,
    /// Worse than the baseline.
    Worse,
    /// The same, to the places that are written.
    Same,
    /// One of them has no value, or the measure is neither good nor bad.
    Unknown,
}

impl Judgement {
    /// The word in files and on screen; none where there is no judgement.
    pub fn word(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Same => "same",
            Self::Unknown => "",
        }
    }
}

/// One measure of a strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Measure {
    /// Required facts found in their question's block.
    FactsFound,
    /// Found of required facts, 0 to 1.
    Recall,
    /// Lines that carry a required fact.
    UsefulLines,
    /// Useful of sent lines, 0 to 1.
    Usefulness,
    /// Lines that carry a replaced fact.
    StaleLines,
    /// Lines that carry a fact that the user asked to forget.
    ForgottenLines,
    /// Tokens of all lines.
    MemoryTokens,
    /// `memory tokens / facts found`: what a found fact costs; none where nothing is found.
    TokensPerFact,
    /// Answers that pass.
    Pass,
    /// Answers that fail.
    Fail,
    /// Answers that cannot be graded.
    Incomplete,
    /// Passed of all answers, the incomplete ones counted, 0 to 1.
    PassRate,
}

impl Measure {
    /// All measures, in the order of reports.
    pub const ALL: [Self; 12] = [
        Self::FactsFound,
        Self::Recall,
        Self::UsefulLines,
        Self::Usefulness,
        Self::StaleLines,
        Self::ForgottenLines,
        Self::MemoryTokens,
        Self::TokensPerFact,
        Self::Pass,
        Self::Fail,
        Self::Incomplete,
        Self::PassRate,
    ];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::FactsFound => "facts_found",
            Self::Recall => "recall",
            Self::UsefulLines => "useful_lines",
            Self::Usefulness => "usefulness",
            Self::StaleLines => "stale_lines",
            Self::ForgottenLines => "forgotten_lines",
            Self::MemoryTokens => "memory_tokens",
            Self::TokensPerFact => "tokens_per_fact",
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Incomplete => "incomplete",
            Self::PassRate => "pass_rate",
        }
    }

    /// Its name for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::FactsFound => "facts found",
            Self::Recall => "recall",
            Self::UsefulLines => "useful / sent",
            Self::Usefulness => "usefulness",
            Self::StaleLines => "stale lines",
            Self::ForgottenLines => "forgotten lines",
            Self::MemoryTokens => "memory tokens",
            Self::TokensPerFact => "tokens per fact",
            Self::Pass => "answers passed",
            Self::Fail => "answers failed",
            Self::Incomplete => "incomplete",
            Self::PassRate => "pass rate",
        }
    }

    /// Whether it is measured on recorded answers.
    pub fn needs_answers(self) -> bool {
        matches!(self, Self::Pass | Self::Fail | Self::Incomplete | Self::PassRate)
    }

    /// Whether less of it is better.
    pub fn less_is_better(self) -> bool {
        matches!(
            self,
            Self::StaleLines
                | Self::ForgottenLines
                | Self::MemoryTokens
                | Self::TokensPerFact
                | Self::Fail
                | Self::Incomplete
        )
    }

    /// Whether it is good or bad by itself. More useful lines among many more that were sent are no gain: the ratio says it.
    fn is_judged(self) -> bool {
        self != Self::UsefulLines
    }

    /// How many places after the point are written.
    pub fn places(self) -> usize {
        match self {
            Self::Recall | Self::Usefulness | Self::PassRate => 3,
            Self::TokensPerFact => 1,
            _ => 0,
        }
    }

    /// Its value; none where there is nothing to measure it on.
    pub fn value(self, of: &Measures) -> Option<f64> {
        let (blocks, answers) = (&of.blocks, of.answers);
        let known = if self.needs_answers() { of.is_answered() } else { blocks.is_known() };
        if !known {
            return None;
        }
        let count = |count: usize| Some(count as f64);
        match self {
            Self::FactsFound => count(blocks.facts_found),
            Self::Recall => blocks.recall,
            Self::UsefulLines => count(blocks.useful_lines),
            Self::Usefulness => blocks.usefulness,
            Self::StaleLines => count(blocks.stale_lines),
            Self::ForgottenLines => count(blocks.forgotten_lines),
            Self::MemoryTokens => count(blocks.memory_tokens),
            Self::TokensPerFact => rounded(blocks.memory_tokens, blocks.facts_found),
            Self::Pass => count(answers.pass),
            Self::Fail => count(answers.fail),
            Self::Incomplete => count(answers.incomplete),
            Self::PassRate => rounded(answers.pass, answers.total()),
        }
    }

    /// Its value as text, with the whole behind a count that is part of one, such as `6/10`; a dash where there is none.
    pub fn text(self, of: &Measures) -> String {
        match (self, self.value(of)) {
            (_, None) => "-".to_owned(),
            (Self::FactsFound, _) => format!("{}/{}", of.blocks.facts_found, of.blocks.facts_required),
            (Self::UsefulLines, _) => format!("{}/{}", of.blocks.useful_lines, of.blocks.lines_sent),
            (Self::Pass, _) => format!("{}/{}", of.answers.pass, of.answers.total()),
            (_, Some(value)) => format!("{value:.*}", self.places()),
        }
    }

    /// The value less the baseline's; none where one of them has none.
    pub fn difference(self, of: &Measures, baseline: &Measures) -> Option<f64> {
        let difference = self.value(of)? - self.value(baseline)?;
        // Ratios of three places, subtracted in binary, are off in the last bits.
        Some((difference * 1000.0).round() / 1000.0)
    }

    /// The difference with its sign, such as `-4`; a dash where there is none.
    pub fn signed(self, of: &Measures, baseline: &Measures) -> String {
        match self.difference(of, baseline) {
            None => "-".to_owned(),
            Some(difference) if self.is_none(difference) => "0".to_owned(),
            Some(difference) => format!("{difference:+.*}", self.places()),
        }
    }

    /// Whether the value is better than the baseline's. A difference too small to be written is none.
    pub fn judge(self, of: &Measures, baseline: &Measures) -> Judgement {
        let Some(difference) = self.difference(of, baseline).filter(|_| self.is_judged()) else {
            return Judgement::Unknown;
        };
        if self.is_none(difference) {
            Judgement::Same
        } else if (difference < 0.0) == self.less_is_better() {
            Judgement::Better
        } else {
            Judgement::Worse
        }
    }

    /// Whether a difference is too small to be written.
    fn is_none(self, difference: f64) -> bool {
        let smallest = match self.places() {
            0 => 0.5,
            1 => 0.05,
            _ => 0.0005,
        };
        difference.abs() < smallest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measures(found: usize, tokens: usize, stale: usize) -> Measures {
        let blocks = BlockSummary {
            questions: 10,
            facts_found: found,
            facts_required: 10,
            recall: rounded(found, 10),
            memory_tokens: tokens,
            stale_lines: stale,
            ..BlockSummary::default()
        };
        Measures { blocks, ..Measures::default() }
    }

    #[test]
    fn less_is_better_where_it_costs() {
        let (baseline, other) = (measures(10, 632, 0), measures(6, 91, 3));
        let said = |measure: Measure| (measure.signed(&other, &baseline), measure.judge(&other, &baseline).word());
        assert_eq!(said(Measure::FactsFound), ("-4".into(), "worse"));
        assert_eq!(said(Measure::Recall), ("-0.400".into(), "worse"));
        assert_eq!(said(Measure::MemoryTokens), ("-541".into(), "better"));
        assert_eq!(said(Measure::TokensPerFact), ("-48.0".into(), "better"));
        assert_eq!(said(Measure::StaleLines), ("+3".into(), "worse"));
        assert_eq!(said(Measure::ForgottenLines), ("0".into(), "same"));
        assert_eq!(said(Measure::Pass), ("-".into(), ""), "no answers");
        assert_eq!(said(Measure::Usefulness), ("-".into(), ""), "nothing sent");
    }

    #[test]
    fn more_useful_lines_are_not_better_by_their_count() {
        let with = |useful, sent| {
            let blocks = BlockSummary {
                questions: 10,
                useful_lines: useful,
                lines_sent: sent,
                usefulness: rounded(useful, sent),
                ..BlockSummary::default()
            };
            Measures { blocks, ..Measures::default() }
        };
        let (baseline, other) = (with(10, 48), with(6, 7));
        assert_eq!(Measure::UsefulLines.judge(&other, &baseline), Judgement::Unknown);
        assert_eq!(Measure::UsefulLines.signed(&other, &baseline), "-4");
        assert_eq!(Measure::UsefulLines.signed(&baseline, &baseline), "0");
        assert_eq!(Measure::Usefulness.judge(&other, &baseline), Judgement::Better);
    }

    #[test]
    fn a_difference_too_small_to_be_written_is_none() {
        let (baseline, other) = (measures(7, 700, 0), measures(7, 700, 0));
        let near = Measures {
            blocks: BlockSummary { memory_tokens: 100_000, facts_found: 10_000, ..baseline.blocks },
            ..baseline
        };
        let nearer = Measures { blocks: BlockSummary { memory_tokens: 100_010, ..near.blocks }, ..near };
        assert_eq!(Measure::TokensPerFact.judge(&nearer, &near), Judgement::Same);
        assert_eq!(Measure::MemoryTokens.judge(&nearer, &near), Judgement::Worse);
        assert_eq!(
            Measure::ALL
                .map(|measure| measure.judge(&other, &baseline))
                .iter()
                .filter(|j| **j == Judgement::Worse)
                .count(),
            0
        );
    }

    #[test]
    fn what_is_not_known_is_neither_nothing_nor_better() {
        let (known, unknown) = (measures(6, 91, 0), Measures::default());
        for measure in Measure::ALL {
            assert_eq!((measure.text(&unknown).as_str(), measure.value(&unknown)), ("-", None), "{measure:?}");
            assert_eq!(measure.judge(&unknown, &known), Judgement::Unknown, "{measure:?}");
        }
        assert_eq!((unknown.holds_gate(), known.holds_gate()), (None, Some(true)));
    }

    #[test]
    fn values_are_written_with_their_whole() {
        let some = measures(6, 91, 0);
        assert_eq!(Measure::FactsFound.text(&some), "6/10");
        assert_eq!(Measure::TokensPerFact.text(&some), "15.2");
        assert_eq!(Measure::TokensPerFact.text(&measures(0, 91, 0)), "-");
        let answered = Measures { answers: Tally { pass: 1, fail: 1, incomplete: 1 }, ..some };
        assert_eq!(Measure::Pass.text(&answered), "1/3");
        assert_eq!(Measure::PassRate.text(&answered), "0.333");
        assert_eq!(Measure::PassRate.text(&some), "-");
    }
}
