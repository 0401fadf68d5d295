//! How the ranking measures are drawn: a sentence, the strategies, and the questions that flip.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::draw::name;
use super::ranking::Against;
use super::{ComparePane, Part};
use crate::rank::words::{difference_words, measure_words, test_words};
use crate::rank::{Cutoff, Flip, Measure, Ranking, Saturation, Summary, Test};
use crate::text::{displayable, truncate_with, width};
use crate::tui::pane::View;
use crate::tui::ranked::Ranked;
use crate::tui::text::{cut, mark_found, padded, span, wrap};
use crate::tui::theme::{ColorDepth, Role, Theme};
use crate::tui::widget::names::in_one_row;
use crate::tui::widget::part::{empty, part};

/// Columns that names of strategies may take before the measures have theirs.
const NAME: usize = 24;
const HEAD: &str = "strategy";
/// Columns that a user's name may take.
const USER: usize = 16;
/// Rows that a border takes.
const BORDER: u16 = 2;
/// Below this height only the part with the focus is drawn.
const SHORT: u16 = 15;
/// Measures that go where there is no room for all of them, the first one first.
const SPARE: [Measure; 6] =
    [Measure::Precision, Measure::Distinct, Measure::Forgotten, Measure::Stale, Measure::All, Measure::Tokens];

pub(super) fn draw(pane: &ComparePane, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
    pane.spots.borrow_mut().clear();
    pane.areas.iter().for_each(|cell| cell.set(Rect::default()));
    let ranking = match view.ranked {
        Ranked::Done(ranking) => ranking,
        Ranked::Failed(message) => return empty(frame, area, message, view.theme),
        Ranked::Unasked | Ranked::Under { .. } => {
            let questions = view.workspace.evaluation.question_count();
            let percent = view.ranked.percent().unwrap_or_default();
            let text = format!(
                "Ranking the candidates of {questions} questions under {} strategies: {percent} %{}",
                pane.measures.len(),
                view.theme.ellipsis()
            );
            return empty(frame, area, &text, view.theme);
        }
    };
    let Some((selected, baseline)) = pane.pair(view.cursor) else {
        return empty(frame, area, "There is no strategy to rank anything.", view.theme);
    };
    if ranking.question_count() == 0 {
        return empty(frame, area, "The case set asks no question: there is nothing to rank.", view.theme);
    }
    let lines = sentence(pane, (selected, baseline), ranking, usize::from(area.width.saturating_sub(2)), view);
    let (lines, parts) = divide(pane, area, lines, view);
    for (y, line) in (area.y..).zip(lines) {
        let line = cut(line, usize::from(area.width.saturating_sub(2)), view.theme);
        frame.render_widget(line, Rect { x: area.x + 1, y, width: area.width.saturating_sub(2), height: 1 });
    }
    for (cell, area) in [(&pane.areas[0], parts[0]), (&pane.areas[2], parts[1])] {
        cell.set(area);
    }
    let drawn = |area: Rect| area.height > BORDER && area.width > BORDER;
    if drawn(parts[0]) {
        draw_table(pane, frame, parts[0], (selected, baseline), ranking, view);
    }
    if drawn(parts[1]) {
        draw_flips(pane, frame, parts[1], (selected, baseline), view);
    }
}

/// The lines of the sentence that there is room for, and where the table and the list are.
fn divide(
    pane: &ComparePane,
    area: Rect,
    mut lines: Vec<Line<'static>>,
    view: &View<'_>,
) -> (Vec<Line<'static>>, [Rect; 2]) {
    let on_list = pane.focus == Part::Questions;
    let only = |area: Rect| if on_list { [Rect::default(), area] } else { [area, Rect::default()] };
    if view.zoomed {
        return (Vec::new(), only(area));
    }
    let most = if area.height < SHORT { 1 } else { 4 };
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            last.push_span(Span::raw(view.theme.ellipsis().to_owned()));
        }
    }
    let taken = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(area.height);
    let rest = Rect { y: area.y + taken, height: area.height - taken, ..area };
    if area.height < SHORT {
        return (lines, only(rest));
    }
    let rows = u16::try_from(pane.measures.len()).unwrap_or(u16::MAX).saturating_add(1 + BORDER);
    // The list keeps a third; the table at least a few strategies.
    let table = rows.min(rest.height.saturating_sub((rest.height / 3).max(6)));
    let below = Rect { y: rest.y + table, height: rest.height - table, ..rest };
    (lines, [Rect { height: table, ..rest }, below])
}

