//! The detail of one answer: the proof of its grade, and the request that it answers.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::filters::{number, question_text, recording_words, strategy};
use super::sheet::{Highlight, Mark, Sheet};
use crate::case::{Event, Fact, Question};
use crate::grade::{Block, Grade, Grader, LineRole, PatternMatch, PatternRole, Verdict, explain_answer, sentences};
use crate::memory::History;
use crate::recording::{Answer, AnswerGroup};
use crate::request::{CHAT_TEMPLATE, Request, RequestTokens, escaped};
use crate::select::Blocks;
use crate::text::truncate_with;
use crate::tui::pane::View;
use crate::tui::text::{contains, cut, mark_found, padded, span};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::published;
use crate::workspace::{AnswerRef, GradedRecording, Workspace};

/// More highlights than anybody reads; a pattern that matches everywhere must not make a long answer slow.
const MOST_HIGHLIGHTS: usize = 500;
/// Matches of one pattern that are quoted.
const MOST_QUOTES: usize = 4;

/// Votes that are drawn one by one.
const MOST_VOTES: usize = 20;

/// On what the finished lines depend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetailKey {
    /// Which answer.
    pub at: AnswerRef,
    /// Columns to write on.
    pub columns: u16,
    /// Whether the request stands beside the rest, rather than below it.
    pub two: bool,
    /// What the search looks for.
    pub needle: String,
    /// How things look.
    pub theme: Theme,
}

/// The finished lines of one answer.
#[derive(Debug)]
pub struct Detail {
    /// On what they depend.
    pub key: DetailKey,
    /// The lines.
    pub lines: Vec<Line<'static>>,
    /// The first line that holds what the search looks for.
    pub first_found: Option<usize>,
}

/// Everything that is known of an answer.
struct Subject<'a> {
    /// The cause of its failure, and the sentence that proves it.
    cause: Option<(String, &'a str)>,
    workspace: &'a Workspace,
    at: AnswerRef,
    graded: &'a GradedRecording,
    group: &'a AnswerGroup,
    answer: &'a Answer,
    grade: &'a Grade,
    /// What the case set says of its question.
    asked: Option<Asked<'a>>,
    /// The grade by a decision, where one gives it another verdict.
    decided: Option<Grade>,
    /// The published answer as a decision corrects it.
    corrected: Option<String>,
}

#[derive(Clone, Copy)]
struct Asked<'a> {
    user: &'a str,
    question: &'a Question,
    history: &'a History,
    /// Whether another system sent that block.
    foreign: bool,
    /// The block under its strategy, where the evaluation has that.
    block: Option<&'a Block>,
}

impl Detail {
    /// Writes the lines. `tokens` are those of the request, counted before.
    pub fn new(key: DetailKey, tokens: Option<RequestTokens>, view: &View<'_>) -> Self {
        let mut lines = Subject::new(key.at, view).map(|subject| subject.lines(&key, tokens)).unwrap_or_default();
        let mut first_found = None;
        if !key.needle.is_empty() {
            let flat = |line: &Line<'static>| line.spans.iter().map(|span| span.content.as_ref()).collect::<String>();
            first_found = lines.iter().position(|line| contains(&flat(line), &key.needle));
            lines = lines.into_iter().map(|line| mark_found(line, &key.needle, &key.theme)).collect();
        }
        Self { key, lines, first_found }
    }
}

impl<'a> Subject<'a> {
    fn new(at: AnswerRef, view: &View<'a>) -> Option<Self> {
        let workspace: &'a Workspace = view.workspace;
        let found = view.diagnosis.and_then(|diagnosis| diagnosis.answer(at));
        let cause = found.map(|found| (found.cause_in_words(), found.sentence.as_str()));
        let (graded, group, answer, grade) = workspace.answer(at)?;
        let evaluation = &workspace.evaluation;
        let asked = number(graded, at.group).and_then(|number| {
            let (conversation, question) = evaluation.question(number)?;
            let (history, _) = evaluation.history(number)?;
            let strategy = strategy(graded, at.group);
            let block = strategy.and_then(|strategy| evaluation.block(strategy, number));
            let own = strategy.and_then(|strategy| evaluation.strategies.get(strategy));
            let foreign = own.is_some_and(|own| matches!(own.blocks(), Blocks::Sent(_)));
            Some(Asked { user: &conversation.user, question, history, foreign, block })
        });
        let standing = view.diagnosis.map(|diagnosis| &diagnosis.standing);
        let decided = standing
            .and_then(|standing| standing.grade(workspace, at))
            .filter(|(_, changed)| changed.is_some())
            .map(|(grade, _)| Grade { grader: Grader::Decision, ..grade });
        let corrected = number(graded, at.group).zip(standing);
        let corrected = corrected.and_then(|(number, standing)| Some(standing.corrected_answer(number)?.1.to_owned()));
        Some(Self { cause, workspace, at, graded, group, answer, grade, asked, decided, corrected })
    }

