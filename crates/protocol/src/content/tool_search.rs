//! `tool_search_tool_result` and `tool_reference`: the search for tools that are not loaded.

use super::{Block, CacheControl, ServerToolError};
use crate::{ToolName, ToolUseId};

/// The result of a tool search (`tool_search_tool_result`).
#[wire]
pub struct ToolSearchToolResult {
    /// The tool use that this result answers.
    pub tool_use_id: ToolUseId,
    /// The tools or the error.
    pub content: ToolSearchContent,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}

/// The tools or the error.
#[wire(tag = "type")]
pub enum ToolSearchContent {
    /// The tools.
    Found(ToolsFound) = "tool_search_tool_search_result",
    /// The search failed.
    Error(ServerToolError) = "tool_search_tool_result_error",
}

/// The tools found (`tool_search_tool_search_result`).
#[wire(Default)]
pub struct ToolsFound {
    /// A `tool_reference` block for each tool.
    pub tool_references: Vec<Block>,
}

/// A reference to a tool; the API shows its whole definition to the model (`tool_reference`).
#[wire(new)]
pub struct ToolReference {
    /// The tool.
    pub tool_name: ToolName,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}
