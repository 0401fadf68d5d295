//! A text as it is compared: words without case, marks and endings; numbers as digits; dates as days.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

use super::numbers::{self, Part};
use crate::audit::calendar::{self, Days};
use crate::audit::terms::stem;
use crate::memory::STOP_WORDS;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// A word.
    Word,
    /// A number, in its shortest form.
    Number,
    /// A place in an order.
    Ordinal,
    /// A written date.
    Date(Days),
}

/// A word, number or date of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    /// In lower case, without marks.
    pub text: String,
    /// What it is.
    pub kind: Kind,
    /// Bytes of the normalised text.
    pub start: usize,
    /// Where it ends there.
    pub end: usize,
    /// Whether it begins with a capital letter.
    pub capital: bool,
    /// The number of its clause: clauses end at punctuation.
    pub clause: usize,
    /// Whether a word before it in the clause denies it.
    pub denied: bool,
}

impl Token {
    /// Whether it tells nothing by itself.
    pub fn is_filler(&self) -> bool {
        self.kind == Kind::Word
            && (STOP_WORDS.binary_search(&self.text.as_str()).is_ok()
                || FILLERS.binary_search(&self.text.as_str()).is_ok())
    }

    /// Whether it denies what follows.
    pub fn denies(&self) -> bool {
        self.kind == Kind::Word && DENIALS.contains(&self.text.as_str())
    }

    fn is_number(&self) -> bool {
        self.kind == Kind::Number
    }
}

/// Words that say no more than stop words where answers are compared: hedges, and verbs that carry another word. Sorted for
/// the binary search.
const FILLERS: &[&str] = &[
    "about",
    "after",
    "also",
    "approximately",
    "around",
    "because",
    "been",
    "before",
    "being",
    "between",
    "both",
    "doing",
    "during",
    "gave",
    "get",
    "gets",
    "getting",
    "give",
    "gives",
    "giving",
    "go",
    "goes",
    "going",
    "got",
    "having",
    "just",
    "like",
    "likely",
    "made",
    "make",
    "makes",
    "making",
    "maybe",
    "most",
    "mostly",
    "perhaps",
    "possibly",
    "probably",
    "really",
    "roughly",
    "since",
    "take",
    "takes",
    "taking",
    "took",
    "very",
    "went",
];
/// Words that deny what follows in their clause.
const DENIALS: &[&str] =
    &["not", "no", "never", "without", "nor", "neither", "none", "cannot", "isn", "didn", "wasn", "doesn", "don"];
/// After a denial these take it back: "not only hiking".
const TAKE_BACK: &[&str] = &["only", "just", "doubt", "later", "less"];
/// Words that end what a denial reaches.
const TURNS: &[&str] =
    &["but", "however", "although", "though", "instead", "rather", "while", "because", "since", "so"];
/// So many words a denial reaches.
const REACH: usize = 6;
/// Words before `may` and `march` that make them months.
const LEADS: &[&str] = &[
    "in", "on", "of", "since", "until", "till", "during", "early", "late", "mid", "by", "from", "last", "next", "this",
];

/// The text in one Unicode form: compatible forms as one, without accents, straight quotes.
pub(super) fn normalised(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let plain = text.nfkd().filter(|c| !matches!(c, '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{feff}'));
    let mut folded = String::with_capacity(text.len());
    for c in plain {
        match c {
            '\u{2018}' | '\u{2019}' | '\u{2bc}' => folded.push('\''),
            'ß' => folded.push_str("ss"),
            '\u{2010}'..='\u{2015}' => folded.push('-'),
            c => folded.push(c),
        }
    }
    Cow::Owned(folded)
}

/// The tokens of a normalised text. Dates become one token each only where `dates` is given: the day near which those
/// without a year are read, if there is one.
pub(super) fn tokens(text: &str, dates: Option<Option<jiff::civil::Date>>) -> Vec<Token> {
    let mut tokens = articles(compounds(&raw(text)));
    months(&mut tokens);
    deny(&mut tokens);
    match dates {
        Some(near) => with_dates(text, tokens, near),
        None => tokens,
    }
}