    fn lines(&self, key: &DetailKey, tokens: Option<RequestTokens>) -> Vec<Line<'static>> {
        let theme = &key.theme;
        let columns = usize::from(key.columns);
        if !key.two {
            let mut sheet = Sheet::new(columns, theme);
            self.write_answer(&mut sheet);
            self.write_record(&mut sheet);
            self.write_request(&mut sheet, tokens);
            return sheet.lines;
        }
        let left = (columns.saturating_sub(3)) / 2;
        let mut answer = Sheet::new(left, theme);
        self.write_answer(&mut answer);
        let mut request = Sheet::new(columns.saturating_sub(3 + left), theme);
        self.write_request(&mut request, tokens);
        self.write_record(&mut request);
        let rows = answer.lines.len().max(request.lines.len());
        let empty = || std::iter::repeat_with(Line::default);
        let pairs = answer.lines.into_iter().chain(empty()).zip(request.lines.into_iter().chain(empty()));
        let bar = Span::styled(format!(" {} ", theme.pick("│", "|")), theme.style(Role::Border));
        pairs
            .take(rows)
            .map(|(answer, request)| {
                let mut line = padded(cut(answer, left, theme), left, Style::new());
                line.spans.push(bar.clone());
                line.spans.extend(request.spans);
                line
            })
            .collect()
    }

    /// The verdict, the question, the answer, the key and the facts.
    fn write_answer(&self, sheet: &mut Sheet<'_>) {
        let theme = sheet.theme;
        let (pip, role) = theme.pip(self.grade.verdict);
        let verdict = theme.style(role).patch(theme.style(Role::Heading));
        sheet.plain(&[
            Span::styled(format!("{pip} {}", self.grade.verdict.name()), verdict),
            span(&format!(": {}", self.grade.reason), theme.style(role)),
        ]);
        if let Some((cause, sentence)) = &self.cause {
            let name = Span::styled(format!("cause {cause}"), theme.style(role).patch(theme.style(Role::Heading)));
            sheet.plain(&[name, span(&format!(": {sentence}"), theme.style(Role::Text))]);
        }
        let question = question_text(self.workspace, self.at, self.group);
        sheet.plain(&[span(question, theme.style(Role::Heading))]);
        let seed = self.answer.seed.map(|seed| format!("seed {seed}"));
        let user = self.asked.map(|asked| format!("user {}", asked.user));
        let several = self.workspace.recordings.len() > 1;
        let recording = several.then(|| recording_words(self.workspace, self.at.recording));
        let about: Vec<String> =
            [recording, Some(self.group.strategy.clone()), seed, user].into_iter().flatten().collect();
        sheet.plain(&[span(&about.join(&format!(" {} ", theme.neutral())), theme.style(Role::Dim))]);
        let key = self.workspace.key_of(self.at);
        let replaced = self.workspace.keys.replaced.as_ref();
        let matches = key.map(|key| explain_answer(&self.answer.answer, key, replaced));
        self.write_words(sheet, matches.as_deref().unwrap_or_default());
        self.write_verdicts(sheet);
        self.write_key(sheet, matches.as_deref());
        self.write_facts(sheet);
    }

    fn write_words(&self, sheet: &mut Sheet<'_>, matches: &[PatternMatch]) {
        let theme = sheet.theme;
        let same = self.group.answers.iter().filter(|other| other.answer == self.answer.answer).count();
        let others = self.group.answers.len().saturating_sub(1);
        let beside = match same.saturating_sub(1) {
            0 => String::new(),
            same if same == others && same > 1 => format!("same text as all {same} others of this group"),
            1 if others == 1 => "same text as the other of this group".to_owned(),
            1 => "same text as 1 other of this group".to_owned(),
            same => format!("same text as {same} others of this group"),
        };
        sheet.heading("Answer", &beside);
        if self.answer.answer.trim().is_empty() {
            return sheet.marked(&[], &[Span::styled("The model said nothing.".to_owned(), theme.style(Role::Dim))], 0);
        }
        let answer = self.answer.answer.trim_end_matches(['\n', '\r']);
        sheet.text(answer, &highlights(matches, theme), theme.style(Role::Text));
    }

    /// What each grader says, side by side, where there are several or one that is not the key; the votes and the rationale of
    /// the judges, and the published answer.
    fn write_verdicts(&self, sheet: &mut Sheet<'_>) {
        let Some(verdicts) = self.workspace.verdicts(self.at) else { return };
        let decided = self.decided.as_ref();
        if decided.is_none() && verdicts.all().all(|grade| grade.grader == Grader::Key) {
            return;
        }
        let theme = sheet.theme;
        let (text, dim) = (theme.style(Role::Text), theme.style(Role::Dim));
        let beside = if verdicts.disagree() { "they disagree" } else { "" };
        sheet.heading("Verdicts", beside);
        for grade in verdicts.all().chain(decided) {
            let (pip, role) = theme.pip(grade.verdict);
            let counts = grade.grader == self.grade.grader && decided.is_none() || grade.grader == Grader::Decision;
            let name = theme.style(if counts { Role::Heading } else { Role::Text });
            let mut spans = vec![
                span(&format!("{:<11}", grade.grader.singular()), name),
                Span::styled(format!("{:<11}", grade.verdict.name()), theme.style(role)),
                span(&grade.reason, text),
            ];
            if grade.grader == Grader::Judge && !self.answer.judge.is_empty() {
                spans.push(Span::raw("  ".to_owned()));
                for vote in self.answer.judge.iter().take(MOST_VOTES) {
                    let (pip, role) = theme.pip(if *vote { Verdict::Pass } else { Verdict::Fail });
                    spans.push(Span::styled(pip.to_owned(), theme.style(role)));
                }
            }
            if counts {
                spans.push(Span::styled("  counts".to_owned(), dim));
            }
            sheet.marked(&[(pip, theme.style(role))], &spans, 22);
        }
        if let Some(rationale) = self.answer.rationale.as_deref().filter(|rationale| !rationale.trim().is_empty()) {
            sheet.marked(&[], &[Span::styled(format!("{:<11}", "rationale"), dim), span(rationale, text)], 11);
        }
        if let Some(asked) = self.asked {
            self.write_published(sheet, asked.question);
        }
    }

    /// The published answer, as the file has it and as a decision corrects it; for a question to abstain from, its trap.
    fn write_published(&self, sheet: &mut Sheet<'_>, question: &Question) {
        let dim = sheet.theme.style(Role::Dim);
        for (label, words, style) in published::rows(question, self.corrected.as_deref(), sheet.theme) {
            sheet.marked(&[], &[Span::styled(format!("{label:<11}"), dim), span(words, style)], 11);
        }
    }

    fn write_key(&self, sheet: &mut Sheet<'_>, matches: Option<&[PatternMatch]>) {
        let theme = sheet.theme;
        sheet.heading("Answer key", "");
        let dim = theme.style(Role::Dim);
        let Some(matches) = matches else {
            let others = self.workspace.verdicts(self.at).is_some_and(|verdicts| verdicts.all().next().is_some());
            if others {
                return sheet.marked(&[], &[Span::styled("No key.".to_owned(), dim)], 0);
            }
            return sheet.marked(&[], &[Span::styled("No key: the answer cannot be graded.".to_owned(), dim)], 0);
        };
        if matches.is_empty() {
            sheet.marked(&[], &[Span::styled("The key demands nothing and forbids nothing.".to_owned(), dim)], 0);
        }
        for found in matches {
            let quoted = |spans: &[std::ops::Range<usize>]| quotes(&self.answer.answer, spans, theme);
            let duty = if found.role == PatternRole::Must { "must" } else { "must not" };
            let mut row = |mark: Mark, words: String| {
                let name = span(&found.name, theme.style(Role::Text).patch(theme.style(Role::Heading)));
                let spans = [name, Span::styled(format!(" ({duty}): "), dim), span(&words, theme.style(Role::Text))];
                sheet.marked(&[mark], &spans, 2);
            };
            if !found.spans.is_empty() {
                let current = if found.role == PatternRole::Stale { ", as current" } else { "" };
                row(mark(found.role, theme), format!("matched {}{current}", quoted(&found.spans)));
            }
            if !found.excused.is_empty() {
                row(excused(theme), format!("matched {}, excused", quoted(&found.excused)));
            }
            if found.spans.is_empty() && found.excused.is_empty() {
                let absent = match found.role {
                    PatternRole::Must => (theme.missing(), theme.style(Role::Missing)),
                    PatternRole::Stale | PatternRole::Forgotten => (theme.neutral(), dim),
                };
                row(absent, "no match".to_owned());
            }
            let pattern = |label: &str, text: &str| [Span::styled(format!("  {label} "), dim), span(text, dim)];
            sheet.marked(&[], &pattern("pattern", &found.pattern), 4);
            if let (false, Some(replaced)) = (found.excused.is_empty(), &self.workspace.keys.replaced) {
                let excuses = self.excuses(found);
                let words = quotes(&self.answer.answer, &excuses, theme);
                sheet.marked(&[], &pattern("excused by", &format!("{words}: the sentence says it was replaced")), 4);
                sheet.marked(&[], &pattern("replaced", replaced.source()), 4);
            }
        }
    }

    /// The words that mark the sentences of a pattern's excused matches as being about a replaced value.
    fn excuses(&self, found: &PatternMatch) -> Vec<std::ops::Range<usize>> {
        let text = &self.answer.answer;
        let Some(replaced) = &self.workspace.keys.replaced else { return Vec::new() };
        sentences(text)
            .filter(|sentence| found.excused.iter().any(|hit| sentence.start <= hit.start && hit.end <= sentence.end))
            .flat_map(|sentence| {
                let words = text.get(sentence.clone()).unwrap_or_default();
                let hits = replaced.regex().find_iter(words);
                hits.map(|hit| hit.start() + sentence.start..hit.end() + sentence.start).collect::<Vec<_>>()
            })
            .collect()
    }

    /// The facts of the question, and whether its block carries them.
    fn write_facts(&self, sheet: &mut Sheet<'_>) {
        let Some(asked) = self.asked else { return };
        let theme = sheet.theme;
        let question = asked.question;
        sheet.heading("Facts of the question", "");
        let kinds = [
            ("required", &question.required, PatternRole::Must),
            ("stale", &question.stale, PatternRole::Stale),
            ("forgotten", &question.forgotten, PatternRole::Forgotten),
        ];
        let dim = theme.style(Role::Dim);
        if kinds.iter().all(|(_, facts, _)| facts.is_empty()) {
            sheet.marked(&[], &[Span::styled("None.".to_owned(), dim)], 0);
        }
        for (kind, facts, role) in kinds {
            for fact in facts {
                let lines = asked.lines_with(fact);
                let mark = match (role, lines.is_empty()) {
                    (_, false) => mark(role, theme),
                    (PatternRole::Must, true) => (theme.missing(), theme.style(Role::Missing)),
                    (_, true) => (theme.neutral(), dim),
                };
                let place = match (asked.block, lines.is_empty()) {
                    (None, _) => String::new(),
                    (Some(_), true) => "  not in the block".to_owned(),
                    (Some(_), false) => format!("  in the block: {}", lines.join(", ")),
                };
                let spans = [
                    Span::styled(format!("{kind:<11}"), dim),
                    span(fact.label(), theme.style(Role::Text)),
                    Span::styled(place, dim),
                ];
                sheet.marked(&[mark], &spans, 11);
            }
        }
        let shown = self.workspace.verdicts(self.at).is_some_and(|verdicts| verdicts.published.is_some());
        if let Some(published) = question.answer.as_ref().filter(|_| !shown) {
            let spans = [Span::styled(format!("{:<11}", "answer"), dim), span(published, theme.style(Role::Text))];
            sheet.marked(&[], &spans, 11);
        }
    }

    /// What the recording says of how the answer came to be.
    fn write_record(&self, sheet: &mut Sheet<'_>) {
        let Answer { seed, tool_calls, done_reason, prompt_tokens, answer_tokens, .. } = self.answer;
        let number = |value: Option<u64>| value.map_or_else(|| "unknown".to_owned(), |value| value.to_string());
        sheet.heading("Recorded", "");
        sheet.field("done reason", done_reason.as_deref().unwrap_or("unknown"));
        sheet.field("tokens", &format!("{} prompt, {} answer", number(*prompt_tokens), number(*answer_tokens)));
        let measured = [
            ("total", self.answer.total_tokens.map(|tokens| format!("{tokens} tokens"))),
            ("score", self.answer.score.map(|score| format!("{score:.3}"))),
            ("latency", self.answer.latency_ms.map(|ms| format!("{ms:.1} ms"))),
            ("cost", self.answer.cost_usd.map(|dollars| format!("{dollars:.6} dollars"))),
        ];
        for (name, value) in measured {
            if let Some(value) = value {
                sheet.field(name, &value);
            }
        }
        sheet.field("seed", &seed.map_or_else(|| "unknown".to_owned(), |seed| seed.to_string()));
        sheet.field("model", self.graded.recording.model_name());
        sheet.field("recording", &self.graded.recording.name);
        if tool_calls.is_empty() {
            sheet.field("tool calls", "none");
        }
        for call in tool_calls {
            sheet.field("tool call", &call.to_string());
        }
    }

    /// The lines that another system sent. In which words it asked, nobody knows.
    fn write_sent(&self, sheet: &mut Sheet<'_>, asked: &Asked<'_>, block: &Block) {
        let theme = sheet.theme;
        sheet.heading("Sent by another system", "the rest of its request is not known");
        for line in &block.lines {
            let text = asked.history.said(line.event).map_or("", |event| &event.text);
            let text = escaped(&crate::memory::line(line.id, text)).into_owned();
            let spans = crate::tui::text::highlighted(&text, &facts_in(&text, asked.question, theme), Style::new());
            sheet.marked(&marks(line.role, theme), &spans, 2);
        }
        if block.lines.is_empty() {
            sheet.marked(&[], &[Span::styled("No line was sent.", theme.style(Role::Dim))], 0);
        }
    }

    /// The request as it was sent.
    fn write_request(&self, sheet: &mut Sheet<'_>, tokens: Option<RequestTokens>) {
        let theme = sheet.theme;
        let dim = theme.style(Role::Dim);
        if let Some(asked) = self.asked.as_ref().filter(|asked| asked.foreign)
            && let Some(block) = asked.block
        {
            return self.write_sent(sheet, asked, block);
        }
        let (prompt, odd) = prompt_words(self.answer.prompt_tokens, tokens);
        sheet.heading("Request", if odd { "" } else { &prompt });
        if odd {
            sheet.marked(&[("!", theme.style(Role::Warning))], &[span(&prompt, theme.style(Role::Warning))], 0);
        }
        let system = &self.graded.recording.system;
        sheet.marked(&[], &[Span::styled("system".to_owned(), theme.style(Role::Key))], 0);
        sheet.text(if system.is_empty() { "(none)" } else { system }, &[], theme.style(Role::Text));
        sheet.marked(&[], &[Span::styled("user".to_owned(), theme.style(Role::Key))], 0);
        let Some((asked, block)) = self.asked.and_then(|asked| Some((asked, asked.block?))) else {
            let words = match self.asked {
                Some(_) => "What was sent with the question is not known: only the answers are recorded.",
                None => "The case set does not have this question: what was sent is not known.",
            };
            return sheet.marked(&[], &[Span::styled(words, dim)], 0);
        };
        let texts = block.lines.iter().map(|line| {
            let text = asked.history.said(line.event).map_or("", |event| &event.text);
            crate::memory::line(line.id, text)
        });
        let request = Request::new(system, &asked.question.question, texts);
        // The message's first lines are the header and the opening tag; then each line is one of the block.
        for (index, text) in request.user_message.split('\n').enumerate() {
            match index.checked_sub(2).and_then(|index| block.lines.get(index)) {
                Some(line) => {
                    let spans =
                        crate::tui::text::highlighted(text, &facts_in(text, asked.question, theme), Style::new());
                    sheet.marked(&marks(line.role, theme), &spans, 2);
                }
                None => sheet.marked(&[], &[span(text, dim)], 0),
            }
        }
    }
}

