//! Requests on background tasks and queued prompts.

use super::{Ack, control_call};
use crate::{ToolUseId, Uuid};

/// Cancels a queued prompt (`cancel_async_message`); a prompt that has started is not affected.
#[wire(Eq)]
pub struct CancelAsyncMessage {
    /// The id of the prompt, chosen by the host.
    pub message_uuid: Uuid,
}

impl CancelAsyncMessage {
    /// Returns a request to cancel this prompt.
    pub fn new(message_uuid: Uuid) -> Self {
        Self { message_uuid }
    }
}

control_call!(CancelAsyncMessage = "cancel_async_message" => CancelAsyncMessageReply);

/// The outcome of a cancellation. Not declared, seen on the wire.
#[wire(Default, Eq)]
pub struct CancelAsyncMessageReply {
    /// Whether the prompt was cancelled; `false` if it is unknown or has started.
    #[serde(default)]
    pub cancelled: bool,
    /// The id of the prompt, if it was cancelled before any turn could read it.
    pub message_uuid: Option<Uuid>,
}

/// Stops a task (`stop_task`); an unknown id is not an error.
#[wire(Eq)]
pub struct StopTask {
    /// The task.
    pub task_id: Box<str>,
}

impl StopTask {
    /// Returns a request to stop this task.
    pub fn new(task_id: impl Into<Box<str>>) -> Self {
        Self { task_id: task_id.into() }
    }
}

control_call!(StopTask = "stop_task" => Ack);

/// Moves running commands and agents to the background (`background_tasks`), so that the turn continues.
///
/// Before the `task_started` of a command it has no effect.
#[wire(Default, Eq)]
pub struct BackgroundTasks {
    /// The tool call to move; `None` for all.
    pub tool_use_id: Option<ToolUseId>,
}

control_call!(BackgroundTasks = "background_tasks" => BackgroundTasksReply);

/// The outcome of a move to the background. Not declared, seen on the wire.
#[wire(Copy, Default, Eq)]
pub struct BackgroundTasksReply {
    /// Whether the requested call was moved; absent if all were requested.
    pub backgrounded: Option<bool>,
}

/// Requests the output of a background command (`get_task_output`): at most the last 8 KiB, and only for shells.
///
/// CLI 2.1.197 does not support it.
#[wire(Eq)]
pub struct GetTaskOutput {
    /// The task, running or finished.
    pub task_id: Box<str>,
}

impl GetTaskOutput {
    /// Returns a request for the output of this task.
    pub fn new(task_id: impl Into<Box<str>>) -> Self {
        Self { task_id: task_id.into() }
    }
}

control_call!(GetTaskOutput = "get_task_output" => GetTaskOutputReply);

/// The end of a command's output.
#[wire(Default, Eq)]
pub struct GetTaskOutputReply {
    /// The end of the output, including escape sequences.
    #[serde(default)]
    pub output: String,
    /// The length of the whole output in bytes.
    pub total_bytes: Option<u64>,
    /// Whether the reply lacks earlier output.
    pub truncated: Option<bool>,
}

/// Reports whether there are subscribers (`set_has_subscribers`): without any, the CLI may delay small fragments
/// if its environment enables that.
///
/// CLI 2.1.197 does not support it.
#[wire(Copy, Default, Eq, nulls)]
pub struct SetHasSubscribers {
    /// Whether there are subscribers; `null` means unknown and counts as yes.
    pub has_subscribers: Option<bool>,
}

impl SetHasSubscribers {
    /// Returns a request with this value; `None` means unknown.
    pub fn new(has_subscribers: Option<bool>) -> Self {
        Self { has_subscribers }
    }
}

control_call!(SetHasSubscribers = "set_has_subscribers" => Ack);
