//! `system/task_progress`: the progress of a task.

use crate::{SessionId, ToolUseId, Uuid};

/// The progress of a task (`system/task_progress`).
#[wire]
pub struct TaskProgress {
    /// The task id.
    #[serde(default)]
    pub task_id: Box<str>,
    /// The id of this run of the task.
    pub run_id: Option<Box<str>>,
    /// The tool call that started it.
    pub tool_use_id: Option<ToolUseId>,
    /// The current activity.
    #[serde(default)]
    pub description: String,
    /// The subagent type.
    pub subagent_type: Option<Box<str>>,
    /// The usage so far.
    #[serde(default)]
    pub usage: TaskUsage,
    /// The last tool used.
    pub last_tool_name: Option<Box<str>>,
    /// A progress summary in one line: by the model with `agentProgressSummaries`, or by an MCP server.
    pub summary: Option<String>,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
}

/// The usage of a task (`usage`).
#[wire(Copy, Default, Eq, default)]
pub struct TaskUsage {
    /// Tokens.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub total_tokens: u64,
    /// The number of tool calls.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub tool_uses: u64,
    /// The duration in milliseconds.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub duration_ms: u64,
}
