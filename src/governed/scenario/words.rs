//! Operations in words, one line each.

use std::fmt::{Display, Formatter, Result};

use super::Operation;
use crate::governed::{Candidate, Kind, Source};

impl Display for Operation {
    /// What it does, in one line for people; the name of the operation is no part of it.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        match self {
            Self::Gate { candidate } | Self::Decide { candidate } => fact(formatter, candidate, None),
            Self::Turn { candidate, now } => fact(formatter, candidate, *now),
            Self::Write { candidate, now, corrects } => {
                fact(formatter, candidate, *now)?;
                corrects.as_ref().map_or(Ok(()), |wrong| write!(formatter, ", corrects {wrong}"))
            }
            Self::Forget { key, .. } => formatter.write_str(key),
            Self::Consolidate { episodes, candidate, now } => {
                fact(formatter, candidate, *now)?;
                write!(formatter, " from {} episodes", episodes.len())
            }
            Self::Retrieve { query, as_of, now, .. } => {
                formatter.write_str(query)?;
                clock(formatter, "as of", *as_of)?;
                clock(formatter, "now", *now)
            }
            Self::RetrieveUnsafe { query, .. } => formatter.write_str(query),
            Self::BelievedAt { query, decision_time, valid_time, .. } => {
                formatter.write_str(query)?;
                clock(formatter, "known at", Some(*decision_time))?;
                clock(formatter, "as of", *valid_time)
            }
            Self::Records {} => formatter.write_str("of everybody"),
            Self::Postings { token } => write!(formatter, "of \"{token}\""),
            Self::IndexIsRebuildable {} => Ok(()),
            Self::Observe { text, time, temporary, .. } => {
                let mode = if *temporary { ", temporary" } else { "" };
                write!(formatter, "\"{text}\" at {time}{mode}")
            }
            Self::Expire { now } => write!(formatter, "at {now}"),
            Self::Decay { k } => write!(formatter, "after {k} reads"),
            Self::Evict { n, .. } => write!(formatter, "all but {n}"),
            Self::DeleteSubject { scope } => write!(formatter, "{scope}"),
            Self::Invalidate { scope: Some(scope) } => write!(formatter, "what rests on {scope}"),
            Self::Invalidate { scope: None } => formatter.write_str("what rests on anything deleted"),
            Self::DeleteShared { scope, now } => write!(formatter, "{scope} at {now}"),
        }
    }
}

fn fact(formatter: &mut Formatter<'_>, candidate: &Candidate, now: Option<i64>) -> Result {
    let Candidate { key, value, time, kind, source, confidence, ttl, .. } = candidate;
    write!(formatter, "{key} = {value} from {time}")?;
    clock(formatter, "known at", now)?;
    if *kind != Kind::Semantic {
        write!(formatter, ", {}", kind.name())?;
    }
    if *source != Source::User {
        write!(formatter, ", by {}", source.name())?;
    }
    if *confidence != 1.0 {
        write!(formatter, ", confidence {confidence}")?;
    }
    ttl.map_or(Ok(()), |ttl| write!(formatter, ", for {ttl}"))
}

fn clock(formatter: &mut Formatter<'_>, name: &str, instant: Option<i64>) -> Result {
    instant.map_or(Ok(()), |instant| write!(formatter, ", {name} {instant}"))
}
