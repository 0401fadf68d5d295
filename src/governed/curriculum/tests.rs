use super::*;
use crate::governed::{CaseUse, Rule};

fn bundled() -> Curricula {
    Curricula::load(&crate::bundled::governed()).unwrap()
}

/// A file with one curriculum, on a line of its own, some of it replaced.
fn load(from: &str, to: &str) -> Result<Curricula, String> {
    let input = r#"{"base": [["crash", "FIX"]], "otherwise": "ALL", "episodes": 2, "train": [[["a", "b"], "X"]], "held_out": [[["a", "b", "c"], "X"]], "negatives": []}"#;
    assert!(from.is_empty() || input.contains(from), "{from}");
    let input = input.replacen(from, to, 1);
    read(&format!("{{\"scenarios\": [\n{{\"name\": \"one\", \"input\":\n{input}}}]}}"))
}

fn read(text: &str) -> Result<Curricula, String> {
    Curricula::load(&Source::new("c.json", text)).map_err(|error| error.to_string())
}

#[test]
fn the_bundled_curricula_are_read_and_hold() {
    let read = bundled();
    let names: Vec<&str> = read.curricula.iter().map(|curriculum| curriculum.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "lessons earn promotion",
            "support of two on thin evidence",
            "the same case twice is no support",
            "support of two on enough evidence",
            "simple gate, a lesson that breaks solved cases",
            "regression gate"
        ]
    );
    for curriculum in &read.curricula {
        assert_eq!(curriculum.holds(&curriculum.run()), Some(true), "{}", curriculum.name);
    }
    let rollbacks: Vec<(&str, usize)> =
        read.curricula.iter().map(|curriculum| (curriculum.name.as_str(), curriculum.rollbacks.len())).collect();
    assert_eq!(rollbacks.iter().map(|(_, count)| count).sum::<usize>(), 1);
    assert_eq!(rollbacks.first(), Some(&("lessons earn promotion", 1)));
}

#[test]
fn a_file_of_ones_own_needs_nothing_but_scenarios() {
    let read = load("", "").unwrap();
    let curriculum = read.find("one").unwrap();
    assert_eq!((curriculum.episodes, curriculum.curriculum.support), (2, 1));
    assert_eq!(curriculum.curriculum.regression, None);
    let run = curriculum.run();
    assert_eq!((run.curve.as_slice(), curriculum.holds(&run)), ([0.0, 1.0].as_slice(), None));
    assert_eq!(load("}", ", \"regression\": [], \"support\": 2}").unwrap().curricula[0].curriculum.support, 2);
}

