//! `tool_search_tool_result` and `tool_reference`: tools that were looked for among those held back.

use serde::{Deserialize, Serialize};

use super::{Block, CacheControl, ServerToolError};
use crate::{ToolName, ToolUseId, tagged::tagged};

/// What a search among the tools found (`tool_search_tool_result`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ToolSearchToolResult {
    /// The tool use that it answers.
    pub tool_use_id: ToolUseId,
    /// The tools, or what went wrong.
    pub content: ToolSearchContent,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}

tagged! {
    /// The tools that were found, or what went wrong.
    pub enum ToolSearchContent by "type" {
        /// The tools.
        Found(ToolsFound) = "tool_search_tool_search_result",
        /// The search failed.
        Error(ServerToolError) = "tool_search_tool_result_error",
    }
}

/// The tools that were found (`tool_search_tool_search_result`).
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ToolsFound {
    /// A `tool_reference` block for each.
    pub tool_references: Vec<Block>,
}

/// A tool by its name, to be put before the model whole (`tool_reference`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ToolReference {
    /// The tool.
    pub tool_name: ToolName,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}

impl ToolReference {
    /// A reference to that tool.
    pub fn new(tool_name: impl Into<ToolName>) -> Self {
        Self { tool_name: tool_name.into(), cache_control: None }
    }
}
