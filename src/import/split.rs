//! Where the elements of a list or the lines of a file begin and end, found without parsing them.

/// What stands between the elements of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    /// The file is one JSON list.
    Commas,
    /// Each element has a line of its own (JSONL).
    LineBreaks,
}

/// Finds elements in a text that comes in pieces.
pub(super) struct Splitter {
    between: Between,
    state: State,
    /// Where the element begins that was not seen to its end; in the bytes that are kept from the last piece on.
    start: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the list's opening bracket.
    Before,
    /// Before an element; the end is allowed where none came yet.
    Element { first: bool },
    /// In a text or a list or an object of an element, this deep.
    Nested { depth: usize, in_text: bool, escaped: bool },
    /// In a number or a word of an element.
    Word,
    /// Behind an element.
    Comma,
    /// Behind the list.
    After,
}

/// Where a text is broken, and how.
pub(super) type Broken = (usize, String);

impl Splitter {
    pub(super) fn new(between: Between) -> Self {
        Self { between, state: State::Before, start: 0 }
    }

    /// From where on the bytes are needed for the next piece, which begins with them.
    pub(super) fn keep_from(&mut self, end: usize) -> usize {
        let open = matches!(self.state, State::Nested { .. } | State::Word) || self.between == Between::LineBreaks;
        let from = if open { self.start.min(end) } else { end };
        self.start = 0;
        from
    }

    /// Looks at the bytes from `scanned` on and adds the elements that end there.
    pub(super) fn feed(
        &mut self,
        bytes: &[u8],
        scanned: usize,
        at_end: bool,
        found: &mut Vec<(usize, usize)>,
    ) -> Result<(), Broken> {
        match self.between {
            Between::Commas => self.list(bytes, scanned, at_end, found),
            Between::LineBreaks => {
                self.lines(bytes, scanned, at_end, found);
                Ok(())
            }
        }
    }

    fn lines(&mut self, bytes: &[u8], scanned: usize, at_end: bool, found: &mut Vec<(usize, usize)>) {
        let fresh = bytes.get(scanned..).unwrap_or_default();
        let ends = memchr::memchr_iter(b'\n', fresh).map(|at| scanned + at);
        for end in ends.chain(at_end.then_some(bytes.len())) {
            let line = bytes.get(self.start..end).unwrap_or_default();
            if !line.trim_ascii().is_empty() {
                let before = line.len() - line.trim_ascii_start().len();
                let after = line.len() - line.trim_ascii_end().len();
                found.push((self.start + before, end - after));
            }
            self.start = end + 1;
        }
    }

    fn list(
        &mut self,
        bytes: &[u8],
        scanned: usize,
        at_end: bool,
        found: &mut Vec<(usize, usize)>,
    ) -> Result<(), Broken> {
        let mut at = scanned;
        while let Some(&byte) = bytes.get(at) {
            match self.state {
                State::Nested { depth, in_text, escaped } => {
                    at = self.nested(bytes, at, (depth, in_text, escaped), found);
                    continue;
                }
                State::Word if matches!(byte, b',' | b']' | b' ' | b'\t' | b'\r' | b'\n') => {
                    found.push((self.start, at));
                    self.state = State::Comma;
                    continue;
                }
                State::Word => {}
                _ if byte.is_ascii_whitespace() => {}
                _ => self.outside(bytes, byte, at)?,
            }
            at += 1;
        }
        if at_end && self.state != State::After {
            return Err((bytes.len(), "the JSON ends too early, expected its closing quote or bracket".to_owned()));
        }
        Ok(())
    }

    /// One byte outside of the elements that is not white space.
    fn outside(&mut self, bytes: &[u8], byte: u8, at: usize) -> Result<(), Broken> {
        let expected = match (self.state, byte) {
            (State::Before, b'[') => {
                self.state = State::Element { first: true };
                return Ok(());
            }
            (State::Element { first: true } | State::Comma, b']') => {
                self.state = State::After;
                return Ok(());
            }
            (State::Comma, b',') => {
                self.state = State::Element { first: false };
                return Ok(());
            }
            (State::Element { .. }, b'{' | b'[' | b'"') => {
                self.start = at;
                let in_text = byte == b'"';
                self.state = State::Nested { depth: usize::from(!in_text), in_text, escaped: false };
                return Ok(());
            }
            (State::Element { .. }, b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
                self.start = at;
                self.state = State::Word;
                return Ok(());
            }
            (State::Before, _) => "a list",
            (State::Element { .. }, _) => "a value",
            (State::Comma, _) => "`,` or `]`",
            _ => "the end",
        };
        let shown = String::from_utf8_lossy(bytes.get(at..(at + 4).min(bytes.len())).unwrap_or_default());
        let shown: String = shown.chars().take(1).collect();
        Err((at, format!("this is not JSON: found `{shown}`, expected {expected}")))
    }

