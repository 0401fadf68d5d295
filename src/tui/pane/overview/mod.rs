//! Overview: what went wrong, where? The measures of each strategy over a map of every question.

mod map;
mod measures;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;

use super::{Cursor, Pane, PaneKind, Response, Route, View};
use crate::breakdown::categories;
use crate::explain::{Explanation, answers_sentence};
use crate::triage::Cause;
use crate::tui::action::Action;
use crate::tui::text::{contains, span, wrap};
use crate::tui::theme::Role;
use crate::tui::widget::list::ListState;
use crate::workspace::Tally;

/// Lines of the sentence under the map.
const FINDING_LINES: u16 = 2;

/// How the answers to a question fare, over all strategies and recordings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fared {
    /// Some pass, some do not: what one system can, another cannot.
    Apart,
    /// None passes: the question is hard, or its key is wrong.
    Badly,
}

impl Fared {
    fn holds(self, answers: Tally) -> bool {
        match self {
            Self::Apart => answers.pass > 0 && answers.pass < answers.total(),
            Self::Badly => answers.pass == 0 && answers.total() > 0,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Apart => "whose answers disagree",
            Self::Badly => "that no answer passes",
        }
    }
}

/// The Overview pane.
#[derive(Debug, Default)]
pub struct OverviewPane {
    failures_only: bool,
    /// With `failures_only`: only those of the strategy under the cursor count.
    one_strategy: bool,
    /// Place of a history: only this user's questions.
    user: Option<usize>,
    /// Only questions with an answer or a block that fails for this cause.
    cause: Option<Cause>,
    /// Only this category's questions; the inner nothing stands for questions without one.
    category: Option<Option<String>>,
    /// Only questions whose answers fare so.
    fared: Option<Fared>,
    /// Numbers of the questions on the map.
    rows: Vec<usize>,
    list: ListState,
    /// What happened to the question under the cursor, in words.
    finding: String,
}

impl OverviewPane {
    /// Chooses the questions to show, and puts the cursor on the same one as before where it is still there.
    fn filter(&mut self, view: &View<'_>) -> Cursor {
        let workspace = view.workspace;
        let strategies = workspace.evaluation.strategies.len();
        let caused = |question: usize| match (self.cause, view.diagnosis) {
            (Some(cause), Some(diagnosis)) => (0..strategies)
                .filter(|strategy| !self.one_strategy || *strategy == view.cursor.strategy)
                .any(|strategy| {
                    let block = diagnosis.block(strategy, question).and_then(|block| block.cause.cause());
                    block == Some(cause)
                        || workspace.answers(strategy, question).any(|at| diagnosis.cause(at) == Some(cause))
                }),
            _ => true,
        };
        let fails = |question: usize| {
            if self.one_strategy {
                workspace.is_failure(view.cursor.strategy, question)
            } else {
                (0..strategies).any(|strategy| workspace.is_failure(strategy, question))
            }
        };
        let asked = workspace.evaluation.asked.iter().enumerate();
        self.rows = asked
            .filter(|(_, asked)| self.user.is_none_or(|user| asked.history == user))
            .map(|(number, _)| number)
            .filter(|number| self.is_of_category(*number, view))
            .filter(|number| !self.failures_only || fails(*number))
            .filter(|number| caused(*number))
            .filter(|number| self.fared.is_none_or(|fared| fared.holds(answers(view, *number))))
            .collect();
        let row = self.rows.partition_point(|number| *number < view.cursor.question);
        self.list.select(row, self.rows.len());
        self.find(self.under_cursor(view), view)
    }

    /// Derives the sentence for what is under the cursor.
    fn find(&mut self, cursor: Cursor, view: &View<'_>) -> Cursor {
        if let Some(reason) = view.workspace.evaluation.failure(cursor.strategy, cursor.question) {
            self.finding = format!("No block: the system failed on this question. It {reason}.");
            return cursor;
        }
        self.finding = Explanation::of(&view.workspace.evaluation, cursor.strategy, cursor.question).map_or_else(
            || match answers_sentence(view.workspace, cursor.strategy, cursor.question) {
                Some(answers) => format!("{answers} What was sent with the question is not known."),
                None if self.rows.is_empty() => String::new(),
                None => "Neither a block nor an answer to this question is known.".to_owned(),
            },
            |explanation| {
                let answers = answers_sentence(view.workspace, cursor.strategy, cursor.question);
                format!("{}. {}", explanation.sentence(), answers.unwrap_or_default())
            },
        );
        cursor
    }

    fn under_cursor(&self, view: &View<'_>) -> Cursor {
        let question = self.rows.get(self.list.selected()).copied().unwrap_or(view.cursor.question);
        let last = view.workspace.evaluation.strategies.len().saturating_sub(1);
        Cursor { question, strategy: view.cursor.strategy.min(last), answer: None, ..view.cursor }
    }

    fn moved(&mut self, view: &View<'_>) -> Response {
        let cursor = self.under_cursor(view);
        Response::Moved(self.find(cursor, view))
    }

