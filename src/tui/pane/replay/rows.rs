//! The rows of one store after an event: what is there, and what that event did to it.

use std::cell::Cell;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::case::{Event, Op};
use crate::explain::Ignored;
use crate::governed::Did;
use crate::memory::{History, RecordId, Row, RowState, StoreKind};
use crate::text::width;
use crate::tui::action::Action;
use crate::tui::pane::View;
use crate::tui::text::{cut, mark_found, span, wrap};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::list::ListState;
use crate::tui::widget::part::{empty, part};

/// From this width on, a note stands beside its row, not below it.
const BESIDE: u16 = 72;

/// How a row stands after an event, with what is to be said of it.
pub(super) struct Standing {
    pub(super) mark: &'static str,
    pub(super) role: Role,
    /// Why the row is not simply there.
    pub(super) note: Option<String>,
    /// The note in fewer words, where there are any.
    pub(super) short: Option<String>,
    /// Whether the event itself did this.
    pub(super) now: bool,
}

impl Standing {
    /// The standing of a row after the first `after` events.
    pub(super) fn of(history: &History, kind: StoreKind, row: &Row, after: usize, theme: &Theme) -> Self {
        let just = |event: usize| event + 1 == after;
        let standing = |mark, role, note, now| Self { mark, role, note: Some(note), short: None, now };
        if row.deleted.is_some_and(just) {
            return standing(theme.pick("−", "-"), Role::Forgotten, "deleted now".to_owned(), true);
        }
        if let (RowState::Superseded, Some((at, by))) = (row.state_after(after), row.superseded) {
            // No leak: the store keeps it as history and lets no question read it.
            let now = just(at);
            let when = if now { "now".to_owned() } else { format!("at turn {}", history.turn(at)) };
            let role = if now { Role::Text } else { Role::Dim };
            return standing(theme.superseded(), role, format!("superseded by #{by} {when}"), now);
        }
        if let Some((at, event)) = ignored(history, kind, row, after) {
            let (mark, role) = match event.op {
                Op::Forget => (theme.forgotten(), Role::Forgotten),
                _ => (theme.stale(), Role::Stale),
            };
            let ignored = Ignored { op: event.op, turn: event.turn };
            return match (just(at), event.op) {
                (true, Op::Forget) => standing(mark, role, "ignored this forget request".to_owned(), true),
                (true, _) => standing(mark, role, "ignored this correction".to_owned(), true),
                (false, _) => {
                    Self { short: Some(ignored.short_words()), ..standing(mark, role, ignored.words(), false) }
                }
            };
        }
        let (mark, role) = if just(row.added) { ("+", Role::Added) } else { (theme.neutral(), Role::Dim) };
        Self { mark, role, note: None, short: None, now: just(row.added) }
    }
}

/// The event that overruled a row of the store that heeds none.
pub(super) fn ignored<'a>(
    history: &'a History,
    kind: StoreKind,
    row: &Row,
    after: usize,
) -> Option<(usize, &'a Event)> {
    if kind == StoreKind::Append { history.overruled(row.added, after) } else { None }
}

/// The part that shows one store.
pub(super) struct StoreRows {
    pub(super) kind: StoreKind,
    pub(super) list: ListState,
    after: usize,
    /// Places among all rows that the store ever had: those to show, newest first. Derived when the moment changes.
    rows: Vec<usize>,
    /// The lines that hold notes, where notes stand below their rows.
    note_lines: Vec<usize>,
    /// Whether they do. Only drawing knows the width.
    below: Cell<bool>,
    /// What the last event did.
    added: Vec<RecordId>,
    superseded: Vec<RecordId>,
    deleted: Vec<RecordId>,
}

impl StoreRows {
    pub(super) fn new(kind: StoreKind) -> Self {
        Self {
            kind,
            list: ListState::default(),
            after: 0,
            rows: Vec::new(),
            note_lines: Vec::new(),
            below: Cell::new(true),
            added: Vec::new(),
            superseded: Vec::new(),
            deleted: Vec::new(),
        }
    }

