//! Why each record that a user ever had went into a block or stayed out.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use crate::case::{Event, Fact, Op, Question};
use crate::evaluate::Evaluation;
use crate::governed::{Did, Reason};
use crate::grade::{Block, BlockLine, LineRole, Verdict};
use crate::memory::{History, RecordId, Row, RowState, StoreHistory, StoreKind, words};
use crate::select::{Blocks, Outcome, Pool, Query, Strategy, fill};
use crate::workspace::Workspace;

/// What became of a record, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// In the block.
    Sent,
    /// Ranked, but its line would have gone over the quota.
    OverQuota {
        /// Tokens over the quota when its turn came.
        by: usize,
    },
    /// Readable, but the strategy did not rank it.
    Unranked {
        /// The strategy's own words.
        reason: String,
    },
    /// Replaced by a correction.
    Superseded {
        /// The record that took its place.
        by: RecordId,
        /// The turn of the correction.
        turn: u64,
    },
    /// Deleted at the user's request.
    Forgotten {
        /// The turn of the request.
        turn: u64,
    },
    /// Never stored: the governed store refused it.
    Refused {
        /// The store's reason.
        reason: Reason,
    },
    /// Not stored a second time: the governed store holds the same value in its slot.
    Repeats {
        /// The record that holds it.
        id: RecordId,
    },
}

impl Fate {
    /// The reason in a few words, for a list.
    pub fn words(&self) -> String {
        match self {
            Self::Sent => "sent".to_owned(),
            Self::OverQuota { by } => format!("over the quota by {by} token{}", plural(*by)),
            Self::Unranked { reason } => reason.clone(),
            Self::Superseded { by, turn } => format!("superseded by #{by} at turn {turn}"),
            Self::Forgotten { turn } => format!("forgotten at turn {turn}"),
            Self::Refused { reason } => format!("the gate refused it: {reason}"),
            Self::Repeats { id } => format!("says what #{id} says, so nothing was stored"),
        }
    }
    /// The reason as the rest of a sentence about the record.
    fn clause(&self) -> String {
        match self {
            Self::OverQuota { .. } | Self::Superseded { .. } | Self::Forgotten { .. } => {
                format!("was {}", self.words())
            }
            Self::Refused { reason } => format!("was refused by the gate: {reason}"),
            Self::Sent | Self::Unranked { .. } | Self::Repeats { .. } => self.words(),
        }
    }
}

/// A later event that overruled a record's fact, which the store did not heed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ignored {
    /// `correct` or `forget`.
    pub op: Op,
    /// The turn of that event.
    pub turn: u64,
}

impl Ignored {
    /// The finding in a few words.
    pub fn words(self) -> String {
        match self.op {
            Op::Forget => format!("ignored the forget of turn {}", self.turn),
            _ => format!("ignored the correction of turn {}", self.turn),
        }
    }

    /// The finding in fewer words, for a narrow place.
    pub fn short_words(self) -> String {
        match self.op {
            Op::Forget => format!("ignored forget of turn {}", self.turn),
            _ => format!("ignored correction of turn {}", self.turn),
        }
    }
}

/// One record that the user ever had in the store, as a strategy treated it for one question.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The record's number.
    pub id: RecordId,
    /// The user's event it was made from, from 0.
    pub event: usize,
    /// Tokens of its line.
    pub tokens: usize,
    /// Its place in the ranking, from 1, where it was ranked.
    pub rank: Option<usize>,
    /// The strategy's score, where it was ranked.
    pub score: Option<f64>,
    /// How it stands to the question's facts.
    pub role: LineRole,
    /// What became of it.
    pub fate: Fate,
    /// What the store should have heeded and did not.
    pub ignored: Option<Ignored>,
}

/// Which of a question's lists names a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactKind {
    /// The block must hold it.
    Required,
    /// It was replaced: the block must not hold it.
    Stale,
    /// The user asked to forget it: the block must not hold it.
    Forgotten,
}

impl FactKind {
    /// The word on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Stale => "stale",
            Self::Forgotten => "forgotten",
        }
    }
}

