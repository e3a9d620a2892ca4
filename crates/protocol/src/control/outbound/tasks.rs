//! Requests on background tasks and queued prompts.

use crate::{ToolUseId, Uuid};

/// Cancels a queued prompt (`cancel_async_message`); a prompt that has started is not affected.
#[wire(Eq, new)]
pub struct CancelAsyncMessage {
    /// The id of the prompt, chosen by the host.
    pub message_uuid: Uuid,
}

/// The outcome of a cancellation. Not declared, seen on the wire.
#[wire(Default, Eq, tolerant)]
pub struct CancelAsyncMessageReply {
    /// Whether the prompt was cancelled; `false` if it is unknown or has started.
    pub cancelled: bool,
    /// The id of the prompt, if it was cancelled before any turn could read it.
    pub message_uuid: Option<Uuid>,
}

/// Stops a task (`stop_task`); an unknown id is not an error.
#[wire(Eq, new)]
pub struct StopTask {
    /// The task.
    pub task_id: Box<str>,
}

/// Moves running commands and agents to the background (`background_tasks`), so that the turn continues.
///
/// Before the `task_started` of a command it has no effect.
#[wire(Default, Eq)]
pub struct BackgroundTasks {
    /// The tool use to move; `None` for all.
    pub tool_use_id: Option<ToolUseId>,
}

/// The outcome of a move to the background. Not declared, seen on the wire.
#[wire(Copy, Default, Eq)]
pub struct BackgroundTasksReply {
    /// Whether the requested tool use was moved; absent if all were requested.
    pub backgrounded: Option<bool>,
}

/// Requests the output of a background command (`get_task_output`): at most the last 8 KiB, and only for shells.
///
/// CLI 2.1.197 does not support it.
#[wire(Eq, new)]
pub struct GetTaskOutput {
    /// The task, running or finished.
    pub task_id: Box<str>,
}

/// The end of a command's output.
#[wire(Default, Eq, tolerant)]
pub struct GetTaskOutputReply {
    /// The end of the output, including escape sequences.
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
#[wire(Copy, Default, Eq, nulls, new)]
pub struct SetHasSubscribers {
    /// Whether there are subscribers; `null` means unknown and counts as yes.
    #[argument]
    pub has_subscribers: Option<bool>,
}
