//! `mcp_message` to the CLI: a JSON-RPC message of an in-process MCP server.

use crate::RawJson;

/// A JSON-RPC message of an in-process MCP server to the CLI (`mcp_message`).
///
/// The reply only confirms the receipt; the answer to a JSON-RPC request arrives as a separate `mcp_message`.
#[wire(new)]
pub struct SendMcpMessage {
    /// The registered name of the server.
    pub server_name: Box<str>,
    /// The message.
    pub message: RawJson,
}
