//! The vocabulary of the explorer: everything that a key, the mouse, the finder, a script or a test can ask for.

/// Where an action means something. The scopes of the pane in view are looked up before the general ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Everywhere.
    Global,
    /// In every list and text.
    Motion,
    /// In the Overview pane.
    Overview,
    /// In the Question pane.
    Question,
    /// In the Compare pane.
    Compare,
    /// In the Replay pane.
    Replay,
    /// In the Answers pane.
    Answers,
    /// In the Triage pane.
    Triage,
    /// In the Store pane.
    Store,
    /// In the Abilities pane.
    Abilities,
    /// In the Lessons pane.
    Lessons,
}

impl Scope {
    /// The heading of its actions in the help.
    pub fn title(self) -> &'static str {
        match self {
            Self::Global => "Everywhere",
            Self::Motion => "In lists and texts",
            Self::Overview => "Overview",
            Self::Question => "Question",
            Self::Compare => "Compare",
            Self::Replay => "Replay",
            Self::Answers => "Answers",
            Self::Triage => "Triage",
            Self::Store => "Store",
            Self::Abilities => "Abilities",
            Self::Lessons => "Lessons",
        }
    }
}

macro_rules! actions {
    ($($variant:ident, $name:literal, $scope:ident, $short:literal, $sentence:literal, [$($key:literal),*];)*) => {
        /// One thing that the explorer can be asked to do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Action {
            $(#[doc = $sentence] $variant,)*
        }

        impl Action {
            /// Every action, in the order of the help.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Its name in the settings file.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Where it means something.
            pub fn scope(self) -> Scope {
                match self { $(Self::$variant => Scope::$scope,)* }
            }

            /// One or two words, for the footer.
            pub fn short(self) -> &'static str {
                match self { $(Self::$variant => $short,)* }
            }

            /// One sentence, for the help.
            pub fn sentence(self) -> &'static str {
                match self { $(Self::$variant => $sentence,)* }
            }

            /// The keys it has where the settings file gives none.
            pub fn default_keys(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$($key),*],)* }
            }
        }
    };
}

