//! `mcp_tool_use`, `mcp_tool_result` and `mcp_tool_listing`: MCP servers that the API connects to.
//!
//! MCP servers that the CLI connects to have ordinary tools, called `mcp__server__tool`.

use super::{CacheControl, Content};
use crate::{RawJson, ToolUseId};

/// A call of a tool of an MCP server that the API connects to (`mcp_tool_use`).
#[wire]
pub struct McpToolUse {
    /// The id, which the result repeats.
    pub id: ToolUseId,
    /// The tool's name on the server.
    pub name: Box<str>,
    /// The server.
    pub server_name: Box<str>,
    /// The input, as the model wrote it.
    pub input: RawJson,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}

/// The result of an `mcp_tool_use` (`mcp_tool_result`).
#[wire]
pub struct McpToolResult {
    /// The tool use that this result answers.
    pub tool_use_id: ToolUseId,
    /// Text, or blocks of text.
    pub content: Option<Content>,
    /// Whether the tool failed; absent means no.
    pub is_error: Option<bool>,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}

/// The tools of an MCP server that the API connects to (`mcp_tool_listing`).
#[wire]
pub struct McpToolListing {
    /// The server.
    pub mcp_server_name: Box<str>,
    /// Its tools.
    #[serde(default)]
    pub tools: Vec<ListedMcpTool>,
}

/// A tool in an `mcp_tool_listing`.
#[wire]
pub struct ListedMcpTool {
    /// The name on the server.
    pub name: Box<str>,
    /// The description, for the model.
    pub description: Option<String>,
    /// The JSON schema of its input.
    pub input_schema: RawJson,
}
