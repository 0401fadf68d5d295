//! Finds the questions of answer sets in a case set, and what their blocks were made of.

use std::collections::hash_map::Entry;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use rayon::prelude::*;

use super::cases::{Counts, Imported};
use super::doubt::{ANSWERS, BLOCKS, DoubtKind, Doubts};
use super::recognise::Format;
use super::rows::{AnswerSet, Named, Row, Sent};
use super::value::shown;
use crate::case::{CaseSet, Conversation, Event, Question};
use crate::recording::{Answer, AnswerGroup, BlockRun, Recording, SentBlock, SentLine};
use crate::select::is_builtin;
use crate::source::{InputError, Position};

/// Answer sets, side by side over one case set.
#[derive(Debug, Default)]
pub struct Fitted {
    /// One for each file that holds answers.
    pub recordings: Vec<Recording>,
    /// One for each strategy whose blocks are known.
    pub runs: Vec<BlockRun>,
    /// What was made of each file.
    pub about: Vec<Imported>,
}

/// Finds the questions of answer sets in a case set. Without one the names stay those of the files.
///
/// Strategies of other systems that are called as one of ours get `recorded-` before their names.
///
/// Several files of one strategy, such as one a seed, stand side by side as recordings and give one block run; where their
/// blocks for a question differ, the first counts.
///
/// # Errors
/// None of a file's questions is in the case set, or a file without ids comes without a case set.
pub fn fit(mut sets: Vec<AnswerSet>, cases: Option<&CaseSet>) -> Result<Fitted, InputError> {
    name_apart(&mut sets);
    let index = cases.map(Index::of);
    let read: Vec<_> = sets.into_par_iter().map(|set| fit_rows(set, index.as_ref())).collect();
    let mut fitted = Fitted::default();
    let mut runs = Runs::default();
    // In the order of the files: of two wrong ones the first is told, and of two blocks the first counts.
    for one in read {
        let (set, fitting) = one?;
        let (recording, about) = fitting.done(set, &mut runs);
        fitted.recordings.extend(recording);
        fitted.about.push(about);
    }
    fitted.runs = runs.all;
    Ok(fitted)
}

/// Takes an answer set's rows. What is left to do is to put its blocks beside those of the other files.
fn fit_rows<'a>(mut set: AnswerSet, index: Option<&'a Index<'a>>) -> Result<(AnswerSet, Fitting<'a>), InputError> {
    let rows = std::mem::take(&mut set.rows);
    let doubts = std::mem::replace(&mut set.doubts, Doubts::about(&set.name));
    let mut fitting = Fitting::new(index, doubts);
    if let Some(recording) = &set.whole {
        let known = |group: &&AnswerGroup| index.is_none_or(|index| index.knows(&group.question));
        let mapped = recording.groups.iter().filter(known).map(|group| group.answers.len()).sum();
        fitting.counts.add(ANSWERS, recording.answer_count(), mapped);
        return Ok((set, fitting));
    }
    let (mut found, count) = (0, rows.len());
    let strangers = |row: &Row| shown(row.named.label());
    let first = rows.first().map(strangers);
    for row in rows {
        found += usize::from(fitting.row(row, set.format)?);
    }
    if let (Some(index), Some(first), 0) = (index, first, found) {
        let expected = index.questions.first().map_or("", |(_, question)| &question.id);
        let message = format!(
            "none of its {count} questions is in the case set: found \"{first}\", expected one such as \"{expected}\""
        );
        return Err(InputError::plain(&set.name, message));
    }
    Ok((set, fitting))
}

/// Before the name of another system's strategy that is called as one of ours.
const RECORDED: &str = "recorded-";

