//! Lessons: what a curriculum comes to, which rule decides a case, and a rollback rehearsed, for people and scripts.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use serde::Serialize;

use crate::bundled;
use crate::governed::curriculum::{Curricula, NamedCurriculum};
use crate::governed::{Attempt, Lesson, Policy, RollbackRehearsal, Run};
use crate::report::{self, Format, Table};
use crate::source::Source;
use crate::source::json::did_you_mean;
use crate::text::{displayable, width};

use super::commands::written;
use super::output::{complain, print};

/// Columns of a bar of the curve.
const BAR: usize = 20;

#[derive(Args)]
pub(super) struct LessonsArgs {
    /// File of curricula; `-` reads standard input [default: the bundled curricula]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Show this curriculum; the beginning of its name is enough [default: list all, or show the only one]
    #[arg(long, value_name = "NAME")]
    curriculum: Option<String>,
    /// Print which rule decides a case with these keywords, such as "fever cough", before the lessons and after
    #[arg(long, value_name = "WORDS")]
    case: Option<String>,
    /// Rehearse taking back the lesson with these keywords: the policy after it, and the cases routed otherwise
    #[arg(long, value_name = "WORDS")]
    roll_back: Option<String>,
    /// How to print the result
    #[arg(long, default_value = "table")]
    format: Format,
}

pub(super) fn run(args: LessonsArgs) -> anyhow::Result<ExitCode> {
    let LessonsArgs { file, curriculum: name, case, roll_back, format } = args;
    let source = file.map_or_else(|| Ok(bundled::governed()), |file| Source::read(&file))?;
    let read = Curricula::load(&source)?;
    let lists = name.is_none() && read.curricula.len() > 1 && case.is_none() && roll_back.is_none();
    let wanted = (!lists).then(|| chosen(&read, name.as_deref())).transpose()?;
    let text = match wanted {
        None => listed(&read, format)?,
        Some(curriculum) => Shown::new(curriculum, case.as_deref(), roll_back.as_deref())?.written(format)?,
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn names(all: &[NamedCurriculum]) -> String {
    all.iter().map(|curriculum| format!("\"{}\"", curriculum.name)).collect::<Vec<_>>().join(", ")
}

/// The curriculum that a person named, or the only one of the file.
pub(super) fn chosen<'a>(read: &'a Curricula, name: Option<&str>) -> anyhow::Result<&'a NamedCurriculum> {
    match (name, read.curricula.as_slice()) {
        (Some(name), all) => named(all, name),
        (None, [only]) => Ok(only),
        (None, all) => bail!("found {} curricula, expected --curriculum with one of: {}", all.len(), names(all)),
    }
}

/// The curriculum of a name, or the only one whose name begins like that.
fn named<'a>(all: &'a [NamedCurriculum], name: &str) -> anyhow::Result<&'a NamedCurriculum> {
    if let Some(exact) = all.iter().find(|curriculum| curriculum.name == name) {
        return Ok(exact);
    }
    let mut beginning = all.iter().filter(|curriculum| !name.is_empty() && curriculum.name.starts_with(name));
    match (beginning.next(), beginning.next()) {
        (Some(only), None) => Ok(only),
        (Some(_), Some(_)) => {
            bail!("found several curricula that begin with {name:?}, expected one of: {}", names(all))
        }
        (None, _) => bail!("found no curriculum {name:?}, expected one of: {}", names(all)),
    }
}

/// Words as keywords: between commas where there are any, else between blanks.
fn keywords(words: &str) -> BTreeSet<String> {
    let parts: Vec<&str> =
        if words.contains(',') { words.split(',').collect() } else { words.split_whitespace().collect() };
    parts.into_iter().map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// A curriculum in the list.
#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    about: &'a str,
    train: usize,
    held_out: usize,
    negatives: usize,
    regression: Option<usize>,
    support: usize,
    episodes: usize,
    first: f64,
    last: f64,
    promoted: usize,
    blocked: usize,
    holds: Option<bool>,
}

impl<'a> Listed<'a> {
    fn of(named: &'a NamedCurriculum) -> Self {
        let run = named.run();
        let promoted = run.log.iter().filter(|attempt| attempt.promoted).count();
        let share = |share: Option<&f64>| share.copied().unwrap_or_default();
        let curriculum = &named.curriculum;
        Self {
            name: &named.name,
            about: &named.about,
            train: curriculum.train.len(),
            held_out: curriculum.held_out.len(),
            negatives: curriculum.negatives.len(),
            regression: curriculum.regression.as_ref().map(Vec::len),
            support: curriculum.support,
            episodes: named.episodes,
            first: share(run.curve.first()),
            last: share(run.curve.last()),
            promoted,
            blocked: run.log.len() - promoted,
            holds: named.holds(&run),
        }
    }
}

