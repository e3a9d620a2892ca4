//! `tool_addition` and `tool_removal`: tools that come and go within a conversation.

use serde::{Deserialize, Serialize};

use super::CacheControl;
use crate::{RawJson, tagged::tagged};

/// A tool is there from here on (`tool_addition`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ToolAddition {
    /// The tool.
    pub tool: ToolChange,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}

/// A tool is gone from here on (`tool_removal`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ToolRemoval {
    /// The tool.
    pub tool: ToolChange,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}

tagged! {
    /// A tool, or all tools of a server, that comes or goes.
    pub enum ToolChange by "type" {
        /// A tool of the request's, by its name.
        Tool(RequestToolReference) = "tool_reference",
        /// A tool of an MCP server.
        McpTool(McpToolReference) = "mcp_tool_reference",
        /// All tools of an MCP server.
        McpToolset(McpToolset) = "mcp_toolset_reference",
        /// A tool that the request does not have, whole; it can't be removed.
        Definition(ToolDefinition) = "tool_definition",
    }
}

/// A tool of the request's (`tool_reference`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct RequestToolReference {
    /// Its name.
    pub name: Box<str>,
}

/// A tool of an MCP server that the API talks to (`mcp_tool_reference`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct McpToolReference {
    /// Its name at the server.
    pub name: Box<str>,
    /// The server.
    pub server_name: Box<str>,
}

/// All tools of an MCP server that the API talks to (`mcp_toolset_reference`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct McpToolset {
    /// The server.
    pub server_name: Box<str>,
}

/// A tool, whole (`tool_definition`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ToolDefinition {
    /// The definition, as the API takes it among a request's tools.
    pub definition: RawJson,
}
