//! What each grader says, whose grades the totals count, and how far graders agree.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::agreement::{Agreement, Disagreement};
use crate::breakdown::by_category;
use crate::grade::{Grader, Verdicts, rounded};
use crate::triage::Standing;
use crate::workspace::{GradedRecording, Tally, Workspace};

use super::{GradeReport, Table, block_cells, ratio};

/// One row an answer; with whose grade it is, and each grader's own verdict.
pub fn grade_table(workspace: &Workspace, recording: usize) -> Table {
    let mut table = Table::new(["strategy", "question", "seed", "verdict", "reason", "answer"]);
    table.heads.extend(["by", "key", "judge", "published", "credit"].map(str::to_owned));
    let Some(graded) = workspace.recordings.get(recording) else { return table };
    for (group, (grades, verdicts)) in
        graded.recording.groups.iter().zip(graded.grades.iter().zip(graded.verdicts.iter()))
    {
        for (answer, (grade, verdicts)) in group.answers.iter().zip(grades.iter().zip(verdicts)) {
            let own = Grader::BY_THEMSELVES.map(|grader| verdict_word(verdicts, grader));
            let credit = verdicts.by(Grader::Published).and_then(|grade| grade.credit);
            let by = verdicts.by(grade.grader).map_or("", |grade| grade.grader.name());
            let cells = [
                group.strategy.clone(),
                group.question.clone(),
                answer.seed.map_or_else(String::new, |seed| seed.to_string()),
                grade.verdict.name().to_owned(),
                grade.reason.clone(),
                answer.answer.clone(),
                by.to_owned(),
            ];
            let credit = credit.map_or_else(String::new, |credit| format!("{}/{}", credit.found, credit.of));
            table.push(cells.into_iter().chain(own).chain([credit]));
        }
    }
    table
}

fn verdict_word(verdicts: &Verdicts, grader: Grader) -> String {
    verdicts.by(grader).map_or("", |grade| grade.verdict.name()).to_owned()
}

/// What people read of [`grade_table`]: without the columns of graders that graded nothing or stand alone.
pub fn grade_summary(workspace: &Workspace, recording: usize) -> Table {
    let mut table = grade_table(workspace, recording);
    let graders = workspace.graders();
    let several = graders.len() > 1;
    let shown = |head: &str| match head {
        "by" => several,
        "key" => several && graders.contains(&Grader::Key),
        "judge" => several && graders.contains(&Grader::Judge),
        "published" => several && graders.contains(&Grader::Published),
        "credit" => graders.contains(&Grader::Published),
        _ => true,
    };
    for head in table.heads.clone().iter().filter(|head| !shown(head)) {
        table.remove(head);
    }
    table
}

/// One row an answer on which those who judge it disagree: who says what.
pub fn disagreement_table(workspace: &Workspace, standing: Option<&Standing>) -> Table {
    let mut table = Table::new([
        "recording",
        "strategy",
        "question",
        "seed",
        "disagreement",
        "key",
        "judge",
        "published",
        "decision",
        "published answer",
        "answer",
    ]);
    for at in workspace.all_answers() {
        let kinds = Disagreement::of(workspace, standing, at);
        let (Some((graded, group, answer, _)), false) = (workspace.answer(at), kinds.is_empty()) else { continue };
        let Some(verdicts) = workspace.verdicts(at) else { continue };
        let says = |grader: Grader| {
            verdicts.by(grader).map_or_else(String::new, |grade| format!("{}: {}", grade.verdict.name(), grade.reason))
        };
        let decided =
            standing.and_then(|standing| standing.grade(workspace, at)).filter(|(_, changed)| changed.is_some());
        let question = graded.question.get(at.group).copied().flatten();
        let published =
            question.and_then(|question| workspace.evaluation.question(question)).and_then(|(_, q)| q.answer.clone());
        table.push([
            graded.recording.name.clone(),
            group.strategy.clone(),
            group.question.clone(),
            answer.seed.map_or_else(String::new, |seed| seed.to_string()),
            kinds.iter().map(|kind| kind.words()).collect::<Vec<_>>().join("; "),
            says(Grader::Key),
            says(Grader::Judge),
            says(Grader::Published),
            decided.map_or_else(String::new, |(grade, _)| grade.verdict.name().to_owned()),
            published.unwrap_or_default(),
            answer.answer.clone(),
        ]);
    }
    table
}

/// One row a pair of graders: how far they agree.
pub fn agreement_table(pairs: &[Agreement]) -> Table {
    let mut table = Table::new([
        "graders",
        "both judge",
        "agree",
        "disagree",
        "agreement",
        "kappa",
        "first alone passes",
        "second alone passes",
    ]);
    for pair in pairs {
        table.push([
            format!("{} and {}", pair.first, pair.second),
            pair.both().to_string(),
            pair.agree().to_string(),
            pair.disagree().to_string(),
            ratio(pair.rate()),
            ratio(pair.kappa()),
            pair.first_alone.to_string(),
            pair.second_alone.to_string(),
        ]);
    }
    table
}

