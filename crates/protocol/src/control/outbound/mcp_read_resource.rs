//! `mcp_read_resource`: a page that an MCP server has for its tools.

use serde::{Deserialize, Serialize};

use super::ControlCall;
use crate::RawJson;

/// Reads a page that an MCP server of the CLI's has for its tools (`mcp_read_resource`).
///
/// Servers of the host's own are refused. CLI 2.1.197 does not know it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpReadResource {
    /// The server, by the name that `mcp_status` tells.
    pub server_name: Box<str>,
    /// The page; it must start with `ui://`.
    pub uri: String,
}

impl McpReadResource {
    /// This page of this server's.
    pub fn new(server_name: impl Into<Box<str>>, uri: impl Into<String>) -> Self {
        Self { server_name: server_name.into(), uri: uri.into() }
    }
}

impl ControlCall for McpReadResource {
    const SUBTYPE: &'static str = "mcp_read_resource";
    type Reply = McpReadResourceReply;
}

/// A page, which nobody has checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct McpReadResourceReply {
    /// Its parts.
    #[serde(default)]
    pub contents: Vec<ResourceContents>,
}

/// A part of a page: it has either `text` or `blob`.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceContents {
    /// Its address.
    pub uri: String,
    /// Its type.
    pub mime_type: Option<Box<str>>,
    /// Its text.
    pub text: Option<String>,
    /// Its bytes, in Base64.
    pub blob: Option<String>,
    /// What else the server said of it.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
}
