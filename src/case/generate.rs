//! The rule behind the bundled `fixtures/cases.json`: three short conversations and one long replay.

use super::{CaseSet, Conversation, Event, Fact, LongReplay, Op, Question};

/// Turns of the long replay.
const TURNS: u64 = 200;
/// The facts quota of the bundled case set, in tokens.
const QUOTA: usize = 120;

/// The bundled case set, made anew.
pub fn bundled_cases() -> CaseSet {
    CaseSet {
        conversations: vec![alice(), bob(), chen()],
        long_replay: Some(LongReplay { user: "dana".into(), events: long_events(TURNS), sample_every: 20 }),
        facts_quota: QUOTA,
        warnings: Vec::new(),
    }
}

/// The case file as it is written: indented by two spaces, with a line break at its end.
///
/// # Errors
/// None of the types refuse to be written; the error is passed on all the same.
pub fn to_json(cases: &CaseSet) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(cases).map(|text| text + "\n")
}

/// The events of the long replay up to and including `turns`.
///
/// Turn 1 sets the budget. After that every turn divisible by 50 forgets a note, else every turn divisible by 20 changes
/// the budget, else every turn divisible by 5 adds a note.
pub fn long_events(turns: u64) -> Vec<Event> {
    let mut events = vec![event(1, "The budget is 100 euros.", Op::Remember, "budget")];
    for turn in 2..=turns {
        let note = turn / 5;
        if turn % 50 == 0 {
            let note = note - 9;
            events.push(event(turn, &format!("Please forget note {note}."), Op::Forget, &format!("note-{note}")));
        } else if turn % 20 == 0 {
            let euros = 100 + turn;
            events.push(event(turn, &format!("Change the budget to {euros} euros."), Op::Correct, "budget"));
        } else if turn % 5 == 0 {
            let text = format!("Note {note}: a detail the user mentioned at turn {turn}.");
            events.push(event(turn, &text, Op::Remember, &format!("note-{note}")));
        }
    }
    events
}

/// A case set of any size, for measuring: `users` conversations like the bundled ones, each with `events` events and
/// `questions` questions. A third of the questions need a fact that a later correction replaced, a few a forgotten one.
pub fn scaled(users: usize, events: usize, questions: usize) -> CaseSet {
    let conversations = (0..users).map(|user| scaled_conversation(user, events, questions)).collect();
    CaseSet { conversations, long_replay: None, facts_quota: QUOTA, warnings: Vec::new() }
}

fn scaled_conversation(user: usize, events: usize, questions: usize) -> Conversation {
    const THINGS: [&str; 8] = ["budget", "hotel", "laptop", "manager", "diet", "database", "rotation", "address"];
    let thing = |index: usize| THINGS.get(index % THINGS.len()).copied().unwrap_or_default();
    let name = |index: usize| format!("{}-{}", thing(index), index / THINGS.len());
    let events = (0..events)
        .map(|index| {
            let turn = index as u64 + 1;
            // Every fifth event corrects the one before it, every twenty-fifth forgets it.
            match (index % 5, index % 25) {
                (4, 24) => event(turn, &format!("Please forget my {}.", name(index - 1)), Op::Forget, &name(index - 1)),
                (4, _) => {
                    let text = format!("Change my {} to value {index}.", name(index - 1));
                    event(turn, &text, Op::Correct, &name(index - 1))
                }
                _ => event(turn, &format!("My {} is value {index}.", name(index)), Op::Remember, &name(index)),
            }
        })
        .collect::<Vec<_>>();
    let questions = (0..questions)
        .map(|index| {
            let about = index * 7 % events.len().max(1);
            // Who asks and which request it is: no text is asked twice, by one user or by two.
            let text = format!("What is my {}? This is request {} of user {user}.", name(about), index + 1);
            let fact = |event: usize| events.get(event).map(|event: &Event| event.text.clone()).unwrap_or_default();
            let (required, stale, forgotten) = match (about % 5, about % 25) {
                (3, 23) => (Vec::new(), Vec::new(), vec![fact(about)]),
                (3, _) if about + 1 < events.len() => (vec![fact(about + 1)], vec![fact(about)], Vec::new()),
                _ => (vec![fact(about)], Vec::new(), Vec::new()),
            };
            let facts = |texts: Vec<String>| texts.into_iter().map(Fact::Text).collect();
            let id = format!("user-{user}/{}", index + 1);
            Question {
                id,
                required: facts(required),
                stale: facts(stale),
                forgotten: facts(forgotten),
                ..question(&text, &[], &[], &[])
            }
        })
        .collect();
    Conversation { user: format!("user-{user}"), events, questions }
}