/// What the selected strategy ranks better or worse than the baseline, and how sure that is.
fn sentence(
    pane: &ComparePane,
    (selected, baseline): (usize, usize),
    ranking: &Ranking,
    columns: usize,
    view: &View<'_>,
) -> Vec<Line<'static>> {
    let theme = view.theme;
    let text = |text: &str| span(text, theme.style(Role::Text));
    let base = name(view.workspace, baseline);
    let Some(against) = &pane.ranking.against else {
        let words = match pane.measures.len() {
            1 => format!("{base} is the only strategy: there is nothing to hold it against."),
            _ => format!("{base} is the baseline."),
        };
        return wrap(&[text(&words)], columns, 0);
    };
    let cutoff = cutoff(pane, ranking);
    let own = name(view.workspace, selected);
    let mut spans = vec![text(&format!("{own} against {base}: "))];
    match &against.recall {
        None => {
            let words = match unknown(&[selected, baseline], ranking) {
                Some(strategy) => format!("{} has no rankings here.", name(view.workspace, strategy)),
                None => "no question of these requires a fact.".to_owned(),
            };
            spans.push(text(&words));
        }
        Some(recall) => {
            let role = match (recall.low > 0.0, recall.high < 0.0) {
                (true, _) => Role::Pass,
                (_, true) => Role::Fail,
                _ => Role::Text,
            };
            spans.push(span(&difference_words(Measure::Recall, cutoff, recall), theme.style(role)));
            for (test, result) in Test::ALL.into_iter().zip(&against.tests) {
                let words = format!("; {}: {}", measure_words(test.measure(), cutoff), test_words(result, None));
                spans.push(text(&words));
            }
            spans.push(text("."));
        }
    }
    wrap(&spans, columns, 0)
}

/// The first of these strategies that ranks nothing.
fn unknown(strategies: &[usize], ranking: &Ranking) -> Option<usize> {
    let ranked = |strategy: usize| ranking.summary(strategy, 0, None).is_some_and(|summary| summary.ranked > 0);
    strategies.iter().copied().find(|strategy| !ranked(*strategy))
}

fn cutoff(pane: &ComparePane, ranking: &Ranking) -> Cutoff {
    ranking.cutoffs().get(pane.ranking.cutoff).copied().unwrap_or(Cutoff::Quota)
}

