//! How the rows of the long replay grew.

use serde::Serialize;

use crate::memory::StoreKind;
use crate::replay::{Growth, Sample};

use super::Table;

/// The growth series of both stores.
#[derive(Serialize)]
pub struct GrowthReport {
    managed: Vec<Sample>,
    append: Vec<Sample>,
}

impl GrowthReport {
    /// The series of a replay.
    pub fn new(growth: &Growth) -> Self {
        Self { managed: growth.managed.clone(), append: growth.append.clone() }
    }
}

/// One row a store and sample.
pub fn growth_table(growth: &Growth) -> Table {
    let mut table =
        Table::new(["store", "turn", "stored_rows", "current_facts", "superseded_rows", "deletion_records"]);
    for kind in StoreKind::FILLED {
        for Sample { turn, counts } in growth.samples(kind) {
            let numbers = [counts.stored_rows, counts.current_facts, counts.superseded_rows, counts.deletion_records];
            let cells = [kind.name().to_owned(), turn.to_string()];
            table.push(cells.into_iter().chain(numbers.map(|number| number.to_string())));
        }
    }
    table
}
