//! `tool_progress`: the progress of a running tool.

use crate::{SessionId, ToolName, ToolUseId, Uuid};

/// The progress of a running tool (`tool_progress`).
#[wire]
pub struct ToolProgress {
    /// The tool call.
    #[serde(default = "crate::lenient::empty")]
    pub tool_use_id: ToolUseId,
    /// The tool.
    #[serde(default = "crate::lenient::empty")]
    pub tool_name: ToolName,
    /// The tool call that started the subagent; `None` for the main conversation.
    #[serialize_always]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The elapsed time in seconds.
    #[serde(default, deserialize_with = "crate::lenient::amount")]
    pub elapsed_time_seconds: f64,
    /// The task id, if the call became a task.
    pub task_id: Option<Box<str>>,
    /// Whether it is a periodic heartbeat.
    pub heartbeat: Option<bool>,
    /// The subagent type.
    pub subagent_type: Option<Box<str>>,
    /// The subagent's failed request that will be retried.
    pub subagent_retry: Option<SubagentRetry>,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
}

/// A failed request of a subagent that will be retried (`subagent_retry`).
#[wire(nulls)]
pub struct SubagentRetry {
    /// The subagent.
    pub agent_id: Box<str>,
    /// The number of the retry, from 1.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub attempt: u64,
    /// The maximum number of retries.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub max_retries: u64,
    /// The pause before the retry, in milliseconds.
    #[serde(default, deserialize_with = "crate::lenient::amount")]
    pub retry_delay_ms: f64,
    /// The HTTP status; `None` without a response.
    pub error_status: Option<u16>,
    /// The kind of failure.
    #[serde(default)]
    pub error_category: Box<str>,
}