/// The title: which questions, and the cutoffs with the chosen one marked.
fn title(pane: &ComparePane, baseline: usize, ranking: &Ranking, view: &View<'_>) -> Line<'static> {
    let theme = view.theme;
    let mut spans = vec![Span::raw("Ranking, k = ".to_owned())];
    for (place, cutoff) in ranking.cutoffs().iter().enumerate() {
        let chosen = place == pane.ranking.cutoff;
        let style = if chosen { theme.style(Role::Focus) } else { theme.style(Role::Dim) };
        let text = if chosen { format!("[{cutoff}]") } else { format!(" {cutoff} ") };
        spans.push(Span::styled(text, style));
    }
    let measured = ranking.summary(baseline, pane.ranking.cutoff, pane.ranking.category).map_or(0, Summary::measured);
    let category = pane.ranking.category.and_then(|category| ranking.categories().get(category));
    let of = category.map_or_else(String::new, |category| format!(" of category {}", displayable(category)));
    spans.push(Span::styled(format!(" {measured} questions with required facts{of}"), theme.style(Role::Dim)));
    Line::from(spans)
}

/// The measures that there is a value for, as many as there is room for.
fn shown(pane: &ComparePane, ranking: &Ranking, room: usize) -> Vec<Measure> {
    let has_value = |measure: &Measure| {
        (0..ranking.strategy_count()).any(|strategy| {
            let summary = ranking.summary(strategy, pane.ranking.cutoff, pane.ranking.category);
            summary.is_some_and(|summary| summary.mean(*measure).value.is_some())
        })
    };
    let mut measures: Vec<Measure> = Measure::ALL.into_iter().filter(has_value).collect();
    for spare in SPARE {
        if measures.iter().map(|measure| column(*measure)).sum::<usize>() <= room {
            break;
        }
        measures.retain(|measure| *measure != spare);
    }
    measures
}

/// Columns of a measure, with two before it.
fn column(measure: Measure) -> usize {
    width(measure.head()).max(5) + 2
}

/// The head of the column that says how many questions are saturated.
const SATURATED: &str = "  saturated";

fn draw_table(
    pane: &ComparePane,
    frame: &mut Frame<'_>,
    area: Rect,
    (selected, baseline): (usize, usize),
    ranking: &Ranking,
    view: &View<'_>,
) {
    let theme = view.theme;
    let focused = pane.focus == Part::Measures;
    let inner = part(frame, area, title(pane, baseline, ranking, view), focused, theme);
    let order: Vec<usize> = pane.order().collect();
    let full: Vec<&str> = order.iter().map(|strategy| name(view.workspace, *strategy)).collect();
    let longest = full.iter().map(|name| width(&displayable(name))).max().unwrap_or(0);
    // Names have their columns first, and whatever the measures leave.
    let room = usize::from(inner.width).saturating_sub(1 + SATURATED.len());
    let measures = shown(pane, ranking, room.saturating_sub(longest.min(NAME).max(HEAD.len())));
    let taken: usize = measures.iter().map(|measure| column(*measure)).sum();
    let names = longest.min(room.saturating_sub(taken).max(NAME)).max(HEAD.len());
    let labels = in_one_row(&full, names, theme.ellipsis());
    let mut head = format!(" {HEAD:<names$}");
    for measure in &measures {
        head.push_str(&format!("{:>1$}", measure.head(), column(*measure)));
    }
    head.push_str(SATURATED);
    let columns = usize::from(inner.width);
    frame.render_widget(
        cut(Line::styled(head, theme.style(Role::Dim)), columns, theme),
        Rect { height: inner.height.min(1), ..inner },
    );
    let best = |measure: &Measure| {
        let values = order.iter().filter_map(|strategy| value(pane, ranking, *strategy, *measure));
        values.reduce(if measure.more_is_better() { f64::max } else { f64::min })
    };
    let best: Vec<Option<f64>> = measures.iter().map(best).collect();
    // The rows around the selected strategy, where not all fit.
    let height = usize::from(inner.height.saturating_sub(1));
    let at = order.iter().position(|strategy| *strategy == selected).unwrap_or(0);
    let first = (at + 1).saturating_sub(height);
    let rows = order.into_iter().zip(labels).skip(first);
    for (y, (strategy, label)) in (inner.y + 1..inner.bottom()).zip(rows) {
        let chosen = strategy == selected;
        let mut spans = row_head(label, chosen, strategy == baseline, names, theme);
        for (measure, best) in measures.iter().zip(&best) {
            let value = value(pane, ranking, strategy, *measure);
            let is_best = pane.measures.len() > 1 && value.is_some() && value == *best;
            let style = if is_best { best_style(theme) } else { theme.style(Role::Text) };
            let text = value_text(*measure, value);
            spans.push(Span::raw(" ".repeat(column(*measure).saturating_sub(text.len()))));
            spans.push(Span::styled(text, style));
        }
        spans.push(saturated(pane, ranking, strategy, theme));
        let style = if chosen { theme.cursor() } else { Style::new() };
        let place = Rect { y, height: 1, ..inner };
        frame.render_widget(padded(cut(Line::from(spans), columns, theme), columns, style), place);
        pane.spots.borrow_mut().push((place, strategy));
    }
}

/// The best of a column. Where the cursor's row is bold, bold would not tell it apart.
fn best_style(theme: &Theme) -> Style {
    let style = theme.style(Role::Useful);
    match theme.depth {
        ColorDepth::None | ColorDepth::Ansi16 => style.add_modifier(Modifier::UNDERLINED),
        _ => style,
    }
}

fn row_head(name: String, chosen: bool, baseline: bool, names: usize, theme: &Theme) -> Vec<Span<'static>> {
    let style = match (chosen, baseline) {
        (true, _) => theme.style(Role::Focus),
        (_, true) => theme.style(Role::Heading),
        _ => theme.style(Role::Text),
    };
    let pointer = if chosen { theme.pointer() } else { " " };
    let gap = " ".repeat(names.saturating_sub(width(&name)));
    vec![Span::styled(pointer.to_owned(), theme.style(Role::Focus)), Span::styled(name, style), Span::raw(gap)]
}

fn value(pane: &ComparePane, ranking: &Ranking, strategy: usize, measure: Measure) -> Option<f64> {
    ranking.summary(strategy, pane.ranking.cutoff, pane.ranking.category)?.mean(measure).value
}

fn value_text(measure: Measure, value: Option<f64>) -> String {
    match (measure, value) {
        (_, None) => "-".to_owned(),
        (Measure::Tokens, Some(value)) => format!("{value:.0}"),
        (_, Some(value)) => format!("{value:.3}"),
    }
}

