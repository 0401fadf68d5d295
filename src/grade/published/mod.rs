//! The grade by the published answer, where rules can give one.
//!
//! Both texts are brought to one form: case, accents, articles and inflections fall away, number words become digits, units and
//! months have one name, written dates become days. The published answer is then a list of items, each of which must stand in
//! the answer: in any order, not denied. What stands in brackets is a remark and need not; of alternatives ("or") one is enough;
//! of an answer that begins with yes or no, that alone counts. Words that the question gives are not asked for again.
//!
//! The verdict is *pass* when every item stands there, *fail* with what is missing and the credit for the rest, and
//! *incomplete* where rules cannot tell: a published sentence that may be said in other words, a relative time ("last week"), an
//! answer far longer than any of these. What rules cannot see: another word for the same thing, an answer that states the
//! right thing beside a wrong one, a name with a spelling of its own.

mod abstain;
mod compare;
mod items;
mod numbers;
mod text;

use crate::audit::calendar::{self, Days};
use crate::audit::refusal;
use crate::case::Question;
use crate::grade::{Credit, Grade, Grader, Verdict};

use compare::{Found, Said};
use items::{Item, items};
use text::{Kind, Token, normalised, tokens};

/// An answer of more words than these states so much that finding the published words in it proves nothing.
const MOST_WORDS: usize = 400;

/// A question's published answer, ready to grade by.
#[derive(Debug, Clone)]
pub struct Standard {
    kind: Expected,
    /// The published answer in one form, to see that an answer is the same.
    same: Vec<Token>,
    /// Whether it holds dates, and the day near which those without a year are read.
    dates: Option<Option<jiff::civil::Date>>,
    /// Whether the question itself denies, as in "what will he not do?".
    denies: bool,
}

#[derive(Debug, Clone)]
enum Expected {
    /// To say that nothing is known; the wrong answers that it tempts to.
    Abstain(Option<Box<Standard>>, String),
    /// Yes or no.
    Polarity(bool),
    /// Every item.
    Items(Vec<Item>),
    /// Nothing that could be compared.
    Nothing,
    /// More words than rules can compare.
    TooLong,
}

impl Standard {
    /// The standard of a question; none where it has no published answer and is not to be abstained from.
    pub fn of(question: &Question) -> Option<Self> {
        if question.abstain {
            let trap = question.trap.as_deref().filter(|trap| !trap.trim().is_empty());
            let standard = trap.map(|trap| Box::new(Self::answered(trap, &question.question)));
            let kind = Expected::Abstain(standard, trap.unwrap_or_default().to_owned());
            return Some(Self { kind, same: Vec::new(), dates: None, denies: false });
        }
        question.answer.as_deref().map(|published| Self::answered(published, &question.question))
    }

    /// The standard of a question whose published answer a person corrected: whoever says what the answer is says as well that
    /// there is one.
    pub fn corrected(question: &Question, published: &str) -> Self {
        Self::answered(published, &question.question)
    }

    fn answered(published: &str, question: &str) -> Self {
        let text = normalised(published);
        let near = calendar::written(&text, None).first().map(|mention| mention.days.from);
        let dates = near.map(Some);
        let all = tokens(&text, dates);
        let mut question = tokens(&normalised(question), None);
        question.truncate(MOST_WORDS);
        let denies = question.iter().any(Token::denies);
        let kind = match polarity(&all) {
            _ if all.len() > MOST_WORDS => Expected::TooLong,
            _ if abstain::is_published_refusal(published) => Expected::Abstain(None, String::new()),
            Some(yes) => Expected::Polarity(yes),
            None => {
                let core = without_remarks(&text, &all);
                let items = items(&text, core.as_deref().unwrap_or(&all), &question);
                if items.is_empty() { Expected::Nothing } else { Expected::Items(items) }
            }
        };
        Self { kind, same: all, dates, denies }
    }

    /// Grades an answer in time proportional to its length: only texts of up to 400 words are searched for the published
    /// ones.
    pub fn grade(&self, answer: &str) -> Grade {
        if answer.trim().is_empty() {
            return graded(Verdict::Incomplete, "no answer");
        }
        if let Expected::Abstain(trap, words) = &self.kind {
            return abstain::grade(answer, trap.as_deref(), words);
        }
        let text = normalised(answer);
        let said = Said::new(tokens(&text, self.dates), !self.denies);
        if said.tokens().is_empty() {
            return graded(Verdict::Incomplete, "no word in the answer");
        }
        if is_same(&self.same, said.tokens()) {
            return graded(Verdict::Pass, "as published");
        }
        if said.tokens().len() > MOST_WORDS {
            return graded(Verdict::Incomplete, "the answer is too long for rules; needs a judge");
        }
        match &self.kind {
            Expected::Polarity(yes) => by_polarity(*yes, answer, said.tokens()),
            Expected::Items(items) => self.by_items(items, answer, &text, &said),
            Expected::TooLong => {
                graded(Verdict::Incomplete, "the published answer is too long for rules; needs a judge")
            }
            Expected::Abstain(..) | Expected::Nothing => {
                graded(Verdict::Incomplete, "the published answer has no word to compare")
            }
        }
    }

    /// Whether an answer states what the standard asks for.
    fn is_stated(&self, answer: &str) -> bool {
        self.grade(answer).verdict == Verdict::Pass
    }

