//! From the file of a benchmark to a case set, conversation by conversation.

use std::collections::HashSet;
use std::sync::Arc;

use serde::Serialize;

use super::doubt::{CONVERSATIONS, Count, Doubt, DoubtKind, Doubts, EVIDENCE, QUESTIONS, TURNS};
use super::locomo::unused;
use super::read::{Element, Opened};
use super::recognise::{Format, Role};
use super::split::Between;
use super::{LOCOMO_QUOTA, LONGMEMEVAL_QUOTA, Memories, Options, locomo, longmemeval, slice};
use crate::case::{CaseSet, Conversation};
use crate::source::InputError;

/// One conversation of a file, with what is doubtful in it.
pub(super) struct Part {
    pub conversation: Conversation,
    pub doubts: Vec<Doubt>,
    pub counts: Counts,
}

/// How many things of each kind were read and mapped.
#[derive(Debug, Clone, Default)]
pub(super) struct Counts(pub(super) Vec<Count>);

impl Counts {
    pub(super) fn add(&mut self, what: &'static str, read: usize, mapped: usize) {
        match self.0.iter_mut().find(|count| count.what == what) {
            Some(count) => {
                count.read += read;
                count.mapped += mapped;
            }
            None => self.0.push(Count { what, read, mapped }),
        }
    }

    fn extend(&mut self, other: &Self) {
        for count in &other.0 {
            self.add(count.what, count.read, count.mapped);
        }
    }
}

/// What was made of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Imported {
    /// The file, or the name of a bundled one.
    #[serde(serialize_with = "super::doubt::name")]
    pub file: Arc<str>,
    /// Its format.
    pub format: Format,
    /// How many things of each kind it holds.
    pub counts: Vec<Count>,
    /// Everything that could not be taken as it stands, in the order of the file.
    pub doubts: Vec<Doubt>,
}

/// A case set that was imported.
#[derive(Debug, Clone)]
pub struct CaseImport {
    /// The events and questions.
    pub cases: CaseSet,
    /// What was made of the file.
    pub about: Imported,
}

/// Reads a case set of any format.
///
/// `beside` is the other file of a LongMemEval slice.
///
/// # Errors
/// The file is not of the format, or holds no cases at all.
pub fn read_cases(
    opened: Opened,
    beside: Option<Opened>,
    format: Format,
    options: Options,
) -> Result<CaseImport, InputError> {
    if format == Format::Cases {
        return own(opened, options);
    }
    let mut conversations = Vec::new();
    let mut take = |conversation| {
        conversations.push(conversation);
        Ok(())
    };
    let (about, facts_quota) = stream_cases(opened, beside, format, options, &mut take)?;
    let cases = CaseSet { conversations, long_replay: None, facts_quota, warnings: Vec::new() };
    Ok(CaseImport { cases, about })
}

/// Memories that a format does not have.
fn check_memories(file: &Arc<str>, format: Format, memories: Memories) -> Result<(), InputError> {
    let expected = match (format, memories) {
        (Format::Cases, Memories::Sessions | Memories::Observations) => "turns, which are its events",
        (Format::Longmemeval | Format::LongmemevalSlice, Memories::Observations) => "turns or sessions",
        _ => return Ok(()),
    };
    let message = format!("found {} to be read by other memories, expected {expected}", format.words());
    Err(InputError::plain(file, message))
}

/// recallscope's own cases: what is odd in them stays a warning of the case set.
fn own(opened: Opened, options: Options) -> Result<CaseImport, InputError> {
    let file = Arc::clone(opened.name());
    check_memories(&file, Format::Cases, options.memories)?;
    let mut cases = CaseSet::load(&opened.into_source()?)?;
    cases.facts_quota = options.quota.unwrap_or(cases.facts_quota);
    let mut counts = Counts::default();
    count(&mut counts, &cases.conversations);
    let about = Imported { file, format: Format::Cases, counts: counts.0, doubts: Vec::new() };
    Ok(CaseImport { cases, about })
}

fn count(counts: &mut Counts, conversations: &[Conversation]) {
    let same = |counts: &mut Counts, what, number| counts.add(what, number, number);
    same(counts, CONVERSATIONS, conversations.len());
    same(counts, TURNS, conversations.iter().map(|conversation| conversation.events.len()).sum());
    let questions = || conversations.iter().flat_map(|conversation| &conversation.questions);
    same(counts, QUESTIONS, questions().count());
    same(counts, EVIDENCE, questions().map(|question| question.required.len()).sum());
}

/// Reads a benchmark and hands its conversations on in the order of the file, each as soon as it is read. Returns what was
/// made of the file, and the facts quota.
///
/// # Errors
/// The file is not of the format, or `take` refuses a conversation.
pub fn stream_cases(
    opened: Opened,
    beside: Option<Opened>,
    format: Format,
    options: Options,
    take: &mut dyn FnMut(Conversation) -> Result<(), InputError>,
) -> Result<(Imported, usize), InputError> {
    let file = Arc::clone(opened.name());
    let mut names = Names::default();
    let mut all = Doubts::about(&file);
    let mut counts = Counts::default();
    let mut taken = |part: Part| {
        let mut conversation = part.conversation;
        all.list.extend(part.doubts);
        counts.extend(&part.counts);
        names.make_unique(&mut conversation, &mut all);
        take(conversation)
    };
    let memories = options.memories;
    check_memories(&file, format, memories)?;
    let quota = match format {
        Format::Locomo => {
            opened.each(Between::Commas, |element: Element<'_>| locomo::part(element, memories), &mut taken)?;
            LOCOMO_QUOTA
        }
        Format::Longmemeval => {
            opened.each(Between::Commas, |element: Element<'_>| longmemeval::part(element, memories), &mut taken)?;
            LONGMEMEVAL_QUOTA
        }
        Format::LongmemevalSlice => {
            let beside = beside.ok_or_else(|| {
                InputError::plain(&file, "found one file of a slice, expected its questions and its sessions")
            })?;
            for part in slice::parts(opened, beside, memories)? {
                taken(part)?;
            }
            LONGMEMEVAL_QUOTA
        }
        Format::Cases => {
            let CaseImport { cases, about } = own(opened, options)?;
            cases.conversations.into_iter().try_for_each(take)?;
            return Ok((about, cases.facts_quota));
        }
        _ => {
            debug_assert!(format.role() != Role::Cases, "each format of cases is read above");
            return Err(InputError::plain(&file, format!("found {}, expected cases", format.words())));
        }
    };
    let about = Imported { file, format, counts: counts.0, doubts: all.list };
    Ok((about, options.quota.unwrap_or(quota)))
}

/// Users and question ids so far: each is there once.
#[derive(Default)]
struct Names {
    users: HashSet<String>,
    questions: HashSet<String>,
}

impl Names {
    fn make_unique(&mut self, conversation: &mut Conversation, doubts: &mut Doubts) {
        let mut check = |used: &mut HashSet<String>, name: &mut String, what: &str| {
            if used.contains(name.as_str()) {
                let other = unused(name, used.len(), |name| used.contains(name));
                let found = format!("a second {what} has this id");
                doubts.add(DoubtKind::DuplicateId, None, name, found, format!("it is {other}"));
                *name = other;
            }
            used.insert(name.clone());
        };
        check(&mut self.users, &mut conversation.user, "conversation");
        for question in &mut conversation.questions {
            check(&mut self.questions, &mut question.id, "question");
        }
    }
}