/// Words and numbers as they stand.
fn raw(text: &str) -> Vec<Token> {
    let mut reader = Reader { text, tokens: Vec::with_capacity(text.len() / 5 + 1), clause: 0, currency: None };
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        if !c.is_alphanumeric() {
            reader.mark(at, c, characters.peek().map(|(_, next)| *next));
            continue;
        }
        let digits = c.is_ascii_digit();
        let mut end = at + c.len_utf8();
        let mut before = c;
        while let Some(&(place, next)) = characters.peek() {
            let after = text.get(place + next.len_utf8()..).and_then(|rest| rest.chars().next());
            let joins = match next {
                '.' | ',' | ':' if digits => {
                    after.is_some_and(|after| after.is_ascii_digit()) && before.is_ascii_digit()
                }
                '\'' => after.is_some_and(char::is_alphabetic),
                '.' => end - at == c.len_utf8() && after.is_some_and(char::is_alphabetic),
                next => next.is_alphanumeric(),
            };
            if !joins {
                break;
            }
            before = next;
            end = place + next.len_utf8();
            characters.next();
        }
        reader.word(at, end, c.is_uppercase());
    }
    reader.tokens
}

struct Reader<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    clause: usize,
    currency: Option<&'static str>,
}

impl Reader<'_> {
    fn push(&mut self, text: impl Into<String>, kind: Kind, (start, end): (usize, usize), capital: bool) {
        let clause = self.clause;
        self.tokens.push(Token { text: text.into(), kind, start, end, capital, clause, denied: false });
    }

    /// A character that is no part of a word.
    fn mark(&mut self, at: usize, c: char, next: Option<char>) {
        let span = (at, at + c.len_utf8());
        match c {
            '$' => self.currency = Some("dollar"),
            '€' => self.currency = Some("euro"),
            '£' => self.currency = Some("pound"),
            '%' => self.push("percent", Kind::Word, span, false),
            '&' => self.push("and", Kind::Word, span, false),
            '.' if next.is_some_and(|next| !next.is_whitespace()) => {}
            '.' | '!' | '?' | ';' | ',' | ':' | '\n' | '(' | ')' => self.clause += 1,
            _ => {}
        }
    }

    fn word(&mut self, start: usize, end: usize, capital: bool) {
        let span = (start, end);
        let word = self.text.get(start..end).unwrap_or_default();
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return self.digits(word, span);
        }
        let mut lower = word.to_lowercase();
        if lower.contains('.') {
            lower.retain(|c| c != '.');
        }
        if let Some((head, tail)) = lower.split_once('\'') {
            let head = head.to_owned();
            match tail {
                "t" if head.ends_with('n') => {
                    let verb = match head.as_str() {
                        "can" => "can",
                        "won" => "will",
                        "shan" => "shall",
                        other => other.strip_suffix('n').unwrap_or(other),
                    };
                    self.push(verb, Kind::Word, span, capital);
                    self.push("not", Kind::Word, span, false);
                }
                "s" | "re" | "ll" | "ve" | "d" | "m" => self.push(head, Kind::Word, span, capital),
                _ => self.push(lower.replace('\'', ""), Kind::Word, span, capital),
            }
            return;
        }
        match lower.as_str() {
            "once" | "twice" | "thrice" => {
                let count = if lower == "once" {
                    "1"
                } else if lower == "twice" {
                    "2"
                } else {
                    "3"
                };
                self.push(count, Kind::Number, span, false);
                self.push("time", Kind::Word, span, false);
            }
            "ok" => self.push("okay", Kind::Word, span, capital),
            "cannot" => {
                self.push("can", Kind::Word, span, capital);
                self.push("not", Kind::Word, span, false);
            }
            word => {
                let text = numbers::one_form(word).map_or_else(|| word.to_owned(), str::to_owned);
                self.push(text, Kind::Word, span, capital);
            }
        }
    }

    /// What begins with a digit: a number, an ordinal, a number with its unit, or a word such as `5k`.
    fn digits(&mut self, word: &str, span: (usize, usize)) {
        let number = word.trim_end_matches(|c: char| c.is_alphabetic() || c == '\'');
        let letters = word.get(number.len()..).unwrap_or_default().to_lowercase();
        let time = number.strip_suffix(":00").unwrap_or(number);
        let grouped = time.split(',').skip(1).all(|group| group.len() == 3);
        let plain = if grouped { time.replace(',', "") } else { time.to_owned() };
        let Ok(value) = plain.parse::<f64>() else {
            let text = format!("{plain}{letters}");
            return self.push(text, Kind::Word, span, false);
        };
        match letters.as_str() {
            "" => self.push(numbers::shown(value), Kind::Number, span, false),
            "st" | "nd" | "rd" | "th" => return self.push(numbers::shown(value), Kind::Ordinal, span, false),
            letters => match numbers::suffix(letters) {
                Some(unit) => {
                    self.push(numbers::shown(value), Kind::Number, span, false);
                    self.push(unit, Kind::Word, span, false);
                }
                None => return self.push(format!("{plain}{letters}"), Kind::Word, span, false),
            },
        }
        if let Some(currency) = self.currency.take() {
            self.push(currency, Kind::Word, span, false);
        }
    }
}

