//! The embeddings that were computed before, in a SQLite file.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use rusqlite::{Connection, OptionalExtension};
use sha2::{Digest, Sha256};

/// Which layout the file has, in SQLite's `user_version`.
const VERSION: i64 = 1;

/// Vectors by model and by the SHA-256 of the text: texts themselves are not kept. A vector is a BLOB of 32-bit floats,
/// lower byte first.
pub struct Cache {
    connection: Connection,
}

/// `recallscope/embeddings.sqlite` in the user's cache folder, where there is one.
pub fn default_cache() -> Option<PathBuf> {
    let base = etcetera::choose_base_strategy().ok()?;
    Some(base.cache_dir().join("recallscope").join("embeddings.sqlite"))
}

impl Cache {
    /// Opens a cache, or makes it.
    ///
    /// # Errors
    /// It cannot be opened or is something else: why, in one line.
    pub fn open(path: Option<&Path>) -> Result<Self, String> {
        let path = path.ok_or("there is no cache folder, so embeddings are not kept (--cache FILE names a file)")?;
        let refused = |why: String| format!("{}: {why}, so embeddings are not kept", path.display());
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| refused(crate::source::io_reason(&error)))?;
        }
        Self::connect(path)
            .map_err(|error| refused(error.to_string()))?
            .ok_or_else(|| refused("is not a cache of embeddings".to_owned()))
    }

    fn connect(path: &Path) -> rusqlite::Result<Option<Self>> {
        let connection = Connection::open(path)?;
        let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if version != VERSION && (version != 0 || tables != 0) {
            return Ok(None);
        }
        // Two explorers may share it.
        connection.busy_timeout(std::time::Duration::from_secs(5))?;
        connection.execute_batch(&format!(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
             CREATE TABLE IF NOT EXISTS embedding (
                 model  TEXT NOT NULL,
                 hash   BLOB NOT NULL, -- SHA-256 of the text
                 vector BLOB NOT NULL, -- 32-bit floats, lower byte first
                 PRIMARY KEY (model, hash)
             ) WITHOUT ROWID;
             PRAGMA user_version = {VERSION};"
        ))?;
        Ok(Some(Self { connection }))
    }

    /// The vector of a text; none where it is not there or not a vector.
    pub fn get(&self, model: &str, text: &str) -> Option<Vec<f32>> {
        let mut query =
            self.connection.prepare_cached("SELECT vector FROM embedding WHERE model = ?1 AND hash = ?2").ok()?;
        let found = query.query_row((model, hash(text)), |row| row.get::<_, Vec<u8>>(0)).optional();
        let bytes = found.ok()??;
        let (numbers, rest) = bytes.as_chunks::<4>();
        rest.is_empty().then(|| numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
    }

    /// Keeps vectors. What cannot be kept is asked for again the next time.
    pub fn keep(&self, model: &str, texts: &[&str], vectors: &[Vec<f32>]) {
        let keep = || {
            let transaction = self.connection.unchecked_transaction()?;
            let mut insert = transaction
                .prepare_cached("INSERT OR REPLACE INTO embedding (model, hash, vector) VALUES (?1, ?2, ?3)")?;
            for (text, vector) in texts.iter().zip(vectors) {
                let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
                insert.execute((model, hash(text), bytes))?;
            }
            drop(insert);
            transaction.commit()
        };
        let _: rusqlite::Result<()> = keep();
    }
}

fn hash(text: &str) -> Vec<u8> {
    Sha256::digest(text.as_bytes()).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_kept_by_model_and_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deeper/cache.sqlite");
        let vector = vec![0.25_f32, -1.5, 3.0e-30];
        Cache::open(Some(&path)).unwrap().keep("m", &["one"], std::slice::from_ref(&vector));
        let cache = Cache::open(Some(&path)).unwrap();
        assert_eq!(cache.get("m", "one"), Some(vector));
        assert_eq!(cache.get("m", "two"), None);
        assert_eq!(cache.get("other", "one"), None);
        cache.connection.execute("UPDATE embedding SET vector = x'000000'", []).unwrap();
        assert_eq!(cache.get("m", "one"), None, "three bytes are no number");
    }

    #[test]
    fn another_database_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.sqlite");
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE mine (a)").unwrap();
        let reason = Cache::open(Some(&path)).err().unwrap();
        assert!(reason.ends_with("other.sqlite: is not a cache of embeddings, so embeddings are not kept"), "{reason}");
        std::fs::write(folder.path().join("text"), "not a database, but long enough to have a header of one").unwrap();
        assert!(Cache::open(Some(&folder.path().join("text"))).is_err());
    }
}
