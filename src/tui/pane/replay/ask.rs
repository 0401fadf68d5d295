//! Any question, asked at the moment: the block that each strategy would send.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::rows::{Standing, ignored};
use crate::case::Question;
use crate::evaluate::Evaluation;
use crate::memory::{History, RecordId, StoreKind, line, word_spans, words};
use crate::select::{Blocks, Outcome, Pool, Query, Strategy, WordIndex, fill};
use crate::tui::pane::View;
use crate::tui::text::{cut, highlighted, mark_found, padded, span, wrap};
use crate::tui::theme::Role;
use crate::tui::widget::list::ScrollState;
use crate::tui::widget::part::{empty, part};

/// The least columns that a strategy's block takes beside another.
const COLUMN: usize = 36;

/// A question that no case file knows, and what would be sent with it.
#[derive(Default)]
pub(super) struct Ask {
    /// The words of the question.
    pub(super) text: String,
    words: BTreeSet<String>,
    /// One for each strategy.
    blocks: Vec<AskedBlock>,
    /// What can be read at a moment: kept while only the question changes, and made from what was there when the moment does.
    pools: HashMap<StoreKind, (usize, Pool)>,
    /// The words of the history, read when the first letter of a question is typed.
    index: Option<Arc<WordIndex>>,
    moment: usize,
    pub(super) scroll: ScrollState,
    /// The lines drawn last, for this width and search.
    drawn: RefCell<Option<(usize, String, Vec<Line<'static>>)>>,
}

/// One strategy's block, and what it leaves out.
#[derive(Debug, Default, PartialEq, Eq)]
struct AskedBlock {
    name: String,
    kind: Option<StoreKind>,
    /// Records in rank order.
    sent: Vec<RecordId>,
    tokens: usize,
    quota: usize,
    over_quota: usize,
    unranked: usize,
    unranked_reason: String,
    note: Option<String>,
    superseded: usize,
    forgotten: usize,
}

impl Ask {
    /// Another question, at the same moment.
    pub(super) fn set_text(&mut self, text: &str, history: &History, evaluation: &Evaluation) {
        text.clone_into(&mut self.text);
        self.words = words(text);
        self.scroll.reset();
        self.work(history, evaluation);
    }

    /// The same question, at another moment.
    pub(super) fn look(&mut self, history: &History, moment: usize, evaluation: &Evaluation) {
        self.moment = moment;
        self.work(history, evaluation);
    }

    /// Forgets what is known of a history, for another one.
    pub(super) fn start_over(&mut self) {
        self.pools.clear();
        self.index = None;
    }

    /// What [`crate::explain::Explanation::at`] says, without a candidate for each record ever stored: this is done at
    /// each letter that is typed.
    fn work(&mut self, history: &History, evaluation: &Evaluation) {
        self.drawn.take();
        self.blocks.clear();
        // Without a question there is nothing to see, so nothing to work out.
        if self.text.trim().is_empty() {
            return;
        }
        let index = self.index.get_or_insert_with(|| Arc::new(WordIndex::of(history)));
        let quota = evaluation.cases.facts_quota;
        let asked = Question { question: self.text.clone(), ..Question::default() };
        let ranking = |strategy: &&Arc<dyn Strategy>| matches!(strategy.blocks(), Blocks::Ranked);
        for strategy in evaluation.strategies.iter().filter(ranking) {
            let kind = strategy.store();
            let (at, pool) = self.pools.entry(kind).or_insert_with(|| (usize::MAX, Pool::default()));
            if *at != self.moment {
                *pool = std::mem::take(pool).moved(history, kind, self.moment, index);
                *at = self.moment;
            }
            let query = Query { question: &asked, history };
            let ranking = strategy.rank(query, pool);
            let counts = history.store(kind).counts_after(self.moment);
            let added = history.store(kind).rows().partition_point(|row| row.added < self.moment);
            let mut block = AskedBlock {
                name: strategy.name().to_owned(),
                kind: Some(kind),
                quota,
                unranked: pool.records().len().saturating_sub(ranking.len()),
                unranked_reason: strategy.unranked_reason().to_owned(),
                note: strategy.note(query),
                superseded: counts.superseded_rows,
                forgotten: added.saturating_sub(counts.stored_rows),
                ..AskedBlock::default()
            };
            for placed in fill(&ranking, pool, quota) {
                match (placed.outcome, pool.records().get(placed.ranked.index)) {
                    (Outcome::Sent, Some(entry)) => {
                        block.sent.push(entry.record.id);
                        block.tokens += placed.tokens;
                    }
                    _ => block.over_quota += 1,
                }
            }
            self.blocks.push(block);
        }
    }

