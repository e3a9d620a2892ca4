//! Work in the background, and prompts that wait.

use agentwire_protocol::{
    ToolUseId, Uuid,
    control::{
        BackgroundTasks, BackgroundTasksReply, CancelAsyncMessage, CancelAsyncMessageReply, GetTaskOutput,
        GetTaskOutputReply, SetHasSubscribers, StopTask,
    },
};

use crate::{Control, ControlError};

impl Control {
    /// Drops a prompt that waits (`cancel_async_message`), by the id that the host gave it; one that has begun is not touched.
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

    /// Stops a task (`stop_task`); one that is unknown is no error. A `system/task_notification` follows.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn stop_task(&self, task_id: impl Into<Box<str>>) -> Result<(), ControlError> {
        self.done(&StopTask::new(task_id)).await
    }

    /// Sends running commands and agents to the background (`background_tasks`), so that the turn goes on.
    ///
    /// `None` is for all of them. In front of a command's `task_started` it does nothing.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses it where work in the background is turned off.
    pub async fn background_tasks(
        &self,
        tool_use_id: Option<ToolUseId>,
    ) -> Result<BackgroundTasksReply, ControlError> {
        let mut request = BackgroundTasks::default();
        request.tool_use_id = tool_use_id;
        self.call(&request).await
    }

    /// What a command in the background has written (`get_task_output`): the last 8 KiB at most, of shells only.
    ///
    /// CLI 2.1.197 does not know it.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses a task that it does not know.
    pub async fn task_output(
        &self,
        task_id: impl Into<Box<str>>,
    ) -> Result<GetTaskOutputReply, ControlError> {
        self.call(&GetTaskOutput::new(task_id)).await
    }

    /// Tells the CLI whether anybody watches (`set_has_subscribers`); `None` for not knowing counts as yes.
    ///
    /// Where nobody does, it may hold small pieces back longer, if its environment says so. CLI 2.1.197 does not know it.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn set_has_subscribers(&self, has_subscribers: Option<bool>) -> Result<(), ControlError> {
        self.done(&SetHasSubscribers::new(has_subscribers)).await
    }
}
