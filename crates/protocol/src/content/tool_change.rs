//! `tool_addition` and `tool_removal`: tools that change within a conversation.

use super::CacheControl;
use crate::RawJson;

/// A tool becomes available (`tool_addition`).
#[wire]
pub struct ToolAddition {
    /// The tool.
    pub tool: ToolChange,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}

/// A tool is removed (`tool_removal`).
#[wire]
pub struct ToolRemoval {
    /// The tool.
    pub tool: ToolChange,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}

/// A tool, or all tools of a server, in a `tool_addition` or `tool_removal`.
#[wire(tag = "type")]
pub enum ToolChange {
    /// A tool of the request, by name.
    Tool(RequestToolReference) = "tool_reference",
    /// A tool of an MCP server.
    McpTool(McpToolReference) = "mcp_tool_reference",
    /// All tools of an MCP server.
    McpToolset(McpToolset) = "mcp_toolset_reference",
    /// The definition of a tool that the request does not contain; it can't be removed.
    Definition(ToolDefinition) = "tool_definition",
}

/// A tool of the request (`tool_reference`).
#[wire]
pub struct RequestToolReference {
    /// Its name.
    pub name: Box<str>,
}

/// A tool of an MCP server that the API connects to (`mcp_tool_reference`).
#[wire]
pub struct McpToolReference {
    /// The name on the server.
    pub name: Box<str>,
    /// The server.
    pub server_name: Box<str>,
}

/// All tools of an MCP server that the API connects to (`mcp_toolset_reference`).
#[wire]
pub struct McpToolset {
    /// The server.
    pub server_name: Box<str>,
}

/// A tool definition (`tool_definition`).
#[wire]
pub struct ToolDefinition {
    /// The definition, in the format of a request's tools.
    pub definition: RawJson,
}
