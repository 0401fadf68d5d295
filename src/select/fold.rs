//! Which characters belong to a word, and how they are folded: what the `unicode61` tokenizer of SQLite FTS5 makes of them.
//!
//! Letters, digits and characters of private use make up words; marks above letters are taken off; everything else
//! separates. ASCII is known here. Of any other character SQLite itself is asked, once.

use std::collections::HashSet;
use std::sync::{LazyLock, RwLock};

use foldhash::{HashMap, HashMapExt as _};
use rusqlite::Connection;

/// What a character does to the word that it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Folded {
    /// It ends the word.
    Separates,
    /// It stands in the word as this; as nothing, where it is a mark above the letter before.
    As(Box<str>),
}

/// What SQLite said of characters so far. Texts repeat their characters, so that asking is rare.
static KNOWN: LazyLock<RwLock<HashMap<char, Folded>>> = LazyLock::new(RwLock::default);

/// Makes sure that all characters of a text are known, and hands them to `read`.
pub(super) fn with_known<T>(text: &str, read: impl FnOnce(&HashMap<char, Folded>) -> T) -> T {
    // A panic while the map is held leaves whole entries behind.
    let known = KNOWN.read().unwrap_or_else(std::sync::PoisonError::into_inner);
    let unknown: HashSet<char> = text.chars().filter(|c| !c.is_ascii() && !known.contains_key(c)).collect();
    if unknown.is_empty() {
        return read(&known);
    }
    drop(known);
    let found = asked(&unknown).unwrap_or_default();
    let mut known = KNOWN.write().unwrap_or_else(std::sync::PoisonError::into_inner);
    for character in unknown {
        // SQLite in memory fails only where memory ends; then the character separates.
        known.insert(character, found.get(&character).cloned().unwrap_or(Folded::Separates));
    }
    read(&known)
}

/// Asks SQLite: a character between two letters leaves one word or two.
fn asked(characters: &HashSet<char>) -> rusqlite::Result<HashMap<char, Folded>> {
    let mut connection = Connection::open_in_memory()?;
    connection.execute_batch(
        "CREATE VIRTUAL TABLE probe USING fts5(text, tokenize = 'unicode61');
         CREATE VIRTUAL TABLE term USING fts5vocab(probe, instance);",
    )?;
    let transaction = connection.transaction()?;
    {
        let mut insert = transaction.prepare("INSERT INTO probe (rowid, text) VALUES (?1, ?2)")?;
        for character in characters {
            insert.execute((u32::from(*character), format!("a{character}b")))?;
        }
    }
    transaction.commit()?;
    let mut terms = connection.prepare("SELECT doc, term FROM term")?;
    let rows = terms.query_map([], |row| Ok((row.get::<_, u32>(0)?, row.get::<_, String>(1)?)))?;
    let mut found = HashMap::new();
    for row in rows {
        let (code, term) = row?;
        let Some(character) = char::from_u32(code) else { continue };
        if let Some(inner) = term.strip_prefix('a').and_then(|rest| rest.strip_suffix('b')) {
            found.insert(character, Folded::As(inner.into()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_join_marks_vanish_signs_separate() {
        let text = "é\u{301}–猫😀ß";
        with_known(text, |known| {
            assert_eq!(known[&'é'], Folded::As("e".into()));
            assert_eq!(known[&'\u{301}'], Folded::As("".into()));
            assert_eq!(known[&'–'], Folded::Separates);
            assert_eq!(known[&'猫'], Folded::As("猫".into()));
            assert_eq!(known[&'😀'], Folded::Separates);
            assert_eq!(known[&'ß'], Folded::As("ß".into()));
        });
    }
}
