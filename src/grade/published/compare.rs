//! Looking for the items of a published answer in an answer.

use crate::audit::calendar::{self, Days};

use super::items::{Item, Need};
use super::numbers::month;
use super::text::{Kind, Token, same_word};

/// So far may a number stand from what it counts.
const NEAR: usize = 4;
/// An item of so many words is free text: what of it is said in other words no rule can tell.
const FREE: usize = 4;
/// The share of a longer item's words that is enough.
const ENOUGH: f64 = 0.8;

/// How an item fares in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// It stands there.
    Yes,
    /// It stands there, denied.
    Denied,
    /// It stands there beside another value, joined by "or".
    Hedged,
    /// It does not.
    No,
    /// Too little of a free text stands there to say yes, and it may be said in other words.
    Unsure,
}

/// An answer, ready to be searched.
pub(super) struct Said {
    tokens: Vec<Token>,
    /// Whether a denial counts: where the question itself denies ("what will he not do?"), it says nothing.
    heeds_denial: bool,
}

impl Said {
    pub(super) fn new(tokens: Vec<Token>, heeds_denial: bool) -> Self {
        Self { tokens, heeds_denial }
    }

    pub(super) fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// How an item fares, in the best of its ways.
    pub(super) fn find(&self, item: &Item, alone: bool) -> Found {
        let mut best = Found::No;
        for needs in &item.ways {
            match self.way(needs, alone && item.ways.len() == 1) {
                Found::Yes => return Found::Yes,
                found if best == Found::No => best = found,
                _ => {}
            }
        }
        best
    }

    fn way(&self, needs: &[Need], alone: bool) -> Found {
        let mut held = 0;
        let mut denied = false;
        let mut hedged = false;
        let mut vital = true;
        let mut exact = true;
        for need in needs {
            let counted = need.counts.and_then(|place| needs.get(place));
            match self.holds(need, counted) {
                Hit::At(place) => {
                    held += 1;
                    hedged |= alone && need.vital && self.is_hedged(place);
                }
                Hit::Denied => {
                    denied = true;
                    vital &= !need.vital;
                }
                Hit::None => {
                    vital &= !need.vital;
                    exact &= need.token.kind == Kind::Word;
                }
            }
        }
        let enough = match needs.len() {
            0..FREE => held == needs.len(),
            count => held as f64 >= ENOUGH * count as f64,
        };
        match (enough && vital, denied && held < needs.len()) {
            (true, _) if hedged => Found::Hedged,
            (true, _) => Found::Yes,
            (false, true) if needs.len() < FREE => Found::Denied,
            (false, _) if exact && is_free(needs.len(), held) => Found::Unsure,
            _ => Found::No,
        }
    }

    fn holds(&self, need: &Need, counted: Option<&Need>) -> Hit {
        let mut denied = false;
        for (place, token) in self.tokens.iter().enumerate() {
            if !matches(need, token) && !self.is_written_otherwise(need, counted, place) {
                continue;
            }
            if self.heeds_denial && token.denied != need.token.denied && !need.token.denies() {
                denied = true;
            } else if counted.is_none_or(|counted| self.is_near(counted, place)) {
                return Hit::At(place);
            }
        }
        if denied { Hit::Denied } else { Hit::None }
    }

    /// Whether the word at a place is the one needed, run together with its neighbour or parted in two, or an article for one.
    fn is_written_otherwise(&self, need: &Need, counted: Option<&Need>, place: usize) -> bool {
        let Some(token) = self.tokens.get(place).filter(|token| token.kind == Kind::Word) else {
            return self.is_article_for_one(need, counted, place);
        };
        let parted = || {
            let rest = need.token.text.strip_prefix(token.text.as_str()).filter(|rest| !rest.is_empty());
            rest.is_some_and(|rest| self.tokens.get(place + 1).is_some_and(|next| next.text == rest))
        };
        need.token.kind == Kind::Word && (need.together.contains(&token.text) || parted())
            || self.is_article_for_one(need, counted, place)
    }

    /// "A week" is one week.
    fn is_article_for_one(&self, need: &Need, counted: Option<&Need>, place: usize) -> bool {
        let article = |token: &Token| matches!(token.text.as_str(), "a" | "an");
        let (Some(counted), true) = (counted, need.token.kind == Kind::Number && need.token.text == "1") else {
            return false;
        };
        self.tokens.get(place).is_some_and(article)
            && self.tokens.get(place + 1).is_some_and(|next| matches(counted, next))
    }

    /// Whether what a number counts stands near it; a number alone is enough where the thing stands nowhere.
    fn is_near(&self, counted: &Need, place: usize) -> bool {
        let around = place.saturating_sub(NEAR)..(place + NEAR + 1).min(self.tokens.len());
        let near = self.tokens.get(around).unwrap_or_default();
        near.iter().any(|token| matches(counted, token))
    }

    /// Whether another value is offered beside the one at a place: "5 or 6".
    fn is_hedged(&self, place: usize) -> bool {
        let is_or = |token: Option<&Token>| token.is_some_and(|token| token.text == "or");
        let other =
            |token: Option<&Token>| token.is_some_and(|token| matches!(token.kind, Kind::Number | Kind::Date(_)));
        let before = |back: usize| place.checked_sub(back).and_then(|place| self.tokens.get(place));
        (is_or(self.tokens.get(place + 1)) && other(self.tokens.get(place + 2)))
            || (is_or(before(1)) && other(before(2)))
    }
}

/// Whether words that are missing may have been said in other words. Numbers and dates cannot.
fn is_free(needs: usize, held: usize) -> bool {
    needs >= FREE || (needs + 1 == FREE && held + 1 == needs)
}

enum Hit {
    At(usize),
    Denied,
    None,
}

/// Times of so many days are vague: "the weekend of", "the week before".
const VAGUE: std::ops::RangeInclusive<i64> = 2..=14;

/// Whether two vague times share more than half of the shorter: the week after shares no more than its edges.
fn is_same_vague_time(a: Days, b: Days) -> bool {
    let shared = calendar::days_between(a.from.max(b.from), a.to.min(b.to)) + 1;
    VAGUE.contains(&a.length()) && VAGUE.contains(&b.length()) && shared * 2 > a.length().min(b.length())
}

/// Whether a token is the one needed. A date is when it lies within the published one, as a day within its month, or when both
/// are vague and mostly the same.
fn matches(need: &Need, token: &Token) -> bool {
    match (need.token.kind, token.kind) {
        (Kind::Date(wanted), Kind::Date(said)) => {
            (wanted.from <= said.from && said.to <= wanted.to) || is_same_vague_time(wanted, said)
        }
        (Kind::Word, Kind::Date(said)) => {
            month(&need.token.text) == Some(said.from.month())
                && said.from.month() == said.to.month()
                && said.length() < 32
        }
        (Kind::Date(_), _) | (_, Kind::Date(_)) => false,
        (Kind::Word, Kind::Word) => same_word(&need.token.text, &need.stem, &token.text),
        (wanted, said) => wanted == said && need.token.text == token.text,
    }
}
