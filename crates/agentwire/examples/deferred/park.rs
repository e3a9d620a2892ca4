//! A question that outlives its process: the tool use is deferred, and answered when the session is resumed.

use agentwire::{
    Error, SessionBuilder, TurnResult,
    hooks::{Hooks, Matcher},
    protocol::{
        ToolUseId,
        hook::{HookReply, PreToolUse},
        message::DeferredToolUse,
    },
};

/// A person's answer to a deferred tool use.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The tool use, as the question had it.
    pub(crate) tool_use: ToolUseId,
    /// `Err` with the reason, which the model reads, to deny it.
    pub(crate) verdict: Result<(), String>,
}

/// What a turn came to.
#[derive(Debug)]
pub(crate) enum Came {
    /// The model is done: its answer.
    Done(String),
    /// A tool use waits for an answer, in the session with this id. Keep both; the process may end.
    Parked(String, DeferredToolUse),
}

/// Defers each use of these tools but the one with an answer.
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

/// Starts a session with [`ask_later`], and holds one turn.
pub(crate) async fn begin(session: SessionBuilder, prompt: &str) -> Result<Came, Error> {
    let mut session = session.connect().await?;
    let result = session.ask(prompt).await?.finish().await?;
    // A prompt to the same process would give the tool use up.
    session.close().await?;
    came(result)
}

/// Resumes a session with [`ask_later`] and an answer: the options name the session (`resume`).
pub(crate) async fn go_on(session: SessionBuilder) -> Result<Came, Error> {
    let mut session = session.connect().await?;
    // No prompt: the CLI asks the hook about the tool use, and then goes on.
    let result = session.turn().finish().await?;
    session.close().await?;
    came(result)
}

fn came(result: Option<Box<TurnResult>>) -> Result<Came, Error> {
    let result = result.ok_or(Error::NoResult)?;
    match (result.deferred_tool_use.clone(), &result.session_id) {
        _ if result.is_error => Err(Error::TurnFailed(result)),
        (Some(tool_use), Some(session)) => Ok(Came::Parked(session.to_string(), tool_use)),
        _ => Ok(Came::Done(result.result.unwrap_or_default())),
    }
}
