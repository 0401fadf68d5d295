//! The same values that the panes show, as JSON, CSV, Markdown and tables.

mod abilities;
mod answers;
mod attributes;
mod audit;
mod blocks;
mod causes;
mod compare;
mod graders;
mod growth;
mod import;
mod layers;
mod rank;
mod table;
pub mod timeline;
mod totals;

pub use abilities::{AbilitiesReport, abilities_lines, abilities_table, probes_table, score_words, within_trial};
pub use answers::GradeReport;
pub use attributes::AttributeMap;
pub use audit::{AuditReport, audit_signals_table, audit_table};
pub use blocks::{EvalReport, blocks_table, gate_lines, summary_table};
pub use causes::{CauseReport, block_causes_table, cause_groups_table, cause_totals_table, causes_table};
pub use compare::{CompareReport, compare_lines, compare_rows, compare_table, differences_summary, differences_table};
pub use graders::{
    GradersReport, abstention_lines, agreement_table, categories_table, disagreement_table, grade_summary, grade_table,
    total_lines,
};
pub use growth::{GrowthReport, growth_table};
pub use import::{doubts_table, import_table};
pub use layers::LayersReport;
pub use rank::{RankReport, RankView, flips_table, rank_lines, rank_rows, rank_table};
pub use table::{Format, Table};
pub use totals::{TriagedReport, moved_table, off_table, provenance_table, totals_table};

use crate::grade::BlockSummary;

/// A value as stable, indented JSON with a final line break.
///
/// # Errors
/// A value that JSON cannot hold; none of the reports has one.
pub fn json<T: serde::Serialize>(value: &T) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(value).map(|text| text + "\n")
}

/// The seven cells of a strategy's blocks in tables; a dash in each where no block is known.
fn block_cells(sum: &BlockSummary) -> [String; 7] {
    if !sum.is_known() {
        return std::array::from_fn(|_| "-".to_owned());
    }
    [
        format!("{}/{}", sum.facts_found, sum.facts_required),
        ratio(sum.recall),
        format!("{}/{}", sum.useful_lines, sum.lines_sent),
        ratio(sum.usefulness),
        sum.stale_lines.to_string(),
        sum.forgotten_lines.to_string(),
        sum.memory_tokens.to_string(),
    ]
}

/// A ratio for people: three places, or a dash where there is none.
pub fn ratio(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"))
}
