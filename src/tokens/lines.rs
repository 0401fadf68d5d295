use std::collections::HashMap;

use super::TokenCounter;

/// The tokens of each line of a text, empty lines too (0); no line for an empty text.
///
/// A line ends with `\n` or `\r\n`, which is not counted; a final line end begins no further line. A
/// `\r` elsewhere belongs to its line. Each line is counted by itself and each distinct line once. The
/// sum is therefore what the lines cost one by one, not what the text costs as a whole: that has its
/// line breaks, and runs of them are tokens of their own.
pub fn count_lines(text: &str, counter: &(impl TokenCounter + ?Sized)) -> Vec<usize> {
    let mut counted = HashMap::new();
    text.lines().map(|line| *counted.entry(line).or_insert_with(|| counter.count(line))).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Counts bytes and notes what it was asked.
    #[derive(Default)]
    struct Asked(Mutex<Vec<String>>);

    impl TokenCounter for Asked {
        fn name(&self) -> &str {
            "bytes"
        }

        fn count(&self, text: &str) -> usize {
            self.0.lock().unwrap().push(text.to_owned());
            text.len()
        }
    }

    fn lengths(text: &str) -> Vec<usize> {
        count_lines(text, &Asked::default())
    }

    #[test]
    fn line_ends_are_not_counted_and_empty_lines_are() {
        assert_eq!(lengths(""), [0; 0]);
        assert_eq!(lengths("\n"), [0]);
        assert_eq!(lengths("abc"), [3]);
        assert_eq!(lengths("abc\n"), [3]);
        assert_eq!(lengths("abc\n\nd"), [3, 0, 1]);
        assert_eq!(lengths("\n\n\n"), [0, 0, 0]);
    }

    #[test]
    fn a_carriage_return_belongs_to_the_line_end_only_before_a_line_feed() {
        assert_eq!(lengths("abc\r\nd\r\n"), [3, 1]);
        assert_eq!(lengths("\r\n\r\n"), [0, 0]);
        assert_eq!(lengths("a\rb\r\r\n"), [4]);
        assert_eq!(lengths("abc\r"), [4]);
    }

    #[test]
    fn each_distinct_line_is_counted_once() {
        let counter = Asked::default();
        let dynamic: &dyn TokenCounter = &counter;
        assert_eq!(count_lines("a\nbb\na\r\n\nbb\n\n", dynamic), [1, 2, 1, 0, 2, 0]);
        assert_eq!(*counter.0.lock().unwrap(), ["a", "bb", ""]);
    }
}
