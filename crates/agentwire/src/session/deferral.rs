//! Denies deferrals that the CLI would lose.

use std::sync::Arc;

use agentwire_codec::{Frame, FrameKind};
use agentwire_control::{CallContext, CallbackError, FrameFilter, Reply, Responder};
use agentwire_protocol::{
    ApiMessageId, Block, InboundRequest, Message, RawJson, ToolUseId,
    hook::{HookAnswer, HookReply, PermissionDecision, PreToolUse},
};
use agentwire_transport::Lock;
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;

/// Wraps the responders: denies a tool use that a `PreToolUse` hook defers if the CLI would lose it.
///
/// CLI 2.1.330 keeps one deferred tool use per turn, the last one, and only from the main conversation.
/// It can't resume a tool use of an in-process MCP server, because it connects to such servers later.
/// If a message arrives whole, without a stream, and has several tool uses, the CLI ignores their deferrals: then rules
/// and the mode decide.
pub(super) struct Deferrals {
    pub(super) responders: Vec<Arc<dyn Responder>>,
    /// The name prefixes of tools from in-process servers.
    in_process: Vec<String>,
    state: Arc<State>,
}

/// The tool uses that prevent the deferral of others.
#[derive(Default)]
struct State {
    /// The number of turns that had ended before the last deferred tool use, and that tool use.
    deferred: Lock<Option<(u64, ToolUseId)>>,
    /// The tool uses of the turn's last whole message of the main conversation, each with the message's id.
    whole: Lock<Vec<(ApiMessageId, ToolUseId)>>,
}

impl Deferrals {
    /// Wraps the responders of a session with these in-process servers.
    pub(super) fn new<S: AsRef<str>>(responders: Vec<Arc<dyn Responder>>, servers: &[S]) -> Self {
        let in_process = servers.iter().map(|server| tools_of(server.as_ref())).collect();
        Self { responders, in_process, state: Arc::default() }
    }

    /// Returns the filter that reads the model's messages.
    pub(super) fn filter(&self) -> Arc<dyn FrameFilter> {
        Arc::clone(&self.state) as Arc<dyn FrameFilter>
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
        let state = Arc::clone(&self.state);
        Some(Box::pin(async move {
            let reply = reply.await;
            // The answer of one handler is sent even if another one failed.
            let sent = reply.as_ref().or_else(|error| error.answer.as_ref());
            // The CLI ignores the answer to a cancelled request, so that answer defers nothing.
            let sent = sent.ok().filter(|_| !cancelled.is_cancelled());
            let Some(answer) = sent.and_then(deferral) else { return reply };
            let why = unavailable.or_else(|| state.defer(control.turns_ended(), tool_use));
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
        let Origin { tool_name, agent_id, mcp_server } = input.decode().ok()?;
        if agent_id.is_some() {
            return Some(OF_A_SUBAGENT);
        }
        let in_process = match mcp_server.and_then(|server| server.decode().ok()) {
            Some(Value::Object(server)) => server.get("source").is_some_and(|source| source == "sdk"),
            // CLI 2.1.197 does not name the server.
            _ => self.in_process.iter().any(|start| tool_name.starts_with(start)),
        };
        in_process.then_some(IN_PROCESS)
    }
}

/// The origin of a tool use. The other fields, such as the tool's input, may be nested to any depth.
#[derive(Deserialize)]
struct Origin {
    tool_name: String,
    agent_id: Option<IgnoredAny>,
    mcp_server: Option<RawJson>,
}

impl State {
    /// Records a deferral, or returns why it is impossible: another tool use of the same message or turn.
    fn defer(&self, turn: u64, tool_use: ToolUseId) -> Option<&'static str> {
        let whole = self.whole.lock();
        let is_this = |(_, one): &(ApiMessageId, ToolUseId)| *one == tool_use;
        if whole.iter().any(is_this) && !whole.iter().all(is_this) {
            return Some(OF_SEVERAL);
        }
        let mut deferred = self.deferred.lock();
        if deferred.as_ref().is_some_and(|(of, first)| *of == turn && *first != tool_use) {
            return Some(ANOTHER);
        }
        *deferred = Some((turn, tool_use));
        None
    }
}

/// Reads the model's messages, and takes no line.
///
/// The CLI sends a message, in one line or a line for each block, before it calls hooks for its tool uses.
impl FrameFilter for State {
    fn filter(&self, frame: Frame) -> Option<Frame> {
        let mut whole = self.whole.lock();
        if frame.kind == FrameKind::Result {
            whole.clear();
        }
        // Most messages are streamed and have no stop reason yet, so skip decoding them.
        if frame.kind == FrameKind::Other
            && frame.line.to_str().is_ok_and(|text| text.contains("\"stop_reason\":\""))
            && let Ok(Message::Assistant(assistant)) = Message::from_bytes(frame.line.as_bytes())
            && assistant.parent_tool_use_id.is_none()
            && assistant.message.stop_reason.is_some()
        {
            let id = &assistant.message.id;
            let tool_uses = assistant.message.content.iter().filter_map(Block::as_tool_use);
            whole.retain(|(last, _)| last == id);
            whole.extend(tool_uses.map(|tool_use| (id.clone(), tool_use.id.clone())));
        }
        Some(frame)
    }
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
const OF_SEVERAL: &str = "a tool use can wait for a decision only if its message has no other; \
                          request each one alone";
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
