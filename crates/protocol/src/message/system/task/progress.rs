//! `system/task_progress`: what a task has done so far.

use serde::{Deserialize, Serialize};

use crate::{SessionId, ToolUseId, Uuid};

/// What a task has done so far (`system/task_progress`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct TaskProgress {
    /// The task.
    #[serde(default)]
    pub task_id: Box<str>,
    /// This run of the task.
    pub run_id: Option<Box<str>>,
    /// The tool use that started it.
    pub tool_use_id: Option<ToolUseId>,
    /// What it does just now.
    #[serde(default)]
    pub description: String,
    /// The kind of subagent.
    pub subagent_type: Option<Box<str>>,
    /// What it cost so far.
    #[serde(default)]
    pub usage: TaskUsage,
    /// The tool that it used last.
    pub last_tool_name: Option<Box<str>>,
    /// One line on how it stands: the model's with `agentProgressSummaries`, or an MCP server's own.
    pub summary: Option<String>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

/// What a task cost (`usage`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TaskUsage {
    /// Tokens.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub total_tokens: u64,
    /// How often it used a tool.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub tool_uses: u64,
    /// How long it ran, in milliseconds.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub duration_ms: u64,
}
