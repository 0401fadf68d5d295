//! LoCoMo's `locomo10.json`: ten conversations of dated sessions, with questions that cite their evidence by turn.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::Memories;
use super::cases::{Counts, Part};
use super::doubt::{CONVERSATIONS, DoubtKind, Doubts, EVIDENCE, OBSERVATIONS, QUESTIONS, SESSIONS, TURNS};
use super::read::{Element, Place, moved};
use super::value::{kind, shown, text};
use crate::case::{Conversation, Event, Fact, Op, Question};
use crate::source::json::OrderedMap;
use crate::source::{InputError, Position};

/// The names of the categories 1 to 5, as the answer sets and the data's own evaluation number them.
pub(super) const CATEGORIES: [&str; 5] = ["multi-hop", "temporal", "open-domain", "single-hop", "adversarial"];

#[derive(Deserialize)]
struct Dialogue<'a> {
    #[serde(default)]
    sample_id: Option<Value>,
    #[serde(borrow)]
    qa: Vec<&'a RawValue>,
    #[serde(borrow)]
    conversation: OrderedMap<&'a RawValue>,
    #[serde(default)]
    observation: Option<OrderedMap<Observed>>,
}

/// The facts that were extracted from one session: for each speaker the words, and the turns that say so.
type Observed = OrderedMap<Vec<(String, Value)>>;

#[derive(Deserialize)]
struct Turn {
    speaker: String,
    dia_id: String,
    text: String,
    // `query` is the annotators' search phrase for the image: nobody said it.
    #[serde(default)]
    blip_caption: Option<String>,
}

impl Turn {
    /// `SPEAKER: WORDS [CAPTION]`, which is what retrieval over LoCoMo is commonly measured on.
    fn line(&self) -> String {
        match self.blip_caption.as_deref().map(str::trim) {
            Some(caption) if !caption.is_empty() => format!("{}: {} [{caption}]", self.speaker, self.text),
            _ => format!("{}: {}", self.speaker, self.text),
        }
    }
}

struct Session {
    number: u64,
    at: Option<String>,
    turns: Vec<Turn>,
}

#[derive(Deserialize)]
struct Qa {
    question: String,
    #[serde(default)]
    answer: Option<Value>,
    #[serde(default)]
    adversarial_answer: Option<Value>,
    #[serde(default)]
    evidence: Option<Value>,
    #[serde(default)]
    category: Option<Value>,
}

/// One conversation.
pub(super) fn part(element: Element<'_>, memories: Memories) -> Result<Part, InputError> {
    let entry: Dialogue<'_> = element.parse_object()?;
    let mut doubts = Doubts::about(element.name);
    let mut counts = Counts::default();
    counts.add(CONVERSATIONS, 1, 1);
    let user = text(entry.sample_id.as_ref()).map_or_else(|| format!("locomo_{}", element.index), |(user, _)| user);
    let sessions = sessions(element, &entry, &user, &mut doubts, &mut counts)?;
    let mut taken = Taken::of(&sessions, memories, &user, element.position, &mut doubts);
    if memories == Memories::Observations {
        taken.observe(&entry, &sessions, &user, element.position, &mut doubts, &mut counts);
    }
    let turns = sessions.iter().map(|session| session.turns.len()).sum();
    counts.add(TURNS, turns, if memories == Memories::Observations { 0 } else { turns });
    let mut asked: HashMap<String, String> = HashMap::new();
    let mut questions = Vec::with_capacity(entry.qa.len());
    let mut place = Place::default();
    for (number, raw) in entry.qa.iter().enumerate() {
        let at = moved_to(element, &mut place, raw);
        let qa: Qa = Element { position: at, bytes: raw.get().as_bytes(), ..element }.parse_object()?;
        let id = format!("locomo_{}_qa{number}", element.index);
        match asked.entry(qa.question.clone()) {
            Entry::Occupied(earlier) => {
                let found = format!("the same question is {}", earlier.get());
                doubts.add(DoubtKind::DuplicateQuestion, Some(at), &id, found, "both are kept");
            }
            Entry::Vacant(first) => {
                first.insert(id.clone());
            }
        }
        questions.push(question(qa, id, at, &taken, &mut doubts, &mut counts));
    }
    counts.add(QUESTIONS, questions.len(), questions.len());
    let conversation = Conversation { user, events: taken.events, questions };
    Ok(Part { conversation, doubts: doubts.list, counts })
}

