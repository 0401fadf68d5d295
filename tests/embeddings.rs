//! Embeddings from a small server that answers as told: well, badly, or not at all.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use assert_cmd::Command;
use recallscope::case::{Event, Op};
use recallscope::embed::{Cache, Client, Patience, Server, Vectors, embed};
use recallscope::memory::{StoreKind, Stores};
use recallscope::progress::Watch;
use recallscope::select::{self, Pool, Query};

/// What the server does with one request.
enum Does {
    /// Answers with a status, a header and a body.
    Answers(u16, &'static str, String),
    /// Answers with vectors: for each text its length, the number of its vowels, and 1.
    Embeds,
    /// Closes the connection.
    Hangs,
    /// Never answers, until the client has gone.
    Sleeps,
}

/// A request as it came: its head, and its texts.
#[derive(Debug, Clone)]
struct Heard {
    head: String,
    body: serde_json::Value,
}

/// Serves requests one by one, each as the next of `does` says; the last of them goes on for good.
fn server(does: Vec<Does>) -> (String, Arc<Mutex<Vec<Heard>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let heard: Arc<Mutex<Vec<Heard>>> = Arc::default();
    let log = Arc::clone(&heard);
    thread::spawn(move || {
        let mut does = does.into_iter().peekable();
        let mut last = Does::Embeds;
        for stream in listener.incoming().map_while(Result::ok) {
            let now = does.next();
            if let Some(now) = now {
                last = now;
            }
            serve(stream, &last, &log);
        }
    });
    (url, heard)
}

fn serve(mut stream: TcpStream, does: &Does, log: &Mutex<Vec<Heard>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return;
        }
    }
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
    let (status, header, answer) = match does {
        Does::Hangs => (0, "", String::new()),
        Does::Sleeps => {
            let _ = stream.read(&mut [0]);
            return;
        }
        Does::Answers(status, header, body) => (*status, *header, body.clone()),
        Does::Embeds => {
            let texts = body["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap());
            let rows = texts.enumerate().map(|(index, text)| {
                let vowels = text.chars().filter(|c| "aeiou".contains(*c)).count();
                serde_json::json!({"index": index, "embedding": [text.len(), vowels, 1]})
            });
            // In another order than asked: the index says which is which.
            let rows: Vec<_> = rows.collect::<Vec<_>>().into_iter().rev().collect();
            (200, "", serde_json::json!({"data": rows}).to_string())
        }
    };
    log.lock().unwrap().push(Heard { head, body });
    if status > 0 {
        let length = answer.len();
        let _ = write!(stream, "HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n{header}\r\n{answer}");
    }
}

fn hurried() -> Patience {
    Patience { timeout: Duration::from_secs(20), tries: 3, first_wait: Duration::from_millis(1) }
}

fn at(url: &str, cache: &Path) -> Server {
    Server { url: url.to_owned(), model: "tiny".to_owned(), key_variable: None, cache: Some(cache.to_owned()) }
}

/// The one-line error of embedding two texts, without the server's address.
fn error(does: Vec<Does>) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (url, _) = server(does);
    let found = embed(["one", "two"], &at(&url, &folder.path().join("c")), &hurried(), &Watch::default());
    let message = found.err().unwrap().to_string();
    assert!(!message.contains('\n'), "{message}");
    message.strip_prefix(&format!("{url}/v1/embeddings: ")).unwrap_or(&message).to_owned()
}

fn answers(status: u16, body: &str) -> Does {
    Does::Answers(status, "", body.to_owned())
}

#[test]
fn texts_go_out_in_batches_once_and_a_second_run_is_offline() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache.sqlite");
    let (url, heard) = server(vec![Does::Embeds]);
    let texts: Vec<String> = (0..150).map(|n| "a".repeat(n % 100)).collect();
    let wanted = || texts.iter().map(String::as_str);
    let (vectors, odd) = embed(wanted(), &at(&url, &cache), &hurried(), &Watch::default()).unwrap();
    // Texts repeat, and one is empty.
    assert_eq!((vectors.len(), vectors.dimension(), odd), (99, 3, None));
    let sizes: Vec<_> = heard.lock().unwrap().iter().map(|one| one.body["input"].as_array().unwrap().len()).collect();
    assert_eq!(sizes, [64, 35]);
    assert_eq!(heard.lock().unwrap()[0].body["model"], "tiny");
    let three = vectors.get("aaa").unwrap();
    let length = (3.0_f32 * 3.0 + 3.0 * 3.0 + 1.0).sqrt();
    assert!((three[0] - 3.0 / length).abs() < 1e-6 && (three[2] - 1.0 / length).abs() < 1e-6);
    // Nothing answers at this address, and nothing has to.
    let (again, _) = embed(wanted(), &at("http://127.0.0.1:1", &cache), &hurried(), &Watch::default()).unwrap();
    assert_eq!(again.get("aaa"), vectors.get("aaa"));
    // Another model is asked.
    let other = Server { model: "other".to_owned(), ..at("http://127.0.0.1:1", &cache) };
    assert!(embed(wanted(), &other, &hurried(), &Watch::default()).is_err());
}

