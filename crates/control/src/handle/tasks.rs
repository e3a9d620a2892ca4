//! Requests about background work and queued prompts.

use agentwire_protocol::{
    ToolUseId, Uuid,
    control::{
        BackgroundTasks, BackgroundTasksReply, CancelAsyncMessage, CancelAsyncMessageReply, GetTaskOutput,
        GetTaskOutputReply, SetHasSubscribers, StopTask,
    },
};

use crate::{Control, ControlError};

impl Control {
    /// Cancels a queued prompt by its id (`cancel_async_message`). Has no effect once its turn has begun.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn cancel_async_message(
        &self,
        message_uuid: Uuid,
    ) -> Result<CancelAsyncMessageReply, ControlError> {
        self.call(&CancelAsyncMessage::new(message_uuid)).await
    }

    /// Stops a task (`stop_task`). An unknown task is not an error. A `system/task_notification` follows.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn stop_task(&self, task_id: impl Into<Box<str>>) -> Result<(), ControlError> {
        self.done(&StopTask::new(task_id)).await
    }

    /// Moves a running command or agent, or all of them with `None`, to the background (`background_tasks`).
    ///
    /// The turn goes on then. Has no effect before a command's `task_started`.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses it if background work is disabled.
    pub async fn background_tasks(
        &self,
        tool_use_id: Option<ToolUseId>,
    ) -> Result<BackgroundTasksReply, ControlError> {
        let mut request = BackgroundTasks::default();
        request.tool_use_id = tool_use_id;
        self.call(&request).await
    }

    /// Returns up to 8 KiB of the latest output of a background shell (`get_task_output`).
    ///
    /// CLI 2.1.197 does not support it.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses an unknown task.
    pub async fn task_output(
        &self,
        task_id: impl Into<Box<str>>,
    ) -> Result<GetTaskOutputReply, ControlError> {
        self.call(&GetTaskOutput::new(task_id)).await
    }

    /// Reports whether the session has viewers (`set_has_subscribers`); `None`, for unknown, counts as yes.
    ///
    /// Without viewers the CLI may delay small pieces, depending on its environment. CLI 2.1.197 does not support it.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn set_has_subscribers(&self, has_subscribers: Option<bool>) -> Result<(), ControlError> {
        self.done(&SetHasSubscribers::new(has_subscribers)).await
    }
}
