//! The rows of an answer set before its questions are found in a case set.

use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use super::doubt::Doubts;
use super::read::{Element, Opened, Place};
use super::recognise::Format;
use crate::recording::{Answer, ModelInfo, Recording, SentLine};
use crate::source::{InputError, Position, Source};

/// One answer, or one block, or both.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    pub at: Option<Position>,
    pub strategy: String,
    pub named: Named,
    /// The right answer that it was judged against.
    pub golden: Option<String>,
    pub answer: Option<Answer>,
    pub sent: Option<Sent>,
}

/// How a row names its question.
#[derive(Debug, Clone, Default)]
pub(super) struct Named {
    pub id: Option<String>,
    pub text: Option<String>,
    pub user: Option<String>,
    /// The conversation's place in the case set, and the row's among the answerable questions there.
    pub place: Option<(usize, usize)>,
}

impl Named {
    /// The name for messages.
    pub(super) fn label(&self) -> &str {
        self.id.as_deref().or(self.text.as_deref()).unwrap_or("?")
    }
}

/// What went along with a question.
#[derive(Debug, Clone)]
pub(super) enum Sent {
    /// The lines themselves, or why there are none.
    Block { lines: Vec<SentLine>, ranked: bool, failure: Option<String> },
    /// Only where the lines came from, best first.
    Sources { turns: Vec<String>, sessions: Vec<String> },
}

/// An answer set as it was read, on its own.
#[derive(Debug)]
pub struct AnswerSet {
    /// The file.
    pub name: Arc<str>,
    /// Its format.
    pub format: Format,
    pub(super) model: ModelInfo,
    pub(super) system: String,
    pub(super) rows: Vec<Row>,
    pub(super) doubts: Doubts,
    /// recallscope's own recording, which is taken as it is.
    pub(super) whole: Option<Recording>,
}

impl AnswerSet {
    pub(super) fn new(name: &Arc<str>, format: Format) -> Self {
        Self {
            name: Arc::clone(name),
            format,
            model: ModelInfo::default(),
            system: String::new(),
            rows: Vec::new(),
            doubts: Doubts::about(name),
            whole: None,
        }
    }

    /// The name of the file without its folder and ending, which names the strategy where the file does not.
    pub(super) fn stem(&self) -> String {
        let path = std::path::Path::new(&*self.name);
        path.file_stem().map_or_else(|| self.name.to_string(), |stem| stem.to_string_lossy().into_owned())
    }
}

/// A whole text whose rows are taken apart one by one, each with its place.
pub(super) struct Whole {
    pub(super) name: Arc<str>,
    source: Source,
}

impl Whole {
    pub(super) fn read(opened: Opened) -> Result<Self, InputError> {
        let name = Arc::clone(opened.name());
        Ok(Self { source: opened.into_source()?, name })
    }

    /// The text as one element.
    pub(super) fn element(&self) -> Element<'_> {
        let start = Position { line: 1, column: 1 };
        Element { name: &self.name, index: 0, position: start, bytes: self.source.text().as_bytes() }
    }

    /// A row of the text, with its place. Rows are cheapest in the order of the text.
    pub(super) fn row<'a>(&'a self, raw: &'a RawValue, place: &mut Place) -> Element<'a> {
        let text = self.source.text().as_bytes();
        let offset = (raw.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        Element { position: place.at(text, offset), bytes: raw.get().as_bytes(), ..self.element() }
    }
}

/// The fields of an object in which a file describes the model that answered.
pub(super) fn model(metadata: Option<Value>, name: &str) -> ModelInfo {
    let mut model = ModelInfo::default();
    if let Some(Value::Object(fields)) = metadata {
        if let Some(found) = fields.get(name) {
            model.insert("name".to_owned(), found.clone());
        }
        model.extend(fields);
    }
    model
}
