//! The grade of one recorded answer.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{AnswerKey, Grader, Pattern};

/// Whether an answer is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It states what it must and nothing that it must not.
    Pass,
    /// It lacks a fact, or states one that it must not.
    Fail,
    /// There is nothing to grade.
    Incomplete,
}

impl Verdict {
    /// All verdicts, in the order of reports.
    pub const ALL: [Self; 3] = [Self::Pass, Self::Fail, Self::Incomplete];

    /// The word in files and on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Incomplete => "incomplete",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A verdict, who gave it, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grade {
    /// Who gave it.
    pub grader: Grader,
    /// Pass, fail or incomplete.
    pub verdict: Verdict,
    /// One of a few fixed sentences, or `missing: NAME, NAME`.
    pub reason: String,
    /// How much of the published answer was found, where that is a list.
    pub credit: Option<Credit>,
}

/// A share of the items of a published answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Credit {
    /// Items that the answer names.
    pub found: usize,
    /// Items of the published answer.
    pub of: usize,
}

impl Credit {
    /// From 0 to 1.
    pub fn share(self) -> f64 {
        if self.of == 0 { 0.0 } else { self.found as f64 / self.of as f64 }
    }
}

impl Grade {
    /// A grade without credit.
    pub fn new(grader: Grader, verdict: Verdict, reason: impl Into<String>) -> Self {
        Self { grader, verdict, reason: reason.into(), credit: None }
    }

    /// The grade of an answer that a grader has nothing to grade by.
    pub fn without(grader: Grader) -> Self {
        let reason = match grader {
            Grader::Key => "no answer key",
            Grader::Judge => "no judge votes",
            Grader::Published => "no published answer",
            Grader::Decision => "no decision",
        };
        Self::new(grader, Verdict::Incomplete, reason)
    }
}

/// Grades an answer by its key. The first of these that holds decides: no answer; a forgotten fact anywhere; a replaced
/// fact in a sentence that does not mark it as replaced; a fact that must be stated and is not.
pub fn grade_answer(answer: &str, key: &AnswerKey, replaced: Option<&Pattern>) -> Grade {
    let grade = |verdict, reason: &str| Grade::new(Grader::Key, verdict, reason);
    if answer.trim().is_empty() {
        return grade(Verdict::Incomplete, "no answer");
    }
    if key.forgotten.as_ref().is_some_and(|pattern| pattern.regex().is_match(answer)) {
        return grade(Verdict::Fail, "states a forgotten fact");
    }
    if let Some(stale) = &key.stale
        && sentences(answer).any(|span| {
            let sentence = answer.get(span).unwrap_or_default();
            stale.regex().is_match(sentence) && !excuses(replaced, sentence)
        })
    {
        return grade(Verdict::Fail, "states a replaced fact as current");
    }
    let missing: Vec<&str> = key
        .must
        .iter()
        .filter(|(_, pattern)| !pattern.regex().is_match(answer))
        .map(|(name, _)| name.as_str())
        .collect();
    if !missing.is_empty() {
        return grade(Verdict::Fail, &format!("missing: {}", missing.join(", ")));
    }
    grade(Verdict::Pass, if key.must.is_empty() { "leaks nothing" } else { "every required fact" })
}

fn excuses(replaced: Option<&Pattern>, sentence: &str) -> bool {
    replaced.is_some_and(|pattern| pattern.regex().is_match(sentence))
}

/// The sentences of a text as byte ranges: split after `.`, `!` or `?` before white space, and at line breaks.
pub fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    let mut done = false;
    std::iter::from_fn(move || {
        if done {
            return None;
        }
        while let Some((at, c)) = characters.next() {
            let next = characters.peek().copied();
            let ends = match c {
                '\n' | '\r' => true,
                '.' | '!' | '?' => next.is_some_and(|(_, next)| next.is_whitespace()),
                _ => false,
            };
            if ends {
                let sentence = start..at + c.len_utf8();
                start = sentence.end;
                return Some(sentence);
            }
        }
        done = true;
        (start < text.len()).then_some(start..text.len())
    })
}

/// What one pattern of a key did in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternMatch {
    /// Which part of the key: the name of a required fact, `stale` or `forgotten`.
    pub name: String,
    /// The pattern as it was written.
    pub pattern: String,
    /// What a match means.
    pub role: PatternRole,
    /// Where it matched, in bytes of the answer.
    pub spans: Vec<Range<usize>>,
    /// Of those, the matches in a sentence that marks the value as replaced.
    pub excused: Vec<Range<usize>>,
}

/// What a match of a key's pattern means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternRole {
    /// The answer must match.
    Must,
    /// The answer must not match, unless the sentence marks the value as replaced.
    Stale,
    /// The answer must not match.
    Forgotten,
}

