//! Questions that outlive their process: the tool use is deferred, and answered when the session is resumed.

use std::time::Duration;

use agentwire::{
    Error, SessionBuilder, TurnResult,
    hooks::{Hooks, Matcher},
    protocol::{
        ToolUseId,
        hook::{HookReply, PreToolUse},
        message::DeferredToolUse,
    },
};
use tokio::time::timeout;

/// How long a resumed CLI may take to call the hook for a tool use that waits.
const LIMIT: Duration = Duration::from_secs(30);

/// A person's answer to a deferred tool use.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The tool use, as in the question.
    pub(crate) tool_use: ToolUseId,
    /// `Err` denies it with a reason for the model.
    pub(crate) verdict: Result<(), String>,
}

/// The outcome of a turn.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The model's answer: the turn is complete.
    Done(String),
    /// A tool use that waits for an answer, and the id of its session. Store both; the process may end.
    Parked(String, DeferredToolUse),
}

/// Defers all uses of these tools except the use with an answer.
#[must_use]
pub(crate) fn ask_later(hooks: Hooks, tools: &[&str], answer: Option<Answer>) -> Hooks {
    hooks.on_matching(PreToolUse, Matcher::tools(tools.iter().copied()), move |input, _cx| {
        let reply = match &answer {
            Some(Answer { tool_use, verdict }) if *tool_use == input.tool_use_id => match verdict {
                Ok(()) => HookReply::allow(),
                Err(why) => HookReply::deny(why.clone()),
            },
            _ => HookReply::defer(),
        };
        async { reply }
    })
}

/// Starts a session with [`ask_later`] and runs one turn.
pub(crate) async fn begin(session: SessionBuilder, prompt: &str) -> Result<Outcome, Error> {
    let mut session = session.connect().await?;
    let result = session.ask(prompt).await?.finish().await?;
    // A second prompt in the same process would discard the tool use.
    session.close().await?;
    outcome(result)
}

/// Resumes a session with [`ask_later`] and an answer: the options name the session (`resume`).
pub(crate) async fn resume(session: SessionBuilder) -> Result<Outcome, Error> {
    let mut session = session.connect().await?;
    // No prompt is needed: the CLI calls the hook for the tool use and then continues.
    let mut turn = session.turn();
    let Ok(first) = timeout(LIMIT, turn.next()).await else {
        return Err(Error::NoResult { why: "no tool use waits for an answer" });
    };
    first.transpose()?;
    let result = turn.finish().await?;
    session.close().await?;
    outcome(result)
}

fn outcome(result: Option<Box<TurnResult>>) -> Result<Outcome, Error> {
    let result = result.ok_or(Error::NoResult { why: "the session ended" })?;
    match (result.deferred_tool_use.clone(), &result.session_id) {
        _ if result.is_error => Err(Error::TurnFailed(result)),
        (Some(tool_use), Some(session)) => Ok(Outcome::Parked(session.to_string(), tool_use)),
        _ => Ok(Outcome::Done(result.result.unwrap_or_default())),
    }
}
