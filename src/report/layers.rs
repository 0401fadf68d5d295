//! The layers of each strategy, for people and scripts.

use serde::Serialize;

use crate::diagnosis::Diagnosis;
use crate::layers::{LayerScore, Layers};
use crate::triage::Layer;

use super::Table;

/// A number for each layer, and in which layer the failures are.
#[derive(Serialize)]
pub struct LayersReport<'a> {
    layers: &'a Layers,
    failures: Vec<LayerFailures>,
}

/// The failures of one strategy by the layer that broke.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LayerFailures {
    strategy: String,
    answers: LayerCounts,
    blocks: LayerCounts,
}

/// For each layer how many failures it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
struct LayerCounts {
    formation: usize,
    retrieval: usize,
    #[serde(rename = "use")]
    used: usize,
    lifecycle: usize,
}

impl LayerCounts {
    fn of(layers: impl Iterator<Item = Option<Layer>>) -> Self {
        let mut counts = Self { formation: 0, retrieval: 0, used: 0, lifecycle: 0 };
        for layer in layers.flatten() {
            *match layer {
                Layer::Formation => &mut counts.formation,
                Layer::Retrieval => &mut counts.retrieval,
                Layer::Use => &mut counts.used,
                Layer::Lifecycle => &mut counts.lifecycle,
            } += 1;
        }
        counts
    }

    fn cells(self) -> [String; 4] {
        [self.formation, self.retrieval, self.used, self.lifecycle].map(|count| count.to_string())
    }
}

impl<'a> LayersReport<'a> {
    /// The report.
    pub fn new(layers: &'a Layers, diagnosis: &Diagnosis) -> Self {
        let failures = layers.strategies.iter().map(|of| LayerFailures::of(&of.strategy, diagnosis));
        Self { layers, failures: failures.collect() }
    }

    /// One row a strategy: what went through each layer, of what reached it.
    pub fn table(&self) -> Table {
        let mut table = Table::new(["strategy", "formation", "retrieval", "useful lines", "use", "lifecycle"]);
        for of in &self.layers.strategies {
            let scores =
                [of.formation, Some(of.retrieval), Some(of.useful_lines), Some(of.used), Some(of.lifecycle)].map(words);
            table.push([of.strategy.clone()].into_iter().chain(scores));
        }
        table
    }

    /// One row a strategy: its answers that do not pass and its blocks that are not sound, by the layer that broke.
    pub fn failures_table(&self) -> Table {
        let mut table = Table::new(["strategy", "failed in", "formation", "retrieval", "use", "lifecycle"]);
        for LayerFailures { strategy, answers, blocks } in &self.failures {
            for (what, counts) in [("answers", answers), ("blocks", blocks)] {
                table.push([strategy.clone(), what.to_owned()].into_iter().chain(counts.cells()));
            }
        }
        table
    }

    /// What each number counts, and what it cannot say.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> =
            Layer::ALL.iter().map(|layer| format!("{}: {}", layer.name(), layer.counts())).collect();
        let unseen: Vec<&str> =
            self.layers.strategies.iter().filter(|of| !of.store_seen).map(|of| of.strategy.as_str()).collect();
        if !unseen.is_empty() {
            lines.push(format!(
                "the stores of {} are not seen: what their blocks lack counts as not retrieved, what they no longer hold as \
                 removed",
                unseen.join(", ")
            ));
        }
        lines
    }
}

impl LayerFailures {
    fn of(strategy: &str, diagnosis: &Diagnosis) -> Self {
        let causes = &diagnosis.causes;
        let answers = causes.answers.iter().filter(|finding| finding.strategy == strategy).map(|found| found.layer);
        let blocks = causes.blocks.iter().filter(|finding| finding.strategy == strategy).map(|found| found.layer);
        Self { strategy: strategy.to_owned(), answers: LayerCounts::of(answers), blocks: LayerCounts::of(blocks) }
    }
}

/// `9/10 0.900`; a dash where nothing is known, or nothing reached the layer.
fn words(score: Option<LayerScore>) -> String {
    let Some((score, share)) = score.and_then(|score| Some((score, score.share()?))) else { return "-".to_owned() };
    format!("{}/{} {share:.3}", score.right, score.of)
}