/// One fact of the question, and where it went.
#[derive(Debug, Clone, PartialEq)]
pub struct FactFinding {
    /// Which list names it.
    pub kind: FactKind,
    /// Its words, or the id of its event.
    pub label: String,
    /// The lines of the block that carry it: the record's number, and its place for [`History::said`].
    pub in_block: Vec<(RecordId, usize)>,
    /// The records outside of the block that carry it, and why each stayed out.
    pub outside: Vec<(RecordId, Fate)>,
}

impl FactFinding {
    /// Whether the fact is where it should be.
    pub fn is_fine(&self) -> bool {
        (self.kind == FactKind::Required) != self.in_block.is_empty()
    }

    /// Where the fact is, in a few words.
    pub fn words(&self) -> String {
        if !self.in_block.is_empty() {
            let ids: Vec<_> = self.in_block.iter().map(|(id, _)| format!("#{id}")).collect();
            let plural = if ids.len() == 1 { "" } else { "s" };
            return format!("in the block: line{plural} {}", ids.join(", "));
        }
        match self.outside.first() {
            Some((id, fate)) => format!("not in the block: #{id} {}", fate.clause()),
            None => "not in the block: never stored".to_owned(),
        }
    }
}

/// One strategy's treatment of one question: every record, those in the block first in rank order.
#[derive(Debug, Clone, Default)]
pub struct Explanation {
    /// The question's facts, in the order of its lists.
    pub facts: Vec<FactFinding>,
    /// The lines of the block, in rank order.
    pub sent: Vec<Candidate>,
    /// Everything else the user ever had in the store: ranked ones first, then newest first.
    pub left_out: Vec<Candidate>,
    /// Tokens of the block.
    pub tokens: usize,
    /// The facts quota.
    pub quota: usize,
    /// What a reader of the ranking has to know beside the strategy's summary.
    pub note: Option<String>,
}

impl Explanation {
    /// Explains a question of an evaluation under one of its strategies.
    pub fn of(evaluation: &Evaluation, strategy: usize, question: usize) -> Option<Self> {
        let (history, after) = evaluation.history(question)?;
        let (_, asked) = evaluation.question(question)?;
        let quota = evaluation.cases.facts_quota;
        let place = strategy;
        let strategy = evaluation.strategies.get(place)?;
        match strategy.blocks() {
            Blocks::Ranked => Some(Self::at(history, after, &**strategy, asked, quota)),
            Blocks::Sent(_) => {
                let block = evaluation.block(place, question)?;
                Some(Self::of_sent(block, history, after, &**strategy, asked, quota))
            }
            Blocks::Unknown => None,
        }
    }

    /// Explains a block that another system sent: its lines, and what the user said that none of them names.
    fn of_sent(
        block: &Block,
        history: &History,
        after: usize,
        strategy: &dyn Strategy,
        question: &Question,
        quota: usize,
    ) -> Self {
        let builder = Builder { history, after, kind: strategy.store(), question };
        let origin = |line: &BlockLine| history.event_named(history.said(line.event)?.id.as_deref()?);
        let named: HashSet<usize> = block.lines.iter().filter_map(origin).collect();
        let sent = block.lines.iter().enumerate().map(|(place, line)| {
            let overruled = origin(line).and_then(|event| history.overruled(event, after));
            Candidate {
                id: line.id,
                event: line.event,
                tokens: line.tokens,
                rank: Some(place + 1),
                score: None,
                role: line.role,
                fate: Fate::Sent,
                ignored: overruled.map(|(_, by)| Ignored { op: by.op, turn: by.turn }),
            }
        });
        let unnamed = history.readable_after(builder.kind, after).filter(|(row, _)| !named.contains(&row.added));
        let reason = || Fate::Unranked { reason: strategy.unranked_reason().to_owned() };
        let explanation = Self {
            facts: Vec::new(),
            sent: sent.collect(),
            left_out: unnamed.filter_map(|(row, _)| builder.candidate(row, reason())).collect(),
            tokens: block.tokens,
            quota,
            note: None,
        };
        explanation.with_facts(question, history)
    }

