//! `system/task_…`: the lifecycle of subagents, background commands and other tasks.

mod background;
mod notification;
mod progress;
mod started;
mod updated;

pub use background::{BackgroundTask, BackgroundTasksChanged};
pub use notification::{ResourceLink, TaskEnd, TaskEndReason, TaskNotification};
pub use progress::{TaskProgress, TaskUsage};
pub use started::TaskStarted;
pub use updated::{TaskPatch, TaskStatus, TaskUpdated};
