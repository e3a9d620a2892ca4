//! `mcp_status`: how the MCP servers stand.

use serde::{Deserialize, Serialize};

use super::ControlCall;
use crate::mcp::McpServerStatus;

/// How do the MCP servers stand (`mcp_status`)?
///
/// A server is listed only once it has connected or failed.
#[skip_serializing_none]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpStatus {
    /// Whether a session in the cloud may answer to those alone who are there to read it; without meaning on stdio.
    pub live_reply: Option<bool>,
}

impl ControlCall for McpStatus {
    const SUBTYPE: &'static str = "mcp_status";
    type Reply = McpStatusReply;
}

/// The MCP servers and how they stand.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct McpStatusReply {
    /// One entry for each server.
    pub mcp_servers: Vec<McpServerStatus>,
}