    /// Looks at the moment after the first `after` events, and at the row that the last of them changed.
    pub(super) fn look(&mut self, history: &History, after: usize) {
        let all = history.store(self.kind).rows();
        let end = all.partition_point(|row| row.added < after);
        let just = |event: Option<usize>| event.is_some_and(|event| event + 1 == after);
        self.after = after;
        self.rows.clear();
        self.note_lines.clear();
        let mut done: [Vec<RecordId>; 3] = Default::default();
        let mut changed = None;
        for (place, row) in all.get(..end).unwrap_or_default().iter().enumerate().rev() {
            let state = row.state_after(after);
            let deleted = just(row.deleted);
            if state == RowState::Deleted && !deleted {
                continue;
            }
            let superseded = just(row.superseded.map(|(at, _)| at));
            let overruled = ignored(history, self.kind, row, after).map(|(at, _)| at);
            let did = [just(Some(row.added)), superseded, deleted];
            done.iter_mut().zip(did).filter(|(_, did)| *did).for_each(|(ids, _)| ids.push(row.id));
            if changed.is_none() && (deleted || superseded || just(overruled)) {
                changed = Some(self.rows.len());
            }
            self.rows.push(place);
            if state != RowState::Current || overruled.is_some() {
                self.note_lines.push(self.rows.len() + self.note_lines.len());
            }
        }
        done.iter_mut().for_each(|ids| ids.reverse());
        [self.added, self.superseded, self.deleted] = done;
        let line = self.last_line_of(changed.unwrap_or(0));
        self.list.rewind();
        self.list.select(line, self.len());
    }

    /// The number of lines.
    pub(super) fn len(&self) -> usize {
        self.rows.len() + if self.below.get() { self.note_lines.len() } else { 0 }
    }

    /// Where a line belongs: which of the rows, and whether it is the note below it.
    fn at(&self, line: usize) -> (usize, bool) {
        if !self.below.get() {
            return (line, false);
        }
        let notes = self.note_lines.partition_point(|note| *note <= line);
        let is_note = notes.checked_sub(1).and_then(|last| self.note_lines.get(last)) == Some(&line);
        (line.saturating_sub(notes), is_note)
    }

    /// The last line of a row: its note, where that stands below.
    fn last_line_of(&self, row: usize) -> usize {
        if !self.below.get() {
            return row;
        }
        // The nth note line belongs to the row at (line - n - 1).
        let notes =
            |upto: usize| self.note_lines.iter().enumerate().take_while(|(n, line)| **line - n - 1 <= upto).count();
        row + notes(row)
    }