fn alice() -> Conversation {
    Conversation {
        user: "alice".into(),
        events: vec![
            event(3, "I am vegetarian.", Op::Remember, "diet"),
            event(5, "The budget is 150 euros per night.", Op::Remember, "budget"),
            event(8, "We are going to Porto.", Op::Remember, "city"),
            event(12, "My passport number is P1234567.", Op::Remember, "passport"),
            event(15, "We travel from 3 to 6 November.", Op::Remember, "dates"),
            event(18, "I want a hotel near the river.", Op::Remember, "hotel-area"),
            event(22, "Raise the budget to 180 euros per night.", Op::Correct, "budget"),
            event(31, "I eat fish now, but still no meat.", Op::Correct, "diet"),
            event(35, "Please forget my passport number.", Op::Forget, "passport"),
            event(40, "Move the trip to 10 to 13 November.", Op::Correct, "dates"),
            event(44, "Bob will join us on the second day.", Op::Remember, "attendee"),
        ],
        questions: vec![
            question("What should I eat for dinner?", &["fish now"], &["I am vegetarian."], &[]),
            question(
                "What is the budget per night for the hotel?",
                &["180 euros per night"],
                &["150 euros per night"],
                &[],
            ),
            question(
                "When do we travel to Porto?",
                &["10 to 13 November", "going to Porto"],
                &["3 to 6 November"],
                &[],
            ),
            question("Can you fill in my passport number on the form?", &[], &[], &["P1234567"]),
        ],
    }
}

fn bob() -> Conversation {
    Conversation {
        user: "bob".into(),
        events: vec![
            event(2, "My laptop runs Linux.", Op::Remember, "laptop-os"),
            event(4, "I need a standing desk.", Op::Remember, "desk"),
            event(7, "My home address is 12 Rua Nova.", Op::Remember, "address"),
            event(11, "I switched to macOS last week.", Op::Correct, "laptop-os"),
            event(14, "I start work at 8 in the morning.", Op::Remember, "schedule"),
            event(19, "Please delete my home address.", Op::Forget, "address"),
            event(23, "My manager is Priya.", Op::Remember, "manager"),
        ],
        questions: vec![
            question("Which operating system should the laptop setup guide cover?", &["macOS"], &["runs Linux"], &[]),
            question("Who approves my desk order?", &["manager is Priya", "standing desk"], &[], &[]),
            question("Where should the welcome package be sent?", &[], &[], &["12 Rua Nova"]),
        ],
    }
}

fn chen() -> Conversation {
    Conversation {
        user: "chen".into(),
        events: vec![
            event(1, "I prefer answers in short bullet points.", Op::Remember, "answer-style"),
            event(6, "My team uses PostgreSQL for the billing service.", Op::Remember, "database"),
            event(9, "The on-call rotation changes every Monday.", Op::Remember, "rotation"),
            event(13, "We moved billing to MySQL, not PostgreSQL.", Op::Correct, "database"),
            event(17, "I am allergic to peanuts.", Op::Remember, "allergy"),
        ],
        questions: vec![
            question(
                "Which database does the billing service use?",
                &["moved billing to MySQL"],
                &["uses PostgreSQL for the billing"],
                &[],
            ),
            question("Order snacks for the team meeting.", &["allergic to peanuts"], &[], &[]),
            question("When does on-call change?", &["changes every Monday"], &[], &[]),
        ],
    }
}

fn event(turn: u64, text: &str, op: Op, attribute: &str) -> Event {
    Event { turn, text: text.into(), op, attribute: attribute.into(), id: None, speaker: None, at: None }
}

fn question(question: &str, required: &[&str], stale: &[&str], forgotten: &[&str]) -> Question {
    let facts = |texts: &[&str]| texts.iter().map(|&text| Fact::Text(text.to_owned())).collect();
    Question {
        id: String::new(),
        question: question.into(),
        required: facts(required),
        stale: facts(stale),
        forgotten: facts(forgotten),
        ..Question::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_equals_the_fixture() {
        assert_eq!(to_json(&bundled_cases()).unwrap(), include_str!("../../fixtures/cases.json"));
    }

    #[test]
    fn no_scaled_question_is_asked_twice() {
        let cases = scaled(3, 20, 40);
        let texts: std::collections::HashSet<&str> =
            cases.questions().map(|(_, question)| question.question.as_str()).collect();
        assert_eq!(texts.len(), cases.question_count());
    }
}