/// Gives strategies of other systems names that none of ours has: what another system sent and answered as `bm25` is not
/// `bm25` of recallscope. In recallscope's own lines a strategy without blocks is ours, as in its recordings.
fn name_apart(sets: &mut [AnswerSet]) {
    let rows = sets.iter().flat_map(|set| &set.rows);
    let sent: HashSet<String> = rows.filter(|row| row.sent.is_some()).map(|row| row.strategy.clone()).collect();
    for set in sets {
        let foreign = |name: &str| set.format != Format::Jsonl || sent.contains(name);
        for row in set.rows.iter_mut().filter(|row| is_builtin(&row.strategy) && foreign(&row.strategy)) {
            row.strategy.insert_str(0, RECORDED);
        }
    }
}

/// One answer set, while its rows are taken one by one.
struct Fitting<'a> {
    index: Option<&'a Index<'a>>,
    doubts: Doubts,
    counts: Counts,
    groups: Vec<AnswerGroup>,
    by_cell: HashMap<(String, String), usize>,
    /// Questions with an answer.
    answered: HashSet<usize>,
    blocks: Vec<RowBlock>,
}

/// The block of one row.
struct RowBlock {
    strategy: String,
    block: SentBlock,
    /// Whether the quota still cuts it.
    ranked: bool,
    at: Option<Position>,
    /// Whether its question is known.
    known: bool,
}

impl<'a> Fitting<'a> {
    fn new(index: Option<&'a Index<'a>>, doubts: Doubts) -> Self {
        Self {
            index,
            doubts,
            counts: Counts::default(),
            groups: Vec::new(),
            by_cell: HashMap::new(),
            answered: HashSet::new(),
            blocks: Vec::new(),
        }
    }

    /// Puts the blocks into the runs of all files, and says what was made of this one.
    fn done(mut self, set: AnswerSet, runs: &mut Runs) -> (Option<Recording>, Imported) {
        for RowBlock { strategy, block, ranked, at, known } in std::mem::take(&mut self.blocks) {
            let made = runs.take(&strategy, block, ranked, at, &mut self.doubts);
            self.counts.add(BLOCKS, 1, usize::from(made && known));
        }
        if set.whole.is_none() {
            self.unanswered();
        }
        let Self { groups, doubts, counts, .. } = self;
        let read = !groups.is_empty();
        let from_rows = || Recording {
            name: set.name.to_string(),
            model: set.model,
            system: set.system,
            groups,
            warnings: Vec::new(),
        };
        let recording = set.whole.or_else(|| read.then(from_rows));
        (recording, Imported { file: set.name, format: set.format, counts: counts.0, doubts: doubts.list })
    }

    /// Takes a row. Returns whether its question is known.
    fn row(&mut self, row: Row, format: Format) -> Result<bool, InputError> {
        let Row { at, strategy, named, golden, answer, sent } = row;
        let number = match self.index {
            Some(index) => index.find(&named, &self.answered),
            None if named.id.is_none() && format == Format::ConversationRows => {
                let message = "its answers have no ids, expected the case set beside it";
                return Err(InputError { source: self.doubts.file(), position: at, message: message.to_owned() });
            }
            None => Found::Named,
        };
        let question = match (&number, self.index) {
            (Found::One(number), Some(index)) => {
                self.compare(*number, index, &named, golden.as_deref(), at);
                index.questions.get(*number).map(|(_, question)| question.id.clone())
            }
            (Found::None, _) => {
                let done = "it is kept, graded by nothing";
                let found = "the case set does not have its question";
                self.doubts.add(DoubtKind::UnknownQuestion, at, named.label(), found, done);
                None
            }
            _ => None,
        };
        let known = !matches!(number, Found::None);
        let user = named.user.clone().filter(|_| question.is_none());
        let question = question.unwrap_or_else(|| named.label().to_owned());
        if let Some(answer) = answer {
            self.counts.add(ANSWERS, 1, usize::from(known));
            if let Found::One(number) = number {
                self.answered.insert(number);
            }
            self.answer(&strategy, &question, answer, at);
        }
        if let Some(sent) = sent {
            match self.block(sent, &question, user, at) {
                Some((block, ranked)) => self.blocks.push(RowBlock { strategy, block, ranked, at, known }),
                None => self.counts.add(BLOCKS, 1, 0),
            }
        }
        Ok(known)
    }

