//! Embeddings from a server of the user's: any that speaks OpenAI's `/v1/embeddings`, such as Ollama or llama.cpp's server.
//!
//! All texts are embedded before the evaluation, in batches; each batch is kept in a cache as it comes, so that the next run
//! asks for nothing, and an interrupted one goes on where it stopped. Nothing is ever downloaded but vectors.

mod cache;
mod client;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::time::Duration;

use crate::progress::Watch;

pub use cache::{Cache, default_cache};
pub use client::{Client, Patience};

/// Texts in one request at most.
const BATCH: usize = 64;
/// Bytes of text in one request, unless one text alone has more: a small machine embeds whole sessions slowly.
const BATCH_BYTES: usize = 32 << 10;

/// Where embeddings come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The address, with or without `/v1/embeddings`.
    pub url: String,
    /// The model's name, as the server knows it.
    pub model: String,
    /// The environment variable that holds the API key; the key itself is never written or shown.
    pub key_variable: Option<String>,
    /// The cache file; where none is named, [`default_cache`].
    pub cache: Option<PathBuf>,
}

/// Why there are no embeddings, in one line that names the server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{server}: {message}")]
pub struct EmbedError {
    /// The server's address.
    pub server: String,
    /// What was found and what was expected.
    pub message: String,
}

/// The vectors of texts, all of one model and one length, normalised.
#[derive(Debug, Clone, Default)]
pub struct Vectors {
    /// The model that made them.
    pub model: String,
    dimension: usize,
    places: HashMap<Box<str>, usize>,
    numbers: Vec<f32>,
}

impl Vectors {
    /// No vectors yet.
    pub fn new(model: impl Into<String>) -> Self {
        Self { model: model.into(), ..Self::default() }
    }

    /// The vector of a text, of length 1, or of zeros where the model gave none other.
    pub fn get(&self, text: &str) -> Option<&[f32]> {
        let start = self.places.get(text)? * self.dimension;
        self.numbers.get(start..start + self.dimension)
    }

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The numbers in a vector; 0 before there is one.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Keeps the vector of a text, normalised.
    ///
    /// # Errors
    /// It is empty, of another length than those before, or holds what is no number.
    pub fn add(&mut self, text: &str, vector: &[f32]) -> Result<(), String> {
        if vector.is_empty() {
            return Err("found an empty vector, expected numbers".to_owned());
        }
        if self.dimension != 0 && vector.len() != self.dimension {
            let (found, expected) = (vector.len(), self.dimension);
            return Err(format!(
                "found a vector of {found} numbers, expected {expected} as in the others of this model"
            ));
        }
        if let Some(odd) = vector.iter().find(|number| !number.is_finite()) {
            return Err(format!("found {odd} in a vector, expected finite numbers"));
        }
        self.dimension = vector.len();
        let norm = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
        let scale = if norm > 0.0 { 1.0 / norm } else { 0.0 };
        self.places.insert(text.into(), self.numbers.len() / vector.len());
        self.numbers.extend(vector.iter().map(|number| (f64::from(*number) * scale) as f32));
        Ok(())
    }
}

/// Embeds texts: what the cache has is taken from there, the rest is asked for and kept. Empty texts have no vector.
/// Returns the vectors and what was odd about the cache, which never stops the work.
///
/// # Errors
/// The server cannot be reached, answers something else than vectors, or somebody stopped the work.
pub fn embed<'a>(
    texts: impl IntoIterator<Item = &'a str>,
    server: &Server,
    patience: &Patience,
    watch: &Watch,
) -> Result<(Vectors, Option<String>), EmbedError> {
    let mut seen = HashSet::new();
    let wanted: Vec<&str> = texts.into_iter().filter(|text| !text.trim().is_empty() && seen.insert(*text)).collect();
    let (cache, odd) = match Cache::open(server.cache.clone().or_else(default_cache).as_deref()) {
        Ok(cache) => (Some(cache), None),
        Err(reason) => (None, Some(reason)),
    };
    let mut vectors = Vectors::new(&server.model);
    let mut missing = Vec::new();
    for text in wanted.iter().copied() {
        let kept = cache.as_ref().and_then(|cache| cache.get(&server.model, text));
        // What is broken in the cache is asked for again.
        match kept {
            Some(kept) if vectors.add(text, &kept).is_ok() => {}
            _ => missing.push(text),
        }
    }
    if missing.is_empty() {
        return Ok((vectors, odd));
    }
    let client = Client::new(server, patience)?;
    let mut rest = missing.as_slice();
    while !rest.is_empty() {
        watch.say(&format!("embeddings of {}: {} of {} texts", server.model, vectors.len(), wanted.len()));
        let (texts, later) = rest.split_at(batch(rest));
        rest = later;
        let found = client.embed(texts, watch)?;
        for (text, vector) in texts.iter().zip(&found) {
            vectors.add(text, vector).map_err(|message| client.error(message))?;
        }
        if let Some(cache) = &cache {
            cache.keep(&server.model, texts, &found);
        }
    }
    Ok((vectors, odd))
}

/// How many of these texts go into the next request.
fn batch(texts: &[&str]) -> usize {
    let mut bytes = 0;
    let fitting = texts.iter().take(BATCH).take_while(|text| {
        bytes += text.len();
        bytes <= BATCH_BYTES
    });
    fitting.count().clamp(1, texts.len().max(1))
}

impl Default for Patience {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(120), tries: 4, first_wait: Duration::from_millis(500) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_normalised_and_of_one_length() {
        let mut vectors = Vectors::new("m");
        vectors.add("a", &[3.0, 4.0]).unwrap();
        vectors.add("zero", &[0.0, 0.0]).unwrap();
        assert_eq!(vectors.get("a").unwrap(), [0.6, 0.8]);
        assert_eq!(vectors.get("zero").unwrap(), [0.0, 0.0]);
        assert!(vectors.get("b").is_none());
        let message = vectors.add("b", &[1.0]).unwrap_err();
        assert_eq!(message, "found a vector of 1 numbers, expected 2 as in the others of this model");
        assert_eq!(vectors.add("b", &[1.0, f32::NAN]).unwrap_err(), "found NaN in a vector, expected finite numbers");
        assert!(vectors.add("b", &[]).is_err());
        assert!(vectors.get("b").is_none());
    }
}
