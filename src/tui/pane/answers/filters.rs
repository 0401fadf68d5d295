//! Which answers are shown: the filters, and the list that passes them.

use crate::agreement::Disagreement;
use crate::grade::Verdict;
use crate::recording::AnswerGroup;
use crate::text::{displayable, width};
use crate::triage::{Cause, Standing};
use crate::tui::pane::View;
use crate::tui::text::contains;
use crate::workspace::{AnswerRef, GradedRecording, Tally, Workspace};

/// The question of an answer: its number in the evaluation, or the name in the recording where the case set lacks it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskedIn {
    /// Its number.
    Cases(usize),
    /// Its name.
    Recording(String),
}

impl AskedIn {
    fn of(graded: &GradedRecording, group: &AnswerGroup, place: usize) -> Self {
        match number(graded, place) {
            Some(number) => Self::Cases(number),
            None => Self::Recording(group.question.clone()),
        }
    }

    fn is(&self, graded: &GradedRecording, group: &AnswerGroup, place: usize) -> bool {
        match self {
            Self::Cases(wanted) => number(graded, place) == Some(*wanted),
            Self::Recording(name) => number(graded, place).is_none() && group.question == *name,
        }
    }
}

/// The number of a group's question.
pub fn number(graded: &GradedRecording, group: usize) -> Option<usize> {
    graded.question.get(group).copied().flatten()
}

/// The place of a group's strategy.
pub fn strategy(graded: &GradedRecording, group: usize) -> Option<usize> {
    graded.strategy.get(group).copied().flatten()
}

/// The words of a group's question, or what the recording calls it.
pub fn question_text<'a>(workspace: &'a Workspace, at: AnswerRef, group: &'a AnswerGroup) -> &'a str {
    workspace
        .recordings
        .get(at.recording)
        .and_then(|graded| number(graded, at.group))
        .and_then(|number| workspace.evaluation.question(number))
        .map_or(&group.question, |(_, question)| &question.question)
}

/// What to call a recording: the name of its file, or its whole path where two files have one name.
pub fn file_name(workspace: &Workspace, recording: usize) -> &str {
    let last = |path: &str| path.rsplit(['/', '\\']).next().map_or(0, str::len);
    let name = |graded: &'_ GradedRecording| graded.recording.name.len() - last(&graded.recording.name);
    let Some(graded) = workspace.recordings.get(recording) else { return "" };
    let path = graded.recording.name.as_str();
    let short = path.get(name(graded)..).unwrap_or(path);
    let alike = |other: &&GradedRecording| other.recording.name.get(name(other)..) == Some(short);
    if workspace.recordings.iter().filter(alike).count() > 1 { path } else { short }
}

/// A recording for a list: its file, and its model where the file says which.
pub fn recording_words(workspace: &Workspace, recording: usize) -> String {
    let file = file_name(workspace, recording);
    let model = workspace.recordings.get(recording).map_or("", |graded| graded.recording.model_name());
    let named = workspace.recordings.get(recording).is_some_and(|graded| graded.recording.name == model);
    if named { file.to_owned() } else { format!("{file} ({model})") }
}

/// What stands decided, once it is known.
fn standing<'a>(view: &View<'a>) -> Option<&'a Standing> {
    view.diagnosis.map(|diagnosis| &diagnosis.standing)
}

/// Whether an answer or its question contains a text.
pub fn mentions(workspace: &Workspace, at: AnswerRef, text: &str) -> bool {
    workspace.answer(at).is_some_and(|(_, group, answer, _)| {
        contains(&answer.answer, text) || contains(question_text(workspace, at, group), text)
    })
}

/// What an answer must be to be shown; all of these at once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filters {
    /// Its verdict.
    pub verdict: Option<Verdict>,
    /// Its strategy's name.
    pub strategy: Option<String>,
    /// Its question.
    pub question: Option<AskedIn>,
    /// The reason of its verdict.
    pub reason: Option<String>,
    /// The cause of its failure.
    pub cause: Option<Cause>,
    /// The place of its recording.
    pub recording: Option<usize>,
    /// The way in which its graders disagree.
    pub disagreement: Option<Disagreement>,
    /// A text in it or in its question; empty for any.
    pub text: String,
}

impl Filters {
    /// Whether all answers are shown.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether an answer is shown. While causes are not known yet, none is hidden for its cause.
    pub fn admit(&self, view: &View<'_>, at: AnswerRef) -> bool {
        let Some((graded, group, _, grade)) = view.workspace.answer(at) else { return false };
        let cause = |cause: Cause| view.diagnosis.is_none_or(|diagnosis| diagnosis.cause(at) == Some(cause));
        self.verdict.is_none_or(|verdict| verdict == grade.verdict)
            && self.recording.is_none_or(|recording| recording == at.recording)
            && self.strategy.as_ref().is_none_or(|strategy| *strategy == group.strategy)
            && self.question.as_ref().is_none_or(|question| question.is(graded, group, at.group))
            && self.reason.as_ref().is_none_or(|reason| *reason == grade.reason)
            && self.cause.is_none_or(cause)
            && self.disagreement.is_none_or(|found| found.holds(view.workspace, standing(view), at))
            && (self.text.is_empty() || mentions(view.workspace, at, &self.text))
    }

