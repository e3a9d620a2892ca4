//! The origin of a tool's MCP server.

use crate::mcp::McpSource;

/// The MCP server that a tool belongs to (`mcp_server`).
#[wire(Eq)]
pub struct McpOrigin {
    /// The server's name (`name`).
    pub name: Box<str>,
    /// The origin of its configuration (`source`).
    pub source: Option<McpSource>,
}
