//! `tool_use_summary`: a summary of several tool calls.

use crate::ToolUseId;

/// A one-line summary of several tool calls (`tool_use_summary`).
#[wire(tolerant, message)]
pub struct ToolUseSummary {
    /// The summary.
    pub summary: String,
    /// The tool calls.
    pub preceding_tool_use_ids: Vec<ToolUseId>,
}
