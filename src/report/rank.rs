//! Ranking measures: how well each strategy ranks, and whether it differs from a baseline by more than chance.

use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::{Table, ratio};
use crate::evaluate::Evaluation;
use crate::rank::words::{difference_words, test_label, test_words};
use crate::rank::{
    AnswerPair, Cutoff, Interval, McNemar, Measure, Pair, RESAMPLES, Ranking, Saturation, Summary, Test, holm,
};
use crate::select::Blocks;
use crate::text::displayable;
use crate::workspace::Workspace;

/// What a report of rankings is made from.
pub struct RankView<'a> {
    /// Everything that is open.
    pub workspace: &'a Workspace,
    /// Its rankings.
    pub ranking: &'a Ranking,
    /// The place of the strategy that the others are held against.
    pub baseline: usize,
    /// The seed of the intervals.
    pub seed: u64,
}

/// One strategy against the baseline at one cutoff.
struct Against {
    differences: Vec<(Measure, Option<Interval>)>,
    tests: Vec<(Test, McNemar)>,
}

impl RankView<'_> {
    fn evaluation(&self) -> &Evaluation {
        &self.workspace.evaluation
    }

    fn name(&self, strategy: usize) -> &str {
        self.evaluation().strategies.get(strategy).map_or("", |strategy| strategy.name())
    }

    fn others(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.ranking.strategy_count()).filter(|strategy| *strategy != self.baseline)
    }

    /// The strategies that can be held against the baseline.
    fn rivals(&self) -> impl Iterator<Item = usize> + '_ {
        self.others().filter(|strategy| self.evaluation().has_blocks(*strategy))
    }

    /// The cutoff that sentences and flips speak of: 10, else the last k, else the last one.
    pub fn headline(&self) -> usize {
        let cutoffs = self.ranking.cutoffs();
        let ten = cutoffs.iter().position(|cutoff| *cutoff == Cutoff::First(10));
        let last = || cutoffs.iter().rposition(|cutoff| matches!(cutoff, Cutoff::First(_)));
        ten.or_else(last).unwrap_or(cutoffs.len().saturating_sub(1))
    }

    fn cutoff(&self, place: usize) -> Cutoff {
        self.ranking.cutoffs().get(place).copied().unwrap_or(Cutoff::Whole)
    }

    fn pair(&self, strategy: usize, cutoff: usize) -> Pair<'_> {
        Pair::new(self.ranking, strategy, self.baseline, cutoff, None)
    }

    /// The p values of a test at a cutoff, adjusted for the number of strategies held against the baseline.
    fn adjusted(&self, test: Test, cutoff: usize) -> Vec<Option<f64>> {
        let rivals: Vec<usize> = self.rivals().collect();
        let values: Vec<Option<f64>> = (0..self.ranking.strategy_count())
            .map(|strategy| rivals.contains(&strategy).then(|| self.pair(strategy, cutoff).test(test).p))
            .collect();
        holm(&values)
    }

    fn against(&self, strategy: usize, cutoff: usize) -> Against {
        let pair = self.pair(strategy, cutoff);
        let differences = Measure::ALL.into_par_iter().map(|measure| (measure, pair.difference(measure, self.seed)));
        Against {
            differences: differences.collect(),
            tests: Test::ALL.into_iter().map(|test| (test, pair.test(test))).collect(),
        }
    }

    /// Where a strategy's candidates come from.
    fn source(&self, strategy: usize) -> &'static str {
        match self.evaluation().strategies.get(strategy).map(|strategy| strategy.blocks()) {
            Some(Blocks::Ranked) => "ranked by recallscope",
            Some(Blocks::Sent(run)) if run.ranked => "ranked by another system",
            Some(Blocks::Sent(_)) => "the lines of the block that another system sent",
            Some(Blocks::Unknown) | None => "not known",
        }
    }
}

/// Everything about the rankings, for programs.
pub struct RankReport(Value);