    /// Explains any question, asked after the first `after` events of a history.
    pub fn at(history: &History, after: usize, strategy: &dyn Strategy, question: &Question, quota: usize) -> Self {
        let pool = Pool::at(history, strategy.store(), after);
        Self::in_pool(&pool, history, after, strategy, question, quota)
    }

    /// [`Explanation::at`] with a pool that is there already: what the strategy's store lets a question read at that moment.
    pub fn in_pool(
        pool: &Pool,
        history: &History,
        after: usize,
        strategy: &dyn Strategy,
        question: &Question,
        quota: usize,
    ) -> Self {
        let builder = Builder { history, after, kind: strategy.store(), question };
        let query = Query { question, history };
        let ranking = strategy.rank(query, pool);
        let mut explanation = Self { quota, note: strategy.note(query), ..Self::default() };
        let mut ranked = vec![false; pool.records().len()];
        for (place, placed) in fill(&ranking, pool, quota).enumerate() {
            if let Some(seen) = ranked.get_mut(placed.ranked.index) {
                *seen = true;
            }
            let Some(entry) = pool.records().get(placed.ranked.index) else { continue };
            let fate = match placed.outcome {
                Outcome::Sent => Fate::Sent,
                Outcome::OverQuota { by } => Fate::OverQuota { by },
            };
            let Some(mut candidate) = builder.candidate_of(entry.record.id, fate) else { continue };
            candidate.rank = Some(place + 1);
            candidate.score = Some(placed.ranked.score);
            if placed.outcome == Outcome::Sent {
                explanation.tokens += placed.tokens;
                explanation.sent.push(candidate);
            } else {
                explanation.left_out.push(candidate);
            }
        }
        let unranked = pool.records().iter().zip(ranked).filter(|(_, ranked)| !ranked).filter_map(|(entry, _)| {
            let fate = Fate::Unranked { reason: strategy.unranked_reason().to_owned() };
            builder.candidate_of(entry.record.id, fate)
        });
        explanation.left_out.extend(unranked);
        explanation.left_out.extend(builder.unreadable());
        explanation.left_out.extend(builder.unkept().filter_map(|(row, fate)| builder.candidate(row, fate)));
        explanation.with_facts(question, history)
    }

    /// What became of the question's facts, told from the graded block: as [`Explanation::of`] says it, without ranking
    /// again and without the records that carry no fact.
    pub(crate) fn of_facts(
        block: &Block,
        history: &History,
        after: usize,
        strategy: &dyn Strategy,
        question: &Question,
        quota: usize,
    ) -> Self {
        let builder = Builder { history, after, kind: strategy.store(), question };
        let sent = block.lines.iter().filter_map(|line| builder.candidate_of(line.id, Fate::Sent));
        let mut explanation = Self { quota, tokens: block.tokens, sent: sent.collect(), ..Self::default() };
        let rows = history.store(builder.kind);
        let facts = || question.required.iter().chain(&question.stale).chain(&question.forgotten);
        let mut carriers: Vec<&Row> = facts().flat_map(|fact| carriers_of(fact, history, rows, after)).collect();
        carriers.retain(|row| !block.holds(row.added));
        // In the order of the whole explanation: what the quota cut, then the newest first.
        let cut = |row: &Row| block.cut.iter().position(|cut| cut.event == row.added);
        carriers.sort_unstable_by_key(|row| (cut(row).unwrap_or(usize::MAX), Reverse(row.id)));
        carriers.dedup_by_key(|row| row.id);
        let (readable, unreadable): (Vec<&Row>, Vec<&Row>) =
            carriers.into_iter().partition(|row| row.state_after(after) == RowState::Current);
        let left_out = readable.into_iter().map(|row| {
            let by = cut(row).and_then(|place| block.cut.get(place)).map(|cut| cut.by);
            let unranked = || Fate::Unranked { reason: strategy.unranked_reason().to_owned() };
            (row, by.map_or_else(unranked, |by| Fate::OverQuota { by }))
        });
        let gone = unreadable.into_iter().filter_map(|row| Some((row, builder.gone(row)?)));
        let unkept = builder.unkept().filter(|(row, _)| {
            let said = history.event_of(row);
            !block.holds(row.added) && said.is_some_and(|event| facts().any(|fact| fact.is_carried_by(event)))
        });
        let all = left_out.chain(gone).chain(unkept);
        explanation.left_out = all.filter_map(|(row, fate)| builder.candidate(row, fate)).collect();
        explanation.with_facts(question, history)
    }

