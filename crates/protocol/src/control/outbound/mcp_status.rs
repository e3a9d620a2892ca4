//! `mcp_status`: the status of the MCP servers.

use serde::{Deserialize, Serialize};

use super::control_call;
use crate::mcp::McpServerStatus;

/// Requests the status of the MCP servers (`mcp_status`).
///
/// The list only contains servers that have connected or failed.
#[skip_serializing_none]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpStatus {
    /// Whether a session in the cloud may limit its reply to present readers; without effect on stdio.
    pub live_reply: Option<bool>,
}

control_call!(McpStatus = "mcp_status" => McpStatusReply);

/// The status of the MCP servers.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct McpStatusReply {
    /// One entry per server.
    pub mcp_servers: Vec<McpServerStatus>,
}
