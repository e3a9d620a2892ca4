//! `mcp_message` to the CLI: a JSON-RPC message of an in-process MCP server.

use super::{Ack, control_call};
use crate::RawJson;

/// A JSON-RPC message of an in-process MCP server to the CLI (`mcp_message`).
///
/// The reply only confirms the receipt; the answer to a JSON-RPC request arrives as a separate `mcp_message`.
#[wire]
pub struct SendMcpMessage {
    /// The registered name of the server.
    pub server_name: Box<str>,
    /// The message.
    pub message: RawJson,
}

impl SendMcpMessage {
    /// Returns a message of this server.
    pub fn new(server_name: impl Into<Box<str>>, message: RawJson) -> Self {
        Self { server_name: server_name.into(), message }
    }
}

control_call!(SendMcpMessage = "mcp_message" => Ack);