/// How many questions have no candidates beyond the cutoff: where most do, the order says nothing.
fn saturated(pane: &ComparePane, ranking: &Ranking, strategy: usize, theme: &Theme) -> Span<'static> {
    let summary = ranking.summary(strategy, pane.ranking.cutoff, pane.ranking.category);
    let Some(summary) = summary.filter(|summary| summary.measured() > 0) else {
        return Span::styled(format!("{:>1$}", "-", SATURATED.len()), theme.style(Role::Dim));
    };
    let percent = 100.0 * summary.saturated as f64 / summary.measured() as f64;
    let (words, role) = match summary.saturation() {
        Saturation::Few => (format!("{percent:.0} %"), Role::Dim),
        Saturation::Most => (format!("most {percent:.0} %"), Role::Warning),
        Saturation::All => ("all".to_owned(), Role::Warning),
    };
    Span::styled(format!("{words:>0$}", SATURATED.len()), theme.style(role))
}

fn draw_flips(
    pane: &ComparePane,
    frame: &mut Frame<'_>,
    area: Rect,
    (selected, baseline): (usize, usize),
    view: &View<'_>,
) {
    let theme = view.theme;
    let focused = pane.focus == Part::Questions;
    let (own, base) = (name(view.workspace, selected), name(view.workspace, baseline));
    let Some(Against { flips, .. }) = &pane.ranking.against else {
        let inner = part(frame, area, Line::raw("Questions that flip"), focused, theme);
        let words = match pane.measures.len() {
            1 => "There is no other strategy.",
            _ => "Choose a strategy to hold against the baseline.",
        };
        return empty(frame, inner, words, theme);
    };
    let cutoff = view.ranked.ranking().map_or(Cutoff::Quota, |ranking| self::cutoff(pane, ranking));
    let test = measure_words(pane.ranking.test.measure(), cutoff);
    let gained = flips.iter().filter(|flip| flip.gained).count();
    let counted = format!("{test}: {gained} gained, {} lost", flips.len() - gained);
    let title = format!("{counted}: {own} against {base}");
    let title = if width(&title) + 6 <= usize::from(area.width) { title } else { counted };
    let inner = part(frame, area, Line::raw(displayable(&title).into_owned()), focused, theme);
    if flips.is_empty() {
        return empty(frame, inner, &format!("No question flips: {test} is the same for both."), theme);
    }
    let columns = usize::from(inner.width);
    let heads = inner.height.min(1);
    let set = Set { user: if columns < 60 { 0 } else { USER }, view };
    if heads > 0 {
        let head = Line::styled(set.head(pane.ranking.test), theme.style(Role::Dim));
        frame.render_widget(cut(head, columns, theme), Rect { height: 1, ..inner });
    }
    let rows = Rect { y: inner.y + heads, height: inner.height - heads, ..inner };
    pane.ranking.list.draw(frame, rows, flips.len(), focused, theme, |row| {
        flips.get(row).map_or_else(Line::default, |flip| set.line(flip))
    });
}

/// How the rows of the list are set.
struct Set<'a> {
    /// Columns of the user's name; 0 where there is no room for it.
    user: usize,
    view: &'a View<'a>,
}

impl Set<'_> {
    /// The rank that decides is of the first fact to be found, or of the last one.
    fn head(&self, test: Test) -> String {
        let ranks = match test {
            Test::Any => "first fact",
            Test::All => "last fact",
        };
        let user = if self.user > 0 { format!("{:<1$} ", "user", self.user) } else { String::new() };
        format!(" {:<8}{ranks:>10}{:>10}  {user}question", "", "baseline")
    }

    fn line(&self, flip: &Flip) -> Line<'static> {
        let theme = self.view.theme;
        let Some((conversation, question)) = self.view.workspace.evaluation.question(flip.question) else {
            return Line::default();
        };
        let (word, role) = if flip.gained { ("+ gained", Role::Pass) } else { ("- lost", Role::Fail) };
        let rank = |rank: Option<usize>| rank.map_or_else(|| "unranked".to_owned(), |rank| format!("rank {rank}"));
        let mut spans = vec![
            Span::styled(format!("{word:<8}"), theme.style(role)),
            Span::styled(format!("{:>10}", rank(flip.selected)), theme.style(Role::Text)),
            Span::styled(format!("{:>10}  ", rank(flip.baseline)), theme.style(Role::Dim)),
        ];
        if self.user > 0 {
            let user = displayable(&conversation.user).into_owned();
            let user = truncate_with(&user, self.user, theme.ellipsis()).into_owned();
            let gap = " ".repeat(self.user.saturating_sub(width(&user)) + 1);
            spans.push(Span::styled(user + &gap, theme.style(Role::Dim)));
        }
        let asked = Line::from(span(&question.question, theme.style(Role::Text)));
        spans.extend(mark_found(asked, self.view.needle, theme).spans);
        Line::from(spans)
    }
}
