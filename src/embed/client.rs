//! Asking the server.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use ureq::Agent;

use super::{EmbedError, Server};
use crate::progress::Watch;
use crate::text::{displayable, truncate};

/// The most that a server may answer with, in bytes: far beyond a batch of vectors.
const MOST_BYTES: u64 = 256 << 20;
/// The longest wait that a server's `Retry-After` is granted.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// How soon a wait notices that somebody stopped the work.
const GLANCE: Duration = Duration::from_millis(50);
/// Columns of a server's own words in an error.
const EXCERPT: usize = 200;

/// How long to wait for a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// From a request to the end of its answer.
    pub timeout: Duration,
    /// How often a request is sent at most, where the server is busy (status 429) or broken for the moment (5xx).
    pub tries: usize,
    /// The wait before the second try; it doubles from try to try.
    pub first_wait: Duration,
}

/// A server that embeds texts.
pub struct Client {
    agent: Agent,
    endpoint: String,
    model: String,
    key: Option<String>,
    patience: Patience,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [&'a str],
}

#[derive(Deserialize)]
struct Response {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// An answer that was no success.
enum Refusal {
    /// Another try may do better, after this wait where the server names one.
    Busy(String, Option<Duration>),
    Final(String),
}

impl Client {
    /// Prepares to ask a server. Nothing is sent yet.
    ///
    /// # Errors
    /// The address is not one of HTTP, or the variable of the key is not set.
    pub fn new(server: &Server, patience: &Patience) -> Result<Self, EmbedError> {
        let refused = |message: String| EmbedError { server: server.url.clone(), message };
        let endpoint = endpoint(&server.url).map_err(&refused)?;
        let key = match &server.key_variable {
            None => None,
            Some(name) => {
                let key = std::env::var(name).ok().filter(|key| !key.trim().is_empty());
                let key = key.ok_or_else(|| refused(format!("the environment variable {name} holds no API key")))?;
                if key.trim().chars().any(|c| c.is_control() || !c.is_ascii()) {
                    return Err(refused(format!("the API key in {name} holds characters that a header cannot")));
                }
                Some(key.trim().to_owned())
            }
        };
        let mut config = Agent::config_builder()
            .timeout_global(Some(patience.timeout))
            .timeout_connect(Some(patience.timeout.min(Duration::from_secs(10))))
            .http_status_as_error(false)
            // A key must not travel on to wherever a server points.
            .max_redirects(0)
            .max_redirects_will_error(false)
            // A server that closes idle connections would make the next batch fail.
            .max_idle_connections(0);
        if is_loopback(&endpoint) {
            config = config.proxy(None);
        }
        let agent = config.build().new_agent();
        Ok(Self { agent, endpoint, model: server.model.clone(), key, patience: *patience })
    }

    /// An error that names the server.
    pub fn error(&self, message: impl Into<String>) -> EmbedError {
        EmbedError { server: self.endpoint.clone(), message: message.into() }
    }

    /// The vectors of some texts, in their order. Busy servers are asked again after a while.
    ///
    /// # Errors
    /// See [`super::embed`].
    pub fn embed(&self, texts: &[&str], watch: &Watch) -> Result<Vec<Vec<f32>>, EmbedError> {
        let body = serde_json::to_vec(&Request { model: &self.model, input: texts })
            .map_err(|error| self.error(error.to_string()))?;
        let mut wait = self.patience.first_wait;
        for attempt in 1.. {
            if watch.is_stopped() {
                break;
            }
            match self.ask(&body) {
                Ok(answer) => return self.vectors(&answer, texts.len()),
                Err(Refusal::Final(message)) => return Err(self.error(message)),
                Err(Refusal::Busy(message, _)) if attempt >= self.patience.tries => {
                    let times = if attempt == 1 { "once".to_owned() } else { format!("{attempt} times") };
                    return Err(self.error(format!("{message} (tried {times})")));
                }
                Err(Refusal::Busy(_, named)) => {
                    pause(named.unwrap_or(wait), watch);
                    wait *= 2;
                }
            }
        }
        Err(self.error("stopped before all texts were embedded"))
    }

    fn ask(&self, body: &[u8]) -> Result<Vec<u8>, Refusal> {
        let failed = |error: ureq::Error| Refusal::Final(self.reason(&error));
        let mut request = self.agent.post(&self.endpoint).content_type("application/json");
        if let Some(key) = &self.key {
            request = request.header("Authorization", &format!("Bearer {key}"));
        }
        let mut response = request.send(body).map_err(failed)?;
        let status = response.status().as_u16();
        let named = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
        let named = named.map(|seconds| Duration::from_secs(seconds).min(LONGEST_WAIT));
        let answer = response.body_mut().with_config().limit(MOST_BYTES).read_to_vec().map_err(failed)?;
        match status {
            200 => Ok(answer),
            429 | 500..=599 => Err(Refusal::Busy(self.answered(status, &answer), named)),
            _ => Err(Refusal::Final(self.answered(status, &answer))),
        }
    }

