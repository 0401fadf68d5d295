//! Were the recorded answers made from these blocks?
//!
//! A server counts the tokens of the prompt that it got. Rebuilt from a block, the request has so many tokens as well
//! ([`crate::request`]); what remains is the chat template, which is the same around every request. So an answer whose
//! remainder is not that of the others was made from another block: after a change of a strategy, of the quota or of a case,
//! the recording no longer tells anything about what is shown beside it.

use std::collections::{BTreeMap, HashMap, HashSet};

use rayon::prelude::*;
use serde::Serialize;

use crate::evaluate::Evaluation;
use crate::request::Request;
use crate::select::Blocks;
use crate::workspace::{AnswerRef, GradedRecording, Workspace};

/// An answer that was not made from the block that is shown for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OffAnswer {
    /// Which answer.
    #[serde(skip)]
    pub at: AnswerRef,
    /// Its strategy.
    pub strategy: String,
    /// Its question, as the recording calls it.
    pub question: String,
    /// Its seed.
    pub seed: Option<i64>,
    /// Tokens of the prompt, as the server counted them.
    pub prompt_tokens: u64,
    /// Tokens of the request, rebuilt from the block.
    pub request_tokens: usize,
    /// The difference.
    pub remainder: i64,
}

/// What the prompts of a recording tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ProvenanceVerdict {
    /// Every answer has the same remainder.
    Reproduced,
    /// At least one answer was not made from its block.
    Off,
    /// All requests are alike, so that any remainder would be the same: nothing can be told.
    Unconfirmed,
    /// No answer says how long its prompt was, or no answer has a block here.
    Nothing,
}

/// What is said of a recording of which nothing can be told.
const NOTHING: &str = "nothing to compare: no answer has both a prompt length and a block";

/// The remainders of one recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordingProvenance {
    /// The recording.
    pub recording: String,
    /// The model that answered.
    pub model: String,
    /// What the prompts tell.
    pub verdict: ProvenanceVerdict,
    /// The most frequent remainder: tokens of the chat template. None where nothing was compared.
    pub template_tokens: Option<i64>,
    /// Answers whose prompt was compared.
    pub compared: usize,
    /// Of those, the answers with that remainder.
    pub reproduced: usize,
    /// Different requests among them.
    pub requests: usize,
    /// Answers that do not say how long their prompt was.
    pub without_prompt_tokens: usize,
    /// Answers whose strategy or question the case set does not have.
    pub without_block: usize,
    /// The answers that were not made from their block, in the file's order.
    pub off: Vec<OffAnswer>,
}

/// The remainders of all open recordings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// One entry a recording.
    pub recordings: Vec<RecordingProvenance>,
    #[serde(skip)]
    off: HashSet<AnswerRef>,
}

impl Provenance {
    /// Rebuilds and counts the requests of all recorded answers; each distinct text once.
    pub fn of(workspace: &Workspace) -> Self {
        let recordings: Vec<_> =
            (0..workspace.recordings.len()).filter_map(|recording| of_recording(workspace, recording)).collect();
        let off = recordings.iter().flat_map(|recording| recording.off.iter().map(|answer| answer.at)).collect();
        Self { recordings, off }
    }

    /// Answers that were not made from their blocks.
    pub fn off_count(&self) -> usize {
        self.off.len()
    }

    /// Whether an answer was made from the block that is shown for it; none where that cannot be told. Where most answers of
    /// a recording are off, the others may agree by chance.
    pub fn made_from_block(&self, workspace: &Workspace, at: AnswerRef) -> Option<bool> {
        if self.off.contains(&at) {
            return Some(false);
        }
        let known = self.recordings.get(at.recording)?;
        let telling = known.reproduced > known.off.len();
        let (graded, _, answer, _) = workspace.answer(at)?;
        let compared = answer.prompt_tokens.is_some() && block_of(&workspace.evaluation, graded, at.group).is_some();
        (compared && telling && known.requests > 1).then_some(true)
    }