fn listed(read: &Curricula, format: Format) -> anyhow::Result<String> {
    let all: Vec<Listed<'_>> = read.curricula.iter().map(Listed::of).collect();
    if format == Format::Json {
        return Ok(report::json(&serde_json::json!({ "curricula": all }))?);
    }
    let mut table = Table::new(["curriculum", "train", "held-out", "support", "first", "last", "promoted", "blocked"]);
    for one in &all {
        let Listed { train, held_out, support, promoted, blocked, .. } = one;
        let numbers = [train, held_out, support].map(ToString::to_string);
        let shares = [one.first, one.last].map(|share| report::ratio(Some(share)));
        let counts = [promoted, blocked].map(ToString::to_string);
        table.push([one.name.to_owned()].into_iter().chain(numbers).chain(shares).chain(counts));
    }
    Ok(written(&table, format))
}

/// A case, decided by one policy.
#[derive(Serialize)]
struct Decided {
    policy: &'static str,
    rule: String,
    route: String,
}

/// An attempt with its report and the bars that it failed.
#[derive(Serialize)]
struct Tried<'a> {
    #[serde(flatten)]
    attempt: &'a Attempt,
    report: String,
    failed: Vec<String>,
}

/// What is printed of one curriculum.
struct Shown<'a> {
    named: &'a NamedCurriculum,
    run: Run,
    case: Option<(BTreeSet<String>, Vec<Decided>)>,
    rollback: Option<RollbackRehearsal>,
}

impl<'a> Shown<'a> {
    fn new(named: &'a NamedCurriculum, case: Option<&str>, roll_back: Option<&str>) -> anyhow::Result<Self> {
        let run = named.run();
        let rollback = match roll_back {
            None => None,
            Some(words) => {
                let lesson = promoted(&run.policy, words)?;
                named.curriculum.rehearse_rollback(&run.policy, lesson)
            }
        };
        let case = match case.map(keywords) {
            Some(keywords) if keywords.is_empty() => {
                bail!("found a case without a keyword, expected such as \"fever cough\"")
            }
            None => None,
            Some(keywords) => {
                warn_of_strangers(named, &keywords);
                let mut policies = vec![("before the lessons", &named.policy), ("after the last episode", &run.policy)];
                policies.extend(rollback.as_ref().map(|rehearsal| ("after the rollback", &rehearsal.policy)));
                let decided = policies.into_iter().map(|(policy, rules)| {
                    let rule = rules.rule(&keywords);
                    Decided { policy, rule: rule.to_string(), route: rule.route().to_owned() }
                });
                let decided = decided.collect();
                Some((keywords, decided))
            }
        };
        Ok(Self { named, run, case, rollback })
    }

    fn written(&self, format: Format) -> anyhow::Result<String> {
        Ok(match format {
            Format::Json => self.json()?,
            Format::Table => self.text(),
            format => match (&self.case, &self.rollback) {
                (Some((_, decided)), _) => written(&decided_table(decided), format),
                (None, Some(rehearsal)) => written(&rerouted_table(rehearsal), format),
                (None, None) => written(&self.log_table(), format),
            },
        })
    }

    fn json(&self) -> anyhow::Result<String> {
        fn tried(attempt: &Attempt) -> Tried<'_> {
            let Attempt { trial, .. } = attempt;
            Tried { attempt, report: trial.to_string(), failed: trial.failures() }
        }
        let log: Vec<Tried<'_>> = self.run.log.iter().map(tried).collect();
        let case =
            self.case.as_ref().map(|(keywords, decided)| serde_json::json!({"keywords": keywords, "decided": decided}));
        Ok(report::json(&serde_json::json!({
            "curriculum": Listed::of(self.named),
            "curve": self.run.curve,
            "log": log,
            "policy": self.run.policy,
            "case": case,
            "rollback": self.rollback,
        }))?)
    }

    fn text(&self) -> String {
        if let Some((keywords, decided)) = &self.case {
            let case = keywords.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
            return format!("case: {}\n{}", line(&case), written(&decided_table(decided), Format::Table));
        }
        if let Some(rehearsal) = &self.rollback {
            return rollback_text(rehearsal);
        }
        let curriculum = &self.named.curriculum;
        let mut text = format!("{}\n", line(&self.named.name));
        if !self.named.about.is_empty() {
            text.push_str(&format!("{}\n", line(&self.named.about)));
        }
        let regression =
            curriculum.regression.as_ref().map_or_else(|| "no".to_owned(), |cases| cases.len().to_string());
        text.push_str(&format!(
            "cases: {} train, {} held-out, {} negative, {regression} regression; support {}\n",
            curriculum.train.len(),
            curriculum.held_out.len(),
            curriculum.negatives.len(),
            curriculum.support
        ));
        text.push_str(&format!("\n{}", curve(&self.run.curve)));
        if self.run.log.is_empty() {
            text.push_str("\nno lesson was tried: every case was routed rightly\n");
        } else {
            text.push_str(&format!("\n{}", written(&self.log_table(), Format::Table)));
        }
        text.push_str(&format!("\n{}", written(&policy_table(&self.run.policy), Format::Table)));
        match self.named.holds(&self.run) {
            Some(true) => text.push_str("\ncurve and log are what the file expects\n"),
            Some(false) => text.push_str("\ncurve and log are NOT what the file expects\n"),
            None => {}
        }
        text
    }

    fn log_table(&self) -> Table {
        let mut table = Table::new(["episode", "decision", "lesson", "route", "report", "failed"]);
        for attempt in &self.run.log {
            let Attempt { episode, lesson, trial, .. } = attempt;
            table.push([
                episode.to_string(),
                attempt.decision().to_owned(),
                lesson.words(),
                lesson.route.clone(),
                trial.to_string(),
                trial.failures().join("; "),
            ]);
        }
        table
    }
}