    /// Runs through an element up to its end or the end of the bytes. Returns how far it came.
    fn nested(
        &mut self,
        bytes: &[u8],
        from: usize,
        (mut depth, mut in_text, mut escaped): (usize, bool, bool),
        found: &mut Vec<(usize, usize)>,
    ) -> usize {
        let mut at = from;
        loop {
            if escaped {
                escaped = false;
                at += 1;
            }
            if in_text {
                let rest = bytes.get(at..).unwrap_or_default();
                let Some(hit) = memchr::memchr2(b'"', b'\\', rest) else { break };
                escaped = rest.get(hit) == Some(&b'\\');
                at += hit + 1;
                if escaped {
                    if at >= bytes.len() {
                        break;
                    }
                    continue;
                }
                in_text = false;
                if depth == 0 {
                    return self.ended(at, found);
                }
            }
            let Some(&byte) = bytes.get(at) else { break };
            at += 1;
            match byte {
                b'"' => in_text = true,
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return self.ended(at, found);
                    }
                }
                _ => {}
            }
        }
        self.state = State::Nested { depth, in_text, escaped };
        bytes.len()
    }

    fn ended(&mut self, at: usize, found: &mut Vec<(usize, usize)>) -> usize {
        found.push((self.start, at));
        self.state = State::Comma;
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The elements of a text that comes in pieces of so many bytes.
    fn split(text: &str, between: Between, piece: usize) -> Result<Vec<String>, Broken> {
        let mut splitter = Splitter::new(between);
        let mut kept: Vec<u8> = Vec::new();
        let mut all = Vec::new();
        let pieces: Vec<&[u8]> = text.as_bytes().chunks(piece.max(1)).collect();
        let count = pieces.len().max(1);
        for number in 0..count {
            let scanned = kept.len();
            kept.extend_from_slice(pieces.get(number).copied().unwrap_or_default());
            let mut found = Vec::new();
            splitter.feed(&kept, scanned, number + 1 == count, &mut found)?;
            all.extend(found.iter().map(|(start, end)| String::from_utf8(kept[*start..*end].to_vec()).unwrap()));
            let cut = splitter.keep_from(kept.len());
            kept.drain(..cut);
        }
        Ok(all)
    }

    #[test]
    fn a_quote_or_bracket_in_a_text_ends_nothing() {
        let text = r#" [ {"a": "]}\"\\"}, "x,y", -1.5e3 ,[[]] , null]  "#;
        for piece in 1..text.len() {
            let found = split(text, Between::Commas, piece).unwrap();
            assert_eq!(found, [r#"{"a": "]}\"\\"}"#, r#""x,y""#, "-1.5e3", "[[]]", "null"], "pieces of {piece}");
        }
        assert_eq!(split("[]", Between::Commas, 1).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn what_is_wrong_between_elements_has_a_place() {
        let broken = |text: &str| split(text, Between::Commas, 100).unwrap_err();
        assert_eq!(broken("[1 2]"), (3, "this is not JSON: found `2`, expected `,` or `]`".to_owned()));
        assert_eq!(broken("[1,]"), (3, "this is not JSON: found `]`, expected a value".to_owned()));
        assert_eq!(broken("[] é"), (3, "this is not JSON: found `é`, expected the end".to_owned()));
        assert_eq!(broken("[{\"a\": 1}").1, "the JSON ends too early, expected its closing quote or bracket");
        assert_eq!(broken("[{\"a").1, "the JSON ends too early, expected its closing quote or bracket");
    }

    #[test]
    fn blank_lines_and_carriage_returns_are_no_elements() {
        for piece in 1..20 {
            assert_eq!(
                split("\n{\"a\":1}\r\n \n{}\n[2]", Between::LineBreaks, piece).unwrap(),
                ["{\"a\":1}", "{}", "[2]"]
            );
        }
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<i32>().prop_map(serde_json::Value::from),
            "[\\PC\"\\\\\\[\\]{},\n]{0,12}".prop_map(serde_json::Value::from),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
                proptest::collection::vec(("[a-z\"\\\\]{0,3}", inner), 0..4)
                    .prop_map(|members| members.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn elements_are_those_of_a_parser(list in proptest::collection::vec(json(), 0..6), piece in 1_usize..40, pretty: bool) {
            let whole = serde_json::Value::from(list.clone());
            let text = if pretty { format!("{whole:#}") } else { whole.to_string() };
            let found = split(&text, Between::Commas, piece).unwrap();
            let parsed: Vec<serde_json::Value> = found.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
            prop_assert_eq!(parsed, list);
        }
    }
}