    /// One sentence a recording, and one for all those of which nothing can be told.
    pub fn lines(&self) -> Vec<String> {
        let untold = |found: &&RecordingProvenance| found.verdict == ProvenanceVerdict::Nothing;
        let count = self.recordings.iter().filter(untold).count();
        let told = self.recordings.iter().filter(|found| count < 2 || !untold(found));
        let mut lines: Vec<String> = told.map(RecordingProvenance::line).collect();
        if count > 1 {
            let all = if count == self.recordings.len() { "the" } else { "the other" };
            lines.push(format!("provenance of {all} {count} recordings: {NOTHING}"));
        }
        lines
    }
}

impl RecordingProvenance {
    /// The finding in one sentence.
    pub fn line(&self) -> String {
        let template = self.template_tokens.unwrap_or_default();
        let sentence = match self.verdict {
            ProvenanceVerdict::Reproduced => {
                format!(
                    "reproduced: {} of {} prompts are the request and {template} tokens",
                    self.reproduced, self.compared
                )
            }
            ProvenanceVerdict::Off if self.reproduced > self.off.len() => format!(
                "OFF: {} of {} answers were not made from these blocks (the others' prompts are the request and {template} tokens)",
                self.off.len(),
                self.compared
            ),
            ProvenanceVerdict::Off => format!(
                "OFF: at least {} of {} answers were not made from these blocks (no remainder is shared by most)",
                self.off.len(),
                self.compared
            ),
            ProvenanceVerdict::Unconfirmed => {
                format!("unconfirmed: all {} prompts are of one request, which could be any", self.compared)
            }
            ProvenanceVerdict::Nothing => NOTHING.to_owned(),
        };
        let silent = match self.without_prompt_tokens + self.without_block {
            0 => String::new(),
            _ if self.verdict == ProvenanceVerdict::Nothing => String::new(),
            count => format!("; {count} more answers cannot be compared"),
        };
        format!("provenance of {}: {sentence}{silent}", self.recording)
    }
}

/// Strategy and question of a group whose request is known. Another system sent its blocks in words of its own, so that the
/// length of its prompt tells nothing.
fn block_of(evaluation: &Evaluation, graded: &GradedRecording, group: usize) -> Option<(usize, usize)> {
    let strategy = graded.strategy.get(group).copied().flatten()?;
    let is_ours = evaluation.strategies.get(strategy).is_some_and(|own| matches!(own.blocks(), Blocks::Ranked));
    is_ours.then_some(())?;
    Some((strategy, graded.question.get(group).copied().flatten()?))
}

fn of_recording(workspace: &Workspace, recording: usize) -> Option<RecordingProvenance> {
    let graded = workspace.recordings.get(recording)?;
    let counts = request_tokens(workspace, graded);
    let mut found = RecordingProvenance {
        recording: graded.recording.name.clone(),
        model: graded.recording.model_name().to_owned(),
        verdict: ProvenanceVerdict::Nothing,
        template_tokens: None,
        compared: 0,
        reproduced: 0,
        requests: counts.requests,
        without_prompt_tokens: 0,
        without_block: 0,
        off: Vec::new(),
    };
    let mut compared: Vec<OffAnswer> = Vec::new();
    for (place, group) in graded.recording.groups.iter().enumerate() {
        let tokens =
            block_of(&workspace.evaluation, graded, place).and_then(|block| counts.by_block.get(&block).copied());
        for (index, answer) in group.answers.iter().enumerate() {
            let (Some(request_tokens), Some(prompt_tokens)) = (tokens, answer.prompt_tokens) else {
                let silent = if tokens.is_none() { &mut found.without_block } else { &mut found.without_prompt_tokens };
                *silent += 1;
                continue;
            };
            compared.push(OffAnswer {
                at: AnswerRef { recording, group: place, answer: index },
                strategy: group.strategy.clone(),
                question: group.question.clone(),
                seed: answer.seed,
                prompt_tokens,
                request_tokens,
                remainder: difference(prompt_tokens, request_tokens),
            });
        }
    }
    found.compared = compared.len();
    found.template_tokens = most_frequent(compared.iter().map(|answer| answer.remainder));
    compared.retain(|answer| Some(answer.remainder) != found.template_tokens);
    found.reproduced = found.compared - compared.len();
    found.off = compared;
    found.verdict = match (found.compared, found.off.len(), found.requests) {
        (0, ..) => ProvenanceVerdict::Nothing,
        (_, 1.., _) => ProvenanceVerdict::Off,
        (.., 0 | 1) => ProvenanceVerdict::Unconfirmed,
        _ => ProvenanceVerdict::Reproduced,
    };
    Some(found)
}

