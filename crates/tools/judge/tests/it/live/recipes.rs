//! The recipes for hooks on the real CLI: the tests include the files of the example.

#[path = "../../../../../agentwire/examples/recipes/call_log.rs"]
mod call_log;
#[path = "../../../../../agentwire/examples/recipes/chain.rs"]
mod chain;
#[path = "../../../../../agentwire/examples/recipes/commands.rs"]
mod commands;
#[path = "../../../../../agentwire/examples/recipes/env_files.rs"]
mod env_files;
#[path = "../../../../../agentwire/examples/recipes/matchers.rs"]
mod matchers;
#[path = "../../../../../agentwire/examples/recipes/notices.rs"]
mod notices;
#[path = "../../../../../agentwire/examples/recipes/paths.rs"]
mod paths;
#[path = "../../../../../agentwire/examples/recipes/prompt_context.rs"]
mod prompt_context;
#[path = "../../../../../agentwire/examples/recipes/rate_limit.rs"]
mod rate_limit;
#[path = "../../../../../agentwire/examples/recipes/read_only.rs"]
mod read_only;
#[path = "../../../../../agentwire/examples/recipes/recursion.rs"]
mod recursion;
#[path = "../../../../../agentwire/examples/recipes/redact.rs"]
mod redact;
#[path = "../../../../../agentwire/examples/recipes/sandbox.rs"]
mod sandbox;
#[path = "../../../../../agentwire/examples/recipes/subagents.rs"]
mod subagents;
#[path = "../../../../../agentwire/examples/recipes/system_folders.rs"]
mod system_folders;
#[path = "../../../../../agentwire/examples/recipes/webhook.rs"]
mod webhook;

mod agents;
mod attacks;
mod calls;
mod files;
mod judging;
mod matching;
mod prompts;
mod telling;

use agentwire::{Message, Options, Session, SessionBuilder, System, hooks::Hooks};
use agentwire_testkit::model::Answer;

use super::{
    Place,
    place::{replies, tool_results},
};

/// The outcome of a turn.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The outcome of each tool call, in order: the text for the model, or an error if the call was refused.
    outputs: Vec<Result<String, String>>,
    /// The notices shown to the user.
    notices: Vec<String>,
    /// The answer.
    answer: String,
}

impl Seen {
    /// Returns for each tool call whether it was refused.
    pub(super) fn refused(&self) -> Vec<bool> {
        self.outputs.iter().map(Result::is_err).collect()
    }
}

/// Returns options that permit the CLI's own tools, so that only a hook refuses.
pub(super) fn permissive(place: &Place) -> Options {
    let tools = ["Bash", "Edit", "Monitor", "NotebookEdit", "Read", "Write"];
    place.in_project().allowed_tools(tools)
}

/// Runs one turn with these hooks and everything permitted.
async fn held(place: &Place, hooks: Hooks) -> Seen {
    hold(Session::builder().options(permissive(place)).hooks(hooks)).await
}

pub(super) async fn hold(session: SessionBuilder) -> Seen {
    let mut session = session.connect().await.unwrap();
    let mut seen = Seen::default();
    let mut turn = session.ask("Do it.").await.unwrap();
    while let Some(incoming) = turn.next().await {
        match incoming.unwrap().into_message() {
            Some(Message::User(user)) => {
                let results = tool_results(&user);
                seen.outputs.extend(results.map(|(failed, text)| if failed { Err(text) } else { Ok(text) }));
            }
            Some(Message::System(System::Informational(notice))) => seen.notices.push(notice.content),
            Some(Message::Result(result)) => seen.answer = result.result.unwrap_or_default(),
            _ => {}
        }
    }
    session.close().await.unwrap();
    seen
}

/// Returns the number of requests for the match with this number.
fn matched(place: &Place, number: usize) -> usize {
    place.model.requests().iter().filter(|request| request.answer == Answer::Matched(number)).count()
}
