//! `mcp_message`, from the CLI: a JSON-RPC message for an in-process MCP server.

use serde::{Deserialize, Serialize};

use super::InboundCall;
use crate::RawJson;

/// A JSON-RPC message for an in-process MCP server (`mcp_message`).
///
/// Sent during the handshake too: it must be answered while `initialize` is open, or the first turn hangs.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct McpMessage {
    /// The server, by the name that it was declared under (`server_name`).
    pub server_name: Box<str>,
    /// The message (`message`).
    pub message: RawJson,
}

impl InboundCall for McpMessage {
    const SUBTYPE: &'static str = "mcp_message";
    type Reply = McpMessageReply;
}

/// What an in-process MCP server says to a message.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct McpMessageReply {
    /// The server's JSON-RPC response; to a notification any object, which is not looked at (`mcp_response`).
    pub mcp_response: RawJson,
}

impl McpMessageReply {
    /// The server responds with this.
    pub fn new(mcp_response: RawJson) -> Self {
        Self { mcp_response }
    }
}
