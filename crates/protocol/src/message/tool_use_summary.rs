//! `tool_use_summary`: what several tool uses were about.

use serde::{Deserialize, Serialize};

use crate::{SessionId, ToolUseId, Uuid};

/// What several tool uses were about, in a line (`tool_use_summary`).
#[skip_serializing_none]
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
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}