#[test]
fn each_way_to_fail_is_one_line_that_names_the_server() {
    assert_eq!(error(vec![Does::Hangs]), "closed the connection before it answered");
    assert_eq!(
        error(vec![answers(404, "{\"error\":\n \"no such\u{1b}[2J model\"}")]).split(": ").next().unwrap(),
        "answered with status 404, expected 200"
    );
    assert!(!error(vec![answers(404, "\u{1b}[2J")]).contains('\u{1b}'));
    assert_eq!(error(vec![answers(302, "")]), "answered with status 302, expected 200");
    let json = error(vec![answers(200, "<html>hello</html>")]);
    assert!(json.starts_with("found <html>hello</html>, expected embeddings in JSON (expected value"), "{json}");
    assert!(error(vec![answers(200, "")]).starts_with("found nothing, expected embeddings in JSON"));
    let row = |numbers: &str| format!("{{\"embedding\":[{numbers}]}}");
    let data = |rows: &[String]| answers(200, &format!("{{\"data\":[{}]}}", rows.join(",")));
    assert_eq!(error(vec![data(&[row("1,2")])]), "found 1 embeddings, expected 2, one for each text");
    assert_eq!(
        error(vec![data(&[row("1,2"), row("1,2,3")])]),
        "found a vector of 3 numbers, expected 2 as in the others of this model"
    );
    assert!(error(vec![data(&[row("1,2"), row("NaN,1")])]).contains("expected embeddings in JSON"));
    assert!(error(vec![data(&[row("1,2"), row("1e39,1")])]).contains("number out of range"));
    assert_eq!(error(vec![data(&[row(""), row("")])]), "found an empty vector, expected numbers");
    let twice = "{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":0,\"embedding\":[1]}]}";
    assert_eq!(error(vec![answers(200, twice)]), "found two embeddings with the index 0");
    let beyond = "{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":2,\"embedding\":[1]}]}";
    assert_eq!(error(vec![answers(200, beyond)]), "found the index 2, expected one below 2");
    let folder = tempfile::tempdir().unwrap();
    let nobody = at("http://127.0.0.1:1", &folder.path().join("c"));
    let refused = embed(["one"], &nobody, &hurried(), &Watch::default()).err().unwrap().to_string();
    assert_eq!(refused, "http://127.0.0.1:1/v1/embeddings: nothing answers there: is the server running?");
}

#[test]
fn a_silent_server_is_waited_for_no_longer_than_said() {
    let (url, _) = server(vec![Does::Sleeps]);
    let patience = Patience { timeout: Duration::from_millis(200), ..hurried() };
    let folder = tempfile::tempdir().unwrap();
    let error = embed(["one"], &at(&url, &folder.path().join("c")), &patience, &Watch::default()).err().unwrap();
    assert_eq!(error.message, "gave no answer within 0.2 seconds");
}

#[test]
fn busy_servers_are_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let busy = || Does::Answers(429, "Retry-After: 0\r\n", "slow down".to_owned());
    let (url, heard) = server(vec![busy(), answers(503, ""), Does::Embeds]);
    let server = at(&url, &folder.path().join("c"));
    let (vectors, _) = embed(["one"], &server, &hurried(), &Watch::default()).unwrap();
    assert_eq!((vectors.len(), heard.lock().unwrap().len()), (1, 3));
    assert_eq!(
        error(vec![answers(500, "out of memory")]),
        "answered with status 500, expected 200: out of memory (tried 3 times)"
    );
}

#[test]
fn what_came_before_a_failure_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("c");
    let (url, _) = server(vec![Does::Embeds, answers(400, "too long")]);
    let texts: Vec<String> = (1..=100).map(|n| "a".repeat(n)).collect();
    let wanted = || texts.iter().map(String::as_str);
    assert!(embed(wanted(), &at(&url, &cache), &hurried(), &Watch::default()).is_err());
    let (url, heard) = server(vec![Does::Embeds]);
    embed(wanted(), &at(&url, &cache), &hurried(), &Watch::default()).unwrap();
    assert_eq!(
        heard.lock().unwrap()[0].body["input"].as_array().unwrap().len(),
        36,
        "the 64 of the first batch are kept"
    );
}