/// Number words become numbers, those of one number together: "twenty-five", "a dozen", "2 million".
fn compounds(raw: &[Token]) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::with_capacity(raw.len());
    let mut raw = raw.iter().peekable();
    while let Some(token) = raw.next() {
        let mut token = token.clone();
        if token.kind == Kind::Word
            && let Some(place) = numbers::ordinal(&token.text)
        {
            token.kind = Kind::Ordinal;
            // "Twenty-first" is one place.
            let tens = tokens.pop_if(|last| last.is_number() && place < 10.0 && is_tens(last));
            let tens = tens.and_then(|tens| tens.text.parse::<f64>().ok()).unwrap_or(0.0);
            token.text = numbers::shown(tens + place);
        } else if token.text == "second" && token.kind == Kind::Word {
            let counted = tokens.last().is_some_and(Token::is_number);
            if !counted && !token.is_plural() {
                token.kind = Kind::Ordinal;
                token.text = "2".to_owned();
            }
        } else if let Some(first) = first_part(&token) {
            let mut number = Sum::new(first);
            loop {
                let mut ahead = raw.clone();
                // "One hundred and five": the joining word belongs to the number.
                if matches!(number.last, Part::Scale(_)) {
                    ahead.next_if(|next| next.text == "and" && next.clause == token.clause);
                }
                let Some(next) = ahead.next().filter(|next| next.kind == Kind::Word && next.clause == token.clause)
                else {
                    break;
                };
                if !numbers::part(&next.text).is_some_and(|part| number.add(part)) {
                    break;
                }
                token.end = next.end;
                raw = ahead;
            }
            token.text = numbers::shown(number.value());
            token.kind = Kind::Number;
            if number.scaled_article {
                tokens.pop_if(|last| matches!(last.text.as_str(), "a" | "an"));
            }
        }
        tokens.push(token);
    }
    tokens
}

/// "An hour" is one hour and "half an hour" half of one.
fn articles(tokens: Vec<Token>) -> Vec<Token> {
    let mut counted: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut tokens = tokens.into_iter().peekable();
    while let Some(mut token) = tokens.next() {
        let article = token.kind == Kind::Word && matches!(token.text.as_str(), "a" | "an");
        let unit = |next: &Token| next.kind == Kind::Word && UNITS.contains(&next.text.as_str());
        if article && tokens.peek().is_some_and(unit) {
            token.kind = Kind::Number;
            let half = counted.pop_if(|before| before.text == "half");
            if half.is_some() { "0.5" } else { "1" }.clone_into(&mut token.text);
        }
        counted.push(token);
    }
    counted
}

/// What is counted with an article.
const UNITS: &[&str] =
    &["hour", "minute", "second", "day", "week", "weekend", "month", "year", "mile", "km", "pound", "dollar"];

fn is_tens(token: &Token) -> bool {
    token.text.len() == 2 && token.text.ends_with('0')
}

impl Token {
    /// Whether the word was longer than its one form, as plurals are.
    fn is_plural(&self) -> bool {
        self.end - self.start > self.text.len()
    }
}

fn first_part(token: &Token) -> Option<Part> {
    match token.kind {
        Kind::Word => numbers::part(&token.text),
        Kind::Number => token.text.parse().ok().map(Part::Small),
        Kind::Ordinal | Kind::Date(_) => None,
    }
}

/// A number while its words are read.
struct Sum {
    done: f64,
    now: f64,
    last: Part,
    scaled_article: bool,
}

impl Sum {
    fn new(first: Part) -> Self {
        let (now, scaled_article) = match first {
            Part::Small(value) | Part::Tens(value) => (value, false),
            Part::Scale(value) => (value, true),
        };
        Self { done: 0.0, now, last: first, scaled_article }
    }

    /// Adds a word; false where it belongs to another number.
    fn add(&mut self, part: Part) -> bool {
        match (self.last, part) {
            (Part::Tens(_), Part::Small(value)) if value > 0.0 && value < 10.0 => self.now += value,
            (Part::Scale(scale), Part::Small(value) | Part::Tens(value)) if value < scale => {
                self.done += self.now;
                self.now = value;
            }
            (_, Part::Scale(scale)) => self.now *= scale,
            _ => return false,
        }
        self.last = part;
        true
    }

    fn value(&self) -> f64 {
        self.done + self.now
    }
}