fn difference(prompt: u64, request: usize) -> i64 {
    let [prompt, request] = [prompt, request as u64].map(|tokens| i64::try_from(tokens).unwrap_or(i64::MAX));
    prompt.saturating_sub(request)
}

/// Of several that are equally frequent, the smallest: the same on each run.
fn most_frequent(remainders: impl Iterator<Item = i64>) -> Option<i64> {
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    for remainder in remainders {
        *counts.entry(remainder).or_default() += 1;
    }
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(remainder, _)| remainder)
}

struct RequestCounts {
    by_block: HashMap<(usize, usize), usize>,
    requests: usize,
}

/// The tokens of the request of each block that a recording has answers with a prompt length for.
fn request_tokens(workspace: &Workspace, graded: &GradedRecording) -> RequestCounts {
    let counter = &*workspace.evaluation.counter;
    let system = counter.count(&graded.recording.system);
    let groups = graded.recording.groups.iter().enumerate();
    let told = groups.filter(|(_, group)| group.answers.iter().any(|answer| answer.prompt_tokens.is_some()));
    let blocks: HashSet<(usize, usize)> =
        told.filter_map(|(place, _)| block_of(&workspace.evaluation, graded, place)).collect();
    let blocks: Vec<(usize, usize)> = blocks.into_iter().collect();
    let message = |&(strategy, question): &(usize, usize)| {
        Request::of_block(&workspace.evaluation, strategy, question, "").map(|request| request.user_message)
    };
    let messages: Vec<Option<String>> = blocks.par_iter().map(message).collect();
    let distinct: Vec<&str> =
        messages.iter().flatten().map(String::as_str).collect::<HashSet<_>>().into_iter().collect();
    let counted: HashMap<&str, usize> = distinct.par_iter().map(|&text| (text, system + counter.count(text))).collect();
    let by_block = blocks.iter().zip(&messages);
    RequestCounts {
        requests: counted.len(),
        by_block: by_block.filter_map(|(block, message)| Some((*block, *counted.get(message.as_deref()?)?))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_of_which_nothing_can_be_told_share_a_sentence() {
        let found = |recording: &str, verdict, compared| RecordingProvenance {
            recording: recording.to_owned(),
            model: String::new(),
            verdict,
            template_tokens: None,
            compared,
            reproduced: compared,
            requests: 2,
            without_prompt_tokens: 0,
            without_block: 0,
            off: Vec::new(),
        };
        let nothing = |name| found(name, ProvenanceVerdict::Nothing, 0);
        let lines = |recordings| Provenance { recordings, off: HashSet::new() }.lines();
        assert_eq!(lines(vec![nothing("a")]), [format!("provenance of a: {NOTHING}")]);
        assert_eq!(lines(vec![nothing("a"), nothing("b")]), [format!("provenance of the 2 recordings: {NOTHING}")]);
        let three = lines(vec![nothing("a"), found("b", ProvenanceVerdict::Reproduced, 5), nothing("c")]);
        assert_eq!(three.len(), 2);
        assert_eq!(three[1], format!("provenance of the other 2 recordings: {NOTHING}"));
    }

    #[test]
    fn the_most_frequent_remainder_is_the_same_on_each_run() {
        assert_eq!(most_frequent([14, 14, 9].into_iter()), Some(14));
        assert_eq!(most_frequent([14, 9, -3].into_iter()), Some(-3));
        assert_eq!(most_frequent(std::iter::empty()), None);
    }
}
