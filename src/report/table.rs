//! One table, several ways to write it.

use comfy_table::{CellAlignment, LineStyle, TableStyle, presets};

use crate::text::{displayable, truncate_with, width};

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

/// Columns of the longest texts where nobody says how wide the screen is.
const LONGEST: usize = 60;
/// Columns that a text keeps, however narrow the screen is.
const SHORTEST: usize = 12;
/// A space on each side of a column.
const PADDING: usize = 2;

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

    /// Takes a column out, where it has one of this head.
    pub fn remove(&mut self, head: &str) {
        if let Some(place) = self.heads.iter().position(|own| own == head) {
            self.heads.remove(place);
            for row in self.rows.iter_mut().filter(|row| place < row.len()) {
                row.remove(place);
            }
        }
    }

    /// Columns that the table for people takes at most.
    pub fn text_width(&self) -> usize {
        let columns = |text: &String| width(&displayable(text)).min(LONGEST) + PADDING;
        let mut widths: Vec<usize> = self.heads.iter().map(columns).collect();
        for row in &self.rows {
            for (widest, cell) in widths.iter_mut().zip(row) {
                *widest = columns(cell).max(*widest);
            }
        }
        widths.into_iter().sum()
    }

    /// The table for people. Long texts are cut so that rows stay rows: the other formats have the whole of them.
    pub fn to_text(&self) -> String {
        self.to_text_within(None)
    }

    /// The table for people in so many columns of a terminal, as far as its short texts leave room; without a terminal the
    /// longest texts have [`LONGEST`] columns.
    pub fn to_text_within(&self, columns: Option<usize>) -> String {
        let rule = LineStyle::none().fill('─').junction('─');
        let longest = columns.map_or(LONGEST, |columns| self.longest_within(columns));
        self.drawn(TableStyle::new().header_separator(rule), |cell| {
            truncate_with(&displayable(cell), longest, "…").into_owned()
        })
    }

    /// The width to cut texts to, so that the widest columns share what the others leave.
    fn longest_within(&self, columns: usize) -> usize {
        let mut widths: Vec<usize> = self.heads.iter().map(|head| width(&displayable(head))).collect();
        for row in &self.rows {
            for (widest, cell) in widths.iter_mut().zip(row) {
                *widest = (*widest).max(width(&displayable(cell)));
            }
        }
        let needed = |longest: usize| widths.iter().map(|width| (*width).min(longest) + PADDING).sum::<usize>();
        (SHORTEST..columns.max(SHORTEST)).rev().find(|longest| needed(*longest) <= columns).unwrap_or(SHORTEST)
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

    /// One object a row, by the heads of the columns.
    pub fn to_objects(&self) -> Vec<serde_json::Map<String, serde_json::Value>> {
        let object = |row: &Vec<String>| {
            let cells = self.heads.iter().zip(row);
            cells.map(|(head, cell)| (head.replace(' ', "_"), number_or_text(cell))).collect()
        };
        self.rows.iter().map(object).collect()
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

/// Counts and ratios as numbers, a dash as nothing.
fn number_or_text(cell: &str) -> serde_json::Value {
    match cell {
        "-" => serde_json::Value::Null,
        _ if cell.starts_with(|c: char| c.is_ascii_digit()) => {
            serde_json::from_str::<serde_json::Number>(cell).map_or_else(|_| cell.into(), serde_json::Value::Number)
        }
        text => text.into(),
    }
}

fn is_numeric(cell: &str) -> bool {
    cell.chars().all(|c| c.is_ascii_digit() || ".-/+%* ".contains(c))
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

    #[test]
    fn long_texts_are_cut_for_people_only() {
        let mut table = Table::new(["id", "answer"]);
        let long = "word ".repeat(50);
        table.push(["q1".to_owned(), long.clone()]);
        let last = |text: String| text.lines().last().unwrap_or_default().to_owned();
        assert_eq!(width(&last(table.to_text())), 66);
        assert!(last(table.to_text()).ends_with("…"));
        for columns in [30, 80, 120] {
            let row = last(table.to_text_within(Some(columns)));
            assert!(width(&row) <= columns && width(&row) + 2 >= columns, "{columns}: {row:?}");
        }
        assert!(width(&last(table.to_text_within(Some(1)))) < 30, "as narrow as it gets");
        assert!(table.to_csv().contains(&long) && table.to_markdown().contains(long.trim_end()));
    }
}