    /// What the answer set says of a question that the case set says otherwise.
    fn compare(&mut self, number: usize, index: &Index<'_>, named: &Named, golden: Option<&str>, at: Option<Position>) {
        let Some((_, question)) = index.questions.get(number) else { return };
        if let Some((conversation, nth)) = named.place
            && index.answerable(conversation, nth) != Some(number)
        {
            let found = format!("it stands at place {nth} of conversation {conversation}");
            self.doubts.add(DoubtKind::OrderBroken, at, &question.id, found, "it was found by its text");
        }
        if let Some(text) = named.text.as_ref().filter(|text| **text != question.question) {
            let found = format!("found \"{}\", the case set asks \"{}\"", shown(text), shown(&question.question));
            self.doubts.add(DoubtKind::ChangedQuestion, at, &question.id, found, "the case set's words count");
        }
        if let (Some(golden), Some(answer)) = (golden, &question.answer)
            && golden != answer
        {
            let found = format!("it was judged by \"{}\", the case set has \"{}\"", shown(golden), shown(answer));
            self.doubts.add(DoubtKind::ChangedKey, at, &question.id, found, "the votes are kept");
        }
    }

    fn answer(&mut self, strategy: &str, question: &str, answer: Answer, at: Option<Position>) {
        let place = match self.by_cell.entry((strategy.to_owned(), question.to_owned())) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(free) => {
                let group =
                    AnswerGroup { strategy: strategy.to_owned(), question: question.to_owned(), answers: Vec::new() };
                self.groups.push(group);
                *free.insert(self.groups.len() - 1)
            }
        };
        let Some(group) = self.groups.get_mut(place) else { return };
        if group.answers.last().is_some_and(|last| last.seed == answer.seed) {
            let seed = answer.seed.map_or("no seed".to_owned(), |seed| format!("the seed {seed}"));
            let found = format!("a second answer of {strategy} with {seed}");
            self.doubts.add(DoubtKind::RepeatedAnswer, at, question, found, "both are kept");
        }
        group.answers.push(answer);
    }

    /// The block that was sent, and whether the quota still cuts it.
    fn block(
        &mut self,
        sent: Sent,
        question: &str,
        user: Option<String>,
        at: Option<Position>,
    ) -> Option<(SentBlock, bool)> {
        let block = |lines, failure| SentBlock { user, question: question.to_owned(), lines, failure };
        match sent {
            Sent::Block { lines, ranked, failure } => {
                if let Some(index) = self.index {
                    let strangers = lines.iter().filter_map(|line| line.event.as_ref());
                    for event in strangers.filter(|event| index.event(question, event).is_none()) {
                        let found = format!("a line names the event {}, which was not said", shown(event));
                        self.doubts.add(DoubtKind::UnknownEvent, at, question, found, "it is graded by its text");
                    }
                }
                Some((block(lines, failure), ranked))
            }
            Sent::Sources { turns, sessions } => {
                let lines = self.sources(&turns, &sessions, question, at)?;
                Some((block(lines, None), false))
            }
        }
    }

    /// Lines of which only the origin is known: the events themselves.
    fn sources(
        &mut self,
        turns: &[String],
        sessions: &[String],
        question: &str,
        at: Option<Position>,
    ) -> Option<Vec<SentLine>> {
        let index = self.index?;
        let known = |ids: &[String]| ids.iter().any(|id| index.event(question, id).is_some());
        let ids = if known(turns) {
            turns
        } else if known(sessions) {
            sessions
        } else if turns.is_empty() && sessions.is_empty() {
            let done = "its block is not known";
            self.doubts.add(DoubtKind::NoSources, at, question, "it names no sources", done);
            return None;
        } else {
            let found = format!("it names {} sessions and {} turns", sessions.len(), turns.len());
            let done = "its block is not known here; `--memories sessions` grades it by sessions";
            self.doubts.add(DoubtKind::SessionsOnly, at, question, found, done);
            return None;
        };
        let mut lines = Vec::with_capacity(ids.len());
        for id in ids {
            let event = index.event(question, id);
            if event.is_none() {
                let found = format!("it names {}, which was not said", shown(id));
                let done = "the line is kept with its name for words";
                self.doubts.add(DoubtKind::UnknownEvent, at, question, found, done);
            }
            let text = event.map_or_else(|| id.clone(), |event| event.text.clone());
            let named = event.and_then(|event| event.id.clone());
            lines.push(SentLine { text, id: Some(id.clone()), event: named, score: None });
        }
        Some(lines)
    }

    /// Questions that nothing answers. A group of them that is left out as a whole is one doubt.
    fn unanswered(&mut self) {
        let Some(index) = self.index.filter(|_| !self.groups.is_empty()) else { return };
        let name = |question: &Question| match &question.category {
            Some(category) => category.clone(),
            None if question.abstain => "questions to abstain from".to_owned(),
            None => "questions".to_owned(),
        };
        let mut order: Vec<String> = Vec::new();
        let mut groups: HashMap<String, (usize, Vec<&str>)> = HashMap::new();
        for (number, (_, question)) in index.questions.iter().enumerate() {
            let name = name(question);
            let (count, missing) = groups.entry(name.clone()).or_insert_with(|| {
                order.push(name);
                (0, Vec::new())
            });
            *count += 1;
            if !self.answered.contains(&number) {
                missing.push(&question.id);
            }
        }
        for name in order {
            let Some((count, missing)) = groups.get(&name) else { continue };
            if *count == missing.len() {
                let found = format!("this file answers none of these {count} questions");
                self.doubts.add(DoubtKind::Unanswered, None, &name, found, "they are without an answer here");
            } else {
                for id in missing {
                    self.doubts.add(DoubtKind::Unanswered, None, id, "it has no answer here", "it is without one");
                }
            }
        }
    }
}

