//! How far the rules that grade by the published answer agree with LoCoMo's recorded judges.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod locomo;

use recallscope::agreement::Agreement;
use recallscope::grade::{Grader, Verdict};
use recallscope::workspace::Workspace;

fn show(workspace: &Workspace, which: &str) {
    // One of each seven: enough to see what kind of answers these are.
    let mut shown = 0;
    for at in workspace.all_answers() {
        let verdicts = workspace.verdicts(at).unwrap();
        let (Some(judge), Some(published)) = (&verdicts.judge, &verdicts.published) else { continue };
        let wanted = match which {
            "pass" => published.verdict == Verdict::Pass && judge.verdict == Verdict::Fail,
            "fail" => published.verdict == Verdict::Fail && judge.verdict == Verdict::Pass,
            _ => published.verdict == Verdict::Incomplete,
        };
        shown += usize::from(wanted);
        if !wanted || shown % 7 != 0 {
            continue;
        }
        let (graded, group, answer, _) = workspace.answer(at).unwrap();
        let number = graded.question[at.group].unwrap();
        let question = workspace.evaluation.question(number).unwrap().1;
        let words = answer.answer.chars().take(160).collect::<String>();
        println!(
            "{} | {} | {:?} | {words:?} | {} | {}",
            group.question, question.question, question.answer, published.reason, judge.reason
        );
    }
}

#[test]
fn rules_and_judges_agree() {
    let Some(folder) = locomo::folder() else {
        eprintln!("skipped: RECALLSCOPE_LOCOMO names no folder with the LoCoMo data");
        return;
    };
    let names = [
        "full-context-gpt-4.1-mini-cot",
        "full-context-gpt-4.1-mini-memos",
        "full-context-gpt-4o-mini-cot",
        "full-context-gpt-4o-mini-memos",
        "wrong-on-purpose-specific",
        "wrong-on-purpose-vague",
    ];
    for name in names {
        let workspace = locomo::graded(&folder, &[name]);
        let pair = Agreement::between(&workspace, Grader::Judge, Grader::Published);
        let tally = |verdict| {
            let all = workspace.all_answers().filter_map(|at| workspace.verdicts(at)?.published.as_ref());
            all.filter(|grade| grade.verdict == verdict).count()
        };
        println!(
            "{name:<32} pass {} fail {} incomplete {}; judged by both {}: both pass {}, both fail {}, judges alone {}, rules alone {}; agree {:.3}, kappa {:.3}",
            tally(Verdict::Pass),
            tally(Verdict::Fail),
            tally(Verdict::Incomplete),
            pair.both(),
            pair.both_pass,
            pair.both_fail,
            pair.first_alone,
            pair.second_alone,
            pair.rate().unwrap(),
            pair.kappa().unwrap_or_default(),
        );
        if let Ok(which) = std::env::var("RECALLSCOPE_LOCOMO_SHOW") {
            show(&workspace, &which);
        }
        // Judges accept other words for the same thing, and part of a list; the rules must at least not accept what is wrong.
        let judged = pair.both();
        assert!(pair.second_alone * 100 <= judged, "{name}: rules alone pass {} of {judged}", pair.second_alone);
        assert!(judged * 100 >= 1_540 * 85, "{name}: rules judge {judged} of 1540");
        if name.starts_with("full-context") {
            assert!(pair.rate().unwrap() >= 0.75, "{name}");
        }
    }
}
