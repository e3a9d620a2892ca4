//! `system/task_progress`: the progress of a task.

use crate::ToolUseId;

/// The progress of a task (`system/task_progress`).
#[wire(tolerant, message)]
pub struct TaskProgress {
    /// The task id.
    pub task_id: Box<str>,
    /// The id of this run of the task.
    pub run_id: Option<Box<str>>,
    /// The tool use that started it.
    pub tool_use_id: Option<ToolUseId>,
    /// The current activity.
    pub description: String,
    /// The subagent type.
    pub subagent_type: Option<Box<str>>,
    /// The usage so far.
    pub usage: TaskUsage,
    /// The last tool used.
    pub last_tool_name: Option<Box<str>>,
    /// A progress summary in one line: by the model with `agentProgressSummaries`, or by an MCP server.
    pub summary: Option<String>,
}

/// The usage of a task (`usage`).
#[wire(Copy, Default, Eq, tolerant)]
pub struct TaskUsage {
    /// Tokens.
    pub total_tokens: u64,
    /// The number of tool uses.
    pub tool_uses: u64,
    /// The duration in milliseconds.
    pub duration_ms: u64,
}