impl Asked<'_> {
    /// The lines of the block that carry a fact, such as `#3`.
    fn lines_with(&self, fact: &Fact) -> Vec<String> {
        let carries = |event: usize| self.history.said(event).is_some_and(|event: &Event| fact.is_carried_by(event));
        let lines = self.block.map_or(&[][..], |block| &block.lines);
        lines.iter().filter(|line| carries(line.event)).map(|line| format!("#{}", line.id)).collect()
    }
}

/// How the recorded prompt agrees with the rebuilt request, and whether that is odd.
fn prompt_words(recorded: Option<u64>, counted: Option<RequestTokens>) -> (String, bool) {
    let Some(counted) = counted else { return (String::new(), false) };
    let parts = format!("system {}, user {}", counted.system, counted.user_message);
    let Some(recorded) = recorded.and_then(|tokens| usize::try_from(tokens).ok()) else {
        return (format!("{} tokens: {parts}", counted.total()), false);
    };
    match recorded.checked_sub(counted.total()) {
        Some(CHAT_TEMPLATE) => (format!("{recorded} tokens: {parts}, chat template {CHAT_TEMPLATE}"), false),
        Some(more) => (format!("{recorded} tokens: {parts}, not shown here {more}"), false),
        None => {
            let words = "another request was sent, or the model counts otherwise";
            (format!("{recorded} tokens recorded, {} counted here: {words}", counted.total()), true)
        }
    }
}

