//! Made data of the shape of LongMemEval, of any size, for measuring how fast it is read.

use std::io::{self, Write};

use serde_json::json;

/// Sessions of each haystack, as in LongMemEval's smaller variant.
pub const SESSIONS: usize = 50;
/// Turns of each session.
pub const TURNS: usize = 10;
/// Words of a turn on average: five hundred questions make a file of 280 MB.
const WORDS: usize = 212;

const VOCABULARY: &str = "\
    the a of to and in that it for was on with as you be at this have from or by not but what we when your can \
    there each which their recipe garden museum budget morning camera travel library concert project teacher \
    kitchen bicycle weather language festival painting mountain breakfast schedule birthday marathon apartment \
    telescope insurance vegetarian yesterday recommend interesting definitely conversation \"quoted\"";

/// Numbers that look random and are the same on each machine (SplitMix64).
struct Random {
    state: u64,
    vocabulary: Vec<&'static str>,
}

impl Random {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).unwrap_or_default()
    }

    fn words(&mut self, count: usize) -> String {
        let mut text = String::with_capacity(count * 6);
        for place in 0..count {
            // Small words are frequent, as they are in English.
            let range = if self.below(3) == 0 { self.vocabulary.len() } else { 32 };
            let chosen = self.below(range);
            let word = self.vocabulary.get(chosen).copied().unwrap_or_default();
            if place > 0 {
                text.push(' ');
            }
            text.push_str(word);
            if self.below(14) == 0 {
                text.push_str(if self.below(4) == 0 { ".\n" } else { "." });
            }
        }
        text
    }
}

/// Writes a list of so many questions with a haystack each. The same number makes the same bytes.
///
/// # Errors
/// `out` cannot be written.
pub fn longmemeval(questions: usize, out: &mut dyn Write) -> io::Result<()> {
    const KINDS: [&str; 6] = [
        "single-session-user",
        "multi-session",
        "knowledge-update",
        "temporal-reasoning",
        "single-session-assistant",
        "single-session-preference",
    ];
    let mut random = Random { state: 1, vocabulary: VOCABULARY.split(' ').collect() };
    out.write_all(b"[")?;
    for number in 0..questions {
        let kind = KINDS.get(number % KINDS.len()).copied().unwrap_or_default();
        let abstain = if number % 17 == 16 { "_abs" } else { "" };
        let answers = [random.below(SESSIONS / 2), SESSIONS / 2 + random.below(SESSIONS / 2)];
        let id = |session: usize| {
            if answers.contains(&session) {
                format!("answer_{number}_{session}")
            } else {
                format!("chat_{number}_{session}")
            }
        };
        let sessions: Vec<Vec<serde_json::Value>> = (0..SESSIONS)
            .map(|session| {
                let turn = |turn: usize| {
                    let (role, count) =
                        if turn.is_multiple_of(2) { ("user", WORDS / 2) } else { ("assistant", WORDS * 3 / 2) };
                    let count = count / 2 + 1 + random.below(count);
                    let content = random.words(count);
                    let flagged = answers.contains(&session) && turn == 2;
                    json!({ "role": role, "content": content, "has_answer": flagged })
                };
                (0..TURNS).map(turn).collect()
            })
            .collect();
        let date = |session: usize| {
            format!("2023/{:02}/{:02} (Mon) {:02}:15", 1 + session / 28, 1 + session % 28, 8 + session % 12)
        };
        let entry = json!({
            "question_id": format!("made_{number}{abstain}"),
            "question_type": kind,
            "question": format!("What did I say about the {}?", random.words(6)),
            "answer": random.words(3),
            "question_date": "2023/12/24 (Sun) 18:00",
            "haystack_session_ids": (0..SESSIONS).map(id).collect::<Vec<_>>(),
            "haystack_dates": (0..SESSIONS).map(date).collect::<Vec<_>>(),
            "haystack_sessions": sessions,
            "answer_session_ids": answers.map(id),
        });
        out.write_all(if number == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, &entry)?;
    }
    out.write_all(b"\n]\n")
}