    /// Clears those filters that hide an answer.
    pub fn open_for(&mut self, view: &View<'_>, at: AnswerRef) {
        let alone = |filters: Self| !filters.admit(view, at);
        let Self { verdict, strategy, question, reason, cause, recording, disagreement, text } = self;
        if alone(Self { verdict: *verdict, ..Self::default() }) {
            *verdict = None;
        }
        if alone(Self { strategy: strategy.clone(), ..Self::default() }) {
            *strategy = None;
        }
        if alone(Self { question: question.clone(), ..Self::default() }) {
            *question = None;
        }
        if alone(Self { reason: reason.clone(), ..Self::default() }) {
            *reason = None;
        }
        if alone(Self { cause: *cause, ..Self::default() }) {
            *cause = None;
        }
        if alone(Self { recording: *recording, ..Self::default() }) {
            *recording = None;
        }
        if alone(Self { disagreement: *disagreement, ..Self::default() }) {
            *disagreement = None;
        }
        if alone(Self { text: text.clone(), ..Self::default() }) {
            text.clear();
        }
    }

    /// The answers that the other filters admit: those among which a filter goes on.
    fn among<'a>(others: &'a Self, view: &'a View<'_>) -> impl Iterator<Item = AnswerRef> + 'a {
        view.workspace.all_answers().filter(|at| others.admit(view, *at))
    }

    /// On to the next verdict among the answers that pass the other filters, or to all: what fails is what a person comes
    /// for.
    pub fn next_verdict(&mut self, view: &View<'_>) {
        const ORDER: [Verdict; 3] = [Verdict::Fail, Verdict::Incomplete, Verdict::Pass];
        let others = Self { verdict: None, ..self.clone() };
        let mut tally = Tally::default();
        Self::among(&others, view).filter_map(|at| view.workspace.answer(at)).for_each(|(.., g)| tally.add(g.verdict));
        let occurs = ORDER.into_iter().zip([tally.fail, tally.incomplete, tally.pass]);
        let occurring: Vec<Verdict> = occurs.filter(|(_, count)| *count > 0).map(|(verdict, _)| verdict).collect();
        self.verdict = next(&occurring, self.verdict.as_ref());
    }

    /// On to the next cause among the answers that pass the other filters, or to all.
    pub fn next_cause(&mut self, view: &View<'_>) {
        let others = Self { cause: None, ..self.clone() };
        let causes: std::collections::BTreeSet<Cause> =
            Self::among(&others, view).filter_map(|at| view.diagnosis?.cause(at)).collect();
        self.cause = next(&causes.into_iter().collect::<Vec<_>>(), self.cause.as_ref());
    }

    /// On to the next way in which graders disagree among the answers that pass the other filters, or to all. False where they
    /// disagree on none.
    pub fn next_disagreement(&mut self, view: &View<'_>) -> bool {
        let others = Self { disagreement: None, ..self.clone() };
        let among: Vec<AnswerRef> = Self::among(&others, view).collect();
        let occurs = |found: &Disagreement| among.iter().any(|at| found.holds(view.workspace, standing(view), *at));
        let occurring: Vec<Disagreement> = Disagreement::ALL.into_iter().filter(occurs).collect();
        self.disagreement = next(&occurring, self.disagreement.as_ref());
        !occurring.is_empty()
    }

    /// On to the next recording, or to all.
    pub fn next_recording(&mut self, workspace: &Workspace) {
        let all: Vec<usize> = (0..workspace.recordings.len()).collect();
        self.recording = next(&all, self.recording.as_ref());
    }

    /// On to the next strategy that was recorded, or to all.
    pub fn next_strategy(&mut self, workspace: &Workspace) {
        let mut names: Vec<String> = Vec::new();
        for group in workspace.recordings.iter().flat_map(|graded| &graded.recording.groups) {
            if !names.contains(&group.strategy) {
                names.push(group.strategy.clone());
            }
        }
        self.strategy = next(&names, self.strategy.as_ref());
    }

    /// On to the next reason among the answers that pass the other filters, or to all. Failures come first, and of each
    /// verdict the reasons that occur most.
    pub fn next_reason(&mut self, view: &View<'_>) {
        let others = Self { reason: None, ..self.clone() };
        let mut reasons: std::collections::BTreeMap<&str, (Verdict, usize)> = std::collections::BTreeMap::new();
        for at in Self::among(&others, view) {
            if let Some((.., grade)) = view.workspace.answer(at) {
                reasons.entry(&grade.reason).or_insert((grade.verdict, 0)).1 += 1;
            }
        }
        let mut reasons: Vec<(&str, (Verdict, usize))> = reasons.into_iter().collect();
        reasons.sort_by_key(|(_, (verdict, count))| (*verdict != Verdict::Fail, *verdict, std::cmp::Reverse(*count)));
        let names: Vec<String> = reasons.into_iter().map(|(reason, _)| reason.to_owned()).collect();
        self.reason = next(&names, self.reason.as_ref());
    }

    /// The question of this answer alone, or all questions again.
    pub fn toggle_question(&mut self, workspace: &Workspace, at: Option<AnswerRef>) {
        let asked = || {
            let at = at?;
            let (graded, group, ..) = workspace.answer(at)?;
            Some(AskedIn::of(graded, group, at.group))
        };
        self.question = if self.question.is_some() { None } else { asked() };
    }

    /// The filters that are set, as a person reads them.
    pub fn words(&self, workspace: &Workspace) -> Vec<String> {
        let question = self.question.as_ref().map(|question| match question {
            AskedIn::Recording(name) => name.clone(),
            AskedIn::Cases(number) => workspace
                .evaluation
                .question(*number)
                .map_or_else(String::new, |(_, question)| question.question.clone()),
        });
        let text = (!self.text.is_empty()).then(|| format!("text \"{}\"", self.text));
        [
            self.verdict.map(|verdict| verdict.name().to_owned()),
            self.recording.map(|recording| file_name(workspace, recording).to_owned()),
            self.strategy.clone(),
            self.cause.map(|cause| format!("cause {}", cause.name())),
            self.reason.as_ref().map(|reason| format!("\"{reason}\"")),
            self.disagreement.map(Disagreement::words),
            question,
            text,
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// What stands after `now` in a list, around over "all" at its end.
fn next<T: Clone + PartialEq>(list: &[T], now: Option<&T>) -> Option<T> {
    let Some(now) = now else { return list.first().cloned() };
    let place = list.iter().position(|entry| entry == now)?;
    list.get(place + 1).cloned()
}

/// The widest texts of the columns, so that columns stand still while the list scrolls.
#[derive(Debug, Clone, Copy, Default)]
pub struct Widths {
    /// Of verdicts.
    pub verdict: usize,
    /// Of strategies.
    pub strategy: usize,
    /// Of seeds.
    pub seed: usize,
    /// Of the recordings' names; 0 where there is one recording only.
    pub recording: usize,
    /// Of questions.
    pub question: usize,
    /// Of reasons.
    pub reason: usize,
    /// Of causes; 0 where no answer has one.
    pub cause: usize,
}

/// The answers that pass the filters, in file order.
#[derive(Debug, Default)]
pub struct Shown {
    /// Which ones.
    pub rows: Vec<AnswerRef>,
    /// All answers, shown or not.
    pub of: usize,
    /// Their verdicts.
    pub tally: Tally,
    /// What their columns need.
    pub widths: Widths,
}

impl Shown {
    /// Looks at each answer once.
    pub fn derive(view: &View<'_>, filters: &Filters) -> Self {
        let workspace = view.workspace;
        let mut shown = Self::default();
        let mut group_seen = None;
        let mut reason_seen = "";
        let several = workspace.recordings.len() > 1;
        for at in workspace.all_answers() {
            shown.of += 1;
            if !filters.admit(view, at) {
                continue;
            }
            let Some((_, group, answer, grade)) = workspace.answer(at) else { continue };
            shown.rows.push(at);
            shown.tally.add(grade.verdict);
            let widths = &mut shown.widths;
            let widen = |column: &mut usize, text: &str| *column = (*column).max(width(&displayable(text)));
            if group_seen != Some((at.recording, at.group)) {
                group_seen = Some((at.recording, at.group));
                widen(&mut widths.strategy, &group.strategy);
                widen(&mut widths.question, question_text(workspace, at, group));
                if several {
                    widen(&mut widths.recording, &recording_words(workspace, at.recording));
                }
            }
            widen(&mut widths.verdict, grade.verdict.name());
            if grade.reason != reason_seen {
                reason_seen = &grade.reason;
                widen(&mut widths.reason, reason_seen);
            }
            if let Some(cause) = view.diagnosis.and_then(|diagnosis| diagnosis.cause(at)) {
                widths.cause = widths.cause.max(cause.name().len());
            }
            if let Some(seed) = answer.seed {
                widen(&mut widths.seed, &seed.to_string());
            }
        }
        shown
    }

    /// The row of an answer.
    pub fn row_of(&self, at: AnswerRef) -> Option<usize> {
        self.rows.binary_search(&at).ok()
    }
}