    fn sideways(&mut self, right: bool, view: &View<'_>) -> Response {
        let last = view.workspace.evaluation.strategies.len().saturating_sub(1);
        let now = view.cursor.strategy;
        let strategy = if right { (now + 1).min(last) } else { now.saturating_sub(1) };
        let cursor = Cursor { strategy, answer: None, ..view.cursor };
        let moved = View { cursor, ..*view };
        if self.failures_only && self.one_strategy {
            return Response::Moved(self.filter(&moved));
        }
        self.moved(&moved)
    }

    fn next_user(&mut self, view: &View<'_>) {
        let users = view.workspace.evaluation.histories.len();
        self.user = match self.user {
            None if users > 0 => Some(0),
            Some(user) if user + 1 < users => Some(user + 1),
            _ => None,
        };
    }

    fn is_of_category(&self, question: usize, view: &View<'_>) -> bool {
        let Some(wanted) = &self.category else { return true };
        let found = view.workspace.evaluation.question(question);
        found.is_some_and(|(_, question)| question.category.as_deref() == wanted.as_deref())
    }

    /// On to the next category, or to all after the last.
    fn next_category(&mut self, view: &View<'_>) -> Response {
        let all = categories(view.workspace);
        if all.len() < 2 {
            return Response::Say("the questions have no categories to choose from".to_owned());
        }
        let next = match &self.category {
            None => 0,
            Some(now) => all.iter().position(|other| *other == now.as_deref()).map_or(0, |place| place + 1),
        };
        self.category = all.get(next).map(|category| category.map(str::to_owned));
        Response::Moved(self.filter(view))
    }

    fn is_filtered(&self) -> bool {
        self.failures_only
            || self.user.is_some()
            || self.cause.is_some()
            || self.category.is_some()
            || self.fared.is_some()
    }

    /// What is shown, for the title of the map.
    fn scope_words(&self, view: &View<'_>) -> String {
        let evaluation = &view.workspace.evaluation;
        let mut words = if self.is_filtered() {
            format!("{} of {} questions", self.rows.len(), evaluation.question_count())
        } else {
            format!("{} questions", self.rows.len())
        };
        if let Some(history) = self.user.and_then(|user| evaluation.histories.get(user)) {
            words.push_str(&format!(", only {}", history.user));
        }
        if let Some(category) = &self.category {
            words.push_str(&match category {
                Some(category) => format!(", category {category}"),
                None => ", without a category".to_owned(),
            });
        }
        if self.failures_only {
            words.push_str(", only failures");
            let name = evaluation.strategies.get(view.cursor.strategy).map(|strategy| strategy.name());
            if let Some(name) = name.filter(|_| self.one_strategy) {
                words.push_str(&format!(" of {name}"));
            }
        }
        if let Some(fared) = self.fared {
            words.push_str(&format!(", {}", fared.words()));
        }
        if let Some(cause) = self.cause {
            words.push_str(&format!(", only {}", cause.name()));
        }
        words
    }

    /// On to the questions whose answers disagree, to those that no answer passes, to all.
    fn next_fared(&mut self, view: &View<'_>) -> Response {
        if view.workspace.recordings.is_empty() {
            return Response::Say("there are no recorded answers to disagree".to_owned());
        }
        self.fared = match self.fared {
            None => Some(Fared::Apart),
            Some(Fared::Apart) => Some(Fared::Badly),
            Some(Fared::Badly) => None,
        };
        Response::Moved(self.filter(view))
    }

    /// The next of the causes that occur, or none after the last.
    fn next_cause(&mut self, view: &View<'_>) -> Response {
        let Some(diagnosis) = view.diagnosis else { return Response::Say("the causes are still coming".to_owned()) };
        let answers = |cause: &Cause| diagnosis.causes.totals.iter().any(|totals| totals.of(*cause) > 0);
        let blocks = |cause: &Cause| diagnosis.causes.blocks.iter().any(|block| block.cause.cause() == Some(*cause));
        let occurring: Vec<Cause> = Cause::ALL.into_iter().filter(|cause| answers(cause) || blocks(cause)).collect();
        let next = match self.cause {
            None => 0,
            Some(cause) => occurring.iter().position(|other| *other == cause).map_or(0, |place| place + 1),
        };
        self.cause = occurring.get(next).copied();
        if occurring.is_empty() {
            return Response::Say("nothing fails".to_owned());
        }
        Response::Moved(self.filter(view))
    }
}

/// The answers to a question, over all strategies and recordings.
fn answers(view: &View<'_>, question: usize) -> Tally {
    let mut all = Tally::default();
    (0..view.workspace.evaluation.strategies.len())
        .for_each(|strategy| all.merge(view.workspace.cell_tally(strategy, question)));
    all
}

impl Pane for OverviewPane {
    fn kind(&self) -> PaneKind {
        PaneKind::Overview
    }

    fn enter(&mut self, view: &View<'_>) {
        self.filter(view);
    }

    fn cursor(&self, view: &View<'_>) -> Cursor {
        let cursor = self.under_cursor(view);
        if cursor.question == view.cursor.question { view.cursor } else { cursor }
    }