    fn by_items(&self, items: &[Item], answer: &str, text: &str, said: &Said) -> Grade {
        let found: Vec<(&Item, Found)> = items.iter().map(|item| (item, said.find(item, items.len() == 1))).collect();
        let count = |wanted: Found| found.iter().filter(|(_, found)| *found == wanted).count();
        let credit = Some(Credit { found: count(Found::Yes), of: items.len() }).filter(|credit| credit.of > 1);
        let grade = |verdict, reason: String| Grade { credit, ..graded(verdict, reason) };
        if self.dates.is_some() && distinct_dates(said.tokens()) > MOST_DATES {
            return grade(Verdict::Incomplete, "the answer names many dates; needs a judge".to_owned());
        }
        if count(Found::Yes) == items.len() {
            let reason = if items.len() > 1 { format!("all {} items", items.len()) } else { "as published".to_owned() };
            return grade(Verdict::Pass, reason);
        }
        let named = |wanted: Found| {
            let words: Vec<&str> =
                found.iter().filter(|(_, found)| *found == wanted).map(|(item, _)| item.words.as_str()).collect();
            words.join(", ")
        };
        let missing: Vec<&str> =
            found.iter().filter(|(_, f)| *f != Found::Yes).map(|(item, _)| item.words.as_str()).collect();
        if count(Found::Yes) == 0 && refusal(answer).is_some() {
            return grade(Verdict::Fail, "the answer declines".to_owned());
        }
        if count(Found::Denied) > 0 {
            return grade(Verdict::Fail, format!("denied: {}", named(Found::Denied)));
        }
        if count(Found::Hedged) > 0 {
            return grade(Verdict::Fail, format!("one of several: {}", named(Found::Hedged)));
        }
        if count(Found::No) > 0 {
            let relative = self.dates.is_some() && !holds_date(said.tokens()) && is_relative(text);
            if relative {
                return grade(Verdict::Incomplete, "the answer gives a relative time; needs a judge".to_owned());
            }
            let partly = credit.map_or_else(String::new, |credit| format!(" ({} of {})", credit.found, credit.of));
            return grade(Verdict::Fail, format!("missing: {}{partly}", missing.join(", ")));
        }
        grade(Verdict::Incomplete, "the published answer is a sentence; needs a judge".to_owned())
    }
}

fn graded(verdict: Verdict, reason: impl Into<String>) -> Grade {
    Grade::new(Grader::Published, verdict, reason)
}

/// Whether two texts have the same meaning-bearing tokens in the same order.
fn is_same(published: &[Token], said: &[Token]) -> bool {
    let tells = |token: &&Token| token.kind != Kind::Word || !matches!(token.text.as_str(), "a" | "an" | "the");
    let key = |token: &'_ Token| (token.text.clone(), matches!(token.kind, Kind::Ordinal));
    !published.is_empty() && published.iter().filter(tells).map(key).eq(said.iter().filter(tells).map(key))
}

/// Whether a text begins with yes or no as an answer to the whole question.
fn polarity(tokens: &[Token]) -> Option<bool> {
    const HEDGES: &[&str] = &["likely", "probably", "most", "very", "maybe", "perhaps", "possibly", "well", "somewhat"];
    let start = tokens.iter().position(|token| !HEDGES.contains(&token.text.as_str()))?;
    let head = tokens.get(start).filter(|_| start <= 2)?;
    let yes = match head.text.as_str() {
        "yes" | "yeah" | "yep" => true,
        "no" | "nope" => false,
        "not" if start > 0 && tokens.len() == start + 1 => false,
        _ => return None,
    };
    const GOES_ON: &[&str] =
        &["because", "since", "as", "but", "he", "she", "they", "it", "i", "you", "we", "although", "though"];
    let ends = match tokens.get(start + 1) {
        None => true,
        Some(next) => next.clause != head.clause || GOES_ON.contains(&next.text.as_str()) || (yes && head.text != "no"),
    };
    ends.then_some(yes)
}

fn by_polarity(yes: bool, answer: &str, said: &[Token]) -> Grade {
    let word = |yes: bool| if yes { "yes" } else { "no" };
    match polarity(said) {
        Some(said) if said == yes => graded(Verdict::Pass, format!("{}, as published", word(yes))),
        Some(said) => graded(Verdict::Fail, format!("published {}, the answer says {}", word(yes), word(said))),
        None if refusal(answer).is_some() => graded(Verdict::Fail, "the answer declines"),
        None => graded(
            Verdict::Incomplete,
            format!("published {}, the answer begins with neither yes nor no; needs a judge", word(yes)),
        ),
    }
}

/// The tokens outside of brackets; none where there are no brackets, or nothing else.
fn without_remarks(text: &str, tokens: &[Token]) -> Option<Vec<Token>> {
    let mut depth = 0_usize;
    let mut inside = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > 0 {
            inside.push(at);
        }
    }
    if inside.is_empty() {
        return None;
    }
    let outside = |token: &&Token| inside.binary_search(&token.start).is_err();
    let kept: Vec<Token> = tokens.iter().filter(outside).cloned().collect();
    kept.iter().any(|token| !token.is_filler()).then_some(kept)
}

fn holds_date(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| matches!(token.kind, Kind::Date(Days { .. })))
}

/// Dates that an answer may name beside the right one: the day on which it was said, and the one meant.
const MOST_DATES: usize = 3;

fn distinct_dates(tokens: &[Token]) -> usize {
    let mut days: Vec<Days> = Vec::new();
    for token in tokens {
        if let Kind::Date(said) = token.kind
            && !days.iter().any(|known| known.meets(said))
        {
            days.push(said);
            if days.len() > MOST_DATES {
                break;
            }
        }
    }
    days.len()
}

/// Whether a text names a time that follows from the day on which it was said.
fn is_relative(text: &str) -> bool {
    !calendar::relative(text, jiff::civil::date(2000, 6, 15)).is_empty()
}

#[cfg(test)]
mod tests;
