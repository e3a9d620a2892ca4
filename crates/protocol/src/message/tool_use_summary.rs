//! `tool_use_summary`: a summary of several tool uses.

use crate::ToolUseId;

/// A one-line summary of several tool uses (`tool_use_summary`).
#[wire(tolerant, message)]
pub struct ToolUseSummary {
    /// The summary.
    pub summary: String,
    /// The tool uses.
    pub preceding_tool_use_ids: Vec<ToolUseId>,
}
