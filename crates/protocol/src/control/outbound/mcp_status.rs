//! `mcp_status`: the status of the MCP servers.

use crate::mcp::McpServerStatus;

/// Requests the status of the MCP servers (`mcp_status`).
///
/// The list only contains servers that have connected or failed.
#[wire(Copy, Default, Eq, camelCase)]
pub struct McpStatus {
    /// Whether a session in the cloud may limit its reply to present readers; without effect on stdio.
    pub live_reply: Option<bool>,
}

/// The status of the MCP servers.
#[wire(Default, camelCase, tolerant)]
pub struct McpStatusReply {
    /// One entry per server.
    pub mcp_servers: Vec<McpServerStatus>,
}
