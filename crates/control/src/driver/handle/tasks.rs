//! Requests about background work and queued prompts.

use agentwire_protocol::{
    ToolUseId, Uuid,
    control::{
        BackgroundTasks, BackgroundTasksReply, CancelAsyncMessage, CancelAsyncMessageReply, GetTaskOutput,
        GetTaskOutputReply, SetHasSubscribers, StopTask,
    },
};

use super::{Control, calls, with};

calls! {
    /// Cancels a queued prompt by its id (`cancel_async_message`). Has no effect once its turn has begun.
    fn cancel_async_message(message_uuid: Uuid) -> CancelAsyncMessageReply =
        &CancelAsyncMessage::new(message_uuid);

    /// Stops a task (`stop_task`). An unknown task is not an error. A `system/task_notification` follows.
    fn stop_task(task_id: impl Into<Box<str>>) -> () = &StopTask::new(task_id);

    /// Moves a running command or agent, or all of them with `None`, to the background (`background_tasks`).
    ///
    /// The turn goes on then. Has no effect before a command's `task_started`.
    /// The CLI refuses it if background work is disabled.
    fn background_tasks(tool_use_id: Option<ToolUseId>) -> BackgroundTasksReply =
        &with(BackgroundTasks::default(), |request| request.tool_use_id = tool_use_id);

    /// Returns up to 8 KiB of the latest output of a background shell (`get_task_output`).
    ///
    /// CLI 2.1.197 does not support it.
    /// The CLI refuses an unknown task.
    fn task_output(task_id: impl Into<Box<str>>) -> GetTaskOutputReply = &GetTaskOutput::new(task_id);

    /// Reports whether the session has viewers (`set_has_subscribers`); `None`, for unknown, counts as yes.
    ///
    /// Without viewers the CLI may delay small pieces, depending on its environment. CLI 2.1.197 does not support it.
    fn set_has_subscribers(has_subscribers: Option<bool>) -> () = &SetHasSubscribers::new(has_subscribers);
}
