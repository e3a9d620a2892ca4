//! `mcp_status`: how the MCP servers stand.

use serde::{Deserialize, Serialize};

use super::ControlCall;
use crate::RawJson;

/// How do the MCP servers stand (`mcp_status`)? A server is listed only once it has connected or failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct McpStatus {}

impl ControlCall for McpStatus {
    const SUBTYPE: &'static str = "mcp_status";
    type Reply = McpStatusReply;
}

/// The MCP servers and how they stand.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpStatusReply {
    /// One entry for each server.
    #[serde(default)]
    pub mcp_servers: Vec<McpServerStatus>,
}

/// How one MCP server stands.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpServerStatus {
    /// The name under which it is configured.
    pub name: Box<str>,
    /// `connected`, `failed`, `needs-auth`, `pending`, `disabled`, or newer.
    pub status: Box<str>,
    /// What the server says of itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_info: Option<RawJson>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The server's tools.
    #[serde(default)]
    pub tools: Vec<McpTool>,
}

/// A tool of an MCP server.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct McpTool {
    /// The tool's name on its server.
    pub name: Box<str>,
}
