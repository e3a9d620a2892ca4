//! `tool_use_summary`: a summary of several tool calls.

use serde::{Deserialize, Serialize};

use crate::{SessionId, ToolUseId, Uuid};

/// A one-line summary of several tool calls (`tool_use_summary`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
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