actions! {
    Quit, "quit", Global, "quit", "Leave recallscope.", ["q", "ctrl-c"];
    Help, "help", Global, "help", "Show every key that works here.", ["?", "f1"];
    Finder, "finder", Global, "find", "Find a question, a user, a pane or an action by a few letters.", ["ctrl-p", ":"];
    OverviewPane, "overview", Global, "overview", "Go to Overview: what went wrong, where?", ["1"];
    QuestionPane, "question", Global, "question", "Go to Question: why did it fail?", ["2"];
    ComparePane, "compare", Global, "compare", "Go to Compare: which strategy pays?", ["3"];
    ReplayPane, "replay", Global, "replay", "Go to Replay: how did it come to this?", ["4"];
    AnswersPane, "answers", Global, "answers", "Go to Answers: what did the model say?", ["5"];
    TriagePane, "triage", Global, "triage", "Go to Triage, to the suspect looked at last: is the key at fault?", ["6"];
    StorePane, "store", Global, "store", "Go to Store: what is kept, and why?", ["7"];
    AbilitiesPane, "abilities", Global, "abilities", "Go to Abilities: what can a memory do?", ["8"];
    LessonsPane, "lessons", Global, "lessons", "Go to Lessons: what earned a rule?", ["9"];
    TriageHere, "triage-here", Global, "triage this", "Go to Triage, to the question under the cursor.", ["t"];
    NextPane, "next-pane", Global, "next pane", "Go to the next pane.", [">"];
    PreviousPane, "previous-pane", Global, "previous pane", "Go to the pane before.", ["<"];
    Back, "back", Global, "back", "Go back to what was open before.", ["backspace", "alt-left", "ctrl-o"];
    Forward, "forward", Global, "forward", "Go forward again.", ["alt-right"];
    Search, "search", Global, "search", "Search in the list or text that has the focus.", ["/"];
    SearchNext, "search-next", Global, "next match", "Go to the next match.", ["n"];
    SearchPrevious, "search-previous", Global, "previous match", "Go to the match before.", ["N"];
    Copy, "copy", Global, "copy", "Copy the raw text under the cursor to the clipboard.", ["y"];
    Zoom, "zoom", Global, "zoom", "Give the part with the focus the whole pane, or give it back.", ["z"];
    Mouse, "mouse", Global, "mouse", "Turn the mouse on or off; while it is on, the terminal cannot select text.", ["m"];
    Warnings, "warnings", Global, "warnings", "Show what was odd in the files.", ["w"];
    NextGrader, "next-grader", Global, "grader", "Count the grades of the next grader: of each answer the first that can, keys, judges, published answers.", ["B"];
    Abstention, "abstention", Global, "abstention", "Count the questions to abstain from in pass rates, leave them out, or count them alone.", ["A"];
    Redraw, "redraw", Global, "redraw", "Draw the whole screen again.", ["ctrl-l"];
    Suspend, "suspend", Global, "suspend", "Put recallscope in the background of the shell.", ["ctrl-z"];
    Cancel, "cancel", Global, "close", "Close what is open on top, or end the zoom, the search, the filters, in this order.", ["esc"];

    Up, "up", Motion, "up", "One up.", ["up", "k"];
    Down, "down", Motion, "down", "One down.", ["down", "j"];
    Left, "left", Motion, "left", "One to the left.", ["left", "h"];
    Right, "right", Motion, "right", "One to the right.", ["right", "l"];
    PageUp, "page-up", Motion, "page up", "One page up.", ["pageup", "ctrl-b", "ctrl-u"];
    PageDown, "page-down", Motion, "page down", "One page down.", ["pagedown", "ctrl-f", "ctrl-d"];
    First, "first", Motion, "first", "To the beginning.", ["g", "home"];
    Last, "last", Motion, "last", "To the end.", ["G", "end"];
    NextPart, "next-part", Motion, "next part", "Move the focus to the next part of the pane.", ["tab"];
    PreviousPart, "previous-part", Motion, "part before", "Move the focus to the part before.", ["backtab"];
    Open, "open", Motion, "open", "Open what is under the cursor.", ["enter"];

    FailuresOnly, "failures-only", Overview, "failures", "Show only questions with something wrong, or all again.", ["f"];
    FilterUser, "filter-user", Overview, "user", "Show one user's questions; press again for the next user.", ["u"];
    FilterStrategy, "filter-strategy", Overview, "this strategy", "With failures only: count the failures of the strategy under the cursor alone.", ["s"];

    OverviewCause, "overview-cause", Overview, "cause", "Show the questions with one cause of failure; press again for the next.", ["c"];

    OverviewDisagreement, "overview-disagreement", Overview, "disagree", "Show the questions whose answers disagree, some passing and some not; press again for those that no answer passes.", ["x"];

    OverviewCategory, "overview-category", Overview, "category", "Show the questions of one category; press again for the next.", ["C"];

    SideBySide, "side-by-side", Question, "side by side", "Put two strategies side by side, or one again.", ["s"];
    OtherStrategy, "other-strategy", Question, "other side", "Choose the next strategy for the right side.", ["o"];
    NextQuestion, "next-question", Question, "question", "Go to the next question.", ["]", "J"];
    PreviousQuestion, "previous-question", Question, "question before", "Go to the question before.", ["[", "K"];
    NextFailure, "next-failure", Question, "failure", "Go to the next question with something wrong under this strategy.", ["f", "}"];
    PreviousFailure, "previous-failure", Question, "failure before", "Go to the failure before.", ["F", "{"];

    NextBaseline, "next-baseline", Compare, "baseline", "Measure against the next strategy.", ["b"];

    ShowRanking, "show-ranking", Compare, "ranking", "Show how well the strategies rank before the quota cuts, or what their blocks cost again.", ["r"];
    LargerK, "larger-k", Compare, "k", "In the ranking: look at more candidates.", ["]"];
    SmallerK, "smaller-k", Compare, "smaller k", "In the ranking: look at fewer candidates.", ["["];
    RankingCategory, "ranking-category", Compare, "category", "In the ranking: only the questions of one category; press again for the next.", ["c"];
    FlippedBy, "flipped-by", Compare, "any or all", "In the ranking: list the questions that flip when one fact is enough, or when all are needed.", ["f"];

    StepBack, "step-back", Replay, "step back", "One event back.", ["["];
    StepForward, "step-forward", Replay, "step", "One event on.", ["]"];
    ChangeBack, "change-back", Replay, "change before", "Back to the last correct or forget.", ["{"];
    ChangeForward, "change-forward", Replay, "next change", "On to the next correct or forget.", ["}"];
    Play, "play", Replay, "play", "Step by itself, or stop.", ["space"];
    Ask, "ask", Replay, "ask", "Ask any question at this turn and see each strategy's block.", ["a"];
    NextUser, "next-user", Replay, "next user", "Replay the next user's history.", ["u"];
    PreviousUser, "previous-user", Replay, "user before", "Replay the history of the user before.", ["U"];

    FilterVerdict, "filter-verdict", Answers, "verdict", "Show one verdict; press again for the next.", ["v"];
    AnswersStrategy, "answers-strategy", Answers, "strategy", "Show one strategy's answers; press again for the next.", ["s"];
    AnswersQuestion, "answers-question", Answers, "this question", "Show the answers to the question under the cursor alone, or all.", ["o"];
    FilterReason, "filter-reason", Answers, "reason", "Show one reason's answers; press again for the next.", ["r"];
    FilterText, "filter-text", Answers, "text", "Show the answers that contain a text.", ["f"];
    FilterCause, "filter-cause", Answers, "cause", "Show the answers that failed for one cause; press again for the next.", ["c"];
    FilterRecording, "filter-recording", Answers, "recording", "Show one recording's answers; press again for the next.", ["d"];
    FilterDisagreement, "filter-disagreement", Answers, "disagreement", "Show the answers on which graders disagree in one way; press again for the next.", ["x"];
    OpenQuestion, "open-question", Answers, "question", "Open the answer's question under its strategy.", ["i"];

    KeyWrong, "key-wrong", Triage, "key wrong", "Decide: the key demands what the notes do not support.", ["x"];
    KeyTooNarrow, "key-too-narrow", Triage, "too narrow", "Decide: the key refuses right answers.", ["c"];
    KeyTooWide, "key-too-wide", Triage, "too wide", "Decide: the key lets wrong answers pass.", ["v"];
    WrongPremise, "wrong-premise", Triage, "premise", "Decide: the question takes something for granted that is not so.", ["p"];
    Ambiguous, "ambiguous", Triage, "ambiguous", "Decide: the question has more than one right answer.", ["a"];
    EvidenceWrong, "evidence-wrong", Triage, "evidence", "Decide: the listed facts are the wrong ones.", ["e"];
    AnswerRight, "answer-right", Triage, "answer right", "Decide: the answer under the cursor (in the queue: every answer) is right after all.", ["r"];
    AnswerWrong, "answer-wrong", Triage, "answer wrong", "Decide: the answer under the cursor (in the queue: every answer) is wrong after all.", ["b"];
    KeyRight, "key-right", Triage, "key right", "Decide: the key is right, the report is rejected.", ["o"];
    EditPattern, "edit-pattern", Triage, "pattern", "Edit the pattern under the cursor, or the key's first one, and see what changes.", ["i"];
    EditPublished, "edit-published", Triage, "published", "Correct the published answer: the answers are graded by the corrected one.", ["P"];
    Undo, "undo", Triage, "undo", "Withdraw the last decision about this question; the history keeps it.", ["u"];
    Undecided, "undecided", Triage, "undecided", "Show only questions without a decision, or all again.", ["f"];
    Repair, "repair", Triage, "repair", "Copy the question to a new case file with one event more, and open it.", ["R"];
    Export, "export", Triage, "export", "Write the decisions beside the triage file as JSONL and Markdown.", ["E"];
    NextSuspect, "next-suspect", Triage, "next", "Go to the next suspect.", ["]"];
    PreviousSuspect, "previous-suspect", Triage, "before", "Go to the suspect before.", ["["];
    StoreBack, "store-back", Store, "step back", "One step back; in a deletion that is rehearsed, one of its steps.", ["["];
    StoreForward, "store-forward", Store, "step", "One step on; in a deletion that is rehearsed, one of its steps.", ["]"];
    StoreFirst, "store-first", Store, "first step", "Before the first step, with an empty store.", ["{"];
    StoreLast, "store-last", Store, "last step", "After the last step.", ["}"];
    NextSubject, "next-subject", Store, "next store", "Show the next store: a file, a scenario, or what a user's events make.", ["u"];
    PreviousSubject, "previous-subject", Store, "store before", "Show the store before.", ["U"];
    ChooseSubject, "choose-subject", Store, "stores", "Choose a store from a list.", ["o"];
    NextScope, "next-scope", Store, "next scope", "Read as the next tenant or user that the store knows.", ["s"];
    ChooseScope, "choose-scope", Store, "scopes", "Choose the tenant or user to read as from a list.", ["S"];
    StorePointer, "store-pointer", Store, "pointer", "Let left and right move the other pointer: as of (what was true then), or known at (what was believed then).", ["p"];
    PointerBack, "pointer-back", Store, "far back", "Move the pointer back over many event times.", ["H", "shift-left"];
    PointerForward, "pointer-forward", Store, "far on", "Move the pointer on over many event times.", ["L", "shift-right"];
    StoreAsk, "store-ask", Store, "ask", "Ask any question, answered at both pointers, with the candidates and the reason where there is no answer.", ["a"];
    StoreFilter, "store-filter", Store, "filter", "Show the current records or all; in the log: accepted, refused, what waits for a review, or all.", ["f"];
    LogReason, "log-reason", Store, "reason", "Show the decisions with one reason; press again for the next.", ["r"];
    RehearseDeletion, "rehearse-deletion", Store, "forget me", "Rehearse the deletion of the scope on a copy, step by step.", ["D"];
    NextSuite, "next-suite", Abilities, "suite", "Show the next suite of probes.", ["]"];
    PreviousSuite, "previous-suite", Abilities, "suite before", "Show the suite before.", ["["];
    NextBudget, "next-budget", Abilities, "budget", "Try the suite under its next budget of tokens, after the largest under the least.", ["b"];
    NextCurriculum, "next-curriculum", Lessons, "curriculum", "Show the next curriculum.", ["]"];
    PreviousCurriculum, "previous-curriculum", Lessons, "one before", "Show the curriculum before.", ["["];
    RollBack, "roll-back", Lessons, "roll back", "Rehearse taking back the lesson under the cursor, or end the rehearsal.", ["b"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_sentences_are_sentences() {
        let names: HashSet<_> = Action::ALL.iter().map(|action| action.name()).collect();
        assert_eq!(names.len(), Action::ALL.len());
        assert!(Action::ALL.iter().all(|action| action.sentence().ends_with(['.', '?'])));
    }
}
