//! Which strategies run on a case set, and what has to be done before: embeddings are asked for, programs are run.

use std::sync::Arc;

use super::Inputs;
use crate::case::CaseSet;
use crate::command;
use crate::embed::{Patience, Vectors, embed};
use crate::progress::Watch;
use crate::recording::Recording;
use crate::select::{self, Chosen, SentByOther, Strategy, UnknownStrategy};
use crate::source::{InputError, Warning};

/// Strategies that are ready to run, and what was odd on the way to them.
pub type Prepared = (Vec<Arc<dyn Strategy>>, Vec<Warning>);

/// The strategies to run on a case set alone.
///
/// # Errors
/// A strategy is not known.
pub fn strategies_for(cases: &CaseSet, inputs: &Inputs, watch: &Watch) -> Result<Prepared, UnknownStrategy> {
    let chosen = select::choose(&inputs.strategies)?;
    let chosen = if chosen.is_empty() { defaults(cases, &[], inputs) } else { chosen };
    Ok(prepare(&chosen, cases, inputs, watch))
}

/// What is run where nobody says so: also `dense` and `hybrid` where there is a server for them, and the strategies of ours that answers
/// were recorded under.
pub(super) fn defaults(cases: &CaseSet, recordings: &[Recording], inputs: &Inputs) -> Vec<Chosen> {
    let mut chosen = select::default_for(cases);
    let answered = recordings.iter().flat_map(|recording| &recording.groups).map(|group| group.strategy.as_str());
    let wanted = inputs.embeddings.iter().flat_map(|_| ["dense", "hybrid"]).chain(answered);
    for name in wanted.filter(|name| select::is_builtin(name)) {
        if chosen.iter().all(|known| known.name() != name)
            && let Ok(more) = select::choose(&[name.to_owned()])
        {
            chosen.extend(more);
        }
    }
    chosen
}

/// Makes the chosen strategies ready: asks the embedding server, runs the commands.
pub(super) fn prepare(chosen: &[Chosen], cases: &CaseSet, inputs: &Inputs, watch: &Watch) -> Prepared {
    let mut warnings = Vec::new();
    let vectors = vectors(chosen, cases, inputs, watch, &mut warnings);
    let mut strategies: Vec<Arc<dyn Strategy>> = Vec::new();
    for chosen in chosen {
        match chosen {
            Chosen::Command { name, command } => {
                let timeout = inputs.timeout.unwrap_or(command::TIMEOUT);
                let run = command::run(cases, name, command, timeout, watch);
                let failed: Vec<_> = run.blocks.iter().filter_map(|block| block.failure.as_deref()).collect();
                if let Some(first) = failed.first() {
                    let (count, all) = (failed.len(), run.blocks.len());
                    warnings.push(about(name, format!("failed on {count} of {all} questions; the first: {first}")));
                }
                strategies.push(Arc::new(SentByOther::new(run)));
            }
            Chosen::BuiltIn { name, .. } => {
                strategies.extend(chosen.strategy(vectors.as_ref()));
                if *name == "attribute" {
                    warnings.extend(unmapped(cases));
                }
            }
        }
    }
    (strategies, warnings)
}

/// The embeddings of all records and questions, where a strategy asks for them and a server is named.
fn vectors(
    chosen: &[Chosen],
    cases: &CaseSet,
    inputs: &Inputs,
    watch: &Watch,
    warnings: &mut Vec<Warning>,
) -> Option<Arc<Vectors>> {
    if !chosen.iter().any(Chosen::wants_vectors) {
        return None;
    }
    let asked = chosen.iter().any(|chosen| chosen.name().starts_with("dense"));
    let Some(server) = &inputs.embeddings else {
        if asked {
            let how = "--embeddings URL and --embedding-model NAME name one";
            warnings.push(about("dense", format!("left out, because no embedding server is named: {how}")));
        }
        return None;
    };
    let events = cases.conversations.iter().flat_map(|conversation| &conversation.events);
    let questions = cases.questions().map(|(_, question)| question.question.as_str());
    let texts = events.map(|event| event.text.as_str()).chain(questions);
    match embed(texts, server, &Patience::default(), watch) {
        Ok((vectors, odd)) => {
            warnings.extend(odd.map(|odd| about("dense", odd)));
            Some(Arc::new(vectors))
        }
        Err(error) => {
            warnings.push(about("dense", format!("left out: {error}")));
            None
        }
    }
}

fn unmapped(cases: &CaseSet) -> Option<Warning> {
    let all = cases.question_count();
    let without = cases.questions().filter(|(_, question)| question.attributes.is_empty()).count();
    (without > 0).then(|| {
        let how = "`recallscope attributes` prints a map to fill in";
        about(
            "attribute",
            format!("{without} of {all} questions name no attributes and are ranked by bm25-stem: {how}"),
        )
    })
}

fn about(strategy: &str, message: String) -> Warning {
    InputError::plain(&format!("--strategy {strategy}"), message)
}