/// One sentence a strategy with answers: its total and whose grades that counts; then what became of the questions to abstain
/// from.
pub fn total_lines(workspace: &Workspace) -> Vec<String> {
    let Some(words) = workspace.counting_words() else { return Vec::new() };
    let mut lines = Vec::new();
    for (place, strategy) in workspace.evaluation.strategies.iter().enumerate() {
        let tally = workspace.tally(place);
        if tally.total() > 0 {
            let rate = ratio(rounded(tally.pass, tally.total()));
            lines.push(format!(
                "{}: {} of {} answers pass, {rate} ({words})",
                strategy.name(),
                tally.pass,
                tally.total()
            ));
        }
    }
    lines.extend(abstention_lines(workspace));
    lines
}

/// One sentence a strategy that answered questions to abstain from.
pub fn abstention_lines(workspace: &Workspace) -> Vec<String> {
    let strategies = workspace.evaluation.strategies.iter().enumerate();
    let line = |(place, strategy): (usize, &std::sync::Arc<dyn crate::select::Strategy>)| {
        let tally = workspace.abstained(place);
        (tally.total() > 0)
            .then(|| format!("{}: to abstain: {} of {} declined", strategy.name(), tally.pass, tally.total()))
    };
    strategies.filter_map(line).collect()
}

/// One row a strategy and category.
pub fn categories_table(workspace: &Workspace) -> Table {
    let mut table = Table::new([
        "strategy",
        "category",
        "questions",
        "facts found",
        "recall",
        "useful lines",
        "usefulness",
        "stale",
        "forgotten",
    ]);
    let answered = !workspace.recordings.is_empty();
    if answered {
        table.heads.extend(["answers", "pass", "fail", "incomplete", "pass rate"].map(str::to_owned));
    }
    for score in by_category(workspace) {
        let sum = &score.blocks;
        if sum.questions == 0 && score.answers.total() == 0 {
            continue;
        }
        let name = workspace.evaluation.strategies.get(score.strategy).map_or("", |strategy| strategy.name());
        let mut row =
            vec![name.to_owned(), score.category.clone().unwrap_or_else(|| "-".to_owned()), sum.questions.to_string()];
        row.extend(block_cells(sum).into_iter().take(6));
        if answered {
            let Tally { pass, fail, incomplete } = score.answers;
            row.extend([score.answers.total(), pass, fail, incomplete].map(|count| count.to_string()));
            row.push(ratio(rounded(pass, score.answers.total())));
        }
        table.push(row);
    }
    table
}

/// The grades of a recording by every grader: what [`GradeReport`] has, and whose grades count, each grader's verdicts, and
/// how far they agree.
#[derive(Serialize)]
pub struct GradersReport {
    #[serde(flatten)]
    grades: GradeReport,
    /// Whose grades count; left out where nobody but the keys grades, as in the recorded grades.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    abstention: Option<&'static str>,
    /// By strategy and question, each answer's verdict by every grader that can grade it.
    #[serde(skip_serializing_if = "Map::is_empty")]
    verdicts: Map<String, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    agreement: Vec<Value>,
}

impl GradersReport {
    /// The report of a recording of a workspace.
    ///
    /// # Errors
    /// A value that JSON cannot hold; there is none.
    pub fn new(workspace: &Workspace, graded: &GradedRecording) -> Result<Self, serde_json::Error> {
        let mut verdicts = Map::new();
        if workspace.graders().len() > 1 {
            for (group, own) in graded.recording.groups.iter().zip(graded.verdicts.iter()) {
                let questions = verdicts.entry(group.strategy.clone()).or_insert_with(|| Value::Object(Map::new()));
                let each: Vec<Value> = own.iter().map(verdicts_value).collect();
                if let Value::Object(questions) = questions {
                    questions.insert(group.question.clone(), Value::Array(each));
                }
            }
        }
        let pair = |pair: &Agreement| {
            let mut value = serde_json::to_value(pair)?;
            if let Value::Object(fields) = &mut value {
                fields.insert("agreement".to_owned(), pair.rate().into());
                fields.insert("kappa".to_owned(), pair.kappa().into());
            }
            Ok(value)
        };
        Ok(Self {
            grades: GradeReport::new(graded)?,
            by: if workspace.graders() == [Grader::Key] {
                Vec::new()
            } else {
                workspace.by().iter().map(|grader| grader.name()).collect()
            },
            abstention: workspace.counting.abstention.words(),
            verdicts,
            agreement: Agreement::pairs(workspace).iter().map(pair).collect::<Result<_, serde_json::Error>>()?,
        })
    }
}

fn verdicts_value(verdicts: &Verdicts) -> Value {
    let fields = verdicts.all().map(|grade| {
        let mut value = Map::new();
        value.insert("verdict".to_owned(), grade.verdict.name().into());
        value.insert("reason".to_owned(), grade.reason.clone().into());
        if let Some(credit) = grade.credit {
            value.insert("credit".to_owned(), serde_json::json!({ "found": credit.found, "of": credit.of }));
        }
        (grade.grader.singular().to_owned(), Value::Object(value))
    });
    Value::Object(fields.collect())
}
