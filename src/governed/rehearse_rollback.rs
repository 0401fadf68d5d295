//! Taking back a lesson, rehearsed: the policy after it, and the cases that are routed otherwise. Nothing is changed.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{Case, Curriculum, Lesson, Policy, Trial};

/// What a case is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseUse {
    /// Lessons are made from it.
    Train,
    /// It confirms lessons.
    HeldOut,
    /// No lesson may misroute it.
    Negative,
    /// It must stay solved.
    Regression,
}

impl CaseUse {
    /// All, in the order of their lists.
    pub const ALL: [Self; 4] = [Self::Train, Self::HeldOut, Self::Negative, Self::Regression];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::HeldOut => "held-out",
            Self::Negative => "negative",
            Self::Regression => "regression",
        }
    }
}

/// A case of a curriculum, once however often it stands there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsedCase {
    /// The case.
    pub case: Case,
    /// What it is for.
    pub uses: BTreeSet<CaseUse>,
}

impl UsedCase {
    /// Its uses in words, such as `train, regression`.
    pub fn uses_in_words(&self) -> String {
        self.uses.iter().map(|one| one.name()).collect::<Vec<_>>().join(", ")
    }
}

impl Curriculum {
    /// The cases for one use, in their order.
    pub fn cases(&self, of: CaseUse) -> &[Case] {
        match of {
            CaseUse::Train => &self.train,
            CaseUse::HeldOut => &self.held_out,
            CaseUse::Negative => &self.negatives,
            CaseUse::Regression => self.regression.as_deref().unwrap_or_default(),
        }
    }

    /// Each case once, in the order in which it is first named.
    pub fn used_cases(&self) -> Vec<UsedCase> {
        let mut all: Vec<UsedCase> = Vec::new();
        let mut places: std::collections::BTreeMap<&Case, usize> = std::collections::BTreeMap::new();
        for of in CaseUse::ALL {
            for case in self.cases(of) {
                let place = *places.entry(case).or_insert(all.len());
                match all.get_mut(place) {
                    Some(known) => {
                        known.uses.insert(of);
                    }
                    None => all.push(UsedCase { case: case.clone(), uses: BTreeSet::from([of]) }),
                }
            }
        }
        all
    }

    /// Takes a lesson back from a copy of a policy. Returns nothing where the policy has no such lesson.
    pub fn rehearse_rollback(&self, policy: &Policy, lesson: &Lesson) -> Option<RollbackRehearsal> {
        let mut after = policy.clone();
        if !after.roll_back(lesson) {
            return None;
        }
        let mut rerouted = Vec::new();
        for used in self.used_cases() {
            let (before, then) = (policy.route(&used.case.keywords), after.route(&used.case.keywords));
            if before != then {
                let right = |route: &str| route == used.case.route;
                let (was_right, is_right) = (right(before), right(then));
                let (before, after) = (before.to_owned(), then.to_owned());
                rerouted.push(Rerouted { before, after, was_right, is_right, used });
            }
        }
        Some(RollbackRehearsal { lesson: lesson.clone(), again: self.trial(&after, lesson), policy: after, rerouted })
    }
}

/// A case that is routed otherwise after a rollback.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rerouted {
    /// The case.
    #[serde(flatten)]
    pub used: UsedCase,
    /// Its route before.
    pub before: String,
    /// Its route after.
    pub after: String,
    /// Whether the route before is right for it.
    pub was_right: bool,
    /// Whether the route after is right for it.
    pub is_right: bool,
}

impl Rerouted {
    /// What becomes of it, in a word or two.
    pub fn becomes(&self) -> &'static str {
        match (self.was_right, self.is_right) {
            (true, false) => "WRONG",
            (false, true) => "right",
            _ => "still wrong",
        }
    }
}

/// What taking back a lesson would come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RollbackRehearsal {
    /// The lesson.
    pub lesson: Lesson,
    /// The policy after it.
    pub policy: Policy,
    /// The cases of the curriculum that are routed otherwise.
    pub rerouted: Vec<Rerouted>,
    /// How the lesson would stand the test then: a lesson that was taken back is not forbidden.
    pub again: Trial,
}

impl RollbackRehearsal {
    /// How many cases become wrong.
    pub fn broken(&self) -> usize {
        self.rerouted.iter().filter(|case| case.was_right && !case.is_right).count()
    }

    /// How many cases become right.
    pub fn mended(&self) -> usize {
        self.rerouted.iter().filter(|case| !case.was_right && case.is_right).count()
    }
}