/// The block runs of all files, one for each strategy.
#[derive(Default)]
struct Runs {
    all: Vec<BlockRun>,
    by_name: HashMap<String, usize>,
    by_question: HashMap<(usize, Option<String>, String), usize>,
}

impl Runs {
    /// Keeps a block. Returns whether it counts, or equals one that does.
    fn take(
        &mut self,
        strategy: &str,
        block: SentBlock,
        ranked: bool,
        at: Option<Position>,
        doubts: &mut Doubts,
    ) -> bool {
        let place = match self.by_name.entry(strategy.to_owned()) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(free) => {
                let origin = doubts.file().to_string();
                self.all.push(BlockRun { origin, strategy: strategy.to_owned(), ranked, ..BlockRun::default() });
                *free.insert(self.all.len() - 1)
            }
        };
        let Some(run) = self.all.get_mut(place) else { return false };
        if run.ranked != ranked {
            let found = format!("{strategy} has rankings and blocks as they were sent");
            let done = format!("they all count as {}", if run.ranked { "rankings" } else { "sent" });
            doubts.add(DoubtKind::OtherBlock, at, &block.question, found, done);
        }
        let key = (place, block.user.clone(), block.question.clone());
        match self.by_question.entry(key) {
            Entry::Occupied(known) => {
                let first = run.blocks.get(*known.get());
                let same = first.is_some_and(|first| first.lines == block.lines && first.failure == block.failure);
                if !same {
                    let found = format!("a second block of {strategy} that differs from the first");
                    doubts.add(DoubtKind::OtherBlock, at, &block.question, found, "the first counts");
                }
                same
            }
            Entry::Vacant(free) => {
                free.insert(run.blocks.len());
                run.blocks.push(block);
                true
            }
        }
    }
}

/// What a name stands for.
enum Found {
    One(usize),
    /// Several questions, or nobody knows: the name is kept.
    Named,
    None,
}