impl RankReport {
    /// All strategies at all cutoffs; `flips` lists the questions that flip a test at the headline's cutoff.
    pub fn new(view: &RankView<'_>, flips: Option<Test>) -> Self {
        let cutoffs = view.ranking.cutoffs();
        let measures: Vec<Value> = Measure::ALL
            .iter()
            .map(|measure| json!({ "name": measure.name(), "counts": measure.counts(), "over": measure.over() }))
            .collect();
        let adjusted: Vec<Vec<Vec<Option<f64>>>> = (0..cutoffs.len())
            .map(|cutoff| Test::ALL.iter().map(|test| view.adjusted(*test, cutoff)).collect())
            .collect();
        let mut strategies = Map::new();
        for strategy in 0..view.ranking.strategy_count() {
            let mut report = Map::new();
            report.insert("candidates".to_owned(), view.source(strategy).into());
            report.insert("all".to_owned(), group(view, strategy, None));
            let categories = view.ranking.categories().iter().enumerate();
            let categories: Map<String, Value> =
                categories.map(|(place, name)| (name.clone(), group(view, strategy, Some(place)))).collect();
            report.insert("categories".to_owned(), categories.into());
            if strategy != view.baseline {
                report.insert("against_baseline".to_owned(), against(view, strategy, &adjusted));
                if let Some(test) = flips {
                    report.insert("flips".to_owned(), flips_value(view, strategy, test));
                }
            }
            strategies.insert(view.name(strategy).to_owned(), report.into());
        }
        Self(json!({
            "cutoffs": cutoffs.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "facts_quota": view.evaluation().cases.facts_quota,
            "questions": view.ranking.question_count(),
            "measures": measures,
            "baseline": view.name(view.baseline),
            "seed": view.seed,
            "resamples": RESAMPLES,
            "strategies": strategies,
        }))
    }
}

