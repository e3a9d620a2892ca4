//! Extracts the subject of callback requests and the decisions of their replies. Used only with an observer.

use agentwire_control::CallbackError;
use agentwire_protocol::{InboundRequest, RawJson, RequestId, ToolUseId};
use serde::Deserialize;

use super::{Activity, ActivityOutcome, Verdict};

/// Returns the activity of a request; `event` looks up a hook's event by callback id.
pub(super) fn activity<'a>(
    request: &InboundRequest,
    id: &RequestId,
    event: impl Fn(&str) -> Option<&'a str>,
) -> Activity {
    let request_id = id.clone();
    match request {
        InboundRequest::HookCallback(hook) => Activity::Hook {
            request_id,
            callback_id: hook.callback_id.clone(),
            event: event(&hook.callback_id).map(Into::into),
            tool_use_id: hook.tool_use_id.clone(),
        },
        InboundRequest::CanUseTool(question) => Activity::Permission {
            request_id,
            tool_use_id: question.tool_use_id.clone(),
            tool: question.tool_name.clone(),
            agent_id: question.agent_id.clone(),
        },
        InboundRequest::McpMessage(message) => {
            let Envelope { id, method, params } = message.message.decode().unwrap_or_default();
            let is_call = method.as_deref() == Some("tools/call");
            let called: Called =
                params.filter(|_| is_call).and_then(|params| params.decode().ok()).unwrap_or_default();
            Activity::Mcp {
                request_id,
                server: message.server_name.clone(),
                method,
                jsonrpc_id: id.map(|id| id.as_str().into()),
                tool: called.name,
                tool_use_id: called.meta.and_then(|meta| meta.tool_use_id),
            }
        }
        InboundRequest::Elicitation(asked) => {
            Activity::Elicitation { request_id, server: asked.mcp_server_name.clone() }
        }
        InboundRequest::UserDialog(dialog) => Activity::Dialog {
            request_id,
            kind: dialog.dialog_kind.clone(),
            tool_use_id: dialog.tool_use_id.clone(),
        },
        other => Activity::Request { request_id, subtype: other.kind().into() },
    }
}

/// Returns the tool use of an activity, if it names one.
pub(super) fn tool_use(activity: &Activity) -> Option<&ToolUseId> {
    match activity {
        Activity::Permission { tool_use_id, .. } => Some(tool_use_id),
        Activity::Hook { tool_use_id, .. }
        | Activity::Mcp { tool_use_id, .. }
        | Activity::Dialog { tool_use_id, .. } => tool_use_id.as_ref(),
        _ => None,
    }
}

/// Returns the input of the callback.
pub(super) fn input(request: &InboundRequest) -> Option<RawJson> {
    match request {
        InboundRequest::HookCallback(hook) => Some(hook.input.clone()),
        InboundRequest::CanUseTool(question) => Some(question.input.clone()),
        InboundRequest::McpMessage(message) => Some(message.message.clone()),
        InboundRequest::Elicitation(asked) => RawJson::encode(asked).ok(),
        InboundRequest::UserDialog(dialog) => Some(dialog.payload.clone()),
        _ => None,
    }
}

/// Returns the outcome of a reply.
pub(super) fn outcome(
    activity: &Activity,
    reply: &Result<RawJson, CallbackError>,
    contents: bool,
) -> ActivityOutcome {
    let reply = match reply {
        Ok(reply) => reply,
        Err(error) => {
            let reason = contents.then(|| error.reason.as_str().into());
            return ActivityOutcome::Failed { failure: error.kind, reason };
        }
    };
    match activity {
        Activity::Hook { .. } => decided(reply.decode::<HookAnswer>().ok().and_then(HookAnswer::verdict)),
        Activity::Mcp { .. } => reply.decode::<McpAnswer>().map_or(ActivityOutcome::Done, McpAnswer::outcome),
        _ => decided(reply.decode::<PersonAnswer>().ok().and_then(PersonAnswer::verdict)),
    }
}

