//! `system/task_notification`: a task ended.

use super::TaskUsage;
use crate::{RawJson, ToolUseId};

/// A task ended (`system/task_notification`).
#[wire(tolerant, message)]
pub struct TaskNotification {
    /// The task id.
    pub task_id: Box<str>,
    /// The id of this run of the task.
    pub run_id: Option<Box<str>>,
    /// The tool use that started it.
    pub tool_use_id: Option<ToolUseId>,
    /// The outcome.
    #[serde(default = "crate::lenient::empty")]
    pub status: TaskEnd,
    /// The reason for an irregular end.
    pub reason: Option<TaskEndReason>,
    /// The path of its output file; empty if there is none.
    pub output_file: String,
    /// A summary of the outcome.
    pub summary: String,
    /// Whether the summary is the subagent's own report.
    /// Not declared, seen on the wire.
    pub summary_is_report: Option<bool>,
    /// The usage.
    pub usage: Option<TaskUsage>,
    /// The files that a task of an MCP server returned by reference; at most 50.
    pub resource_links: Option<Vec<ResourceLink>>,
    /// Whether it is housekeeping that should not be shown in a conversation.
    pub skip_transcript: Option<bool>,
    /// Whether it is an ambient activity that need not be waited for, such as a watcher.
    pub ambient: Option<bool>,
}

/// The outcome of a task.
#[wire]
pub enum TaskEnd {
    /// The task completed.
    Completed = "completed",
    /// The task failed.
    Failed = "failed",
    /// The task was stopped.
    Stopped = "stopped",
}

/// The reason for an irregular end.
#[wire]
pub enum TaskEndReason {
    /// The worker process was restarted.
    WorkerRestart = "worker_restart",
}

/// A file that an MCP server returned by reference (an item of `resource_links`).
#[wire(camelCase)]
pub struct ResourceLink {
    /// The URI.
    pub uri: Box<str>,
    /// The name.
    pub name: Box<str>,
    /// The display name.
    pub title: Option<String>,
    /// The description.
    pub description: Option<String>,
    /// The media type.
    pub mime_type: Option<Box<str>>,
    /// The size in bytes.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub size: Option<u64>,
    /// Annotations of the server, in the format of MCP.
    pub annotations: Option<RawJson>,
}
