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
/// Columns that names in the first column keep before other columns are left out.
const NAMED: usize = 20;
/// A space on each side of a column, and one between two.
const PADDING: usize = 3;

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

    /// The table without the least important of some columns, as many as it takes to fit into so many columns of a terminal,
    /// and the heads of those that were left out.
    pub fn fitted(mut self, columns: usize, least: &[&'static str]) -> (Self, Vec<&'static str>) {
        let mut left_out = Vec::new();
        for head in least {
            if self.least_width() <= columns {
                break;
            }
            self.remove(head);
            left_out.push(*head);
        }
        (self, left_out)
    }

    /// Columns that it takes where the first column is cut as far as it may be.
    fn least_width(&self) -> usize {
        let most = |place| if place == 0 { NAMED } else { LONGEST };
        self.widths().iter().enumerate().map(|(place, width)| (*width).min(most(place)) + PADDING).sum()
    }

    /// Several tables one below the other, each with the first column and as many of the others as fit into so many columns of
    /// a terminal.
    pub fn to_sections_within(&self, columns: Option<usize>) -> String {
        let Some(columns) = columns else { return self.to_text() };
        let mut sections = Vec::new();
        let mut from = 1;
        while from < self.heads.len().max(2) {
            let mut to = from + 1;
            while to < self.heads.len() && self.part(from..to + 1).text_width() <= columns {
                to += 1;
            }
            sections.push(self.part(from..to).to_text_within(Some(columns)));
            from = to;
        }
        sections.join("\n")
    }

    /// The table of the first column and some others.
    fn part(&self, others: std::ops::Range<usize>) -> Self {
        let of = |row: &Vec<String>| {
            row.iter().take(1).chain(row.get(others.clone()).unwrap_or_default()).cloned().collect()
        };
        Self { heads: of(&self.heads), rows: self.rows.iter().map(of).collect() }
    }

    /// Columns of the longest text in each column.
    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = self.heads.iter().map(|head| width(&displayable(head))).collect();
        for row in &self.rows {
            for (widest, cell) in widths.iter_mut().zip(row) {
                *widest = (*widest).max(width(&displayable(cell)));
            }
        }
        widths
    }

    /// Columns that the table for people takes at most.
    pub fn text_width(&self) -> usize {
        self.widths().iter().map(|width| (*width).min(LONGEST) + PADDING).sum()
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
        let widths = self.widths();
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
    fn a_table_too_wide_for_the_terminal_is_written_in_sections() {
        let mut table = Table::new(["measure", "one", "two", "three"]);
        table.push(["recall", "0.100 +0.1 better", "0.200 +0.2 better", "0.300 +0.3 better"].map(str::to_owned));
        let text = table.to_sections_within(Some(50));
        assert!(text.lines().all(|line| width(line) <= 50), "{text}");
        assert_eq!(text.matches("measure").count(), 2, "{text}");
        for word in ["one", "two", "three", "+0.1 better", "+0.2 better", "+0.3 better"] {
            assert_eq!(text.matches(word).count(), 1, "{word} in {text}");
        }
        assert_eq!(table.to_sections_within(None), table.to_text());
        assert_eq!(table.to_sections_within(Some(200)), table.to_text());
        assert!(table.to_sections_within(Some(1)).contains("+0.3"), "as narrow as it gets");
    }

    #[test]
    fn a_column_that_can_be_spared_gives_way_before_a_number_is_cut() {
        let mut table = Table::new(["strategy", "facts", "usefulness", "pass"]);
        table.push(["a-strategy-with-a-very-long-name", "1168/2363", "0.029", "1427"].map(str::to_owned));
        let (fitted, left_out) = table.clone().fitted(50, &["usefulness", "facts"]);
        assert_eq!((fitted.heads.len(), left_out), (3, vec!["usefulness"]));
        let text = fitted.to_text_within(Some(50));
        assert!(text.contains("1168/2363") && text.contains("1427") && text.contains("a-strategy-with"), "{text}");
        assert!(text.lines().all(|line| width(line) <= 50), "{text}");
        assert_eq!(table.fitted(100, &["usefulness"]).1, Vec::<&str>::new());
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
