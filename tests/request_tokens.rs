//! The rebuilt requests have the tokens that the server counted.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::indexing_slicing, reason = "test helpers")]

use std::sync::Arc;

use recallscope::open::Inputs;
use recallscope::request::{CHAT_TEMPLATE, Request};
use recallscope::tokens::GemmaCounter;
use recallscope::workspace::Workspace;

#[test]
fn each_recorded_prompt_is_the_request_and_the_chat_template() {
    let workspace = Workspace::open(&Inputs::default(), Arc::new(GemmaCounter)).unwrap();
    let mut compared = 0;
    let mut without_lines = Vec::new();
    for at in workspace.all_answers() {
        let (graded, group, answer, _) = workspace.answer(at).unwrap();
        let (strategy, question) = (graded.strategy[at.group].unwrap(), graded.question[at.group].unwrap());
        let request = Request::of_block(&workspace.evaluation, strategy, question, &graded.recording.system).unwrap();
        let tokens = request.tokens(&GemmaCounter).total() + CHAT_TEMPLATE;
        let recorded = usize::try_from(answer.prompt_tokens.unwrap()).unwrap();
        assert_eq!(recorded, tokens, "{} {:?}:\n{}", group.strategy, group.question, request.user_message);
        compared += 1;
        if workspace.evaluation.block(strategy, question).unwrap().lines.is_empty() {
            without_lines.push(recorded);
        }
    }
    assert_eq!(compared, 150);
    // Blocks without lines are among them: each still has its header and its two tags.
    without_lines.dedup();
    assert_eq!(without_lines, [75, 74, 72, 71]);
}