    fn row<'a>(&self, history: &'a History, line: usize) -> Option<&'a Row> {
        let (row, _) = self.at(line);
        history.store(self.kind).rows().get(*self.rows.get(row)?)
    }

    /// The row under the cursor and the event that it was made from.
    pub(super) fn selected<'a>(&self, history: &'a History) -> Option<(&'a Row, &'a Event)> {
        let row = self.row(history, self.list.selected())?;
        Some((row, history.event_of(row)?))
    }

    /// Moves the cursor from row to row, past the notes below them.
    pub(super) fn motion(&mut self, action: Action) -> bool {
        let len = self.len();
        let before = self.list.selected();
        if !self.list.motion(action, len) {
            return false;
        }
        let here = self.list.selected();
        if self.at(here).1 {
            let past = here + 1 < len && here > before;
            self.list.select(if past { here + 1 } else { here.saturating_sub(1) }, len);
        }
        true
    }

    /// Moves the cursor from a note to the row above it: scrolling may have needed it there, a person does not.
    pub(super) fn settle(&mut self) {
        let line = self.list.selected();
        if self.at(line).1 {
            self.list.select(line.saturating_sub(1), self.len());
        }
    }

    /// Puts the cursor on the next row whose text matches.
    pub(super) fn search(
        &mut self,
        history: &History,
        forward: bool,
        from_here: bool,
        matches: impl Fn(&str) -> bool,
    ) -> bool {
        let len = self.len();
        let hit = |line: usize| self.holds(history, line, &matches);
        let here = self.list.selected();
        let found = if from_here && hit(here) { Some(here) } else { self.list.find(len, forward, hit) };
        if let Some(line) = found {
            self.list.select(line, len);
        }
        found.is_some()
    }

    /// The line of the cursor, and how many there are.
    pub(super) fn searched(&self) -> (usize, usize) {
        (self.list.selected(), self.len())
    }

    /// Whether the text of the row in a line matches.
    pub(super) fn holds(&self, history: &History, line: usize, matches: impl Fn(&str) -> bool) -> bool {
        let event = self.row(history, line).and_then(|row| history.event_of(row));
        !self.at(line).1 && event.is_some_and(|event| matches(&event.text))
    }

    /// What the last event did to the store, in a few words.
    fn step(&self, history: &History) -> Option<String> {
        let event = history.events.get(self.after.checked_sub(1)?)?;
        let done: Vec<String> = [("added", &self.added), ("superseded", &self.superseded), ("deleted", &self.deleted)]
            .into_iter()
            .filter(|(_, ids)| !ids.is_empty())
            .map(|(what, ids)| format!("{what} {}", few(ids)))
            .collect();
        if self.kind == StoreKind::Governed
            && let Some(refused) = self.refused(history)
        {
            return Some(refused);
        }
        Some(match (done.is_empty(), event.op, self.kind) {
            (false, _, _) => done.join(", "),
            (true, Op::Forget, StoreKind::Append) => "forget is ignored".to_owned(),
            (true, Op::Forget, StoreKind::Managed | StoreKind::Governed) => "there was nothing to forget".to_owned(),
            (true, _, _) => "nothing".to_owned(),
        })
    }

    /// Why the governed store stored nothing of the last event; none where it did.
    fn refused(&self, history: &History) -> Option<String> {
        match &history.governed().step(self.after.checked_sub(1)?)?.did {
            Did::Refused(reason) => Some(format!("refused: {reason}")),
            Did::Repeated { by } => {
                let id = history.store(self.kind).row_added_by(*by)?.id;
                Some(format!("nothing: #{id} says the same"))
            }
            Did::Added | Did::Updated { .. } | Did::Forgot(_) => None,
        }
    }

    /// The row counts, in one line or in two.
    fn counts(&self, history: &History, columns: usize) -> Vec<String> {
        let counts = history.store(self.kind).counts_after(self.after);
        let rows = format!(
            "{} stored: {} current, {} superseded",
            counts.stored_rows, counts.current_facts, counts.superseded_rows
        );
        let plural = if counts.deletion_records == 1 { "" } else { "s" };
        let deletions = format!("{} deletion record{plural}", counts.deletion_records);
        let both = format!("{rows}; {deletions}");
        if width(&both) <= columns { vec![both] } else { vec![rows, deletions] }
    }

    /// Draws the part.
    pub(super) fn draw(&self, frame: &mut Frame<'_>, area: Rect, history: &History, focused: bool, view: &View<'_>) {
        let theme = view.theme;
        let title = match self.kind {
            StoreKind::Managed => "Managed store",
            StoreKind::Append => "Append-only store",
            StoreKind::Governed => "Governed store",
        };
        let inner = part(frame, area, title, focused, theme);
        if !super::can_show(self.kind, history) {
            let sentence = format!(
                "Not worked out for more than {} events: `recallscope memory hear` tells them to a file, for the Store pane.",
                super::GOVERNED_EVENTS
            );
            return empty(frame, inner, &sentence, theme);
        }
        let columns = usize::from(inner.width);
        let counts = self.counts(history, columns.saturating_sub(1));
        let mut head: Vec<_> =
            counts.into_iter().map(|line| Line::from(Span::styled(line, theme.style(Role::Dim)))).collect();
        if let Some(step) = self.step(history) {
            let spans = [
                Span::styled("this step: ".to_owned(), theme.style(Role::Dim)),
                span(&step, theme.style(Role::Heading)),
            ];
            // A reason is told in full.
            head.extend(wrap(&spans, columns.saturating_sub(1), 2));
        }
        // In a small part the rows go first.
        let room = usize::from(inner.height).saturating_sub(if inner.height >= 8 { 4 } else { 2 });
        let skip = head.len().saturating_sub(room);
        let head: Vec<_> = head.into_iter().skip(skip).collect();
        let rest = Rect {
            y: inner.y.saturating_add(head.len() as u16),
            height: inner.height.saturating_sub(head.len() as u16),
            ..inner
        };
        // With a line or two, a note below its row would push the row itself out of sight.
        self.below.set(inner.width < BESIDE && rest.height >= 3);
        for (y, line) in (inner.y..inner.bottom()).zip(head) {
            let line = Line::from([vec![Span::raw(" ")], line.spans].concat());
            frame.render_widget(cut(line, columns, theme), Rect { y, height: 1, ..inner });
        }
        if self.rows.is_empty() {
            let sentence = match self.after {
                0 => match view.keymap.hint(crate::tui::action::Scope::Replay, Action::StepForward) {
                    Some(key) => format!("Nothing is stored before the first event: {key} steps to it."),
                    None => "Nothing is stored before the first event.".to_owned(),
                },
                _ => "Nothing is stored.".to_owned(),
            };
            empty(frame, rest, &sentence, theme);
        }
        self.list.draw(frame, rest, self.len(), focused, theme, |line| self.line(history, line, columns, view));
    }

    fn line(&self, history: &History, line: usize, columns: usize, view: &View<'_>) -> Line<'static> {
        let theme = view.theme;
        let (_, is_note) = self.at(line);
        let Some((row, event)) = self.row(history, line).and_then(|row| Some((row, history.event_of(row)?))) else {
            return Line::default();
        };
        let Standing { mark, role, note, short, now } = Standing::of(history, self.kind, row, self.after, theme);
        let note_style = theme.style(if now { role } else { Role::Dim });
        let id = format!("#{}", row.id);
        let id_columns = self.id_columns(history);
        if is_note {
            let indent = id_columns + 3;
            let room = columns.saturating_sub(indent + 1);
            let note = note.filter(|note| width(note) <= room || short.is_none()).or(short).unwrap_or_default();
            return Line::from(vec![Span::raw(" ".repeat(indent)), Span::styled(note, note_style)]);
        }
        let text_style = match (now, mark == theme.neutral()) {
            (true, _) => theme.style(Role::Heading),
            (false, true) => theme.style(Role::Text),
            (false, false) => theme.style(Role::Dim),
        };
        let mut spans = vec![
            Span::styled(format!("{mark} "), theme.style(role)),
            Span::styled(format!("{id:<id_columns$} "), theme.style(Role::Dim)),
        ];
        let found = mark_found(Line::from(span(&event.text, text_style)), view.needle, theme);
        match note.filter(|_| !self.below.get()) {
            Some(note) => {
                // The note is what the person came for: the text is cut, the note is not.
                let room = columns.saturating_sub(id_columns + 4 + width(&note) + 2);
                spans.extend(cut(found, room, theme).spans);
                spans.push(Span::styled(format!("  {note}"), note_style));
            }
            None => spans.extend(found.spans),
        }
        Line::from(spans)
    }

    /// Columns that the longest number takes.
    fn id_columns(&self, history: &History) -> usize {
        let newest = self.rows.first().and_then(|place| history.store(self.kind).rows().get(*place));
        newest.map_or(0, |row| row.id).to_string().len() + 1
    }

    /// The row at a place of the screen gets the cursor. Returns whether the place belongs to this part.
    pub(super) fn click(&mut self, column: u16, row: u16) -> bool {
        let len = self.len();
        if let Some(line) = self.list.row_at(column, row, len) {
            let note = usize::from(self.at(line).1);
            self.list.select(line.saturating_sub(note), len);
        }
        self.list.contains(column, row)
    }
}

