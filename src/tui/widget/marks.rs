//! The small marks by which panes tell what happened: facts found, leaks, pips of answers.

use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::Span;

use crate::explain::{FactFinding, FactKind};
use crate::grade::{Block, LineRole, PatternRole, Verdict, explain_answer};
use crate::text::width;
use crate::tui::theme::{Role, Theme};
use crate::workspace::{AnswerRef, Tally, Workspace};

/// What a block did, in seven columns: facts found of required, then `S` and `F` where it leaks.
pub fn block(block: &Block, theme: &Theme) -> Vec<Span<'static>> {
    let (found, required) = (block.found(), block.required);
    let role = match (required, found == required) {
        (0, _) => Role::Dim,
        (_, true) => Role::Useful,
        (_, false) => Role::Missing,
    };
    let facts = if required == 0 { theme.pick("–", "-").to_owned() } else { format!("{found}/{required}") };
    let padding = " ".repeat(4_usize.saturating_sub(width(&facts)));
    let mark = |leaks: bool, mark: &'static str, role| {
        if leaks { Span::styled(mark, theme.style(role)) } else { Span::raw(" ") }
    };
    vec![
        Span::styled(facts, theme.style(role)),
        Span::raw(padding),
        mark(block.stale() > 0, theme.stale(), Role::Stale),
        mark(block.forgotten() > 0, theme.forgotten(), Role::Forgotten),
        Span::raw(" "),
    ]
}

/// One pip an answer, or a count for each verdict where there are more than `most`.
pub fn pips(verdicts: &[Verdict], most: usize, theme: &Theme) -> Vec<Span<'static>> {
    let pip = |verdict: Verdict| {
        let (glyph, role) = theme.pip(verdict);
        (glyph, theme.style(role))
    };
    if verdicts.len() <= most {
        return verdicts
            .iter()
            .map(|verdict| {
                let (glyph, style) = pip(*verdict);
                Span::styled(glyph, style)
            })
            .collect();
    }
    let mut tally = Tally::default();
    verdicts.iter().for_each(|verdict| tally.add(*verdict));
    [(Verdict::Pass, tally.pass), (Verdict::Fail, tally.fail), (Verdict::Incomplete, tally.incomplete)]
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(verdict, count)| {
            let (glyph, style) = pip(verdict);
            Span::styled(format!("{glyph}{count} "), style)
        })
        .collect()
}

/// The pips of answers of several recordings, each with its recording's place, in their order: a bar stands between
/// recordings, for what one model said is not what another did.
pub fn pips_by_recording(answers: &[(usize, Verdict)], most: usize, theme: &Theme) -> Vec<Span<'static>> {
    let verdicts: Vec<Verdict> = answers.iter().map(|(_, verdict)| *verdict).collect();
    if answers.len() > most {
        return pips(&verdicts, most, theme);
    }
    let mut spans = Vec::new();
    for group in answers.chunk_by(|(one, _), (other, _)| one == other) {
        if !spans.is_empty() {
            spans.push(Span::styled(theme.pick("│", "|"), theme.style(Role::Border)));
        }
        let verdicts: Vec<Verdict> = group.iter().map(|(_, verdict)| *verdict).collect();
        spans.extend(pips(&verdicts, most, theme));
    }
    spans
}

/// The gutter of a memory line, two columns: what the line is to the question. A line can be two things at once.
pub fn gutter(role: LineRole, theme: &Theme) -> Vec<Span<'static>> {
    let mut marks = Vec::new();
    let all = [
        (role.forgotten, theme.forgotten(), Role::Forgotten),
        (role.stale, theme.stale(), Role::Stale),
        (role.useful, theme.useful(), Role::Useful),
    ];
    for (holds, mark, role) in all {
        if holds && marks.len() < 2 {
            marks.push(Span::styled(mark, theme.style(role)));
        }
    }
    if marks.is_empty() {
        marks.push(Span::styled(theme.neutral(), theme.style(Role::Dim)));
    }
    if marks.len() == 1 {
        marks.push(Span::raw(" "));
    }
    marks
}

/// A bar of `columns` columns, filled to `part` of `whole`.
pub fn bar(part: usize, whole: usize, columns: usize, theme: &Theme) -> Vec<Span<'static>> {
    let filled = (part.min(whole) * columns).checked_div(whole).unwrap_or(0);
    vec![
        Span::styled(theme.pick("█", "#").repeat(filled), theme.style(Role::SeriesA)),
        Span::styled(theme.pick("░", "-").repeat(columns - filled), theme.style(Role::Border)),
    ]
}

/// The mark and the role of a fact, by where it is and where it should be.
pub fn fact(fact: &FactFinding, theme: &Theme) -> (&'static str, Role) {
    match (fact.kind, fact.is_fine()) {
        (FactKind::Required, true) => (theme.useful(), Role::Useful),
        (FactKind::Required, false) => (theme.missing(), Role::Missing),
        (_, true) => (theme.neutral(), Role::Dim),
        (FactKind::Stale, false) => (theme.stale(), Role::Stale),
        (FactKind::Forgotten, false) => (theme.forgotten(), Role::Forgotten),
    }
}

/// What the key's patterns matched in an answer, each on the ground of what a match means.
pub fn answer_highlights(
    at: AnswerRef,
    text: &str,
    workspace: &Workspace,
    theme: &Theme,
) -> Vec<(Range<usize>, Style)> {
    let key = workspace.key_of(at);
    let matches = key.map(|key| explain_answer(text, key, workspace.keys.replaced.as_ref())).unwrap_or_default();
    let ground = |role: PatternRole| match role {
        PatternRole::Must => theme.style(Role::UsefulMatch),
        PatternRole::Stale => theme.style(Role::StaleMatch),
        PatternRole::Forgotten => theme.style(Role::ForgottenMatch),
    };
    matches
        .into_iter()
        .flat_map(|found| found.spans.into_iter().map(move |range| (range, found.role)))
        .map(|(range, role)| (range, ground(role)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_stands_between_recordings() {
        let drawn = |answers: &[(usize, Verdict)], most| {
            let theme = Theme { ascii: true, ..Theme::default() };
            pips_by_recording(answers, most, &theme).iter().map(|span| span.content.to_string()).collect::<String>()
        };
        let answers = [(0, Verdict::Pass), (0, Verdict::Fail), (2, Verdict::Incomplete), (3, Verdict::Pass)];
        assert_eq!(drawn(&answers, 10), "*x|?|*");
        assert_eq!(drawn(&answers[..2], 10), "*x");
        assert_eq!(drawn(&answers, 3), "*2 x1 ?1 ");
        assert_eq!(drawn(&[], 10), "");
    }
}
