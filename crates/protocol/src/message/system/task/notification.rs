//! `system/task_notification`: a task has ended.

use serde::{Deserialize, Serialize};

use super::TaskUsage;
use crate::{RawJson, SessionId, ToolUseId, Uuid, open_enum::open_enum};

/// A task has ended (`system/task_notification`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct TaskNotification {
    /// The task.
    #[serde(default)]
    pub task_id: Box<str>,
    /// This run of the task.
    pub run_id: Option<Box<str>>,
    /// The tool use that started it.
    pub tool_use_id: Option<ToolUseId>,
    /// How it ended.
    #[serde(default = "crate::lenient::empty")]
    pub status: TaskEnd,
    /// Why, where it ended in no ordinary way.
    pub reason: Option<TaskEndReason>,
    /// The file that holds its output; empty where there is none.
    #[serde(default)]
    pub output_file: String,
    /// What came of it, in words.
    #[serde(default)]
    pub summary: String,
    /// Whether the summary is the subagent's own report.
    /// Not declared, seen on the wire.
    pub summary_is_report: Option<bool>,
    /// What it cost.
    pub usage: Option<TaskUsage>,
    /// The files that a task of an MCP server gave back by reference, 50 at most.
    pub resource_links: Option<Vec<ResourceLink>>,
    /// Whether it is housekeeping that a conversation should not show.
    pub skip_transcript: Option<bool>,
    /// Whether it is no activity to be waited for, such as a watcher.
    pub ambient: Option<bool>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

open_enum! {
    /// How a task ended.
    pub enum TaskEnd {
        /// Well.
        Completed = "completed",
        /// It failed.
        Failed = "failed",
        /// It was stopped.
        Stopped = "stopped",
    }
}

open_enum! {
    /// Why a task ended in no ordinary way.
    pub enum TaskEndReason {
        /// The process that ran it was started anew.
        WorkerRestart = "worker_restart",
    }
}

/// A file that an MCP server gave back by reference (an item of `resource_links`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceLink {
    /// Where it is.
    pub uri: Box<str>,
    /// Its name.
    pub name: Box<str>,
    /// Its name for a reader.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Its media type.
    pub mime_type: Option<Box<str>>,
    /// Its size, in bytes.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub size: Option<u64>,
    /// What the server says about it, as MCP spells it.
    pub annotations: Option<RawJson>,
}