/// Where a value within an element stands in the file.
fn moved_to(element: Element<'_>, place: &mut Place, raw: &RawValue) -> Position {
    let offset = (raw.get().as_ptr() as usize).saturating_sub(element.bytes.as_ptr() as usize);
    let within = place.at(element.bytes, offset);
    let error = InputError { source: element.name.clone(), position: Some(within), message: String::new() };
    moved(error, element.position).position.unwrap_or(element.position)
}

/// The sessions in the order of their numbers.
fn sessions(
    element: Element<'_>,
    entry: &Dialogue<'_>,
    user: &str,
    doubts: &mut Doubts,
    counts: &mut Counts,
) -> Result<Vec<Session>, InputError> {
    let mut place = Place::default();
    let mut found: Vec<Session> = Vec::new();
    let mut dates: HashMap<u64, String> = HashMap::new();
    for (key, raw) in &entry.conversation.0 {
        let Some(rest) = key.strip_prefix("session_") else { continue };
        if let Some(number) = rest.strip_suffix("_date_time").and_then(|number| number.parse().ok()) {
            let date: Value = serde_json::from_str(raw.get()).unwrap_or_default();
            dates.extend(text(Some(&date)).map(|(date, _)| (number, date)));
        } else if let Ok(number) = rest.parse() {
            let position = moved_to(element, &mut place, raw);
            let turns = Element { position, bytes: raw.get().as_bytes(), ..element }.parse()?;
            found.push(Session { number, at: None, turns });
        }
    }
    found.sort_by_key(|session| session.number);
    let read = dates.len().max(found.len());
    let mut empty: Vec<u64> =
        dates.keys().copied().filter(|number| found.iter().all(|session| session.number != *number)).collect();
    for session in &mut found {
        session.at = dates.remove(&session.number);
        if session.turns.is_empty() {
            empty.push(session.number);
        } else if session.at.is_none() {
            let subject = format!("{user} session {}", session.number);
            let position = Some(element.position);
            doubts.add(
                DoubtKind::UndatedSession,
                position,
                &subject,
                "it has no date",
                "its turns are kept without one",
            );
        }
    }
    empty.sort_unstable();
    for number in empty {
        let subject = format!("{user} session {number}");
        doubts.add(
            DoubtKind::EmptySession,
            Some(element.position),
            &subject,
            "it has a date and no turns",
            "nothing was said",
        );
    }
    found.retain(|session| !session.turns.is_empty());
    counts.add(SESSIONS, read, found.len());
    Ok(found)
}

/// The events that were made of a conversation, and which of them stands for a turn.
struct Taken {
    events: Vec<Event>,
    /// The id of the event for each turn; an empty one where none was made of it.
    by_turn: HashMap<String, String>,
}

impl Taken {
    fn of(sessions: &[Session], memories: Memories, user: &str, position: Position, doubts: &mut Doubts) -> Self {
        let mut taken = Self { events: Vec::new(), by_turn: HashMap::new() };
        for session in sessions {
            let session_id = format!("D{}", session.number);
            if memories == Memories::Sessions {
                let lines: Vec<String> = session.turns.iter().map(Turn::line).collect();
                taken.push(session_id.clone(), lines.join("\n"), None, session.at.clone());
            }
            for turn in &session.turns {
                let mut id = turn.dia_id.clone();
                if taken.by_turn.contains_key(&id) {
                    id = unused(&id, taken.by_turn.len(), |id| taken.by_turn.contains_key(id));
                    let found = format!("a second turn of {user} has this id");
                    doubts.add(DoubtKind::DuplicateId, Some(position), &turn.dia_id, found, format!("it is {id}"));
                }
                let event = match memories {
                    Memories::Turns => id.clone(),
                    Memories::Sessions => session_id.clone(),
                    Memories::Observations => String::new(),
                };
                taken.by_turn.insert(id.clone(), event);
                if memories == Memories::Turns {
                    taken.push(id, turn.line(), Some(turn.speaker.clone()), session.at.clone());
                }
            }
        }
        taken
    }

    fn push(&mut self, id: String, text: String, speaker: Option<String>, at: Option<String>) {
        let turn = self.events.len() as u64 + 1;
        self.events.push(Event { turn, text, op: Op::Remember, attribute: id.clone(), id: Some(id), speaker, at });
    }

