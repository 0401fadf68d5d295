//! How well the key audit finds the wrong keys that a published audit found in LoCoMo.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod locomo;

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use recallscope::audit::{Audit, Doubt, QuestionAudit, SIGNALS, audit};

/// The conversations that the published verdicts cover.
const JUDGED: usize = 5;

fn is_judged(question: &QuestionAudit) -> bool {
    let conversation = question.id.split('_').nth(1).and_then(|number| number.parse::<usize>().ok());
    conversation.is_some_and(|number| number < JUDGED)
}

/// The mean, over the positives, of the share of positives down to each.
fn average_precision(ranked: &[bool]) -> f64 {
    let mut found = 0.0;
    let mut sum = 0.0;
    for (place, _) in ranked.iter().enumerate().filter(|(_, hit)| **hit) {
        found += 1.0;
        sum += found / (place as f64 + 1.0);
    }
    sum / found
}

struct Measured {
    average_precision: f64,
    in_first_tenth: usize,
    positives: usize,
}

fn measure(ranked: &[&QuestionAudit], is_hit: impl Fn(&str) -> bool) -> Measured {
    let hits: Vec<bool> = ranked.iter().map(|question| is_hit(&question.id)).collect();
    Measured {
        average_precision: average_precision(&hits),
        in_first_tenth: hits.iter().take(hits.len() / 10).filter(|hit| **hit).count(),
        positives: hits.iter().filter(|hit| **hit).count(),
    }
}

fn report(name: &str, measured: &Measured) {
    println!(
        "{name:<32} AP {:.3}  first tenth {} of {}",
        measured.average_precision, measured.in_first_tenth, measured.positives
    );
}

fn by_signal(audit: &Audit, wrong: &HashMap<String, String>) {
    // Observations, of them wrong keys, of them wrong citations; and the same for strengths from one half.
    let mut counts: BTreeMap<&str, [usize; 6]> = BTreeMap::new();
    for question in audit.questions.iter().filter(|question| is_judged(question)) {
        for finding in &question.signals {
            let count = counts.entry(finding.signal).or_default();
            let kind = wrong.get(&question.id).map(String::as_str);
            let place = match kind {
                None => None,
                Some("WRONG_CITATION") => Some(2),
                Some(_) => Some(1),
            };
            for start in if finding.strength >= 0.5 { vec![0, 3] } else { vec![0] } {
                count[start] += 1;
                if let Some(place) = place {
                    count[start + place] += 1;
                }
            }
        }
    }
    println!(
        "{:<55} {:>5} {:>5} {:>5} | from 0.5: {:>5} {:>5} {:>5}",
        "signal", "all", "key", "cite", "all", "key", "cite"
    );
    for (name, [all, key, cite, strong, strong_key, strong_cite]) in counts {
        println!("{name:<55} {all:>5} {key:>5} {cite:>5} |           {strong:>5} {strong_key:>5} {strong_cite:>5}");
    }
}

fn failed(question: &QuestionAudit) -> f64 {
    question.signals.iter().find(|finding| finding.signal == "answers fail").map_or(0.0, |finding| finding.strength)
}

/// The average precision when each signal's weight is multiplied by a factor between 1/2 and 2: how much hangs on the weights.
fn moved_weights(ranked: &[&QuestionAudit], is_key: impl Fn(&str) -> bool) -> String {
    let mut state = 1_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1_u64 << 31) as f64
    };
    let mut seen = Vec::new();
    for _ in 0..200 {
        let factors: HashMap<&str, f64> =
            SIGNALS.iter().map(|signal| (signal.name(), 2_f64.powf(2.0 * random() - 1.0))).collect();
        let points = |question: &QuestionAudit| {
            let own = question.signals.iter().filter(|finding| finding.doubts == Doubt::Key);
            own.map(|finding| finding.points * factors[finding.signal]).sum::<f64>()
        };
        let mut order: Vec<(f64, &str)> =
            ranked.iter().map(|question| (points(question), question.id.as_str())).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let hits: Vec<bool> = order.iter().map(|(_, id)| is_key(id)).collect();
        seen.push(average_precision(&hits));
    }
    seen.sort_by(f64::total_cmp);
    format!("AP {:.3} to {:.3}, median {:.3}", seen[0], seen[seen.len() - 1], seen[seen.len() / 2])
}

#[test]
fn wrong_keys_come_first() {
    let Some(folder) = locomo::folder() else {
        eprintln!("skipped: RECALLSCOPE_LOCOMO names no folder with the LoCoMo data");
        return;
    };
    let workspace = locomo::workspace(&folder);
    let started = Instant::now();
    let audit = audit(&workspace);
    println!("{} questions audited in {:?}", audit.questions.len(), started.elapsed());
    let wrong = locomo::known_wrong(&folder);
    let is_key = |id: &str| wrong.get(id).is_some_and(|kind| kind != "WRONG_CITATION");
    let is_citation = |id: &str| wrong.get(id).is_some_and(|kind| kind == "WRONG_CITATION");
    let ranked: Vec<&QuestionAudit> = audit.questions.iter().filter(|question| is_judged(question)).collect();
    let keys = measure(&ranked, is_key);
    report("wrong keys", &keys);
    for number in 0..JUDGED {
        let prefix = format!("locomo_{number}_");
        let own: Vec<_> = ranked.iter().copied().filter(|question| question.id.starts_with(&prefix)).collect();
        report(&format!("  conversation {number}"), &measure(&own, is_key));
    }
    let flagged = ranked.iter().filter(|question| question.flagged).count();
    let right = ranked.iter().filter(|question| question.flagged && is_key(&question.id)).count();
    println!("flagged {flagged}, of them wrong keys {right}");
    let mut by_evidence = ranked.clone();
    let evidence = |question: &QuestionAudit| {
        question.signals.iter().filter(|f| f.doubts == Doubt::Evidence).map(|f| f.points).sum::<f64>()
    };
    by_evidence.sort_by(|a, b| evidence(b).total_cmp(&evidence(a)));
    report("wrong citations by evidence", &measure(&by_evidence, is_citation));
    let mut by_failed = ranked.clone();
    by_failed.sort_by(|a, b| failed(b).total_cmp(&failed(a)).then(a.number.cmp(&b.number)));
    report("baseline: failed answers only", &measure(&by_failed, is_key));
    by_signal(&audit, &wrong);
    println!("weights moved at random by up to a factor of 2: {}", moved_weights(&ranked, is_key));
    if let Ok(ids) = std::env::var("RECALLSCOPE_LOCOMO_SHOW") {
        for (place, question) in ranked.iter().enumerate() {
            let kind = wrong.get(&question.id).map_or("-", String::as_str);
            if ids == "all" || (ids == "wrong" && is_key(&question.id)) || (ids == "top" && place < 80) {
                let question = *question;
                println!("{place:>4} {kind:<16} {} {:.2} {}", question.id, question.points, question.question);
                for finding in &question.signals {
                    println!("       {:.2} {} {:.2}", finding.points, finding.signal, finding.strength);
                }
            }
        }
    }
    assert!(keys.average_precision >= 0.45, "{}", keys.average_precision);
}