/// The questions and events of a case set by their names.
struct Index<'a> {
    questions: Vec<(&'a Conversation, &'a Question)>,
    by_id: HashMap<&'a str, usize>,
    by_text: HashMap<&'a str, Vec<usize>>,
    /// For each conversation the questions that are not to be abstained from.
    answerable: Vec<Vec<usize>>,
    users: HashMap<&'a str, usize>,
    /// For each user, in the order of `users`, the events by their ids.
    events: Vec<HashMap<&'a str, &'a Event>>,
}

impl<'a> Index<'a> {
    fn of(cases: &'a CaseSet) -> Self {
        let mut index = Self {
            questions: cases.questions().collect(),
            by_id: HashMap::new(),
            by_text: HashMap::new(),
            answerable: Vec::new(),
            users: HashMap::new(),
            events: Vec::new(),
        };
        let mut number = 0;
        for conversation in &cases.conversations {
            let mut own = Vec::new();
            for question in &conversation.questions {
                index.by_id.entry(&question.id).or_insert(number);
                index.by_text.entry(&question.question).or_default().push(number);
                if !question.abstain {
                    own.push(number);
                }
                number += 1;
            }
            index.answerable.push(own);
            let place = *index.users.entry(&conversation.user).or_insert_with(|| {
                index.events.push(HashMap::new());
                index.events.len() - 1
            });
            if let Some(events) = index.events.get_mut(place) {
                for event in &conversation.events {
                    if let Some(id) = &event.id {
                        events.entry(id).or_insert(event);
                    }
                }
            }
        }
        index
    }

    fn knows(&self, name: &str) -> bool {
        self.by_id.contains_key(name) || self.by_text.contains_key(name)
    }

    fn answerable(&self, conversation: usize, nth: usize) -> Option<usize> {
        self.answerable.get(conversation)?.get(nth).copied()
    }

    /// An event of the user of a question.
    fn event(&self, question: &str, id: &str) -> Option<&'a Event> {
        let number = self.by_id.get(question).or_else(|| self.by_text.get(question)?.first())?;
        let (conversation, _) = self.questions.get(*number)?;
        self.events.get(*self.users.get(conversation.user.as_str())?)?.get(id).copied()
    }

    /// The question that a row names. `taken` are those that the file answered before, for rows that only their order
    /// tells apart.
    fn find(&self, named: &Named, taken: &HashSet<usize>) -> Found {
        let is_of = |number: &usize| {
            named.user.as_ref().is_none_or(|user| {
                self.questions.get(*number).is_some_and(|(conversation, _)| conversation.user == *user)
            })
        };
        if let Some(id) = &named.id {
            if let Some(number) = self.by_id.get(id.as_str()) {
                return Found::One(*number);
            }
            // What stands for an id may be the question itself.
            match self.by_text.get(id.as_str()).map(Vec::as_slice) {
                Some([number]) => return Found::One(*number),
                Some(_) => return Found::Named,
                None => {}
            }
        }
        let Some(text) = &named.text else { return Found::None };
        if let Some((conversation, nth)) = named.place {
            let here = self.answerable(conversation, nth);
            let asks =
                |number: &usize| self.questions.get(*number).is_some_and(|(_, question)| question.question == *text);
            if let Some(number) = here.filter(asks) {
                return Found::One(number);
            }
            let own = self.answerable.get(conversation).map_or(&[][..], Vec::as_slice);
            let all = self.by_text.get(text.as_str()).map_or(&[][..], Vec::as_slice);
            let of_conversation = || all.iter().filter(|number| own.binary_search(number).is_ok());
            let free = of_conversation().find(|number| !taken.contains(number));
            return free.or_else(|| of_conversation().next()).map_or(Found::None, |number| Found::One(*number));
        }
        let numbers: Vec<usize> =
            self.by_text.get(text.as_str()).into_iter().flatten().copied().filter(is_of).collect();
        match numbers.as_slice() {
            [] => Found::None,
            [number] => Found::One(*number),
            _ => Found::Named,
        }
    }
}
