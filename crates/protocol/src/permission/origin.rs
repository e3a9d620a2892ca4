//! Where the MCP server of a tool comes from.

use serde::{Deserialize, Serialize};

use crate::mcp::McpSource;

/// The MCP server that a tool belongs to (`mcp_server`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct McpOrigin {
    /// The server's name (`name`).
    pub name: Box<str>,
    /// Who configured it (`source`).
    pub source: Option<McpSource>,
}