/// The mark of a match, or of a line that carries such a fact.
fn mark(role: PatternRole, theme: &Theme) -> Mark {
    match role {
        PatternRole::Must => (theme.useful(), theme.style(Role::Useful)),
        PatternRole::Stale => (theme.stale(), theme.style(Role::Stale)),
        PatternRole::Forgotten => (theme.forgotten(), theme.style(Role::Forgotten)),
    }
}

/// The mark of a replaced fact whose sentence says so: a small `s`.
fn excused(theme: &Theme) -> Mark {
    ("s", theme.style(Role::Dim))
}

/// The gutter of a memory line.
fn marks(line: LineRole, theme: &Theme) -> Vec<Mark> {
    let kinds =
        [(line.forgotten, PatternRole::Forgotten), (line.stale, PatternRole::Stale), (line.useful, PatternRole::Must)];
    let marks: Vec<Mark> = kinds.into_iter().filter(|(is, _)| *is).map(|(_, role)| mark(role, theme)).collect();
    if marks.is_empty() { vec![(theme.neutral(), theme.style(Role::Dim))] } else { marks }
}

fn match_style(role: PatternRole, theme: &Theme) -> Style {
    theme.style(match role {
        PatternRole::Must => Role::UsefulMatch,
        PatternRole::Stale => Role::StaleMatch,
        PatternRole::Forgotten => Role::ForgottenMatch,
    })
}

