//! The full-text projection of a user's records: an FTS5 table that says what the ranking of `bm25` is.

use rusqlite::Connection;

use super::Analysis;
use super::terms::question_terms;

/// An FTS5 table over the readable records of one user, and of no one else: what other users said moves no score.
///
/// It is a projection: it holds nothing that the records do not, and is made anew from them. The table keeps terms only, no
/// copy of the texts.
pub struct Projection {
    connection: Connection,
    analysis: Analysis,
}

impl Projection {
    /// Reads the records' texts; their places stand for them.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>, analysis: Analysis) -> rusqlite::Result<Self> {
        let mut connection = Connection::open_in_memory()?;
        connection.execute_batch(&format!(
            "CREATE VIRTUAL TABLE record USING fts5(text, content = '', tokenize = '{}');
             CREATE VIRTUAL TABLE term USING fts5vocab(record, instance);",
            analysis.tokenizer()
        ))?;
        let transaction = connection.transaction()?;
        {
            let mut insert = transaction.prepare("INSERT INTO record (rowid, text) VALUES (?1, ?2)")?;
            for (place, text) in texts.into_iter().enumerate() {
                insert.execute((place, text))?;
            }
        }
        transaction.commit()?;
        Ok(Self { connection, analysis })
    }

    /// The records that hold a term of the question, each with its score; best first, then in the order of their places.
    /// The question's words are quoted one by one, so that nothing in it is syntax.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn rank(&self, question: &str) -> rusqlite::Result<Vec<(usize, f64)>> {
        let words = question_words(question, self.analysis);
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let wanted = words.join(" OR ");
        let mut query = self.connection.prepare_cached(
            "SELECT rowid, -bm25(record) FROM record WHERE record MATCH ?1 ORDER BY bm25(record), rowid",
        )?;
        let rows = query.query_map([wanted], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect()
    }

    /// Every term of every record: record, place within it, term.
    ///
    /// # Errors
    /// SQLite refuses.
    pub fn terms(&self) -> rusqlite::Result<Vec<(usize, usize, Vec<u8>)>> {
        let mut query =
            self.connection.prepare("SELECT doc, offset, CAST(term AS BLOB) FROM term ORDER BY doc, offset")?;
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        rows.collect()
    }
}

/// The words of a question in quotes, one for each distinct term.
fn question_words(question: &str, analysis: Analysis) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut seen = Vec::new();
    for word in question_terms(question, Analysis::Plain) {
        let Ok(word) = String::from_utf8(word) else { continue };
        for term in question_terms(&word, analysis) {
            if !seen.contains(&term) {
                seen.push(term);
                words.push(format!("\"{word}\""));
            }
        }
    }
    words
}