    fn answered(&self, status: u16, body: &[u8]) -> String {
        let words = self.excerpt(body);
        let words = if words.is_empty() { words } else { format!(": {words}") };
        format!("answered with status {status}, expected 200{words}")
    }

    /// The beginning of what a server said, on one line and without the key, should it repeat that.
    fn excerpt(&self, body: &[u8]) -> String {
        let text = String::from_utf8_lossy(body);
        let text = match &self.key {
            Some(key) => text.replace(key.as_str(), "(the key)"),
            None => text.into_owned(),
        };
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        truncate(&displayable(&line), EXCERPT).to_string()
    }

    fn vectors(&self, answer: &[u8], count: usize) -> Result<Vec<Vec<f32>>, EmbedError> {
        let response: Response = serde_json::from_slice(answer).map_err(|error| {
            let words = self.excerpt(answer);
            let seen = if words.is_empty() { "nothing".to_owned() } else { words };
            self.error(format!("found {seen}, expected embeddings in JSON ({error})"))
        })?;
        let found = response.data.len();
        if found != count {
            return Err(self.error(format!("found {found} embeddings, expected {count}, one for each text")));
        }
        let mut vectors: Vec<Option<Vec<f32>>> = vec![None; count];
        for (place, row) in response.data.into_iter().enumerate() {
            let index = row.index.unwrap_or(place);
            match vectors.get_mut(index) {
                Some(free @ None) => *free = Some(row.embedding),
                Some(Some(_)) => return Err(self.error(format!("found two embeddings with the index {index}"))),
                None => return Err(self.error(format!("found the index {index}, expected one below {count}"))),
            }
        }
        Ok(vectors.into_iter().flatten().collect())
    }

    fn reason(&self, error: &ureq::Error) -> String {
        use std::io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, UnexpectedEof};
        match error {
            ureq::Error::Timeout(_) => {
                format!("gave no answer within {} seconds", self.patience.timeout.as_secs_f64())
            }
            ureq::Error::HostNotFound => "there is no such host".to_owned(),
            ureq::Error::ConnectionFailed => "nothing answers there".to_owned(),
            ureq::Error::Io(error) => match error.kind() {
                ConnectionRefused => "nothing answers there: is the server running?".to_owned(),
                ConnectionReset | ConnectionAborted | UnexpectedEof => {
                    "closed the connection before it answered".to_owned()
                }
                _ => crate::source::io_reason(error),
            },
            ureq::Error::BodyExceedsLimit(_) => "answers with more than 256 MB, expected embeddings".to_owned(),
            // What ureq says of a connection that ended early is for those who know its insides.
            ureq::Error::Protocol(error) => format!("does not answer in HTTP ({error})"),
            error => self.excerpt(error.to_string().as_bytes()),
        }
    }
}

/// The address of the embeddings: `/v1/embeddings` is added as far as it is left out.
fn endpoint(url: &str) -> Result<String, String> {
    let url = url.trim().trim_end_matches('/');
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let Some(rest) = rest.filter(|rest| !rest.is_empty() && !rest.contains(char::is_whitespace)) else {
        return Err("expected an address such as http://localhost:11434".to_owned());
    };
    if rest.split('/').next().is_some_and(|host| host.contains('@')) {
        return Err(
            "found a password in the address, expected it in an environment variable (--embedding-key)".to_owned()
        );
    }
    Ok(if url.ends_with("/embeddings") {
        url.to_owned()
    } else if url.ends_with("/v1") {
        format!("{url}/embeddings")
    } else {
        format!("{url}/v1/embeddings")
    })
}

/// Whether the address is this machine's own, which no proxy reaches.
fn is_loopback(endpoint: &str) -> bool {
    let rest = endpoint.split_once("://").map_or(endpoint, |(_, rest)| rest);
    let host = rest.split('/').next().unwrap_or_default();
    host.starts_with("localhost") || host.starts_with("127.") || host.starts_with("[::1]")
}

/// Waits, but not on after the work was stopped.
fn pause(wait: Duration, watch: &Watch) {
    let until = Instant::now() + wait;
    while !watch.is_stopped() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(GLANCE));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_may_be_written_short() {
        for url in ["http://h:1", "http://h:1/", "http://h:1/v1", "http://h:1/v1/embeddings/"] {
            assert_eq!(endpoint(url).unwrap(), "http://h:1/v1/embeddings");
        }
        for url in ["localhost:11434", "ftp://h", "http://", "http://a b"] {
            assert_eq!(endpoint(url).unwrap_err(), "expected an address such as http://localhost:11434", "{url}");
        }
        assert!(endpoint("https://me:secret@h").unwrap_err().contains("--embedding-key"));
    }
}