    /// Takes the extracted facts. Of several that name one turn the first stands for it: a fact of a question is found in
    /// one line.
    fn observe(
        &mut self,
        entry: &Dialogue<'_>,
        sessions: &[Session],
        user: &str,
        position: Position,
        doubts: &mut Doubts,
        counts: &mut Counts,
    ) {
        let mut by_session: Vec<(u64, &Observed)> = Vec::new();
        for (key, observed) in entry.observation.iter().flat_map(|observation| &observation.0) {
            let number = key.strip_prefix("session_").and_then(|rest| rest.strip_suffix("_observation"));
            by_session.extend(number.and_then(|number| Some((number.parse().ok()?, observed))));
        }
        by_session.sort_by_key(|(number, _)| *number);
        for (number, observed) in by_session {
            let at = sessions.iter().find(|session| session.number == number).and_then(|session| session.at.clone());
            let mut count = 0;
            for (speaker, fact, evidence) in
                observed.0.iter().flat_map(|(speaker, facts)| facts.iter().map(move |(fact, ids)| (speaker, fact, ids)))
            {
                count += 1;
                let id = format!("O{number}:{count}");
                for cited in cited(Some(evidence)) {
                    match self.by_turn.get_mut(&cited.id) {
                        Some(event) if event.is_empty() => *event = id.clone(),
                        Some(event) => {
                            let found = format!("{cited} has the observations {event} and {id}", cited = cited.id);
                            let done = format!("{event} stands for it");
                            doubts.add(DoubtKind::SeveralObservations, Some(position), user, found, done);
                        }
                        None => {
                            let found = format!("it names {}, which is no turn", shown(&cited.written));
                            doubts.add(DoubtKind::UnresolvedEvidence, Some(position), &id, found, "it is kept");
                        }
                    }
                }
                self.push(id, fact.clone(), Some(speaker.clone()), at.clone());
            }
            counts.add(OBSERVATIONS, count, count);
        }
    }
}

/// An id that is not one of so many used ones: the first of `ID#2`, `ID#3` and so on. An id that stands there a thousand times
/// is not counted up each time.
pub(super) fn unused(id: &str, used: usize, is_used: impl Fn(&str) -> bool) -> String {
    const COUNTED: usize = 9;
    let numbers = (2..=COUNTED).chain(used.max(COUNTED + 1)..);
    numbers.map(|number| format!("{id}#{number}")).find(|id| !is_used(id)).unwrap_or_default()
}

/// An evidence id as it is meant, beside what the file has.
struct Cited {
    id: String,
    written: String,
    /// How many ids stood in one text.
    together: usize,
}

/// The ids of an evidence list. One text may hold several, parted by white space, commas or semicolons.
fn cited(evidence: Option<&Value>) -> Vec<Cited> {
    let mut texts: Vec<String> = Vec::new();
    match evidence {
        None | Some(Value::Null) => {}
        Some(Value::Array(list)) => texts.extend(list.iter().filter_map(|id| text(Some(id))).map(|(id, _)| id)),
        Some(one) => texts.extend(text(Some(one)).map(|(id, _)| id)),
    }
    let mut all = Vec::new();
    for text in texts {
        let ids: Vec<&str> =
            text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';')).filter(|id| !id.is_empty()).collect();
        let together = ids.len();
        all.extend(ids.iter().map(|id| Cited {
            id: well_formed(id).unwrap_or_else(|| (*id).to_owned()),
            written: if together == 1 { text.clone() } else { (*id).to_owned() },
            together,
        }));
        if together == 0 {
            all.push(Cited { id: text.clone(), written: text, together: 1 });
        }
    }
    all
}

/// `D11:26` for `D11:26`, `D:11:26` and `D11:026`; nothing for what is no such id.
fn well_formed(id: &str) -> Option<String> {
    let (session, turn) = id.trim().strip_prefix(['D', 'd'])?.trim_start_matches(':').split_once(':')?;
    let number = |digits: &str| digits.parse::<u64>().ok();
    Some(format!("D{}:{}", number(session)?, number(turn)?))
}

fn question(qa: Qa, id: String, at: Position, taken: &Taken, doubts: &mut Doubts, counts: &mut Counts) -> Question {
    let category = text(qa.category.as_ref()).map(|(category, _)| category);
    let number = category.as_deref().and_then(|category| category.trim().parse::<usize>().ok());
    let name = number.and_then(|number| CATEGORIES.get(number.checked_sub(1)?)).copied();
    if name.is_none() {
        let found = format!("found the category {}", category.as_deref().map_or("none".to_owned(), shown));
        doubts.add(DoubtKind::UnknownCategory, Some(at), &id, found, "it is kept as it stands");
    }
    let abstain = number == Some(5);
    let answer = answer(&qa, &id, at, abstain, doubts);
    let required = if abstain { Vec::new() } else { required(&qa, &id, at, taken, doubts, counts) };
    Question {
        id,
        question: qa.question,
        required,
        category: name.map(str::to_owned).or(category),
        answer,
        abstain,
        trap: text(qa.adversarial_answer.as_ref()).map(|(trap, _)| trap),
        ..Question::default()
    }
}

