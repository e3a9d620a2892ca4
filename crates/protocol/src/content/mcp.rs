//! `mcp_tool_use`, `mcp_tool_result` and `mcp_tool_listing`: MCP servers that the API itself talks to.
//!
//! Those that the CLI talks to are ordinary tools, called `mcp__server__tool`.

use serde::{Deserialize, Serialize};

use super::{CacheControl, Content};
use crate::{RawJson, ToolUseId};

/// The model uses a tool of an MCP server that the API talks to (`mcp_tool_use`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct McpToolUse {
    /// The id that the result will name.
    pub id: ToolUseId,
    /// The tool, by its name at the server.
    pub name: Box<str>,
    /// The server.
    pub server_name: Box<str>,
    /// The input, as the model wrote it.
    pub input: RawJson,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}

/// What a tool of such a server gave (`mcp_tool_result`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct McpToolResult {
    /// The tool use that it answers.
    pub tool_use_id: ToolUseId,
    /// Text, or blocks of text.
    pub content: Option<Content>,
    /// Whether the tool failed; absent means that it did not.
    pub is_error: Option<bool>,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}

/// The tools that such a server has (`mcp_tool_listing`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct McpToolListing {
    /// The server.
    pub mcp_server_name: Box<str>,
    /// Its tools.
    #[serde(default)]
    pub tools: Vec<ListedMcpTool>,
}

/// A tool in an `mcp_tool_listing`.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ListedMcpTool {
    /// Its name at the server.
    pub name: Box<str>,
    /// What it does, in words for the model.
    pub description: Option<String>,
    /// The JSON schema of its input.
    pub input_schema: RawJson,
}
