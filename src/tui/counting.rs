//! Whose grades count, and of which questions: what is asked for, and what comes of it.

use std::sync::Arc;

use super::app::{App, Effect, Loading};
use crate::diagnosis::Diagnosis;
use crate::grade::{Counting, GraderChoice};
use crate::workspace::Workspace;

impl App {
    /// The same data counted in another way, with what follows from it.
    pub fn counted(&mut self, workspace: Arc<Workspace>, diagnosis: Option<Arc<Diagnosis>>) {
        if let Some(words) = workspace.counting_words() {
            self.say(format!("answers {words}"));
        }
        self.loading = Loading::Done(workspace);
        self.derived.diagnosis = diagnosis;
        self.counting = None;
        self.enter();
    }

    /// Counts in another way at once, where nobody does it in the background.
    pub(super) fn count_now(&mut self) {
        let (counts, others) =
            std::mem::take(&mut self.effects).into_iter().partition(|effect| matches!(effect, Effect::Count(_)));
        self.effects = others;
        let counts: Vec<Effect> = counts;
        if let (Some(Effect::Count(counting)), Loading::Done(workspace)) = (counts.last(), &self.loading) {
            let workspace = Arc::new(workspace.counted(*counting));
            let diagnosis = self.derived.diagnosis.as_ref().map(|diagnosis| Arc::new(diagnosis.again(&workspace)));
            self.counted(workspace, diagnosis);
        }
    }

    /// On to the next grader that has graded an answer here.
    pub(super) fn next_grader(&mut self, workspace: &Workspace) {
        let choices = workspace.graders().iter().filter_map(|grader| GraderChoice::of(*grader));
        let choices: Vec<GraderChoice> = std::iter::once(GraderChoice::Auto).chain(choices).collect();
        if choices.len() < 3 {
            return self.say(match workspace.graders().first() {
                Some(grader) => format!("there are no other graders than {grader}"),
                None => "nobody has graded an answer".to_owned(),
            });
        }
        let counting = self.counting.unwrap_or(workspace.counting);
        let place = choices.iter().position(|choice| *choice == counting.grader).unwrap_or_default();
        let grader = choices.get((place + 1) % choices.len()).copied().unwrap_or_default();
        self.count(Counting { grader, ..counting });
    }

    pub(super) fn switch_abstention(&mut self, workspace: &Workspace) {
        if workspace.evaluation.cases.questions().all(|(_, question)| !question.abstain) {
            return self.say("no question is to be abstained from");
        }
        let counting = self.counting.unwrap_or(workspace.counting);
        self.count(Counting { abstention: counting.abstention.next(), ..counting });
    }

    /// Asks for it. The next key goes on from here, whether or not it is done by then.
    fn count(&mut self, counting: Counting) {
        self.counting = Some(counting);
        self.effects.push(Effect::Count(counting));
    }

    /// It could not be done.
    pub(super) fn not_counted(&mut self, why: impl Into<String>) {
        self.counting = None;
        self.say(why);
    }
}
