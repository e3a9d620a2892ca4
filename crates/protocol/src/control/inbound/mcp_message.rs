//! `mcp_message`: a JSON-RPC message to or from an in-process MCP server.

use crate::RawJson;

/// A JSON-RPC message to or from an in-process MCP server (`mcp_message`).
///
/// The CLI also sends one during the handshake: answer it before `initialize` is answered, or the first turn hangs.
/// The CLI's reply only confirms receipt; its answer to a JSON-RPC request arrives as a separate `mcp_message`.
#[wire(new)]
pub struct McpMessage {
    /// The registered name of the server (`server_name`).
    pub server_name: Box<str>,
    /// The message (`message`).
    pub message: RawJson,
}

/// The reply of an in-process MCP server to a message.
#[wire(new)]
pub struct McpMessageReply {
    /// The server's JSON-RPC response; any object for a notification, since the CLI ignores it (`mcp_response`).
    pub mcp_response: RawJson,
}