    /// Where each fact of the question is.
    fn with_facts(mut self, question: &Question, history: &History) -> Self {
        let lists = [
            (FactKind::Required, &question.required),
            (FactKind::Stale, &question.stale),
            (FactKind::Forgotten, &question.forgotten),
        ];
        let facts = lists.iter().flat_map(|(kind, facts)| facts.iter().map(|fact| self.finding(*kind, fact, history)));
        self.facts = facts.collect();
        self
    }

    fn finding(&self, kind: FactKind, fact: &Fact, history: &History) -> FactFinding {
        let carries =
            |candidate: &&Candidate| history.said(candidate.event).is_some_and(|event| fact.is_carried_by(event));
        FactFinding {
            kind,
            label: fact.label().to_owned(),
            in_block: self.sent.iter().filter(carries).map(|c| (c.id, c.event)).collect(),
            outside: self.left_out.iter().filter(carries).map(|c| (c.id, c.fate.clone())).collect(),
        }
    }

    /// What the block did, in one sentence.
    pub fn sentence(&self) -> String {
        let leaks = |kind: FactKind, what: &str| {
            let found = self.facts.iter().find(|fact| fact.kind == kind && !fact.in_block.is_empty())?;
            Some(format!("the block holds the {what} fact \u{201c}{}\u{201d} ({})", found.label, found.words()))
        };
        let mut parts: Vec<String> = [leaks(FactKind::Forgotten, "forgotten"), leaks(FactKind::Stale, "replaced")]
            .into_iter()
            .flatten()
            .collect();
        let missing: Vec<_> =
            self.facts.iter().filter(|fact| fact.kind == FactKind::Required && !fact.is_fine()).collect();
        if let Some(first) = missing.first() {
            let more = if missing.len() > 1 { format!(" and {} more", missing.len() - 1) } else { String::new() };
            parts.push(format!("the block lacks \u{201c}{}\u{201d}{more} ({})", first.label, first.words()));
        }
        if parts.is_empty() {
            parts.push(if self.facts.iter().any(|fact| fact.kind == FactKind::Required) {
                "the block holds every required fact and leaks nothing".to_owned()
            } else {
                "the question needs no fact, and the block leaks nothing".to_owned()
            });
        }
        let text = parts.join("; ");
        let mut letters = text.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
    }
}

/// The words that a record shares with a question, in the order of the alphabet.
pub fn shared_words(question: &str, record: &str) -> Vec<String> {
    words(record).intersection(&words(question)).cloned().collect()
}

/// What every candidate of one explanation is made from.
struct Builder<'a> {
    history: &'a History,
    after: usize,
    kind: StoreKind,
    question: &'a Question,
}

impl Builder<'_> {
    fn candidate_of(&self, id: RecordId, fate: Fate) -> Option<Candidate> {
        self.candidate(self.history.store(self.kind).row(id)?, fate)
    }

    fn candidate(&self, row: &Row, fate: Fate) -> Option<Candidate> {
        let event: &Event = self.history.event_of(row)?;
        let ignored = match (self.kind, self.history.overruled(row.added, self.after)) {
            (StoreKind::Append, Some((_, by))) => Some(Ignored { op: by.op, turn: by.turn }),
            _ => None,
        };
        Some(Candidate {
            id: row.id,
            event: row.added,
            tokens: row.tokens,
            rank: None,
            score: None,
            role: LineRole::of(event, self.question),
            fate,
            ignored,
        })
    }

    /// The records that the store no longer lets a question read, newest first.
    fn unreadable(&self) -> Vec<Candidate> {
        let rows = self.history.store(self.kind).rows().iter().rev();
        rows.filter_map(|row| self.candidate(row, self.gone(row)?)).collect()
    }

    /// What was said and the governed store did not store, newest first: as the rows that it would have been, and why not.
    /// The other stores take everything.
    fn unkept(&self) -> impl Iterator<Item = (&Row, Fate)> {
        let said = self.history.store(StoreKind::Append).rows().iter().rev();
        let said = said.filter(|row| self.kind == StoreKind::Governed && row.added < self.after);
        said.filter_map(|row| {
            let fate = match self.history.governed().step(row.added)?.did {
                Did::Refused(reason) => Fate::Refused { reason },
                Did::Repeated { by } => Fate::Repeats { id: self.history.store(self.kind).row_added_by(by)?.id },
                Did::Added | Did::Updated { .. } | Did::Forgot(_) => return None,
            };
            Some((row, fate))
        })
    }

    /// Why the store no longer lets a question read a row; nothing where it does, or does not hold it yet.
    fn gone(&self, row: &Row) -> Option<Fate> {
        match row.state_after(self.after) {
            RowState::Superseded => {
                let (at, by) = row.superseded?;
                Some(Fate::Superseded { by, turn: self.history.turn(at) })
            }
            RowState::Deleted => Some(Fate::Forgotten { turn: self.history.turn(row.deleted?) }),
            RowState::Current | RowState::Future => None,
        }
    }
}