/// "May" and "march" are months only where something says so; else they are marked as other words.
fn months(tokens: &mut [Token]) {
    let alone = tokens.len() == 1;
    for place in 0..tokens.len() {
        let Some(token) = tokens.get(place) else { continue };
        if token.kind != Kind::Word || !matches!(token.text.as_str(), "may" | "march") {
            continue;
        }
        let before = place.checked_sub(1).and_then(|before| tokens.get(before));
        let after = tokens.get(place + 1);
        let counted = |token: Option<&Token>| token.is_some_and(|t| matches!(t.kind, Kind::Number | Kind::Ordinal));
        let led = before.is_some_and(|before| LEADS.contains(&before.text.as_str()));
        let inside = token.capital && before.is_some_and(|before| before.clause == token.clause);
        let month = alone || led || inside || counted(before) || counted(after);
        if !month && let Some(token) = tokens.get_mut(place) {
            token.text.push('~');
        }
    }
}

/// Marks what a denial reaches.
fn deny(tokens: &mut [Token]) {
    let mut left = 0;
    let mut clause = 0;
    let mut fresh = false;
    for token in tokens {
        if token.clause != clause || TURNS.contains(&token.text.as_str()) {
            left = 0;
        }
        clause = token.clause;
        if fresh && TAKE_BACK.contains(&token.text.as_str()) {
            left = 0;
        }
        token.denied = left > 0;
        fresh = token.denies();
        left = if fresh { REACH } else { left.saturating_sub(1) };
    }
}

/// Puts one token in place of those of each written date.
fn with_dates(text: &str, tokens: Vec<Token>, near: Option<jiff::civil::Date>) -> Vec<Token> {
    let mentions = calendar::written(text, near);
    if mentions.is_empty() {
        return tokens;
    }
    let mut merged: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut mentions = mentions.into_iter().peekable();
    for mut token in tokens {
        while mentions.next_if(|mention| mention.span.end <= token.start).is_some() {}
        let Some(mention) = mentions.peek().filter(|mention| mention.span.start < token.end) else {
            merged.push(token);
            continue;
        };
        let known =
            merged.last().is_some_and(|last| matches!(last.kind, Kind::Date(_)) && last.end == mention.span.end);
        if known {
            continue;
        }
        text.get(mention.span.clone()).unwrap_or_default().clone_into(&mut token.text);
        token.kind = Kind::Date(mention.days);
        (token.start, token.end) = (mention.span.start, mention.span.end);
        merged.push(token);
    }
    intervals(merged)
}

/// "Between 25 May and 19 June 2024" is one time.
fn intervals(tokens: Vec<Token>) -> Vec<Token> {
    let mut merged: Vec<Token> = Vec::with_capacity(tokens.len());
    let word = |token: Option<&Token>, words: &[&str]| token.is_some_and(|t| words.contains(&t.text.as_str()));
    for token in tokens {
        let place = merged.len();
        let before = |back: usize| place.checked_sub(back).and_then(|place| merged.get(place));
        if let (Kind::Date(to), Some(Kind::Date(from))) = (token.kind, before(2).map(|token| token.kind))
            && word(before(1), &["and", "to", "until"])
            && word(before(3), &["between", "from"])
        {
            merged.truncate(place - 1);
            if let Some(first) = merged.last_mut() {
                first.kind = Kind::Date(Days::new(from.from.min(to.from), from.to.max(to.to)));
                first.end = token.end;
            }
            continue;
        }
        merged.push(token);
    }
    merged
}

/// Letters in common from which two words are taken for forms of one: "fascinated", "fascination".
const COMMON: usize = 8;
/// Letters from which one letter may be wrong.
const LONG: usize = 6;

/// Whether two words are one, inflections and a slip of one letter aside. `wanted` comes with its stem.
pub(super) fn same_word(wanted: &str, wanted_stem: &str, word: &str) -> bool {
    if wanted == word {
        return true;
    }
    // Forms of one word begin alike: most words differ there, and are not looked at further.
    let head = |text: &str| text.as_bytes().first_chunk::<2>().copied();
    if head(wanted) != head(word) || wanted.len() < 3 || word.len() < 3 || word.len() > MOST_LETTERS {
        return false;
    }
    let common = || wanted.bytes().zip(word.bytes()).take_while(|(a, b)| a == b).count();
    let slip = || wanted.len().min(word.len()) >= LONG && wanted.len().abs_diff(word.len()) <= 1;
    stem(word) == wanted_stem || common() >= COMMON || (slip() && strsim::osa_distance(wanted, word) <= 1)
}

/// Longer words are no words.
const MOST_LETTERS: usize = 64;
