//! `tool_use_summary`: a summary of several tool calls.

use crate::{SessionId, ToolUseId, Uuid};

/// A one-line summary of several tool calls (`tool_use_summary`).
#[wire]
pub struct ToolUseSummary {
    /// The summary.
    #[serde(default)]
    pub summary: String,
    /// The tool calls.
    #[serde(default)]
    pub preceding_tool_use_ids: Vec<ToolUseId>,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
}
