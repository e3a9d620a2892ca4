//! `system/background_tasks_changed`: the list of background tasks changed.

/// The list of background tasks changed (`system/background_tasks_changed`).
///
/// The list is complete and replaces the previous one.
/// The list is empty until the first such message; none is sent at the start.
#[wire(tolerant, message)]
pub struct BackgroundTasksChanged {
    /// The tasks.
    pub tasks: Vec<BackgroundTask>,
}

/// A background task.
#[wire(tolerant)]
pub struct BackgroundTask {
    /// The task id.
    #[required]
    pub task_id: Box<str>,
    /// The id of this run of the task.
    pub run_id: Option<Box<str>>,
    /// The kind of task, such as `local_agent` or `local_bash`.
    pub task_type: Box<str>,
    /// The subagent type, or `main-session` for a session in the background.
    pub subagent_type: Option<Box<str>>,
    /// A short description.
    pub description: String,
    /// The task of the subagent that started this one.
    pub parent_task_id: Option<Box<str>>,
    /// Whether it is an ambient activity that need not be waited for, such as a watcher.
    pub ambient: Option<bool>,
}
