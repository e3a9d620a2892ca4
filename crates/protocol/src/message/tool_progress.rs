//! `tool_progress`: the progress of a running tool.

use crate::{ToolName, ToolUseId};

/// The progress of a running tool (`tool_progress`).
#[wire(tolerant, message)]
pub struct ToolProgress {
    /// The id of the progress itself, such as `toolu_…-heartbeat-0` or `bash-progress-0`; not that of the tool use.
    #[serde(default = "crate::lenient::empty")]
    pub tool_use_id: ToolUseId,
    /// The tool.
    #[serde(default = "crate::lenient::empty")]
    pub tool_name: ToolName,
    /// The tool use that runs, also in the main conversation.
    #[serialize_always]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The elapsed time in seconds.
    pub elapsed_time_seconds: f64,
    /// The task id, if the tool use became a task.
    pub task_id: Option<Box<str>>,
    /// Whether it is a periodic heartbeat.
    pub heartbeat: Option<bool>,
    /// The subagent type.
    pub subagent_type: Option<Box<str>>,
    /// The subagent's failed request that will be retried.
    pub subagent_retry: Option<SubagentRetry>,
    /// The description in the input of the tool use, such as that of a command. Known since CLI 2.1.333.
    pub description: Option<Box<str>>,
}

/// A failed request of a subagent that will be retried (`subagent_retry`).
#[wire(nulls, tolerant)]
pub struct SubagentRetry {
    /// The subagent.
    #[required]
    pub agent_id: Box<str>,
    /// The number of the retry, from 1.
    pub attempt: u64,
    /// The maximum number of retries.
    pub max_retries: u64,
    /// The pause before the retry, in milliseconds.
    pub retry_delay_ms: f64,
    /// The HTTP status; `None` without a response.
    pub error_status: Option<u16>,
    /// The kind of failure.
    pub error_category: Box<str>,
}
