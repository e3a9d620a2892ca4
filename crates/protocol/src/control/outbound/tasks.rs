//! Work in the background and waiting prompts.

use serde::{Deserialize, Serialize};

use super::{Ack, ControlCall};
use crate::{ToolUseId, Uuid};

/// Drops a waiting prompt (`cancel_async_message`); one that has begun is not touched.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct CancelAsyncMessage {
    /// The prompt, by the id that the host gave it.
    pub message_uuid: Uuid,
}

impl CancelAsyncMessage {
    /// Drops this prompt.
    pub fn new(message_uuid: Uuid) -> Self {
        Self { message_uuid }
    }
}

impl ControlCall for CancelAsyncMessage {
    const SUBTYPE: &'static str = "cancel_async_message";
    type Reply = CancelAsyncMessageReply;
}

/// Whether the prompt was dropped. Not declared, seen on the wire.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct CancelAsyncMessageReply {
    /// Whether it was; `false` for one that is unknown or has begun.
    #[serde(default)]
    pub cancelled: bool,
    /// The prompt, where it was dropped before any turn could read it.
    pub message_uuid: Option<Uuid>,
}

/// Stops a task (`stop_task`); one that is unknown is no error.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct StopTask {
    /// The task.
    pub task_id: Box<str>,
}

impl StopTask {
    /// Stops this task.
    pub fn new(task_id: impl Into<Box<str>>) -> Self {
        Self { task_id: task_id.into() }
    }
}

impl ControlCall for StopTask {
    const SUBTYPE: &'static str = "stop_task";
    type Reply = Ack;
}

/// Sends running commands and agents to the background (`background_tasks`), so that the turn goes on.
///
/// In front of a command's `task_started` it does nothing.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct BackgroundTasks {
    /// The one to send, by its tool use; `None` for all.
    pub tool_use_id: Option<ToolUseId>,
}

impl ControlCall for BackgroundTasks {
    const SUBTYPE: &'static str = "background_tasks";
    type Reply = BackgroundTasksReply;
}

/// What was sent to the background. Not declared, seen on the wire.
#[skip_serializing_none]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct BackgroundTasksReply {
    /// Whether the one that was asked for was; absent where all were asked for.
    pub backgrounded: Option<bool>,
}

/// What has a command in the background written (`get_task_output`)? At most its last 8 KiB, and for shells only.
///
/// CLI 2.1.197 does not know it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct GetTaskOutput {
    /// The task, running or ended.
    pub task_id: Box<str>,
}

impl GetTaskOutput {
    /// The output of this task.
    pub fn new(task_id: impl Into<Box<str>>) -> Self {
        Self { task_id: task_id.into() }
    }
}

impl ControlCall for GetTaskOutput {
    const SUBTYPE: &'static str = "get_task_output";
    type Reply = GetTaskOutputReply;
}

/// The end of what a command has written.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct GetTaskOutputReply {
    /// The end of the output, escape sequences included.
    #[serde(default)]
    pub output: String,
    /// The length of the whole output in bytes.
    pub total_bytes: Option<u64>,
    /// Whether there is more in front of it.
    pub truncated: Option<bool>,
}

/// Tells the CLI whether anybody watches (`set_has_subscribers`): where nobody does, it may hold small pieces back
/// longer, if its environment says so.
///
/// CLI 2.1.197 does not know it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SetHasSubscribers {
    /// Whether anybody does; `null`, for not knowing, counts as yes.
    pub has_subscribers: Option<bool>,
}

impl SetHasSubscribers {
    /// Somebody watches, nobody does, or it is not known.
    pub fn new(has_subscribers: Option<bool>) -> Self {
        Self { has_subscribers }
    }
}

impl ControlCall for SetHasSubscribers {
    const SUBTYPE: &'static str = "set_has_subscribers";
    type Reply = Ack;
}
