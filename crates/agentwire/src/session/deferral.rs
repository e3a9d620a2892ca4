//! Denies deferrals that the CLI would lose.

use std::sync::{Arc, Mutex, PoisonError};

use agentwire_control::{CallContext, CallbackError, Reply, Responder};
use agentwire_protocol::{
    InboundRequest, RawJson, ToolUseId,
    hook::{HookAnswer, HookReply, PermissionDecision, PreToolUse},
};
use serde_json::Value;

/// Wraps the responders: denies a tool use that a `PreToolUse` hook defers if the CLI would lose it.
///
/// CLI 2.1.330 keeps one deferred tool use per turn, the last one, and only from the main conversation.
/// It can't resume a tool use of an in-process MCP server, because it connects to such servers later.
pub(super) struct Deferrals {
    pub(super) responders: Vec<Arc<dyn Responder>>,
    /// The name prefixes of tools from in-process servers.
    in_process: Vec<String>,
    deferred: Arc<Mutex<Option<Deferred>>>,
}

/// The last deferred tool use, and the number of turns that had ended before it.
struct Deferred {
    turn: u64,
    tool_use: ToolUseId,
}

impl Deferrals {
    /// Wraps the responders of a session with these in-process servers.
    pub(super) fn new<S: AsRef<str>>(responders: Vec<Arc<dyn Responder>>, servers: &[S]) -> Self {
        let in_process = servers.iter().map(|server| tools_of(server.as_ref())).collect();
        Self { responders, in_process, deferred: Arc::default() }
    }

    /// Responds to a request, as [`Responder::respond`] does.
    pub(super) fn respond(&self, request: InboundRequest, context: CallContext) -> Option<Reply> {
        let InboundRequest::HookCallback(callback) = &request else {
            return self.responders.respond(request, context);
        };
        let Some(tool_use) = callback.tool_use_id.clone() else {
            return self.responders.respond(request, context);
        };
        let unavailable = self.unavailable(&callback.input);
        let (control, cancelled) = (context.control.clone(), context.cancelled.clone());
        let reply = self.responders.respond(request, context)?;
        let deferred = Arc::clone(&self.deferred);
        Some(Box::pin(async move {
            let reply = reply.await;
            if cancelled.is_cancelled() {
                // The CLI ignores this answer, so it defers nothing.
                return reply;
            }
            // The answer of one handler is sent also where another one failed.
            let sent = reply.as_ref().or_else(|error| error.answer.as_ref());
            let Some(answer) = sent.ok().and_then(deferral) else { return reply };
            let turn = control.turns_ended();
            let why = unavailable.or_else(|| another(&deferred, Deferred { turn, tool_use }));
            match (why, reply) {
                (None, reply) => reply,
                (Some(why), Ok(_)) => denied(answer, why).map_err(CallbackError::from),
                (Some(why), Err(error)) => Err(error.with_answer(denied(answer, why))),
            }
        }))
    }

    /// Returns why the tool use of this `PreToolUse` input can't be deferred, as far as the input shows it.
    fn unavailable(&self, input: &RawJson) -> Option<&'static str> {
        // Most inputs contain neither, so skip decoding them.
        let text = input.as_str();
        if !text.contains("\"agent_id\"") && !text.contains("mcp__") {
            return None;
        }
        let origin: Value = input.decode().ok()?;
        let tool = origin["tool_name"].as_str()?;
        if !origin["agent_id"].is_null() {
            return Some(OF_A_SUBAGENT);
        }
        let in_process = match &origin["mcp_server"] {
            Value::Object(server) => server.get("source").is_some_and(|source| source == "sdk"),
            // CLI 2.1.197 does not name the server.
            _ => self.in_process.iter().any(|start| tool.starts_with(start)),
        };
        in_process.then_some(IN_PROCESS)
    }
}

/// Records a deferral, or returns why it is impossible: another tool use of the same turn is already deferred.
fn another(deferred: &Mutex<Option<Deferred>>, this: Deferred) -> Option<&'static str> {
    let mut deferred = deferred.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(first) = &*deferred
        && first.turn == this.turn
        && first.tool_use != this.tool_use
    {
        return Some(ANOTHER);
    }
    *deferred = Some(this);
    None
}

/// Returns the prefix that the CLI uses for this server's tools in hooks.
fn tools_of(server: &str) -> String {
    agentwire_hooks::normalized(&format!("mcp__{server}__"), "")
}

/// Returns the answer if it defers a tool use.
fn deferral(reply: &RawJson) -> Option<HookReply<PreToolUse>> {
    if !reply.as_str().contains("\"defer\"") {
        return None;
    }
    let HookAnswer::<PreToolUse>::Now(answer) = reply.decode().ok()? else { return None };
    let decision = answer.output.as_ref()?.permission_decision.as_ref()?;
    (*decision == PermissionDecision::Defer).then_some(answer)
}

/// Turns the answer into a denial; its notices and texts stay.
fn denied(mut answer: HookReply<PreToolUse>, why: &str) -> Result<RawJson, String> {
    tracing::warn!("a tool use was denied instead of deferred: {why}");
    let output = answer.output.get_or_insert_default();
    output.permission_decision = Some(PermissionDecision::Deny);
    output.permission_decision_reason = Some(why.to_owned());
    output.updated_input = None;
    RawJson::encode(&answer).map_err(|error| error.to_string())
}

// Texts for the model.
const ANOTHER: &str = "another tool use of this message waits for a decision already, and only one can; \
                       request this one again once that is decided";
const OF_A_SUBAGENT: &str = "a tool use of a subagent can't wait for a decision beyond the end of the turn; \
                             leave it to the main conversation";
const IN_PROCESS: &str =
    "a tool of an in-process MCP server can't wait for a decision beyond the end of the turn";

#[cfg(test)]
mod tests {
    #[test]
    fn prefix_of_a_server_is_that_of_the_cli() {
        assert_eq!(super::tools_of("my-srv.1"), "mcp__my-srv_1__");
        assert_eq!(super::tools_of("a\u{1f600}"), "mcp__a____");
    }
}