/// Every pattern of the key with what it matched in the answer: the proof behind [`grade_answer`].
pub fn explain_answer(answer: &str, key: &AnswerKey, replaced: Option<&Pattern>) -> Vec<PatternMatch> {
    let all = |pattern: &Pattern| pattern.regex().find_iter(answer).map(|hit| hit.range()).collect::<Vec<_>>();
    let entry = |name: &str, pattern: &Pattern, role, spans| PatternMatch {
        name: name.to_owned(),
        pattern: pattern.source().to_owned(),
        role,
        spans,
        excused: Vec::new(),
    };
    let mut matches: Vec<PatternMatch> =
        key.must.iter().map(|(name, pattern)| entry(name, pattern, PatternRole::Must, all(pattern))).collect();
    if let Some(pattern) = &key.stale {
        let mut found = entry("stale", pattern, PatternRole::Stale, Vec::new());
        for span in sentences(answer) {
            let sentence = answer.get(span.clone()).unwrap_or_default();
            let hits = pattern.regex().find_iter(sentence).map(|hit| hit.start() + span.start..hit.end() + span.start);
            if excuses(replaced, sentence) {
                found.excused.extend(hits);
            } else {
                found.spans.extend(hits);
            }
        }
        matches.push(found);
    }
    if let Some(pattern) = &key.forgotten {
        matches.push(entry("forgotten", pattern, PatternRole::Forgotten, all(pattern)));
    }
    matches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(must: &[(&str, &str)], stale: Option<&str>, forgotten: Option<&str>) -> AnswerKey {
        let pattern = |text: &str| Pattern::new(text).unwrap();
        AnswerKey {
            must: must.iter().map(|(name, text)| ((*name).to_owned(), pattern(text))).collect(),
            stale: stale.map(pattern),
            forgotten: forgotten.map(pattern),
        }
    }

    fn grade(answer: &str, key: &AnswerKey) -> (Verdict, String) {
        let replaced = Pattern::new(r"\bnot\b|\bno longer\b").unwrap();
        let grade = grade_answer(answer, key, Some(&replaced));
        (grade.verdict, grade.reason)
    }

    #[test]
    fn the_order_of_the_rules() {
        let key = key(&[("MySQL", r"\bmysql\b"), ("billing", "billing")], Some(r"\bpostgres\b"), Some("rua nova"));
        let fail = |reason: &str| (Verdict::Fail, reason.to_owned());
        assert_eq!(grade(" \n", &key), (Verdict::Incomplete, "no answer".into()));
        assert_eq!(grade("Postgres at RUA NOVA", &key), fail("states a forgotten fact"));
        assert_eq!(grade("Billing uses Postgres and MySQL", &key), fail("states a replaced fact as current"));
        assert_eq!(grade("Neither.", &key), fail("missing: MySQL, billing"));
        assert_eq!(grade("Billing uses MySQL.", &key), (Verdict::Pass, "every required fact".into()));
    }

    #[test]
    fn a_replaced_fact_is_excused_only_in_its_own_sentence() {
        let key = key(&[("MySQL", "mysql")], Some("postgres"), None);
        assert_eq!(grade("Billing uses MySQL, not Postgres.", &key).0, Verdict::Pass);
        assert_eq!(grade("It is MySQL, not Oracle. Postgres serves billing.", &key).0, Verdict::Fail);
        assert_eq!(grade("MySQL, not Oracle\nPostgres", &key).0, Verdict::Fail);
        assert_eq!(grade("MySQL v5.not Postgres", &key).0, Verdict::Pass, "no white space, no new sentence");
    }

    #[test]
    fn a_key_without_musts_passes_when_nothing_leaks() {
        assert_eq!(grade("I do not know.", &key(&[], None, Some("P123"))).1, "leaks nothing");
    }

    #[test]
    fn sentences_cover_the_text() {
        for text in ["", "a", "a. b", "a.b! c?\n\nd", "a.\u{2003}b", "x\r\ny"] {
            let joined: String = sentences(text).filter_map(|span| text.get(span)).collect();
            assert_eq!(joined, text);
        }
        assert_eq!(sentences("a. b! c? d.e\nf").count(), 5);
    }

    #[test]
    fn matches_say_what_was_excused() {
        let key = key(&[], Some("postgres"), None);
        let replaced = Pattern::new("not").unwrap();
        let found = explain_answer("MySQL, not Postgres. Postgres!", &key, Some(&replaced));
        assert_eq!(found[0].excused, vec![11_usize..19]);
        assert_eq!(found[0].spans, vec![21_usize..29]);
    }
}
