//! `tool_use_summary`: what several tool uses were about.

use serde::{Deserialize, Serialize};

use crate::{SessionId, ToolUseId, Uuid};

/// What several tool uses were about, in a line (`tool_use_summary`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ToolUseSummary {
    /// The line.
    #[serde(default)]
    pub summary: String,
    /// The tool uses.
    #[serde(default)]
    pub preceding_tool_use_ids: Vec<ToolUseId>,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uuid: Option<Uuid>,
}
