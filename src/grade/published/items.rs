//! What a published answer asks for: its items, each with the words that must stand in an answer.

use std::ops::Range;

use super::text::{Kind, Token};
use crate::audit::terms::stem;

/// One thing that the answer must name, in one of several ways.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// As it is written in the published answer.
    pub words: String,
    /// Any of these is enough: "soup or salad".
    pub ways: Vec<Vec<Need>>,
}

/// A word, number or date that an item needs.
#[derive(Debug, Clone)]
pub(super) struct Need {
    /// The token.
    pub token: Token,
    /// The stem of its word.
    pub stem: String,
    /// It may never be left out: a number, a date, a name.
    pub vital: bool,
    /// The word that a number counts, as a place among the needs of the item.
    pub counts: Option<usize>,
    /// The word with the one before or after it, for texts that write the two together.
    pub together: Vec<String>,
}

/// The items of a published answer, of which an answer must name each.
pub(super) fn items(text: &str, tokens: &[Token], question: &[Token]) -> Vec<Item> {
    let spans = split(text, tokens);
    let first = tokens.first().map_or(0, |token| token.start);
    let item = |spans: Vec<Range<usize>>| {
        let words = spans.first().zip(spans.last()).map(|(first, last)| first.start..last.end);
        let words = words.and_then(|span| text.get(span)).unwrap_or_default().trim().to_owned();
        let ways = spans.iter().map(|span| needs(tokens, span, question, first)).filter(|needs| !needs.is_empty());
        Item { words, ways: ways.collect() }
    };
    spans.into_iter().map(item).filter(|item| !item.ways.is_empty()).collect()
}

/// So many meaning-bearing words without a comma are a sentence.
const SENTENCE: usize = 7;

/// The byte spans of the items; several spans of one item are alternatives.
fn split(text: &str, tokens: &[Token]) -> Vec<Vec<Range<usize>>> {
    let mut segments = separated(text, tokens);
    let whole = || segments.first().zip(segments.last()).map(|(first, last)| first.start..last.end);
    let joined = |span: &Range<usize>, word: &str| {
        tokens.iter().find(|t| t.kind == Kind::Word && t.text == word && inside(t, span)).map(|t| (t.start, t.end))
    };
    // "Soup, bread or salad": one item in several ways.
    if let Some(span) = whole()
        && joined(&span, "or").is_some()
        && segments.iter().rev().skip(1).all(|segment| joined(segment, "or").is_none())
        && (segments.len() == 1 || joined(&span, "and").is_none())
    {
        let ways: Vec<Range<usize>> = segments.iter().flat_map(|segment| parted(segment, tokens, "or")).collect();
        return vec![ways];
    }
    // So many words are a sentence, whose "and" joins what cannot be told apart.
    let told = |span: &Range<usize>| tokens.iter().filter(|token| inside(token, span) && !token.is_filler()).count();
    if segments.len() == 1 && segments.iter().all(|segment| told(segment) >= SENTENCE) {
        return vec![segments];
    }
    // "Hiking, swimming and pottery": the last part holds two. In the parts before, "and" belongs to a thing.
    if let Some(last) = segments.pop() {
        segments.extend(parted(&last, tokens, "and"));
    }
    segments.into_iter().map(|segment| parted(&segment, tokens, "or")).collect()
}

fn inside(token: &Token, span: &Range<usize>) -> bool {
    span.start <= token.start && token.end <= span.end
}

/// The parts between commas, semicolons, bullets and line breaks that stand outside of dates and numbers.
fn separated(text: &str, tokens: &[Token]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut inner = tokens.iter().peekable();
    for (at, c) in text.char_indices() {
        while inner.next_if(|token| token.end <= at).is_some() {}
        let in_token = inner.peek().is_some_and(|token| token.start <= at && at < token.end);
        if matches!(c, ',' | ';' | '\n' | '•' | '|') && !in_token {
            parts.push(start..at);
            start = at + c.len_utf8();
        }
    }
    parts.push(start..text.len());
    parts.retain(|part| tokens.iter().any(|token| inside(token, part)));
    parts
}

/// A part cut at a joining word.
fn parted(part: &Range<usize>, tokens: &[Token], word: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = part.start;
    for token in tokens.iter().filter(|token| inside(token, part)) {
        if token.kind == Kind::Word && token.text == word {
            parts.push(start..token.start);
            start = token.end;
        }
    }
    parts.push(start..part.end);
    let held = |part: &Range<usize>| tokens.iter().any(|token| inside(token, part) && !token.is_filler());
    if parts.iter().all(held) { parts } else { parts.into_iter().filter(held).collect() }
}

/// Adjectives that tell nothing without their noun.
const PLAIN: &[&str] = &[
    "new",
    "old",
    "big",
    "small",
    "good",
    "great",
    "nice",
    "other",
    "same",
    "different",
    "more",
    "less",
    "own",
    "first",
    "last",
];

/// What a span needs. Words that the question gives are needed only where there are no others.
fn needs(tokens: &[Token], span: &Range<usize>, question: &[Token], first: usize) -> Vec<Need> {
    let own: Vec<&Token> = tokens.iter().filter(|token| inside(token, span)).collect();
    let meant: Vec<&Token> = own.iter().copied().filter(|token| !token.is_filler()).collect();
    let meant = if meant.is_empty() { own } else { meant };
    let given = |token: &&Token| {
        token.kind == Kind::Word
            && question.iter().any(|asked| super::text::same_word(&token.text, &stem(&token.text), &asked.text))
    };
    let new: Vec<&Token> = meant.iter().copied().filter(|token| !given(token) && !token.denies()).collect();
    let vital = |token: &Token| token.kind != Kind::Word || (token.capital && token.start > first);
    // "New" alone is not what "a new car" says, whatever the question gives.
    let tells = new.len() > 1 || new.iter().any(|token| vital(token) || !PLAIN.contains(&token.text.as_str()));
    let kept = if tells { new } else { meant };
    let mut needs: Vec<Need> = kept
        .into_iter()
        .map(|token| Need {
            stem: stem(&token.text),
            vital: vital(token),
            token: token.clone(),
            counts: None,
            together: Vec::new(),
        })
        .collect();
    for place in 0..needs.len() {
        let next = needs.get(place + 1).map(|next| (next.token.kind, next.token.start));
        if let (Some(need), Some((Kind::Word, _))) = (needs.get_mut(place), next)
            && need.token.kind == Kind::Number
        {
            need.counts = Some(place + 1);
        }
        let word =
            |place: usize| needs.get(place).filter(|need| need.token.kind == Kind::Word).map(|need| &need.token.text);
        if let (Some(first), Some(second)) = (word(place), word(place + 1)) {
            let both = format!("{first}{second}");
            if let Some(next) = needs.get_mut(place + 1) {
                next.together.push(both.clone());
            }
            if let Some(need) = needs.get_mut(place) {
                need.together.push(both);
            }
        }
    }
    needs
}
