//! A question copied to a new case, with the events that would have helped. The old case and its recording stay as they are.

use std::io::{self, Write};
use std::path::Path;

use crate::case::generate::to_json;
use crate::case::{CaseSet, Conversation, Event, Op, Question};

use super::disk::{folder_of, readable};

/// An event to add, or to put in place of the one with its turn and attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventEdit {
    /// Its turn.
    pub turn: u64,
    /// What is to be done with it.
    pub op: Op,
    /// The slot that it fills.
    pub attribute: String,
    /// The words of the user.
    pub text: String,
}

/// What an edit did to the copied events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edited {
    /// It is a further event.
    Added(Event),
    /// It took the place of this one.
    Changed {
        /// What was there.
        before: Event,
        /// What is there now.
        after: Event,
    },
}

/// Why a case cannot be made or written.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// An edit is not `TURN OP ATTRIBUTE TEXT`.
    #[error(
        "found the event \"{text}\", expected TURN OP ATTRIBUTE TEXT, such as \"25 remember approver Omar approves my desk orders.\": {what}"
    )]
    Event {
        /// As it was given.
        text: String,
        /// What is wrong.
        what: String,
    },
    /// No question has this id or these words.
    #[error("found the question \"{0}\", expected the id or the words of one in the case set")]
    UnknownQuestion(String),
    /// The file is there already, or the system refuses.
    #[error("{}: cannot be written: {error}", path.display())]
    Write {
        /// The file.
        path: std::path::PathBuf,
        /// The system's words.
        error: io::Error,
    },
}

impl EventEdit {
    /// Reads `TURN OP ATTRIBUTE TEXT`.
    ///
    /// # Errors
    /// A part is missing, the turn is not a number, or the op is none.
    pub fn parse(text: &str) -> Result<Self, RepairError> {
        let fault = |what: String| RepairError::Event { text: text.to_owned(), what };
        let mut rest = text.trim();
        let mut word = |name: &str| {
            let (word, after) =
                rest.split_once(char::is_whitespace).ok_or_else(|| fault(format!("nothing follows the {name}")))?;
            rest = after.trim_start();
            Ok::<&str, RepairError>(word)
        };
        let turn = word("turn")?;
        let turn = turn.parse().map_err(|_| fault(format!("\"{turn}\" is not a turn")))?;
        let op = word("op")?;
        let op = [Op::Remember, Op::Correct, Op::Forget]
            .into_iter()
            .find(|known| known.name() == op)
            .ok_or_else(|| fault(format!("\"{op}\" is neither remember, correct nor forget")))?;
        let attribute = word("attribute")?.to_owned();
        if rest.is_empty() {
            return Err(fault("nothing follows the attribute".to_owned()));
        }
        Ok(Self { turn, op, attribute, text: rest.to_owned() })
    }
}

/// The number of the question with this id or these words, in file order.
///
/// # Errors
/// There is none, or several have these words.
pub fn find(cases: &CaseSet, name: &str) -> Result<usize, RepairError> {
    let questions = || cases.questions().map(|(_, question)| question);
    let by_id = questions().position(|question| question.id == name);
    let mut by_text =
        questions().enumerate().filter(|(_, question)| question.question == name).map(|(number, _)| number);
    let only = match (by_text.next(), by_text.next()) {
        (Some(number), None) => Some(number),
        _ => None,
    };
    by_id.or(only).ok_or_else(|| RepairError::UnknownQuestion(name.to_owned()))
}

/// A case set with one question, its user's events before it, and the edits; and what each edit did. None where there is no
/// such question.
///
/// The question is a new one, `ID/repaired`: neither the answers recorded for the old one nor decisions about it are meant
/// for it.
pub fn new_case(cases: &CaseSet, question: usize, edits: &[EventEdit]) -> Option<(CaseSet, Vec<Edited>)> {
    let (conversation, asked) = cases.questions().nth(question)?;
    let place = cases.conversations.iter().position(|known| std::ptr::eq(known, conversation))?;
    let before = cases.conversations.get(..=place).unwrap_or_default().iter();
    let own = before.filter(|known| known.user == conversation.user);
    let mut events: Vec<Event> = own.flat_map(|known| known.events.iter().cloned()).collect();
    // A user's conversations may each count their turns from the start; one conversation must not go back.
    let mut turn = 0;
    for event in &mut events {
        turn = turn.max(event.turn);
        event.turn = turn;
    }
    let edited = edits.iter().map(|edit| apply(&mut events, edit)).collect();
    let question = Question { id: format!("{}/repaired", asked.id), ..asked.clone() };
    let conversation = Conversation { user: conversation.user.clone(), events, questions: vec![question] };
    let set = CaseSet {
        conversations: vec![conversation],
        long_replay: None,
        facts_quota: cases.facts_quota,
        warnings: Vec::new(),
    };
    Some((set, edited))
}

