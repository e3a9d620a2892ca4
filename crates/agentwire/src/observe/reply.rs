//! Extracts the subject of callback requests and the decisions of their replies. Used only with an observer.

use agentwire_control::CallbackError;
use agentwire_protocol::{InboundRequest, RawJson, RequestId, ToolUseId};
use serde_json::Value;

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
            let text = message.message.decode::<Value>().unwrap_or_default();
            let is_call = text["method"] == "tools/call";
            let params = if is_call { &text["params"] } else { &Value::Null };
            Activity::Mcp {
                request_id,
                server: message.server_name.clone(),
                method: text["method"].as_str().map(Into::into),
                jsonrpc_id: text.get("id").filter(|id| !id.is_null()).map(|id| id.to_string().into()),
                tool: params["name"].as_str().map(Into::into),
                tool_use_id: params["_meta"]["claudecode/toolUseId"].as_str().map(Into::into),
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
    let reply: Value = reply.decode().unwrap_or_default();
    let verdict = match activity {
        Activity::Mcp { .. } => return mcp_outcome(&reply["mcp_response"]),
        Activity::Hook { .. } => hook_verdict(&reply),
        _ => person_verdict(&reply),
    };
    verdict.map_or(ActivityOutcome::Done, ActivityOutcome::Decided)
}

/// Returns the verdict of the first of these fields that is a text.
fn verdict(fields: [&Value; 2]) -> Option<Verdict> {
    Verdict::of(fields.into_iter().find_map(Value::as_str)?)
}

/// Returns the verdict of a person, or of the answer to a permission request.
fn person_verdict(answer: &Value) -> Option<Verdict> {
    verdict([&answer["behavior"], &answer["action"]])
}

/// Returns the most restrictive decision of a hook's answer.
fn hook_verdict(answer: &Value) -> Option<Verdict> {
    if answer["continue"] == false {
        return Some(Verdict::Stop);
    }
    let specific = &answer["hookSpecificOutput"];
    verdict([&specific["permissionDecision"], &specific["action"]])
        .or_else(|| person_verdict(&specific["decision"]))
        .or_else(|| Verdict::of(answer["decision"].as_str()?))
        .or_else(|| (answer["async"] == true).then_some(Verdict::Later))
}

fn mcp_outcome(response: &Value) -> ActivityOutcome {
    match response.get("error") {
        // A server may put any text there; only a number is known not to be content.
        Some(error) if !error.is_null() => {
            ActivityOutcome::Error { kind: error["code"].as_i64().map(|code| code.to_string().into()) }
        }
        _ if response["result"]["isError"] == true => ActivityOutcome::error("tool"),
        _ => ActivityOutcome::Done,
    }
}

#[cfg(test)]
mod tests {
    use super::{ActivityOutcome, mcp_outcome};

    #[test]
    fn only_the_number_of_a_json_rpc_error_is_reported() {
        let outcome = |code: &str| {
            let response = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":""}}}}"#);
            mcp_outcome(&serde_json::from_str(&response).unwrap())
        };
        assert_eq!(outcome("-32602"), ActivityOutcome::error("-32602"));
        assert_eq!(outcome(r#""a secret""#), ActivityOutcome::Error { kind: None });
    }
}