    /// All blocks as they would be sent, for copying.
    pub(super) fn copy(&self, history: &History) -> String {
        let mut text = String::new();
        for block in &self.blocks {
            text.push_str(&format!("{}\n", block.name));
            for (id, event, _) in block.lines(history) {
                text.push_str(&line(id, &event.text));
                text.push('\n');
            }
        }
        text
    }

    /// Draws the blocks, beside each other where there is room.
    pub(super) fn draw(&self, frame: &mut Frame<'_>, area: Rect, history: &History, focused: bool, view: &View<'_>) {
        let theme = view.theme;
        let title = Line::from(vec![Span::raw("Ask"), span(&separated(&self.text), theme.style(Role::Text))]);
        let inner = part(frame, area, title, focused, theme);
        if self.text.trim().is_empty() {
            return empty(frame, inner, "Type any question: here is what each strategy would send with it now.", theme);
        }
        let columns = usize::from(inner.width);
        let mut drawn = self.drawn.borrow_mut();
        if drawn.as_ref().is_none_or(|(width, needle, _)| *width != columns || needle != view.needle) {
            *drawn = Some((columns, view.needle.to_owned(), self.lines(history, columns, view)));
        }
        if let Some((_, _, lines)) = &*drawn {
            self.scroll.draw(frame, inner, lines, theme);
        }
    }

    /// Whether a search would find something, and the line where it is after (or before) the one at the upper end.
    pub(super) fn search(&self, forward: bool, from_here: bool, matches: impl Fn(&str) -> bool) -> bool {
        let drawn = self.drawn.borrow();
        let Some((_, _, lines)) = &*drawn else { return false };
        let here = self.scroll.offset();
        let hit = |line: &Line<'_>| {
            let text: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
            matches(&text)
        };
        let hits: Vec<usize> = lines.iter().enumerate().filter(|(_, line)| hit(line)).map(|(at, _)| at).collect();
        let found = if forward {
            hits.iter().find(|at| **at > here || (from_here && **at == here)).or(hits.first())
        } else {
            hits.iter().rev().find(|at| **at < here).or(hits.last())
        };
        if let Some(line) = found {
            self.scroll.reveal(*line);
        }
        found.is_some()
    }

    fn lines(&self, history: &History, columns: usize, view: &View<'_>) -> Vec<Line<'static>> {
        let theme = view.theme;
        let beside = (columns / COLUMN).clamp(1, self.blocks.len().max(1));
        let each = (columns + 2) / beside;
        let mut lines = Vec::new();
        for blocks in self.blocks.chunks(beside) {
            if !lines.is_empty() {
                lines.push(Line::default());
            }
            let texts: Vec<_> = blocks.iter().map(|block| self.block(block, history, each - 2, view)).collect();
            let height = texts.iter().map(Vec::len).max().unwrap_or(0);
            for row in 0..height {
                let mut spans = Vec::new();
                for (place, text) in texts.iter().enumerate() {
                    let line = cut(text.get(row).cloned().unwrap_or_default(), each - 2, theme);
                    let gap = if place + 1 < texts.len() { each } else { 0 };
                    spans.extend(padded(line, gap, ratatui::style::Style::new()).spans);
                }
                lines.push(mark_found(Line::from(spans), view.needle, theme));
            }
        }
        lines
    }

    /// One strategy's block: its name, what it costs, its lines, what it leaves out.
    fn block(&self, block: &AskedBlock, history: &History, columns: usize, view: &View<'_>) -> Vec<Line<'static>> {
        let theme = view.theme;
        let dim = theme.style(Role::Dim);
        let count = block.sent.len();
        let cost =
            format!("{count} line{}, {} of {} tokens", if count == 1 { "" } else { "s" }, block.tokens, block.quota);
        let mut lines = vec![
            Line::from(span(&format!(" {}", block.name), theme.style(Role::Heading))),
            Line::styled(format!(" {cost}"), dim),
        ];
        if let Some(note) = &block.note {
            lines.extend(wrap(&[Span::raw(" "), span(note, dim)], columns, 1));
        }
        for (id, event, standing) in block.lines_with_standing(history, self.moment, view) {
            let shared: Vec<_> = word_spans(&event.text)
                .filter(|(word, _)| self.words.contains(word))
                .map(|(_, range)| (range, theme.style(Role::Shared)))
                .collect();
            let mut spans = vec![
                Span::styled(format!(" {} ", standing.mark), theme.style(standing.role)),
                Span::styled(format!("#{id} "), dim),
            ];
            spans.extend(highlighted(&event.text, &shared, theme.style(Role::Text)));
            lines.extend(wrap(&spans, columns, 3));
            if let Some(note) = standing.note {
                lines.extend(wrap(&[Span::raw("   "), span(&note, theme.style(standing.role))], columns, 3));
            }
        }
        if count == 0 {
            lines.extend(wrap(&[Span::raw(" "), span("an empty block: nothing would be sent", dim)], columns, 1));
        }
        lines.extend(wrap(&[Span::raw(" "), span(&block.left_out(), dim)], columns, 1));
        lines
    }
}

impl AskedBlock {
    fn lines<'a>(
        &'a self,
        history: &'a History,
    ) -> impl Iterator<Item = (RecordId, &'a crate::case::Event, &'a crate::memory::Row)> {
        let store = history.store(self.kind.unwrap_or(StoreKind::Managed));
        self.sent.iter().filter_map(move |id| {
            let row = store.row(*id)?;
            Some((*id, history.event_of(row)?, row))
        })
    }

    /// The lines with what the store should have heeded; what the last step added counts as any other line here.
    fn lines_with_standing<'a>(
        &'a self,
        history: &'a History,
        after: usize,
        view: &View<'_>,
    ) -> impl Iterator<Item = (RecordId, &'a crate::case::Event, Standing)> {
        let kind = self.kind.unwrap_or(StoreKind::Managed);
        let theme = view.theme;
        self.lines(history).map(move |(id, event, row)| {
            let standing = match ignored(history, kind, row, after) {
                Some(_) => Standing::of(history, kind, row, after, theme),
                None => Standing { mark: theme.neutral(), role: Role::Dim, note: None, short: None, now: false },
            };
            (id, event, standing)
        })
    }