#[test]
fn what_is_wrong_in_a_curriculum_is_told_with_its_place() {
    for (from, to, said) in [
        (
            r#""episodes": 2"#,
            r#""episodes": "two""#,
            "c.json:3:62: `one`: input.episodes: found string \"two\", expected a whole number",
        ),
        (
            r#""episodes": 2"#,
            r#""episodes": -1"#,
            "input.episodes: found integer `-1`, expected a whole number of at least 0",
        ),
        (
            r#""episodes": 2"#,
            r#""episodes": 0"#,
            "c.json:3:62: `one`: input.episodes: found 0, expected a number of passes from 1 to 1000",
        ),
        (
            r#""episodes": 2"#,
            r#""episodes": 1001"#,
            "input.episodes: found 1001, expected a number of passes from 1 to 1000",
        ),
        (r#""train""#, r#""trian""#, "`one`: input.trian: unknown field `trian`, expected one of"),
        (r#""episodes": 2, "#, "", "c.json:3:1: `one`: input: missing field `episodes`"),
        (r#""episodes": 2"#, r#""episodes": 2, "episodes": 3"#, "input: found `episodes` twice, expected it once"),
        (r#"[["a", "b"], "X"]"#, r#"[["a", "b"]]"#, "c.json:3:75: `one`: input.train[0]: found a list of 1"),
        (r#"[["a", "b"], "X"]"#, r#"["a", "b"]"#, "input.train[0][0]: found string \"a\", expected a list"),
        (
            r#"[["a", "b"], "X"]"#,
            r#"[["a", 2], "X"]"#,
            "input.train[0][0][1]: found integer `2`, expected a text in quotes",
        ),
        (r#"[["a", "b"], "X"]"#, r#"[["a", ""], "X"]"#, "input.train[0][0]: found an empty keyword, expected words"),
        (r#"[["a", "b"], "X"]"#, r#"[["a", "b"], ""]"#, "input.train[0][1]: found an empty text, expected a route"),
        (r#"[["a", "b"], "X"]"#, "", "input.train: found no case, expected at least one"),
        (r#"["crash", "FIX"]"#, r#"["crash", ""]"#, "input.base[0][1]: found an empty text, expected a route"),
        (
            r#"["crash", "FIX"]"#,
            r#"["crash", "FIX"], ["crash", "Y"]"#,
            "input.base[1]: found a second rule for `crash`, which never fires",
        ),
        (r#""ALL""#, r#""""#, "input.otherwise: found an empty text, expected a route"),
        (
            r#""negatives": []"#,
            r#""negatives": [], "support": 0"#,
            "input.support: found 0, expected at least 1 held-out case",
        ),
        (
            r#""negatives": []"#,
            r#""negatives": [], "regression": [[["", "x"], "y"]]"#,
            "input.regression[0][0]: found an empty keyword",
        ),
    ] {
        let error = load(from, to).unwrap_err();
        assert!(error.contains(said), "{from} → {to}:\n{error}\n{said}");
        assert!(error.starts_with("c.json:3:") && error.contains("`one`: "), "{error}");
    }
}

#[test]
fn what_is_wrong_in_a_file_is_told_with_its_place() {
    let scenario = |rest: &str| format!("{{\"scenarios\": [{{\"name\": \"one\", {rest}}}]}}");
    for (text, said) in [
        ("", "c.json:1:1: found nothing, expected an object"),
        ("[]", "c.json:1:1: found a list, expected an object"),
        ("{\"scenarios\": [", "c.json:1:15: the JSON ends too early"),
        (
            "{\"scenarios\": []}",
            "c.json:1:15: found no curriculum, expected at least one scenario with an `input.train`",
        ),
        ("{\"scenario\": []}", "unknown field `scenario`"),
        (&scenario("\"steps\": []"), "found no curriculum"),
        (&scenario("\"input\": [1, 2]"), "found no curriculum"),
        (
            &scenario("\"input\": {\"rolled_back\": [[\"a\"], \"X\"], \"cases\": []}"),
            "`one`: found a rollback before any curriculum",
        ),
        (&scenario("\"inputs\": {}"), "unknown field `inputs`"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(said), "{text}: {error}");
    }
    let twice = load("}", "}}, {\"name\": \"one\", \"input\": {}").unwrap_err();
    assert!(twice.contains("`one`: found this name a second time, expected each name once"), "{twice}");
    let back =
        "}}, {\"name\": \"back\", \"expect\": [\"X\"], \"input\": {\"rolled_back\": [[\"a\"], \"X\"], \"cases\": []}";
    let uneven = load("}", back).unwrap_err();
    assert!(uneven.contains("`back`: found 1 routes, expected one for each of the 0 cases"), "{uneven}");
}

#[test]
fn an_expectation_that_does_not_hold_is_seen() {
    let mut curriculum = bundled().curricula.into_iter().next().unwrap();
    let run = curriculum.run();
    curriculum.expected.as_mut().unwrap().curve[0] = 0.25;
    assert_eq!(curriculum.holds(&run), Some(false));
}

#[test]
fn a_rollback_is_rehearsed_without_changing_the_policy() {
    let first = bundled().curricula.into_iter().next().unwrap();
    let policy = first.run().policy;
    let back = &first.rollbacks[0];
    let rehearsal = first.curriculum.rehearse_rollback(&policy, &back.lesson).unwrap();
    assert_eq!((policy.lessons.len(), rehearsal.policy.lessons.len()), (3, 2));
    let changed: Vec<(String, &str, &str, &str)> = rehearsal
        .rerouted
        .iter()
        .map(|one| (one.used.case.words(), one.used.uses_in_words(), one.before.as_str(), one.after.as_str()))
        .map(|(words, uses, before, after)| (format!("{words} ({uses})"), before, after, ""))
        .collect();
    assert_eq!(
        changed,
        [
            ("fraud refund (train)".to_owned(), "FRAUD", "BILLING", ""),
            ("eu fraud refund (held-out)".to_owned(), "FRAUD", "BILLING", "")
        ]
    );
    assert_eq!((rehearsal.broken(), rehearsal.mended()), (2, 0));
    assert!(rehearsal.again.promotes(), "the next pass would promote it again");
    let unknown = Lesson { route: "OTHER".into(), ..back.lesson.clone() };
    assert_eq!(first.curriculum.rehearse_rollback(&policy, &unknown), None);
    // Taking back the lesson that broke solved cases mends more than it breaks.
    let simple = bundled().curricula.into_iter().find(|one| one.name.starts_with("simple gate")).unwrap();
    let policy = simple.run().policy;
    let harmful = policy.lessons.last().unwrap().clone();
    let rehearsal = simple.curriculum.rehearse_rollback(&policy, &harmful).unwrap();
    assert_eq!((rehearsal.broken(), rehearsal.mended()), (1, 2));
}

#[test]
fn a_case_of_several_lists_is_one_case() {
    let last = bundled().curricula.into_iter().last().unwrap();
    let cases = last.curriculum.used_cases();
    let refund = cases.iter().find(|used| used.case.words() == "refund").unwrap();
    assert_eq!(refund.uses_in_words(), "train, negative, regression");
    assert_eq!(cases.iter().filter(|used| used.uses.contains(&CaseUse::HeldOut)).count(), 6);
    assert_eq!(cases.len(), 15);
}

#[test]
fn the_rule_that_decides_is_named() {
    let simple = bundled().curricula.into_iter().find(|one| one.name.starts_with("simple gate")).unwrap();
    let policy = simple.run().policy;
    let rule = |text: &str| {
        let keywords = text.split_whitespace().map(str::to_owned).collect();
        let rule = policy.rule(&keywords);
        (rule.to_string(), rule.route().to_owned())
    };
    let pair = |rule: &str, route: &str| (rule.to_owned(), route.to_owned());
    assert_eq!(rule("crash vip"), pair("lesson vip", "PRIORITY"));
    assert_eq!(rule("password vip"), pair("lesson password vip", "PRIORITY"));
    assert_eq!(rule("crash"), pair("base crash", "ENGINEERING"));
    assert_eq!(rule("hello"), pair("otherwise", "GENERAL"));
    assert!(matches!(policy.rule(&["crash".to_owned()].into()), Rule::Base { keyword: "crash", .. }));
    let order: Vec<String> = policy.most_specific_first().iter().map(|lesson| lesson.words()).collect();
    assert_eq!(order, ["fraud refund", "crash security", "password vip", "vip"]);
}

#[test]
fn a_blocked_lesson_says_which_bars_it_failed() {
    let failures = |name: &str, at: usize| {
        let curriculum = bundled().curricula.into_iter().find(|one| one.name.starts_with(name)).unwrap();
        curriculum.run().log[at].trial.failures()
    };
    assert_eq!(failures("support of two on thin", 0), ["1 distinct held-out of 2 needed"]);
    assert_eq!(failures("the same case twice", 0), ["1 distinct held-out of 2 needed"]);
    assert_eq!(failures("regression gate", 3), ["2 solved case broken"]);
    assert_eq!(failures("simple gate", 4), ["no held-out case confirms it"]);
    assert_eq!(failures("simple gate", 0), Vec::<String>::new());
}