/// What the key's patterns matched, as highlights of the answer in the order of their beginnings.
fn highlights(matches: &[PatternMatch], theme: &Theme) -> Vec<Highlight> {
    let mut all: Vec<Highlight> = Vec::new();
    for found in matches {
        let plain = found.spans.iter().map(|range| (range, match_style(found.role, theme), mark(found.role, theme)));
        // Underlined, not on a ground: a replaced fact is there, but the answer does not claim it.
        let underlined = theme.style(Role::Stale).patch(theme.style(Role::Shared));
        let excused = found.excused.iter().map(|range| (range, underlined, excused(theme)));
        let some = plain.chain(excused).take(MOST_HIGHLIGHTS);
        all.extend(some.map(|(range, style, mark)| Highlight { range: range.clone(), style, mark }));
    }
    // A stable sort: where two begin together, the graver one stays later and goes over the other.
    all.sort_by_key(|highlight| highlight.range.start);
    all
}

/// The words of the question's facts in an escaped memory line.
fn facts_in(text: &str, question: &Question, theme: &Theme) -> Vec<(std::ops::Range<usize>, Style)> {
    let kinds = [
        (&question.required, PatternRole::Must),
        (&question.stale, PatternRole::Stale),
        (&question.forgotten, PatternRole::Forgotten),
    ];
    let mut found = Vec::new();
    for (facts, role) in kinds {
        for fact in facts {
            if let Fact::Text(words) = fact
                && !words.is_empty()
            {
                let words = escaped(words);
                let hits = text.match_indices(&*words).take(MOST_QUOTES);
                found.extend(hits.map(|(at, hit)| (at..at + hit.len(), match_style(role, theme))));
            }
        }
    }
    found
}

/// Some words of a text in quotes, each once: `"Postgres", "PostgreSQL" and 2 more`.
fn quotes(text: &str, ranges: &[std::ops::Range<usize>], theme: &Theme) -> String {
    let mut seen: Vec<&str> = Vec::new();
    let mut more = std::collections::HashSet::new();
    for range in ranges {
        let words = text.get(range.clone()).unwrap_or_default();
        if seen.contains(&words) {
            continue;
        }
        if seen.len() < MOST_QUOTES { seen.push(words) } else { _ = more.insert(words) }
    }
    let quoted: Vec<String> = seen
        .iter()
        .map(|words| {
            let start: String = words.chars().take(200).collect();
            format!("\"{}\"", truncate_with(&crate::text::displayable(&start), 60, theme.ellipsis()))
        })
        .collect();
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    format!("{}{more}", quoted.join(", "))
}
