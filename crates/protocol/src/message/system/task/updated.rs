//! `system/task_updated`: a task changed.

/// A task changed (`system/task_updated`).
#[wire(tolerant, message)]
pub struct TaskUpdated {
    /// The task id.
    pub task_id: Box<str>,
    /// The id of this run of the task.
    pub run_id: Option<Box<str>>,
    /// The changes.
    pub patch: TaskPatch,
}

/// The changes of a task (`patch`); absent fields are unchanged.
#[wire(Default, tolerant)]
pub struct TaskPatch {
    /// The status.
    pub status: Option<TaskStatus>,
    /// The description.
    pub description: Option<String>,
    /// The end time, in milliseconds since 1970.
    pub end_time: Option<u64>,
    /// The total paused time, in milliseconds.
    pub total_paused_ms: Option<u64>,
    /// The error, if it failed.
    pub error: Option<String>,
    /// Whether it runs in the background.
    pub is_backgrounded: Option<bool>,
}

/// The status of a task.
#[wire]
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