#[test]
fn the_model_that_changed_under_its_name_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("c");
    Cache::open(Some(&cache)).unwrap().keep("tiny", &["one"], &[vec![1.0, 0.0]]);
    let (url, _) = server(vec![Does::Embeds]);
    let error = embed(["one", "two"], &at(&url, &cache), &hurried(), &Watch::default()).err().unwrap();
    assert_eq!(error.message, "found a vector of 3 numbers, expected 2 as in the others of this model");
}

#[test]
fn a_key_goes_to_the_server_and_nowhere_else() {
    let (url, heard) = server(vec![answers(401, "wrong key: sk-secret-words")]);
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache.sqlite");
    let run = |variable: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_recallscope"))
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("MY_KEY", "sk-secret-words")
            .env("XDG_CONFIG_HOME", folder.path())
            .args(["eval", "--strategy", "dense", "--strategy", "hybrid", "--embeddings", &url])
            .args(["--embedding-model", "tiny", "--embedding-key", variable, "--cache", cache.to_str().unwrap()])
            .output()
            .unwrap();
        assert!(output.status.success());
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (table, errors) = run("MY_KEY");
    assert!(heard.lock().unwrap()[0].head.to_lowercase().contains("authorization: bearer sk-secret-words\r\n"));
    assert!(!errors.contains("sk-secret") && !table.contains("sk-secret"), "{errors}");
    assert_eq!(
        errors,
        format!(
            "warning: --strategy dense: left out: {url}/v1/embeddings: answered with status 401, expected 200: wrong \
             key: (the key)\n"
        )
    );
    // The others go on: hybrid fuses what is there.
    assert!(table.contains("hybrid") && !table.contains("dense"), "{table}");
    let (_, errors) = run("NO_KEY_HERE");
    assert!(errors.contains("the environment variable NO_KEY_HERE holds no API key"), "{errors}");
}

#[test]
fn without_a_server_one_line_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_recallscope"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("XDG_CONFIG_HOME", folder.path())
        .args(["eval", "--strategy", "all"])
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains(
        "warning: --strategy dense: left out, because no embedding server is named: --embeddings URL and \
         --embedding-model NAME name one\n"
    ));
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("nothing") && table.contains("hybrid") && !table.contains("dense"), "{table}");
}

#[test]
fn dense_ranks_by_the_cosine_and_then_newest_first() {
    let mut vectors = Vectors::new("hand-made");
    for (text, vector) in [
        ("near", [2.0, 0.1]),
        ("far", [0.0, 1.0]),
        ("opposite", [-1.0, 0.0]),
        ("asked", [1.0, 0.0]),
        ("twin", [2.0, 0.1]),
    ] {
        vectors.add(text, &vector).unwrap();
    }
    let said = ["near", "opposite", "far", "unknown", "twin"].iter().enumerate().map(|(turn, text)| Event {
        turn: turn as u64,
        text: (*text).to_owned(),
        op: Op::Remember,
        attribute: "x".to_owned(),
        id: None,
        speaker: None,
        at: None,
    });
    let said: Vec<Event> = said.collect();
    let mut history = recallscope::memory::History::new("a");
    let counter = recallscope::tokens::GemmaCounter;
    Stores::in_memory().unwrap().apply(&mut history, &said, &counter).unwrap();
    let pool = Pool::at(&history, StoreKind::Managed, history.len());
    let vectors = Arc::new(vectors);
    let dense = select::choose(&["dense".to_owned()]).unwrap()[0].strategy(Some(&vectors)).unwrap();
    let asked = |text: &str| recallscope::case::Question { question: text.into(), ..Default::default() };
    let question = asked("asked");
    let query = Query { question: &question, history: &history };
    let order: Vec<&str> =
        dense.rank(query, &pool).iter().map(|r| pool.records()[r.index].record.text.as_str()).collect();
    assert_eq!(order, ["twin", "near", "far", "opposite"]);
    assert_eq!(dense.note(query), None);
    let question = asked("typed just now");
    let query = Query { question: &question, history: &history };
    assert!(dense.rank(query, &pool).is_empty());
    assert!(dense.note(query).unwrap().contains("only the questions of the case set have embeddings"));
}

#[test]
fn a_client_is_not_made_for_what_is_no_address() {
    let server = Server { url: "localhost:11434".into(), model: "m".into(), key_variable: None, cache: None };
    let error = Client::new(&server, &hurried()).err().unwrap().to_string();
    assert_eq!(error, "localhost:11434: expected an address such as http://localhost:11434");
}