/// The first numbers of a list, and how many more there are.
fn few(ids: &[RecordId]) -> String {
    const MOST: usize = 4;
    let list: Vec<String> = ids.iter().take(MOST).map(|id| format!("#{id}")).collect();
    match ids.len().checked_sub(MOST) {
        Some(more @ 1..) => format!("{} and {more} more", list.join(", ")),
        _ => list.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open::Inputs;
    use crate::tokens::GemmaCounter;
    use crate::workspace::Workspace;
    use std::sync::Arc;

    #[test]
    fn the_rows_shown_are_those_stored_and_those_just_deleted() {
        let workspace = Workspace::open(&Inputs::default(), Arc::new(GemmaCounter)).unwrap();
        let long = &workspace.growth.as_ref().unwrap().history;
        for history in workspace.evaluation.histories.iter().chain([long]) {
            for kind in StoreKind::ALL {
                let store = history.store(kind);
                let mut part = StoreRows::new(kind);
                for after in 0..=history.len() {
                    part.look(history, after);
                    let mut shown: Vec<_> = part.rows.iter().map(|place| &store.rows()[*place]).collect();
                    assert!(shown.is_sorted_by_key(|row| -row.id), "newest first");
                    shown.retain(|row| row.deleted.is_none_or(|at| at + 1 != after));
                    shown.reverse();
                    assert_eq!(shown, store.rows_after(after).collect::<Vec<_>>());
                    assert_eq!(shown.len() + part.deleted.len(), part.rows.len());
                    lines_and_rows_agree(&part, history, after);
                }
            }
        }
    }

    /// Each row has its line, followed by its note where it has one.
    fn lines_and_rows_agree(part: &StoreRows, history: &History, after: usize) {
        let mut line = 0;
        for (place, row) in part.rows.iter().enumerate() {
            let row = &history.store(part.kind).rows()[*row];
            assert_eq!(part.at(line), (place, false));
            line += 1;
            if Standing::of(history, part.kind, row, after, &Theme::default()).note.is_some() {
                assert_eq!(part.at(line), (place, true));
                line += 1;
            }
            assert_eq!(part.last_line_of(place), line - 1);
        }
        assert_eq!(part.len(), line);
    }

    #[test]
    fn long_lists_of_numbers_are_cut() {
        assert_eq!(few(&[1, 2]), "#1, #2");
        assert_eq!(few(&[1, 2, 3, 4]), "#1, #2, #3, #4");
        assert_eq!(few(&[1, 2, 3, 4, 5, 6]), "#1, #2, #3, #4 and 2 more");
    }
}
