//! Replies of the client without an SDK: the tool's input is decoded into a struct, and the reply is encoded from one.

use std::error::Error;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::typed::ControlRequest;

/// Any error; it ends the client.
pub(super) type Failure = Box<dyn Error + Send + Sync>;

/// Appends the reply to a request, as a line.
pub(super) fn answer(asked: &ControlRequest, line: &mut Vec<u8>) -> Result<(), Failure> {
    fn raw(json: Option<&RawValue>) -> Result<&str, Failure> {
        Ok(json.ok_or("a field is missing")?.get())
    }
    let (id, request) = (&*asked.request_id, &asked.request);
    match &*request.subtype {
        "hook_callback" => hook(&serde_json::from_str(raw(request.input.as_deref())?)?, id, line),
        "can_use_tool" => permission(&serde_json::from_str(raw(request.input.as_deref())?)?, id, line),
        "mcp_message" => rpc(&serde_json::from_str(raw(request.message.as_deref())?)?, id, line),
        other => Err(format!("nobody answers `{other}`").into()),
    }
}

fn hook(input: &HookInput, id: &str, line: &mut Vec<u8>) -> Result<(), Failure> {
    let output = HookOutput {
        hook_event_name: &input.hook_event_name,
        permission_decision: "allow",
        permission_decision_reason: &input.tool_input.command,
    };
    reply(HookReply { hook_specific_output: output }, id, line)
}

fn permission(input: &Bash, id: &str, line: &mut Vec<u8>) -> Result<(), Failure> {
    if !input.command.starts_with("echo ") {
        return reply(Decision::Deny { message: "only echo" }, id, line);
    }
    reply(Decision::Allow { updated_input: input }, id, line)
}

fn rpc(message: &Rpc<'_>, id: &str, line: &mut Vec<u8>) -> Result<(), Failure> {
    let params = || message.params.map(RawValue::get).ok_or("a call without parameters");
    match &*message.method {
        "tools/call" => {
            let Call { arguments: Row { n } } = serde_json::from_str(params()?)?;
            let text = format!("row {n}");
            let content = [Text { kind: "text", text: &text }];
            rpc_reply(message.id, CallResult { content, is_error: false }, id, line)
        }
        "tools/list" => rpc_reply(message.id, RawValue::from_string(TOOLS.to_owned())?, id, line),
        "initialize" => rpc_reply(message.id, RawValue::from_string(SERVER.to_owned())?, id, line),
        _ => rpc_reply(None, Empty {}, id, line),
    }
}

fn rpc_reply<T: Serialize>(rpc: Option<u64>, result: T, id: &str, line: &mut Vec<u8>) -> Result<(), Failure> {
    reply(McpReply { mcp_response: RpcReply { jsonrpc: "2.0", id: rpc, result } }, id, line)
}

fn reply<T: Serialize>(response: T, request_id: &str, line: &mut Vec<u8>) -> Result<(), Failure> {
    let response = Success { subtype: "success", request_id, response };
    serde_json::to_writer(&mut *line, &Reply { kind: "control_response", response })?;
    line.push(b'\n');
    Ok(())
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "read to be there, as what a handler is given")]
struct HookInput {
    session_id: String,
    transcript_path: String,
    cwd: String,
    permission_mode: Option<String>,
    hook_event_name: String,
    tool_name: String,
    tool_input: Bash,
    tool_use_id: String,
}

#[derive(Deserialize, Serialize)]
struct Bash {
    command: String,
    description: Option<String>,
}

#[derive(Deserialize)]
struct Rpc<'a> {
    id: Option<u64>,
    method: String,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Call {
    arguments: Row,
}

#[derive(Deserialize)]
struct Row {
    n: u64,
}

#[derive(Serialize)]
struct Reply<'a, T> {
    #[serde(rename = "type")]
    kind: &'a str,
    response: Success<'a, T>,
}

#[derive(Serialize)]
struct Success<'a, T> {
    subtype: &'a str,
    request_id: &'a str,
    response: T,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HookReply<'a> {
    hook_specific_output: HookOutput<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HookOutput<'a> {
    hook_event_name: &'a str,
    permission_decision: &'a str,
    permission_decision_reason: &'a str,
}

#[derive(Serialize)]
#[serde(tag = "behavior", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Decision<'a> {
    Allow { updated_input: &'a Bash },
    Deny { message: &'a str },
}

#[derive(Serialize)]
struct McpReply<T> {
    mcp_response: RpcReply<T>,
}

#[derive(Serialize)]
struct RpcReply<T> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    result: T,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallResult<'a> {
    content: [Text<'a>; 1],
    is_error: bool,
}

#[derive(Serialize)]
struct Text<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
struct Empty {}

const SERVER: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"shelf","version":"1.0.0"}}"#;
const TOOLS: &str = r#"{"tools":[{"name":"read","description":"Reads a row.","inputSchema":{"type":"object","properties":{"n":{"type":"integer","minimum":0}},"required":["n"]}}]}"#;