fn answer(qa: &Qa, id: &str, at: Position, abstain: bool, doubts: &mut Doubts) -> Option<String> {
    let answer = text(qa.answer.as_ref());
    match &answer {
        None if !abstain => {
            doubts.add(DoubtKind::MissingAnswer, Some(at), id, "it has no answer", "it is kept without one");
        }
        Some((words, _)) if abstain => {
            let found = format!("it is to be abstained from, and the file answers it with \"{}\"", shown(words));
            doubts.add(DoubtKind::UnexpectedAnswer, Some(at), id, found, "the answer is kept, to abstain stays right");
        }
        Some((words, false)) => {
            let found = format!("its answer is {}", qa.answer.as_ref().map_or("missing", kind));
            doubts.add(DoubtKind::OtherAnswerType, Some(at), id, found, format!("it is the text \"{}\"", shown(words)));
        }
        _ => {}
    }
    answer.map(|(answer, _)| answer)
}

/// The facts that evidence ids name. One that names no turn is kept: the benchmark demands it, and no line carries it.
fn required(qa: &Qa, id: &str, at: Position, taken: &Taken, doubts: &mut Doubts, counts: &mut Counts) -> Vec<Fact> {
    let at = Some(at);
    let cited = cited(qa.evidence.as_ref());
    if cited.is_empty() {
        doubts.add(DoubtKind::NoEvidence, at, id, "it cites no evidence", "it has no required facts");
    }
    let mut seen: HashSet<String> = HashSet::new();
    let mut events: HashSet<&str> = HashSet::new();
    let mut facts: Vec<Fact> = Vec::new();
    let mut mapped = 0;
    for cited in &cited {
        let written = shown(&cited.written);
        if !seen.insert(cited.id.clone()) {
            doubts.add(DoubtKind::RepeatedEvidence, at, id, format!("{written} stands twice"), "it counts once");
            continue;
        }
        let event = match taken.by_turn.get(&cited.id) {
            None => {
                let done = "kept as a required fact that no line carries";
                doubts.add(DoubtKind::UnresolvedEvidence, at, id, format!("{written} names no turn"), done);
                &cited.id
            }
            Some(event) => {
                if cited.together > 1 {
                    let found = format!("{written} stands with others in one text");
                    doubts.add(DoubtKind::RepairedEvidence, at, id, found, format!("it is {}", cited.id));
                } else if cited.id != cited.written {
                    let done = format!("it is {}", cited.id);
                    doubts.add(DoubtKind::RepairedEvidence, at, id, format!("found {written}"), done);
                }
                if event.is_empty() {
                    let found = format!("no observation names {written}");
                    let done = "kept as a required fact that no line carries";
                    doubts.add(DoubtKind::NoObservation, at, id, found, done);
                    &cited.id
                } else {
                    mapped += 1;
                    event
                }
            }
        };
        if events.insert(event.as_str()) {
            facts.push(Fact::Event { event: event.clone() });
        }
    }
    counts.add(EVIDENCE, cited.len(), mapped);
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_ids_are_read_as_they_are_meant() {
        let ids = |value: Value| -> Vec<String> { cited(Some(&value)).into_iter().map(|cited| cited.id).collect() };
        assert_eq!(
            ids(serde_json::json!(["D8:6; D9:17", "D:11:26", "D30:05", "D1:3"])),
            ["D8:6", "D9:17", "D11:26", "D30:5", "D1:3"]
        );
        assert_eq!(ids(serde_json::json!(["D9:1 D4:4 D4:6"])), ["D9:1", "D4:4", "D4:6"]);
        assert_eq!(ids(serde_json::json!("D1:1, D1:2")), ["D1:1", "D1:2"]);
        assert_eq!(
            ids(serde_json::json!(["D", "", "D1:x", "D99999999999999999999:1"])),
            ["D", "", "D1:x", "D99999999999999999999:1"]
        );
        assert_eq!(ids(Value::Null), Vec::<String>::new());
    }

    #[test]
    fn an_id_that_is_taken_gets_a_number() {
        assert_eq!(unused("a", 1, |id| id == "a#2"), "a#3");
        assert_eq!(unused("a", 5000, |id| id.len() < 4), "a#5000");
    }
}
