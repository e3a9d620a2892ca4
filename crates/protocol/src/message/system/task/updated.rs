//! `system/task_updated`: something about a task changed.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid, open_enum::open_enum};

/// Something about a task changed (`system/task_updated`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct TaskUpdated {
    /// The task.
    #[serde(default)]
    pub task_id: Box<str>,
    /// This run of the task.
    pub run_id: Option<Box<str>>,
    /// What is new.
    #[serde(default)]
    pub patch: TaskPatch,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

/// What is new about a task (`patch`); what is absent stayed as it was.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct TaskPatch {
    /// How it stands.
    pub status: Option<TaskStatus>,
    /// What it does.
    pub description: Option<String>,
    /// When it ended, in milliseconds since 1970.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub end_time: Option<u64>,
    /// How long it was paused, in milliseconds.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub total_paused_ms: Option<u64>,
    /// Why it failed.
    pub error: Option<String>,
    /// Whether it runs in the background now.
    pub is_backgrounded: Option<bool>,
}

open_enum! {
    /// How a task stands.
    pub enum TaskStatus {
        /// It has not begun.
        Pending = "pending",
        /// It runs.
        Running = "running",
        /// It ended well.
        Completed = "completed",
        /// It failed.
        Failed = "failed",
        /// It was stopped.
        Killed = "killed",
        /// It waits.
        Paused = "paused",
    }
}