/// Text of a file in one line, with nothing in it that a terminal would obey.
fn line(text: &str) -> String {
    displayable(&text.replace(['\n', '\r'], " ")).into_owned()
}

/// The lesson of a policy with exactly these keywords; of several the one that decides.
fn promoted<'a>(policy: &'a Policy, words: &str) -> anyhow::Result<&'a Lesson> {
    let wanted = keywords(words);
    if let Some(found) = policy.lessons.iter().find(|lesson| lesson.keywords == wanted) {
        return Ok(found);
    }
    if policy.lessons.is_empty() {
        bail!("found no lesson {words:?}: none was promoted, so there is none to roll back");
    }
    let known: Vec<String> = policy.lessons.iter().map(|lesson| format!("\"{}\"", lesson.words())).collect();
    bail!("found no promoted lesson {words:?}, expected one of: {}", known.join(", "))
}

/// A mistyped keyword would otherwise look like one that no rule cares for.
fn warn_of_strangers(named: &NamedCurriculum, keywords: &BTreeSet<String>) {
    let cases = named.curriculum.used_cases();
    let mut known: BTreeSet<&str> = cases.iter().flat_map(|used| &used.case.keywords).map(String::as_str).collect();
    known.extend(named.policy.base.iter().map(|(keyword, _)| keyword.as_str()));
    let all: Vec<&str> = known.iter().copied().collect();
    for stranger in keywords.iter().filter(|keyword| !known.contains(keyword.as_str())) {
        let near = did_you_mean(stranger, &all).map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
        complain(&format!("warning: no case and no rule of this curriculum has the keyword {stranger:?}{near}"));
    }
}

/// The share of right routes in each episode, as numbers and bars.
fn curve(curve: &[f64]) -> String {
    let number = curve.len().saturating_sub(1).to_string().len().max("episode".len());
    let mut text = format!("{:<number$}  right\n", "episode");
    for (episode, share) in curve.iter().enumerate() {
        let full = (share * BAR as f64).round() as usize;
        let bar = format!("{}{}", "█".repeat(full), "░".repeat(BAR.saturating_sub(full)));
        text.push_str(&format!("{episode:>number$}  {} {bar}\n", report::ratio(Some(*share))));
    }
    debug_assert!(text.lines().all(|line| width(line) <= number + BAR + 10));
    text
}

/// The rules in the order in which they are asked.
fn policy_table(policy: &Policy) -> Table {
    let mut table = Table::new(["order", "rule", "route"]);
    let lessons =
        policy.most_specific_first().into_iter().map(|lesson| (format!("lesson {}", lesson.words()), &lesson.route));
    let base = policy.base.iter().map(|(keyword, route)| (format!("base {keyword}"), route));
    let rules = lessons.chain(base).chain([("otherwise".to_owned(), &policy.otherwise)]);
    for (place, (rule, route)) in rules.enumerate() {
        table.push([(place + 1).to_string(), rule, route.clone()]);
    }
    table
}

fn decided_table(decided: &[Decided]) -> Table {
    let mut table = Table::new(["policy", "rule", "route"]);
    for Decided { policy, rule, route } in decided {
        table.push([(*policy).to_owned(), rule.clone(), route.clone()]);
    }
    table
}

fn rerouted_table(rehearsal: &RollbackRehearsal) -> Table {
    let mut table = Table::new(["case", "of", "before", "after", "right route", "becomes"]);
    for one in &rehearsal.rerouted {
        table.push([
            one.used.case.words(),
            one.used.uses_in_words(),
            one.before.clone(),
            one.after.clone(),
            one.used.case.route.clone(),
            one.becomes().to_owned(),
        ]);
    }
    table
}

fn rollback_text(rehearsal: &RollbackRehearsal) -> String {
    let Lesson { route, .. } = &rehearsal.lesson;
    let mut text =
        format!("rollback of the lesson {} to {}, rehearsed\n\n", line(&rehearsal.lesson.words()), line(route));
    text.push_str(&written(&policy_table(&rehearsal.policy), Format::Table));
    if rehearsal.rerouted.is_empty() {
        text.push_str("\nno case changes its route\n");
    } else {
        text.push_str(&format!("\n{}", written(&rerouted_table(rehearsal), Format::Table)));
    }
    let (broken, mended) = (rehearsal.broken(), rehearsal.mended());
    text.push_str(&format!("\nbecome wrong: {broken}; become right: {mended}\n"));
    let again = if rehearsal.again.promotes() { "PROMOTE" } else { "BLOCK" };
    text.push_str(&format!("tried again, it would be: {again} ({})\n", rehearsal.again));
    text
}
