//! The tokens that reads are scored by and that the comparison's budget counts: case-folded runs of `[a-z0-9]`.
//!
//! Text in another script has no token, so it is not found by its words: a limit of the rule, which a read names
//! ([`super::Abstention::NoToken`]).

use std::collections::BTreeSet;

/// The distinct tokens of a text.
pub fn tokens(text: &str) -> BTreeSet<String> {
    runs(&fold(text)).map(str::to_owned).collect()
}

/// Calls `each` with every token of a text, repeated ones included.
pub fn for_each_token(text: &str, each: impl FnMut(&str)) {
    runs(&fold(text)).for_each(each);
}

/// The number of tokens of a text, repeated ones included.
pub fn count(text: &str) -> usize {
    runs(&fold(text)).count()
}

fn runs(folded: &str) -> impl Iterator<Item = &str> {
    folded.split(|c: char| !c.is_ascii_alphanumeric()).filter(|run| !run.is_empty())
}

/// Unicode's full case folding where it can yield a letter of a token: `ß` is `ss`, `K` (Kelvin) is `k`. Through the upper
/// case, since the lower case alone leaves `ß`, `ſ` and ligatures; the dotless i folds to itself.
fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            'ı' => folded.push(character),
            _ => folded.extend(character.to_uppercase().flat_map(char::to_lowercase)),
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_folded_runs() {
        let of = |text: &str| tokens(text).into_iter().collect::<Vec<_>>();
        assert_eq!(of("Where is my HOME-city, home?"), ["city", "home", "is", "my", "where"]);
        assert_eq!(of("Straße \u{212A}9 ﬁn"), ["fin", "k9", "strasse"]);
        assert_eq!(of("город ı"), Vec::<String>::new());
        assert_eq!(count("home home"), 2);
    }
}
