//! The origin of a tool's MCP server.

use serde::{Deserialize, Serialize};

use crate::mcp::McpSource;

/// The MCP server that a tool belongs to (`mcp_server`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct McpOrigin {
    /// The server's name (`name`).
    pub name: Box<str>,
    /// The origin of its configuration (`source`).
    pub source: Option<McpSource>,
}
