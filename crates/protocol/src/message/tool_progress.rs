//! `tool_progress`: a tool still runs.

use serde::{Deserialize, Serialize};

use crate::{SessionId, ToolName, ToolUseId, Uuid};

/// A tool still runs (`tool_progress`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ToolProgress {
    /// The tool use.
    #[serde(default = "crate::lenient::empty")]
    pub tool_use_id: ToolUseId,
    /// The tool.
    #[serde(default = "crate::lenient::empty")]
    pub tool_name: ToolName,
    /// The tool use whose subagent uses it; `None` for the main conversation.
    #[serialize_always]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// How long it has run, in seconds.
    #[serde(default, deserialize_with = "crate::lenient::amount")]
    pub elapsed_time_seconds: f64,
    /// The task that it became.
    pub task_id: Option<Box<str>>,
    /// Whether it was sent by the clock alone.
    pub heartbeat: Option<bool>,
    /// The kind of subagent.
    pub subagent_type: Option<Box<str>>,
    /// The request of the subagent that failed and will be made again.
    pub subagent_retry: Option<SubagentRetry>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

/// A failed request of a subagent, which will be made again (`subagent_retry`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SubagentRetry {
    /// The subagent.
    pub agent_id: Box<str>,
    /// Which retry this is, from 1.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub attempt: u64,
    /// How many retries there are at most.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub max_retries: u64,
    /// The pause before the retry, in milliseconds.
    #[serde(default, deserialize_with = "crate::lenient::amount")]
    pub retry_delay_ms: f64,
    /// The HTTP status; `None` where there was none.
    pub error_status: Option<u16>,
    /// The kind of failure.
    #[serde(default)]
    pub error_category: Box<str>,
}
