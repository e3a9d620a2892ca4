//! `system/background_tasks_changed`: which tasks run in the background now.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid};

/// Which tasks run in the background now (`system/background_tasks_changed`).
///
/// The whole list each time: it replaces the one before.
/// Nothing is sent at the start, so the list is empty until the first one.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct BackgroundTasksChanged {
    /// The tasks.
    #[serde(default)]
    pub tasks: Vec<BackgroundTask>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

/// A task that runs in the background.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct BackgroundTask {
    /// The task.
    pub task_id: Box<str>,
    /// This run of the task.
    pub run_id: Option<Box<str>>,
    /// What kind of task it is, such as `local_agent` or `local_bash`.
    #[serde(default)]
    pub task_type: Box<str>,
    /// The kind of subagent, or `main-session` for a session that was put into the background.
    pub subagent_type: Option<Box<str>>,
    /// What it does, in a few words.
    #[serde(default)]
    pub description: String,
    /// The subagent's task that started this one.
    pub parent_task_id: Option<Box<str>>,
    /// Whether it is no activity to be waited for, such as a watcher.
    pub ambient: Option<bool>,
}