/// What a store made of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    /// Nobody said it.
    NeverSaid,
    /// It was said, and the store made no record of it.
    Unformed,
    /// Its records are superseded or deleted.
    Gone,
    /// A question may read a record of it.
    Readable,
}

/// What a store made of a fact, after the first `after` events of a history.
pub(crate) fn kept(fact: &Fact, history: &History, kind: StoreKind, after: usize) -> Kept {
    let rows = history.store(kind);
    let carriers = carriers_of(fact, history, rows, after);
    if carriers.iter().any(|row| row.state_after(after) == RowState::Current) {
        return Kept::Readable;
    }
    // The append-only store has a row for everything that was said.
    let said = carriers_of(fact, history, history.store(StoreKind::Append), after);
    if kind == StoreKind::Governed {
        let holder = |row: &&Row| match history.governed().step(row.added)?.did {
            Did::Repeated { by } => rows.row_added_by(by),
            _ => None,
        };
        let holders: Vec<&Row> = said.iter().filter_map(holder).collect();
        if holders.iter().any(|row| row.state_after(after) == RowState::Current) {
            return Kept::Readable;
        }
        if carriers.is_empty() && !holders.is_empty() {
            return Kept::Gone;
        }
    }
    match (carriers.is_empty(), said.is_empty()) {
        (false, _) => Kept::Gone,
        (true, false) => Kept::Unformed,
        (true, true) => Kept::NeverSaid,
    }
}