    fn update(&mut self, action: Action, view: &View<'_>) -> Response {
        match action {
            Action::Left | Action::Right => return self.sideways(action == Action::Right, view),
            Action::Open if !self.rows.is_empty() => {
                return Response::Go(Route { pane: PaneKind::Question, cursor: self.under_cursor(view) });
            }
            Action::FailuresOnly => self.failures_only = !self.failures_only,
            Action::FilterStrategy => {
                self.one_strategy = !(self.failures_only && self.one_strategy);
                self.failures_only = true;
            }
            Action::FilterUser => self.next_user(view),
            Action::OverviewCause => return self.next_cause(view),
            Action::OverviewDisagreement => return self.next_fared(view),
            Action::OverviewCategory => return self.next_category(view),
            Action::Cancel if self.is_filtered() => {
                (self.failures_only, self.one_strategy, self.user, self.cause) = (false, false, None, None);
                (self.category, self.fared) = (None, None);
            }
            _ if self.list.motion(action, self.rows.len()) => return self.moved(view),
            _ => return Response::Ignored,
        }
        Response::Moved(self.filter(view))
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let table_height = if view.zoomed { 0 } else { measures::height(view, area.height) };
        let finding_height = if area.height >= 12 { FINDING_LINES } else { 0 };
        let [table, map, finding] = Layout::vertical([
            Constraint::Length(table_height),
            Constraint::Min(3),
            Constraint::Length(finding_height),
        ])
        .areas(area);
        if table_height > 0 {
            measures::draw(frame, table, area.height, view);
        }
        map::draw(self, frame, map, view);
        let text = Line::from(vec![span(&self.finding, view.theme.style(Role::Text))]);
        let inner = Rect { x: finding.x + 1, width: finding.width.saturating_sub(2), ..finding };
        for (y, line) in (inner.y..inner.bottom()).zip(wrap(&text.spans, usize::from(inner.width), 0)) {
            frame.render_widget(line, Rect { y, height: 1, ..inner });
        }
    }

    fn actions(&self, view: &View<'_>) -> Vec<Action> {
        let mut actions = vec![
            Action::Open,
            Action::Left,
            Action::Right,
            Action::FailuresOnly,
            Action::OverviewCause,
            Action::FilterUser,
            Action::FilterStrategy,
        ];
        if !view.workspace.recordings.is_empty() {
            actions.insert(5, Action::OverviewDisagreement);
        }
        let several = view.workspace.evaluation.cases.questions().any(|(_, question)| question.category.is_some());
        if several {
            actions.insert(5, Action::OverviewCategory);
        }
        if view.workspace.graders().len() > 1 {
            actions.push(Action::NextGrader);
        }
        if self.is_filtered() {
            actions.insert(0, Action::Cancel);
        }
        // Where nearly every question fails somewhere, one strategy's own failures are what is wanted next.
        if self.failures_only {
            actions.retain(|action| *action != Action::FilterStrategy);
            let place = actions.iter().position(|action| *action == Action::FailuresOnly).map_or(0, |place| place + 1);
            actions.insert(place, Action::FilterStrategy);
        }
        actions
    }

    fn short(&self, action: Action) -> &'static str {
        match action {
            Action::Left | Action::Right => "strategy",
            Action::FilterStrategy => "alone",
            _ => action.short(),
        }
    }

    fn cancels(&self, _view: &View<'_>) -> Option<&'static str> {
        self.is_filtered().then_some("clear filters")
    }

    fn search(&mut self, needle: &str, forward: bool, from_here: bool, view: &View<'_>) -> Option<Response> {
        let matches = |row: usize| self.holds(row, needle, view);
        let here = self.list.selected();
        let row = if from_here && matches(here) { here } else { self.list.find(self.rows.len(), forward, matches)? };
        self.list.select(row, self.rows.len());
        Some(self.moved(view))
    }

    fn searched(&self, _view: &View<'_>) -> Option<(usize, usize)> {
        Some((self.list.selected(), self.rows.len()))
    }

    fn holds(&self, row: usize, needle: &str, view: &View<'_>) -> bool {
        let question = self.rows.get(row).and_then(|number| view.workspace.evaluation.question(*number));
        question.is_some_and(|(conversation, question)| {
            contains(&question.question, needle) || contains(&conversation.user, needle)
        })
    }

    fn copy(&self, view: &View<'_>) -> Option<(&'static str, String)> {
        let number = self.rows.get(self.list.selected())?;
        let (_, question) = view.workspace.evaluation.question(*number)?;
        Some(("question", question.question.clone()))
    }

    fn click(&mut self, column: u16, row: u16, open: bool, view: &View<'_>) -> Response {
        let Some(index) = self.list.row_at(column, row, self.rows.len()) else { return Response::Ignored };
        self.list.select(index, self.rows.len());
        let strategy = map::strategy_at(self, column, view).unwrap_or(view.cursor.strategy);
        let moved = View { cursor: Cursor { strategy, ..view.cursor }, ..*view };
        if open { self.update(Action::Open, &moved) } else { self.moved(&moved) }
    }
}