impl serde::Serialize for RankReport {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// The means of a strategy over a group of questions, by cutoff.
fn group(view: &RankView<'_>, strategy: usize, category: Option<usize>) -> Value {
    let cutoffs = view.ranking.cutoffs().iter().enumerate();
    let groups: Map<String, Value> = cutoffs
        .filter_map(|(place, cutoff)| {
            let summary = view.ranking.summary(strategy, place, category)?;
            let mut values = Map::new();
            for measure in Measure::ALL {
                let mean = summary.mean(measure);
                let value = json!({ "value": mean.value, "questions": mean.questions });
                values.insert(measure.name().to_owned(), value);
            }
            values.insert("saturated".to_owned(), saturated(summary));
            values.insert("without_required_facts".to_owned(), summary.without_required.into());
            values.insert("without_ranking".to_owned(), summary.unranked.into());
            Some((cutoff.to_string(), values.into()))
        })
        .collect();
    groups.into()
}

fn saturated(summary: &Summary) -> Value {
    json!({
        "questions": summary.saturated,
        "of": summary.measured(),
        "flag": summary.saturation().word(),
        "candidates": mean_candidates(summary),
    })
}

/// Candidates of a question with required facts, on average.
fn mean_candidates(summary: &Summary) -> Option<f64> {
    (summary.measured() > 0).then(|| summary.candidates as f64 / summary.measured() as f64)
}

fn against(view: &RankView<'_>, strategy: usize, adjusted: &[Vec<Vec<Option<f64>>>]) -> Value {
    let mut by_cutoff = Map::new();
    for (place, cutoff) in view.ranking.cutoffs().iter().enumerate() {
        let Against { differences, tests } = view.against(strategy, place);
        let differences: Map<String, Value> =
            differences.into_iter().map(|(measure, interval)| (measure.name().to_owned(), json!(interval))).collect();
        let mut report = Map::new();
        report.insert("differences".to_owned(), differences.into());
        for (at, (test, result)) in tests.into_iter().enumerate() {
            let p_holm = adjusted.get(place).and_then(|tests| tests.get(at)?.get(strategy).copied().flatten());
            let McNemar { gained, lost, p } = result;
            let value = json!({ "gained": gained, "lost": lost, "p": p, "p_holm": p_holm });
            report.insert(test.measure().name().to_owned(), value);
        }
        by_cutoff.insert(cutoff.to_string(), report.into());
    }
    if let Some(answers) = AnswerPair::of(view.workspace, strategy, view.baseline, view.seed) {
        by_cutoff.insert("answers".to_owned(), json!({ "difference": answers.difference, "pass": answers.test }));
    }
    by_cutoff.into()
}

fn flips_value(view: &RankView<'_>, strategy: usize, test: Test) -> Value {
    let place = view.headline();
    let flips = view.pair(strategy, place).flips(test);
    let list: Vec<Value> = flips
        .iter()
        .filter_map(|flip| {
            let (conversation, question) = view.evaluation().question(flip.question)?;
            Some(json!({
                "user": conversation.user,
                "id": question.id,
                "question": question.question,
                "change": if flip.gained { "gained" } else { "lost" },
                "rank": flip.selected,
                "baseline_rank": flip.baseline,
            }))
        })
        .collect();
    json!({ "test": test, "cutoff": view.cutoff(place).to_string(), "questions": list })
}

/// Columns of a table that may go where there is no room for all: what is said elsewhere first, what few ask for next.
const SPARE: [&str; 6] = ["questions", "precision", "distinct", "forgotten", "stale", "all"];

/// One row a cutoff and strategy: the means of all measures, for people. Columns in which no strategy has a value are left
/// out, and where there are only so many columns of text, some that there is no room for. With `categories`, one row a
/// category, cutoff and strategy.
pub fn rank_table(view: &RankView<'_>, cutoffs: &[usize], categories: bool, room: Option<usize>) -> Table {
    let groups: Vec<Option<usize>> = match categories {
        true => (0..view.ranking.categories().len()).map(Some).collect(),
        false => vec![None],
    };
    let mut rows = Vec::new();
    for &group in &groups {
        for &cutoff in cutoffs {
            let summaries = (0..view.ranking.strategy_count())
                .filter_map(|strategy| Some((strategy, view.ranking.summary(strategy, cutoff, group)?)));
            rows.extend(summaries.map(|(strategy, summary)| (group, cutoff, strategy, summary)));
        }
    }
    let has_values = |measure: &Measure| rows.iter().any(|row| row.3.mean(*measure).value.is_some());
    let measures: Vec<Measure> = Measure::ALL.into_iter().filter(has_values).collect();
    let mut table = Table::default();
    if categories {
        table.heads.push("category".to_owned());
    }
    table.heads.extend(["k", "strategy"].map(str::to_owned));
    table.heads.extend(measures.iter().map(|measure| measure.head().to_owned()));
    table.heads.extend(["questions", "saturated"].map(str::to_owned));
    for (group, cutoff, strategy, summary) in rows {
        let category = group.and_then(|category| view.ranking.categories().get(category));
        let names = [view.cutoff(cutoff).to_string(), view.name(strategy).to_owned()];
        let values = measures.iter().map(|measure| value_text(*measure, summary));
        let counts = [summary.measured().to_string(), saturated_text(summary)];
        table.push(category.cloned().into_iter().chain(names).chain(values).chain(counts));
    }
    for name in SPARE {
        if room.is_none_or(|room| table.text_width() <= room) {
            break;
        }
        table.remove(name);
    }
    table
}

fn value_text(measure: Measure, summary: &Summary) -> String {
    let value = summary.mean(measure).value;
    match measure {
        Measure::Tokens => value.map_or_else(|| "-".to_owned(), |value| format!("{value:.0}")),
        _ => ratio(value),
    }
}

fn saturated_text(summary: &Summary) -> String {
    match summary.measured() {
        0 => "-".to_owned(),
        measured => {
            let mark = if summary.saturation() == Saturation::Few { "" } else { "*" };
            format!("{:.0}%{mark}", 100.0 * summary.saturated as f64 / measured as f64)
        }
    }
}

/// What stands under the table: the questions left out, saturated cutoffs, and each strategy against the baseline.
pub fn rank_lines(view: &RankView<'_>, cutoffs: &[usize]) -> Vec<String> {
    let mut lines = left_out(view);
    let flagged = |cutoff: usize| {
        (0..view.ranking.strategy_count()).any(|strategy| {
            view.ranking.summary(strategy, cutoff, None).is_some_and(|sum| sum.saturation() != Saturation::Few)
        })
    };
    if cutoffs.iter().any(|cutoff| flagged(*cutoff)) {
        lines.push(
            "* saturated: at least half of the questions have no more candidates than that, so that their order does not \
             count"
                .to_owned(),
        );
    }
    let place = view.headline();
    let cutoff = view.cutoff(place);
    let several = view.rivals().count() > 1;
    let adjusted = Test::ALL.map(|test| view.adjusted(test, place));
    for strategy in view.rivals() {
        let pair = view.pair(strategy, place);
        let Some(recall) = pair.difference(Measure::Recall, view.seed) else { continue };
        let mut text = format!(
            "{} against {}: {}",
            view.name(strategy),
            view.name(view.baseline),
            difference_words(Measure::Recall, cutoff, &recall)
        );
        for (test, adjusted) in Test::ALL.into_iter().zip(&adjusted) {
            let adjusted = adjusted.get(strategy).copied().flatten().filter(|_| several);
            text.push_str(&format!("; {}: {}", test_label(test, cutoff), test_words(&pair.test(test), adjusted)));
        }
        lines.push(text);
    }
    for strategy in view.others() {
        if let Some(answers) = AnswerPair::of(view.workspace, strategy, view.baseline, view.seed) {
            lines.push(format!(
                "{} against {}: answers pass: {}",
                view.name(strategy),
                view.name(view.baseline),
                test_words(&answers.test, None)
            ));
        }
    }
    lines.into_iter().map(|line| displayable(&line).into_owned()).collect()
}

/// How many questions the means are over, and how many are not in them.
fn left_out(view: &RankView<'_>) -> Vec<String> {
    let summary = view.ranking.summary(view.baseline, 0, None).cloned().unwrap_or_default();
    let mut text = format!("{} questions with required facts", summary.measured());
    if summary.without_required > 0 {
        let others = [Measure::Stale, Measure::Forgotten, Measure::Distinct, Measure::Tokens].map(|measure| {
            let questions = summary.mean(measure).questions;
            (questions > 0).then(|| format!("{} over {questions}", measure.label()))
        });
        let others: Vec<String> = others.into_iter().flatten().collect();
        text.push_str(&format!("; {} without count only in {}", summary.without_required, others.join(", ")));
    }
    let mut lines = vec![text];
    for strategy in 0..view.ranking.strategy_count() {
        let summary = view.ranking.summary(strategy, 0, None);
        if let Some(summary) = summary.filter(|summary| summary.unranked > 0) {
            lines.push(match summary.ranked {
                0 => format!("{} has no rankings: only its answers are known", view.name(strategy)),
                _ => format!("{} has no ranking for {} questions", view.name(strategy), summary.unranked),
            });
        }
    }
    lines
}

/// The same values, one row a strategy, category, cutoff and measure. Differences from the baseline are over all questions.
pub fn rank_rows(view: &RankView<'_>) -> Table {
    let mut table = Table::new([
        "strategy",
        "category",
        "k",
        "measure",
        "value",
        "questions",
        "saturated_questions",
        "saturated",
        "difference",
        "low",
        "high",
        "gained",
        "lost",
        "p",
        "p_holm",
    ]);
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    for (place, cutoff) in view.ranking.cutoffs().iter().enumerate() {
        let adjusted = Test::ALL.map(|test| view.adjusted(test, place));
        for strategy in 0..view.ranking.strategy_count() {
            let against = (strategy != view.baseline).then(|| view.against(strategy, place));
            let groups = std::iter::once(None).chain((0..view.ranking.categories().len()).map(Some));
            for group in groups {
                let Some(summary) = view.ranking.summary(strategy, place, group) else { continue };
                let category = group.and_then(|category| view.ranking.categories().get(category));
                for measure in Measure::ALL {
                    let mean = summary.mean(measure);
                    let against = against.as_ref().filter(|_| group.is_none());
                    let interval = against
                        .and_then(|against| against.differences.iter().find(|one| one.0 == measure))
                        .and_then(|one| one.1);
                    let test = against.and_then(|against| {
                        let at = Test::ALL.iter().position(|test| test.measure() == measure)?;
                        Some((against.tests.get(at)?.1, adjusted.get(at)?.get(strategy).copied().flatten()))
                    });
                    let count =
                        |of: fn(&McNemar) -> usize| test.map_or_else(String::new, |(test, _)| of(&test).to_string());
                    table.push([
                        view.name(strategy).to_owned(),
                        category.cloned().unwrap_or_default(),
                        cutoff.to_string(),
                        measure.name().to_owned(),
                        number(mean.value),
                        mean.questions.to_string(),
                        summary.saturated.to_string(),
                        summary.saturation().word().unwrap_or_default().to_owned(),
                        number(interval.map(|interval| interval.mean)),
                        number(interval.map(|interval| interval.low)),
                        number(interval.map(|interval| interval.high)),
                        count(|test| test.gained),
                        count(|test| test.lost),
                        number(test.map(|(test, _)| test.p)),
                        number(test.and_then(|(_, adjusted)| adjusted)),
                    ]);
                }
            }
        }
    }
    table
}

/// One row a strategy and question that flips a test at the headline's cutoff, with the rank that decides under both.
pub fn flips_table(view: &RankView<'_>, test: Test) -> Table {
    let mut table = Table::new(["strategy", "user", "id", "question", "test", "change", "rank", "baseline_rank"]);
    let place = view.headline();
    let rank = |rank: Option<usize>| rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string());
    for strategy in view.rivals() {
        for flip in view.pair(strategy, place).flips(test) {
            let Some((conversation, question)) = view.evaluation().question(flip.question) else { continue };
            table.push([
                view.name(strategy).to_owned(),
                conversation.user.clone(),
                question.id.clone(),
                question.question.clone(),
                test_label(test, view.cutoff(place)),
                if flip.gained { "gained" } else { "lost" }.to_owned(),
                rank(flip.selected),
                rank(flip.baseline),
            ]);
        }
    }
    table
}