/// The rows that a store ever made, before the first `after` events were over, of events that carry a fact.
fn carriers_of<'a>(fact: &Fact, history: &'a History, rows: &'a StoreHistory, after: usize) -> Vec<&'a Row> {
    match fact {
        Fact::Event { event } => {
            let place = history.event_named(event).filter(|place| *place < after);
            place.and_then(|place| rows.row_added_by(place)).into_iter().collect()
        }
        Fact::Text(_) => {
            let said = rows.rows().iter().take_while(|row| row.added < after);
            said.filter(|row| history.event_of(row).is_some_and(|event| fact.is_carried_by(event))).collect()
        }
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// How the recorded answers to a question fared under a strategy, in one sentence; nothing where there are none.
pub fn answers_sentence(workspace: &Workspace, strategy: usize, question: usize) -> Option<String> {
    let tally = workspace.cell_tally(strategy, question);
    let total = tally.total();
    let all = |count: usize| match (count == total, total) {
        (true, 1) => "The answer".to_owned(),
        (true, _) => format!("All {total} answers"),
        (false, _) => format!("{count} of {total} answers"),
    };
    let verb = |count: usize, verb: &str| if count == 1 { format!("{verb}s") } else { verb.to_owned() };
    if total == 0 {
        return None;
    }
    if tally.pass == total {
        return Some(format!("{} {}.", all(total), if total == 1 { "passes" } else { "pass" }));
    }
    // The reason is that of the answers that are counted: an incomplete answer is no failure.
    let (counted, count, what) = if tally.fail > 0 {
        (Verdict::Fail, tally.fail, verb(tally.fail, "fail"))
    } else {
        let are = if tally.incomplete == 1 { "is" } else { "are" };
        (Verdict::Incomplete, tally.incomplete, format!("{are} incomplete"))
    };
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for at in workspace.answers(strategy, question) {
        if let Some((_, _, _, grade)) = workspace.answer(at)
            && grade.verdict == counted
        {
            *reasons.entry(grade.reason.as_str()).or_default() += 1;
        }
    }
    let (reason, _) = reasons.iter().max_by_key(|(_, count)| **count)?;
    let more = if reasons.len() > 1 { " (and for other reasons)" } else { "" };
    Some(format!("{} {what}: {reason}{more}.", all(count)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::generate::bundled_cases;
    use crate::grade::AnswerKeys;
    use crate::recording::{Answer, AnswerGroup, Recording};
    use crate::tokens::GemmaCounter;
    use std::sync::Arc;

    /// What is said of recorded answers to the first question, whose key demands fish.
    fn said(answers: &[&str]) -> String {
        let answer = |text: &&str| Answer { answer: (*text).to_owned(), ..Answer::default() };
        let group = AnswerGroup {
            strategy: "managed-all".into(),
            question: "What should I eat for dinner?".into(),
            answers: answers.iter().map(answer).collect(),
        };
        let recording = Recording {
            name: "answers.json".into(),
            model: serde_json::Map::new(),
            system: String::new(),
            groups: vec![group],
            warnings: Vec::new(),
        };
        let keys = AnswerKeys::load(&crate::bundled::answer_keys()).unwrap();
        let cases = Arc::new(bundled_cases());
        let workspace = Workspace::build(cases, keys, vec![recording], Arc::new(GemmaCounter)).unwrap();
        answers_sentence(&workspace, 0, 0).unwrap()
    }

    #[test]
    fn what_a_graded_block_tells_of_its_facts_is_what_the_whole_explanation_says() {
        for cases in [bundled_cases(), crate::case::generate::scaled(3, 60, 60)] {
            let cases = crate::case::CaseSet { facts_quota: 60, ..cases };
            let strategies = crate::select::choose(&["all".to_owned()]).unwrap();
            let strategies = strategies.iter().filter_map(|chosen| chosen.strategy(None)).collect();
            let evaluation = Evaluation::run(Arc::new(cases), strategies, Arc::new(GemmaCounter)).unwrap();
            for (place, strategy) in evaluation.strategies.iter().enumerate() {
                for number in 0..evaluation.question_count() {
                    let (_, question) = evaluation.question(number).unwrap();
                    let (history, after) = evaluation.history(number).unwrap();
                    let block = evaluation.block(place, number).unwrap();
                    let told = Explanation::of_facts(block, history, after, &**strategy, question, 60);
                    let whole = Explanation::of(&evaluation, place, number).unwrap();
                    // Where a line carries the fact, nobody asks for its other carriers.
                    let facts = |all: &Explanation| -> Vec<FactFinding> {
                        let cut = |fact: &FactFinding| match fact.in_block.is_empty() {
                            true => fact.clone(),
                            false => FactFinding { outside: Vec::new(), ..fact.clone() },
                        };
                        all.facts.iter().map(cut).collect()
                    };
                    assert_eq!(facts(&told), facts(&whole), "{} {}", strategy.name(), question.question);
                    assert_eq!((told.sentence(), told.tokens), (whole.sentence(), whole.tokens));
                }
            }
        }
    }

    #[test]
    fn the_reason_is_that_of_the_answers_counted() {
        let fail = said(&["Eat tofu."]);
        let incomplete = said(&[""]);
        assert!(fail.starts_with("The answer fails: ") && incomplete.starts_with("The answer is incomplete: "));
        let reason = fail.strip_prefix("The answer fails: ").unwrap();
        // More incomplete answers than failures, and for a reason of their own.
        assert_eq!(said(&["", "Eat tofu.", "", ""]), format!("1 of 4 answers fails: {reason}"));
        assert_eq!(said(&["", "Eat fish.", ""]), incomplete.replace("The answer is", "2 of 3 answers are"));
    }
}
