//! The grade of one memory block.

use crate::case::{Event, Fact, Question};
use crate::memory::RecordId;

/// How a line stands to the question's facts. A line may carry several kinds at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LineRole {
    /// It carries a required fact.
    pub useful: bool,
    /// It carries a replaced fact.
    pub stale: bool,
    /// It carries a fact that the user asked to forget.
    pub forgotten: bool,
}

impl LineRole {
    /// The role of the line made from `event`.
    pub fn of(event: &Event, question: &Question) -> Self {
        let carries = |facts: &[Fact]| facts.iter().any(|fact| fact.is_carried_by(event));
        Self {
            useful: carries(&question.required),
            stale: carries(&question.stale),
            forgotten: carries(&question.forgotten),
        }
    }

    /// Whether the line must not be there.
    pub fn leaks(self) -> bool {
        self.stale || self.forgotten
    }
}

/// One line of a memory block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockLine {
    /// The record that it shows.
    pub id: RecordId,
    /// The user's event that the record was made from, from 0.
    pub event: usize,
    /// Tokens of the line, counted on its own.
    pub tokens: usize,
    /// How it stands to the question's facts.
    pub role: LineRole,
}

/// A ranked record whose line did not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The user's event that the record was made from, from 0.
    pub event: usize,
    /// Tokens over the quota when its turn came.
    pub by: usize,
}

/// The memory lines sent with one question under one strategy, graded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Block {
    /// The lines, in rank order.
    pub lines: Vec<BlockLine>,
    /// Required facts that no line carries, as places in the question's list.
    pub missing: Vec<usize>,
    /// Facts that the question needs.
    pub required: usize,
    /// Tokens of all lines together.
    pub tokens: usize,
    /// Records that carry a fact which no line carries, and that the facts quota cut, in rank order.
    pub cut: Vec<Cut>,
    /// Lines by their role, counted once: a hundred thousand blocks are added up within a frame.
    pub(crate) useful: usize,
    pub(crate) stale: usize,
    pub(crate) forgotten: usize,
}

impl Block {
    /// Whether a line was made from this event.
    pub fn holds(&self, event: usize) -> bool {
        self.lines.iter().any(|line| line.event == event)
    }

    /// Required facts that a line carries.
    pub fn found(&self) -> usize {
        self.required - self.missing.len()
    }

    /// Lines that carry a required fact.
    pub fn useful(&self) -> usize {
        self.useful
    }

    /// Lines that carry a replaced fact.
    pub fn stale(&self) -> usize {
        self.stale
    }

    /// Lines that carry a fact that the user asked to forget.
    pub fn forgotten(&self) -> usize {
        self.forgotten
    }

    /// Whether the block lacks nothing and leaks nothing.
    pub fn is_sound(&self) -> bool {
        self.missing.is_empty() && self.stale + self.forgotten == 0
    }
}

/// Grades the lines sent with a question. `event_of` gives the event that a line was made from.
pub fn grade_block<'a>(
    question: &Question,
    lines: impl IntoIterator<Item = (RecordId, usize, usize)>,
    event_of: impl Fn(usize) -> Option<&'a Event>,
) -> Block {
    let mut found = vec![false; question.required.len()];
    let mut block = Block { required: question.required.len(), ..Block::default() };
    for (id, event, tokens) in lines {
        let role = event_of(event).map(|event| {
            for (found, _) in found.iter_mut().zip(&question.required).filter(|(_, fact)| fact.is_carried_by(event)) {
                *found = true;
            }
            LineRole::of(event, question)
        });
        block.tokens += tokens;
        let role = role.unwrap_or_default();
        block.useful += usize::from(role.useful);
        block.stale += usize::from(role.stale);
        block.forgotten += usize::from(role.forgotten);
        block.lines.push(BlockLine { id, event, tokens, role });
    }
    block.missing = found.iter().enumerate().filter(|(_, found)| !**found).map(|(index, _)| index).collect();
    block
}
