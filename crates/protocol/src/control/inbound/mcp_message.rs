//! `mcp_message` from the CLI: a JSON-RPC message for an in-process MCP server.

use super::InboundCall;
use crate::RawJson;

/// A JSON-RPC message for an in-process MCP server (`mcp_message`).
///
/// Also sent during the handshake: answer it before `initialize` is answered, or the first turn hangs.
#[wire]
pub struct McpMessage {
    /// The registered name of the server (`server_name`).
    pub server_name: Box<str>,
    /// The message (`message`).
    pub message: RawJson,
}

impl InboundCall for McpMessage {
    const SUBTYPE: &'static str = "mcp_message";
    type Reply = McpMessageReply;
}

/// The reply of an in-process MCP server to a message.
#[wire(new)]
pub struct McpMessageReply {
    /// The server's JSON-RPC response; any object for a notification, since the CLI ignores it (`mcp_response`).
    pub mcp_response: RawJson,
}