fn apply(events: &mut Vec<Event>, edit: &EventEdit) -> Edited {
    let made = Event {
        turn: edit.turn,
        text: edit.text.clone(),
        op: edit.op,
        attribute: edit.attribute.clone(),
        id: None,
        speaker: None,
        at: None,
    };
    let same = events.iter_mut().find(|event| event.turn == edit.turn && event.attribute == edit.attribute);
    if let Some(event) = same {
        // Its name stays: facts may refer to it.
        let after = Event { id: event.id.clone(), speaker: event.speaker.clone(), at: event.at.clone(), ..made };
        let before = std::mem::replace(event, after.clone());
        return Edited::Changed { before, after };
    }
    let place = events.partition_point(|event| event.turn <= edit.turn);
    events.insert(place, made.clone());
    Edited::Added(made)
}

/// Writes a case set to a new file: whole or not at all, and never over one that is there.
///
/// # Errors
/// The file is there already, or the system refuses.
pub fn write_new(path: &Path, cases: &CaseSet) -> Result<(), RepairError> {
    let written = || {
        if path.try_exists()? {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it is there already, expected a new file"));
        }
        let text = to_json(cases)?;
        let mut file = tempfile::NamedTempFile::new_in(folder_of(path))?;
        file.write_all(text.as_bytes())?;
        readable(file.as_file())?;
        file.as_file().sync_all()?;
        file.persist_noclobber(path).map(drop).map_err(|error| error.error)
    };
    written().map_err(|error| RepairError::Write { path: path.to_owned(), error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundled;
    use crate::source::Source;

    fn bundled_cases() -> CaseSet {
        CaseSet::load(&bundled::cases()).unwrap()
    }

    #[test]
    fn an_event_is_added_in_turn_or_takes_the_place_of_one() {
        let cases = bundled_cases();
        let edits = ["25 remember approver Omar approves my desk orders.", "23 correct manager  My manager is Ana."];
        let edits: Vec<_> = edits.iter().map(|text| EventEdit::parse(text).unwrap()).collect();
        let (made, edited) = new_case(&cases, find(&cases, "Who approves my desk order?").unwrap(), &edits).unwrap();
        let events = &made.conversations[0].events;
        assert_eq!(events.len(), 8);
        assert_eq!((events[6].text.as_str(), events[6].op), ("My manager is Ana.", Op::Correct));
        assert_eq!(events[7].text, "Omar approves my desk orders.");
        assert!(matches!(&edited[0], Edited::Added(event) if event.turn == 25));
        assert!(matches!(&edited[1], Edited::Changed { before, .. } if before.text == "My manager is Priya."));
        assert_eq!(made.conversations[0].questions[0].id, "bob/2/repaired");
        assert_eq!(cases, bundled_cases(), "the old case stays");
        let read = CaseSet::load(&Source::new("new.json", to_json(&made).unwrap())).unwrap();
        assert_eq!(read.question_count(), 1);
    }

    #[test]
    fn a_bad_event_says_what_is_wrong() {
        let error = |text: &str| EventEdit::parse(text).unwrap_err().to_string();
        assert!(error("x remember a b").ends_with("\"x\" is not a turn"));
        assert!(error("3 keep a b").ends_with("\"keep\" is neither remember, correct nor forget"));
        assert!(error("3 remember a").ends_with("nothing follows the attribute"));
        assert!(error("3 remember a  ").ends_with("nothing follows the attribute"));
    }

    #[test]
    fn turns_of_a_users_conversations_do_not_go_back() {
        let mut cases = bundled_cases();
        let mut again = cases.conversations[1].clone();
        again.questions.truncate(1);
        again.questions[0].id = "again".into();
        cases.conversations.push(again);
        let (made, _) = new_case(&cases, find(&cases, "again").unwrap(), &[]).unwrap();
        assert_eq!(made.conversations[0].events.len(), 14);
        CaseSet::load(&Source::new("new.json", to_json(&made).unwrap())).unwrap();
    }
}
