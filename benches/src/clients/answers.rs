//! What the clients without an SDK answer: the tool's input is read into a struct, and the answer is one that is serialised.

use std::{borrow::Borrow, error::Error};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::typed::ControlRequest;

/// Whatever goes wrong; it ends the client.
pub(super) type Failure = Box<dyn Error + Send + Sync>;

/// Appends the line that answers a request; `T` is what texts of the input are kept as.
pub(super) fn answer<'a, T, S, R>(asked: &'a ControlRequest<S, R>, line: &mut Vec<u8>) -> Result<(), Failure>
where
    T: Deserialize<'a> + AsRef<str>,
    S: AsRef<str>,
    R: Borrow<RawValue>,
{
    let (id, request) = (asked.request_id.as_ref(), &asked.request);
    let raw = |json: &'a Option<R>| json.as_ref().map(|json| json.borrow().get()).ok_or("a field is missing");
    match request.subtype.as_ref() {
        "hook_callback" => hook(serde_json::from_str::<HookInput<T>>(raw(&request.input)?)?, id, line),
        "can_use_tool" => permission(serde_json::from_str::<Bash<T>>(raw(&request.input)?)?, id, line),
        "mcp_message" => rpc(&serde_json::from_str::<Rpc<'a, T>>(raw(&request.message)?)?, id, line),
        other => Err(format!("nobody answers `{other}`").into()),
    }
}

fn hook<T: AsRef<str>>(input: HookInput<T>, id: &str, line: &mut Vec<u8>) -> Result<(), Failure> {
    let output = HookOutput {
        hook_event_name: input.hook_event_name.as_ref(),
        permission_decision: "allow",
        permission_decision_reason: input.tool_input.command.as_ref(),
    };
    reply(HookReply { hook_specific_output: output }, id, line)
}

fn permission<T: AsRef<str>>(input: Bash<T>, id: &str, line: &mut Vec<u8>) -> Result<(), Failure> {
    let Bash { command, description } = input;
    if !command.as_ref().starts_with("echo ") {
        return reply(Decision::Deny { message: "only echo" }, id, line);
    }
    let updated_input =
        Bash { command: command.as_ref(), description: description.as_ref().map(AsRef::as_ref) };
    reply(Decision::Allow { updated_input }, id, line)
}

fn rpc<T: AsRef<str>>(message: &Rpc<'_, T>, id: &str, line: &mut Vec<u8>) -> Result<(), Failure> {
    let params = || message.params.map(RawValue::get).ok_or("a call without parameters");
    match message.method.as_ref() {
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
struct HookInput<T> {
    session_id: T,
    transcript_path: T,
    cwd: T,
    permission_mode: Option<T>,
    hook_event_name: T,
    tool_name: T,
    tool_input: Bash<T>,
    tool_use_id: T,
}

#[derive(Deserialize, Serialize)]
struct Bash<T> {
    command: T,
    description: Option<T>,
}

#[derive(Deserialize)]
struct Rpc<'a, T> {
    id: Option<u64>,
    method: T,
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
    Allow { updated_input: Bash<&'a str> },
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
