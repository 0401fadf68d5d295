//! Number words and digits as one.

/// The words from zero to twelve, in order.
const SMALL: &[&str] =
    &["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// Further number words.
const LARGER: &[(&str, u32)] = &[
    ("thirteen", 13),
    ("fourteen", 14),
    ("fifteen", 15),
    ("sixteen", 16),
    ("seventeen", 17),
    ("eighteen", 18),
    ("nineteen", 19),
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("once", 1),
    ("twice", 2),
    ("first", 1),
    ("second", 2),
    ("third", 3),
    ("fourth", 4),
    ("fifth", 5),
    ("sixth", 6),
    ("seventh", 7),
];

/// The number that a lower-case word or a run of digits (`10`, `10th`) names.
pub fn value(word: &str) -> Option<u32> {
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let suffix = word.strip_prefix(digits).unwrap_or_default();
        return matches!(suffix, "" | "st" | "nd" | "rd" | "th").then(|| digits.parse().ok()).flatten();
    }
    let small = SMALL.iter().position(|name| *name == word).and_then(|place| u32::try_from(place).ok());
    small.or_else(|| LARGER.iter().find(|(name, _)| *name == word).map(|(_, value)| *value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_digits_and_ordinals() {
        assert_eq!(value("three"), Some(3));
        assert_eq!(value("10th"), Some(10));
        assert_eq!(value("2023"), Some(2023));
        assert_eq!(value("twice"), Some(2));
        assert_eq!(value("40s"), None);
        assert_eq!(value("3d"), None);
        assert_eq!(value("manager"), None);
    }
}