    fn left_out(&self) -> String {
        let parts: Vec<String> = [
            (self.over_quota, "over the quota".to_owned()),
            (self.unranked, format!("unranked ({})", self.unranked_reason)),
            (self.superseded, "superseded".to_owned()),
            (self.forgotten, "forgotten".to_owned()),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, why)| format!("{count} {why}"))
        .collect();
        match parts.is_empty() {
            true => "nothing left out".to_owned(),
            false => format!("left out: {}", parts.join(", ")),
        }
    }
}

/// The question behind the title, where there is one.
fn separated(text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { format!(": {text}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Question;
    use crate::explain::{Explanation, Fate};
    use crate::open::Inputs;
    use crate::tokens::GemmaCounter;
    use crate::workspace::Workspace;
    use std::sync::Arc;

    #[test]
    fn the_blocks_are_those_of_the_explanation_at_every_moment() {
        let workspace = Workspace::open(&Inputs::default(), Arc::new(GemmaCounter)).unwrap();
        let evaluation = &workspace.evaluation;
        let growth = workspace.growth.as_ref().unwrap();
        let question = Question {
            id: String::new(),
            question: "Which budget did we set for the hotel?".into(),
            ..Question::default()
        };
        for history in evaluation.histories.iter().chain([&growth.history]) {
            let mut ask = Ask::default();
            ask.set_text(&question.question, history, evaluation);
            // On and on, then back, then to and fro: each pool is made from the one before.
            let there_and_back = (0..=history.len()).chain((0..=history.len()).rev());
            let jumps = (0..=history.len()).flat_map(|moment| [moment, history.len() - moment]);
            for moment in there_and_back.chain(jumps) {
                ask.look(history, moment, evaluation);
                for (block, strategy) in ask.blocks.iter().zip(evaluation.strategies.iter()) {
                    let quota = evaluation.cases.facts_quota;
                    let whole = Explanation::at(history, moment, &**strategy, &question, quota);
                    let count = |is: fn(&Fate) -> bool| whole.left_out.iter().filter(|c| is(&c.fate)).count();
                    assert_eq!(block.sent, whole.sent.iter().map(|candidate| candidate.id).collect::<Vec<_>>());
                    assert_eq!((block.tokens, block.quota), (whole.tokens, whole.quota));
                    assert_eq!(block.over_quota, count(|fate| matches!(fate, Fate::OverQuota { .. })));
                    assert_eq!(block.unranked, count(|fate| matches!(fate, Fate::Unranked { .. })));
                    assert_eq!(block.superseded, count(|fate| matches!(fate, Fate::Superseded { .. })));
                    assert_eq!(block.forgotten, count(|fate| matches!(fate, Fate::Forgotten { .. })));
                }
            }
        }
    }
}
