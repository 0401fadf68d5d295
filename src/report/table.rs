//! One table, several ways to write it.

use comfy_table::{CellAlignment, LineStyle, TableStyle, presets};

use crate::text::displayable;

/// How to write a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people, in columns.
    Table,
    /// For programs: stable, every value.
    Json,
    /// For spreadsheets.
    Csv,
    /// For issues and notes.
    Markdown,
}

/// A table of texts. Columns that hold only numbers are set to the right.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// The heads of the columns.
    pub heads: Vec<String>,
    /// The rows, each as long as the heads.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new<const N: usize>(heads: [&str; N]) -> Self {
        Self { heads: heads.map(str::to_owned).to_vec(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, row: impl IntoIterator<Item = String>) {
        self.rows.push(row.into_iter().collect());
    }

    /// The table for people.
    pub fn to_text(&self) -> String {
        let rule = LineStyle::none().fill('─').junction('─');
        self.drawn(TableStyle::new().header_separator(rule), |cell| displayable(cell).into_owned())
    }

    /// The table as Markdown.
    pub fn to_markdown(&self) -> String {
        self.drawn(presets::ASCII_MARKDOWN, |cell| displayable(cell).replace('|', "\\|"))
    }

    /// The table as CSV: quoted where needed, texts as they are.
    pub fn to_csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        // Writing into memory cannot fail, and all rows have the heads' length.
        let written = std::iter::once(&self.heads).chain(&self.rows).try_for_each(|row| writer.write_record(row));
        debug_assert!(written.is_ok(), "rows of one length");
        writer.into_inner().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }

    fn drawn(&self, style: TableStyle, shown: impl Fn(&str) -> String) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(style);
        table.set_header(self.heads.iter().map(|head| shown(head)));
        for row in &self.rows {
            table.add_row(row.iter().map(|cell| shown(cell)));
        }
        for (index, column) in table.column_iter_mut().enumerate() {
            let numeric = self.rows.iter().filter_map(|row| row.get(index)).all(|cell| is_numeric(cell));
            if numeric && index > 0 {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let drawn = table.to_string();
        drawn.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
    }
}

fn is_numeric(cell: &str) -> bool {
    cell.chars().all(|c| c.is_ascii_digit() || ".-/+% ".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_in_a_cell_is_no_border_of_markdown() {
        let mut table = Table::new(["a", "b"]);
        table.push(["x|y".to_owned(), "z".to_owned()]);
        assert_eq!(table.to_markdown().lines().last(), Some("| x\\|y | z |"));
    }
}