fn decided(verdict: Option<Verdict>) -> ActivityOutcome {
    verdict.map_or(ActivityOutcome::Done, ActivityOutcome::Decided)
}

#[derive(Default, Deserialize)]
struct Envelope {
    id: Option<RawJson>,
    method: Option<Box<str>>,
    params: Option<RawJson>,
}

#[derive(Default, Deserialize)]
struct Called {
    name: Option<Box<str>>,
    #[serde(rename = "_meta")]
    meta: Option<Meta>,
}

#[derive(Deserialize)]
struct Meta {
    #[serde(rename = "claudecode/toolUseId")]
    tool_use_id: Option<ToolUseId>,
}

/// A person's answer, or the answer to a permission question.
#[derive(Deserialize)]
struct PersonAnswer {
    behavior: Option<Box<str>>,
    action: Option<Box<str>>,
}

impl PersonAnswer {
    fn verdict(self) -> Option<Verdict> {
        self.behavior.or(self.action).and_then(|word| Verdict::of(&word))
    }
}

#[derive(Deserialize)]
struct HookAnswer {
    #[serde(rename = "continue")]
    goes_on: Option<bool>,
    #[serde(rename = "async")]
    later: Option<bool>,
    decision: Option<Box<str>>,
    #[serde(rename = "hookSpecificOutput")]
    specific: Option<Specific>,
}

#[derive(Deserialize)]
struct Specific {
    #[serde(rename = "permissionDecision")]
    permission: Option<Box<str>>,
    decision: Option<PersonAnswer>,
    action: Option<Box<str>>,
}

impl HookAnswer {
    /// Returns the most restrictive decision.
    fn verdict(self) -> Option<Verdict> {
        if self.goes_on == Some(false) {
            return Some(Verdict::Stop);
        }
        let specific = self.specific.and_then(|specific| {
            let word = specific.permission.or(specific.action).and_then(|word| Verdict::of(&word));
            word.or_else(|| specific.decision.and_then(PersonAnswer::verdict))
        });
        let legacy = self.decision.and_then(|word| Verdict::of(&word));
        specific.or(legacy).or_else(|| (self.later == Some(true)).then_some(Verdict::Later))
    }
}

#[derive(Deserialize)]
struct McpAnswer {
    mcp_response: McpResponse,
}

#[derive(Deserialize)]
struct McpResponse {
    error: Option<McpError>,
    result: Option<RawJson>,
}

#[derive(Deserialize)]
struct McpError {
    code: Option<RawJson>,
}

#[derive(Deserialize)]
struct ToolAnswer {
    #[serde(rename = "isError")]
    is_error: Option<bool>,
}

impl McpAnswer {
    fn outcome(self) -> ActivityOutcome {
        let McpResponse { error, result } = self.mcp_response;
        if let Some(error) = error {
            // A server may put any text there; only a number is known not to be content.
            let code = error.code.and_then(|code| code.decode::<i64>().ok());
            return ActivityOutcome::Error { kind: code.map(|code| code.to_string().into()) };
        }
        let answer = result.and_then(|result| result.decode::<ToolAnswer>().ok());
        match answer.and_then(|answer| answer.is_error) {
            Some(true) => ActivityOutcome::error("tool"),
            _ => ActivityOutcome::Done,
        }
    }
}

#[cfg(test)]
mod tests {
    use agentwire_protocol::RawJson;

    use super::{ActivityOutcome, McpAnswer};

    #[test]
    fn only_the_number_of_a_json_rpc_error_is_reported() {
        let outcome = |code: &str| {
            let reply = format!(
                r#"{{"mcp_response":{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":""}}}}}}"#
            );
            RawJson::parse(reply).unwrap().decode::<McpAnswer>().unwrap().outcome()
        };
        assert_eq!(outcome("-32602"), ActivityOutcome::error("-32602"));
        assert_eq!(outcome(r#""a secret""#), ActivityOutcome::Error { kind: None });
    }
}
