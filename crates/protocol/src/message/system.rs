//! `system`: events of the session, distinguished by `subtype`.

mod api_retry;
mod commands_changed;
mod compact;
mod elicitation_complete;
mod files_persisted;
mod hook_run;
mod informational;
mod init;
mod local_command;
mod memory_recall;
mod mirror_error;
mod model;
mod notification;
mod permission_denied;
mod plugin_install;
mod request_progress;
mod session_state;
mod session_title;
mod status;
mod task;
mod thinking_tokens;
mod ui_invalidate;
mod worker;
mod writes_lost;

pub use api_retry::*;
pub use commands_changed::*;
pub use compact::*;
pub use elicitation_complete::*;
pub use files_persisted::*;
pub use hook_run::*;
pub use informational::*;
pub use init::*;
pub use local_command::*;
pub use memory_recall::*;
pub use mirror_error::*;
pub use model::*;
pub use notification::*;
pub use permission_denied::*;
pub use plugin_install::*;
pub use request_progress::*;
pub use session_state::*;
pub use session_title::*;
pub use status::*;
pub use task::*;
pub use thinking_tokens::*;
pub use ui_invalidate::*;
pub use worker::*;
pub use writes_lost::*;

use super::declare::messages;
use crate::ToolUseId;

messages! {
    /// An event of the session.
    ///
    /// Its tag is on the same object as the outer tag, `"type": "system"`.
    pub enum System by "subtype" within "type" = "system" {
        /// The start of a turn.
        Init(Box<Init>) = "init",
        /// The CLI's activity.
        Status(Box<Status>) = "status",
        /// The session's state changed.
        SessionStateChanged(Box<SessionStateChanged>) = "session_state_changed",
        /// The progress of thinking.
        ThinkingTokens(Box<ThinkingTokens>) = "thinking_tokens",
        /// A retry of a failed API request.
        ApiRetry(Box<ApiRetry>) = "api_retry",
        /// The model was overloaded, and another model continues.
        ModelFallback(Box<ModelFallback>) = "model_fallback",
        /// The model declined, and another model was used.
        ModelRefusalFallback(Box<ModelRefusalFallback>) = "model_refusal_fallback",
        /// The model declined, and no other model was used.
        ModelRefusalNoFallback(Box<ModelRefusalNoFallback>) = "model_refusal_no_fallback",
        /// The conversation was compacted.
        CompactBoundary(Box<CompactBoundary>) = "compact_boundary",
        /// A tool use was denied without asking.
        PermissionDenied(Box<PermissionDenied>) = "permission_denied",
        /// A hook of the settings started.
        HookStarted(Box<HookStarted>) = "hook_started",
        /// A hook of the settings printed more output.
        HookProgress(Box<HookProgress>) = "hook_progress",
        /// A hook of the settings ended.
        HookResponse(Box<HookResponse>) = "hook_response",
        /// A task started.
        TaskStarted(Box<TaskStarted>) = "task_started",
        /// A task changed.
        TaskUpdated(Box<TaskUpdated>) = "task_updated",
        /// The progress of a task.
        TaskProgress(Box<TaskProgress>) = "task_progress",
        /// A task ended.
        TaskNotification(Box<TaskNotification>) = "task_notification",
        /// The list of background tasks changed.
        BackgroundTasksChanged(Box<BackgroundTasksChanged>) = "background_tasks_changed",
        /// A line of text for display.
        Informational(Box<Informational>) = "informational",
        /// A short notification.
        Notification(Box<Notification>) = "notification",
        /// The output of a slash command.
        LocalCommandOutput(Box<LocalCommandOutput>) = "local_command_output",
        /// The progress of a long control request of the host.
        ControlRequestProgress(Box<ControlRequestProgress>) = "control_request_progress",
        /// A URL elicitation is completed.
        ElicitationComplete(Box<ElicitationComplete>) = "elicitation_complete",
        /// The progress of plugin installation.
        PluginInstall(Box<PluginInstall>) = "plugin_install",
        /// Memories were added to the context.
        MemoryRecall(Box<MemoryRecall>) = "memory_recall",
        /// Files of the session were uploaded.
        FilesPersisted(Box<FilesPersisted>) = "files_persisted",
        /// The slash commands changed.
        CommandsChanged(Box<CommandsChanged>) = "commands_changed",
        /// The title of the session changed.
        SessionTitleChanged(Box<SessionTitleChanged>) = "session_title_changed",
        /// Views of the session are out of date.
        UiInvalidate(Box<UiInvalidate>) = "ui_invalidate",
        /// Data was lost because the disk was full.
        SessionWritesLost(Box<SessionWritesLost>) = "session_writes_lost",
        /// A copy of the transcript could not be stored.
        MirrorError(Box<MirrorError>) = "mirror_error",
        /// A remote worker shuts down.
        WorkerShuttingDown(Box<WorkerShuttingDown>) = "worker_shutting_down",
    }
}

impl System {
    /// Returns the tool use that the message is about: of a task, a denial or a line of text.
    pub fn tool_use_id(&self) -> Option<&ToolUseId> {
        match self {
            Self::TaskStarted(message) => message.tool_use_id.as_ref(),
            Self::TaskProgress(message) => message.tool_use_id.as_ref(),
            Self::TaskNotification(message) => message.tool_use_id.as_ref(),
            Self::Informational(message) => message.tool_use_id.as_ref(),
            Self::PermissionDenied(message) => {
                Some(&message.tool_use_id).filter(|id| !id.as_str().is_empty())
            }
            _ => None,
        }
    }
}
