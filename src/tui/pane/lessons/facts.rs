//! A curriculum and what its passes came to, computed once.

use crate::governed::curriculum::NamedCurriculum;
use crate::governed::{Attempt, Policy, RollbackRehearsal, Rule, Run, UsedCase};

/// A curriculum that was run.
pub(super) struct Facts {
    pub(super) named: NamedCurriculum,
    pub(super) run: Run,
    /// Each case once.
    pub(super) cases: Vec<UsedCase>,
}

impl Facts {
    pub(super) fn new(named: NamedCurriculum) -> Self {
        Self { run: named.run(), cases: named.curriculum.used_cases(), named }
    }
}

impl super::LessonsPane {
    /// The policy in view: the resulting one, or the one after the rollback that is rehearsed.
    pub(super) fn policy<'a>(&'a self, facts: &'a Facts) -> &'a Policy {
        self.rollback.as_ref().map_or(&facts.run.policy, |rehearsal: &RollbackRehearsal| &rehearsal.policy)
    }
}

/// The rules of a policy in the order in which they are asked.
pub(super) fn rules(policy: &Policy) -> Vec<Rule<'_>> {
    let lessons = policy.most_specific_first().into_iter().map(Rule::Lesson);
    let base = policy.base.iter().map(|(keyword, route)| Rule::Base { keyword, route });
    lessons.chain(base).chain([Rule::Otherwise { route: &policy.otherwise }]).collect()
}

/// An attempt in words.
pub(super) fn attempt_words(attempt: &Attempt) -> String {
    let Attempt { episode, lesson, trial, .. } = attempt;
    format!("{} episode {episode}: {} to {}; {trial}", attempt.decision(), lesson.words(), lesson.route)
}
