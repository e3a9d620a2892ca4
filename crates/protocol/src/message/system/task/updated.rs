//! `system/task_updated`: a task changed.

use crate::{SessionId, Uuid, open_enum::open_enum};

/// A task changed (`system/task_updated`).
#[wire]
pub struct TaskUpdated {
    /// The task id.
    #[serde(default)]
    pub task_id: Box<str>,
    /// The id of this run of the task.
    pub run_id: Option<Box<str>>,
    /// The changes.
    #[serde(default)]
    pub patch: TaskPatch,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
}

/// The changes of a task (`patch`); absent fields are unchanged.
#[wire(Default)]
pub struct TaskPatch {
    /// The status.
    pub status: Option<TaskStatus>,
    /// The description.
    pub description: Option<String>,
    /// The end time, in milliseconds since 1970.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub end_time: Option<u64>,
    /// The total paused time, in milliseconds.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub total_paused_ms: Option<u64>,
    /// The error, if it failed.
    pub error: Option<String>,
    /// Whether it runs in the background.
    pub is_backgrounded: Option<bool>,
}

open_enum! {
    /// The status of a task.
    pub enum TaskStatus {
        /// Not started.
        Pending = "pending",
        /// Running.
        Running = "running",
        /// Completed.
        Completed = "completed",
        /// Failed.
        Failed = "failed",
        /// Stopped.
        Killed = "killed",
        /// Paused.
        Paused = "paused",
    }
}
