//! `system`: news of the session itself, by its `subtype`.

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

pub use api_retry::{ApiRetry, NoResponse};
pub use commands_changed::CommandsChanged;
pub use compact::{CompactBoundary, CompactMetadata, CompactTrigger, PreservedMessages, PreservedSegment};
pub use elicitation_complete::ElicitationComplete;
pub use files_persisted::{FilesPersisted, PersistedFile, UnpersistedFile};
pub use hook_run::{HookOutcome, HookProgress, HookResponse, HookStarted};
pub use informational::{Informational, InformationalLevel, PromptSubmitOutcome};
pub use init::{
    ApiKeySource, Init, InitMcpServer, InitPlugin, ManagedLock, MemoryPaths, PluginError, ViewMode,
};
pub use local_command::LocalCommandOutput;
pub use memory_recall::{Memory, MemoryRecall, MemoryRecallMode, MemoryScope};
pub use mirror_error::{MirrorError, MirrorKey};
pub use model::{
    FallbackDirection, FallbackScope, ModelFallback, ModelFallbackTrigger, ModelRefusalFallback,
    ModelRefusalNoFallback, RefusalTrigger,
};
pub use notification::{Notification, NotificationPriority};
pub use permission_denied::PermissionDenied;
pub use plugin_install::{PluginInstall, PluginInstallStatus};
pub use request_progress::{ControlRequestProgress, RequestProgress};
pub use session_state::{SessionState, SessionStateChanged};
pub use session_title::SessionTitleChanged;
pub use status::{Activity, CompactResult, Status};
pub use task::{
    BackgroundTask, BackgroundTasksChanged, ResourceLink, TaskEnd, TaskEndReason, TaskNotification,
    TaskPatch, TaskProgress, TaskStarted, TaskStatus, TaskUpdated, TaskUsage,
};
pub use thinking_tokens::ThinkingTokens;
pub use ui_invalidate::UiInvalidate;
pub use worker::WorkerShuttingDown;
pub use writes_lost::{LostWrites, SessionWritesLost, WriteErrorCode};

use super::declare::messages;
use crate::ToolUseId;

messages! {
    /// News of the session itself.
    ///
    /// Its second tag lies on the same object as the first, `"type": "system"`.
    pub enum System by "subtype" within "type" = "system" {
        /// A turn starts: what the session can do.
        Init(Box<Init>) = "init",
        /// What the CLI is busy with.
        Status(Box<Status>) = "status",
        /// The session went idle, runs, or waits for an answer.
        SessionStateChanged(Box<SessionStateChanged>) = "session_state_changed",
        /// How much the model has thought.
        ThinkingTokens(Box<ThinkingTokens>) = "thinking_tokens",
        /// A request to the model's API failed, and is made again.
        ApiRetry(Box<ApiRetry>) = "api_retry",
        /// The model was overloaded, and another one takes over.
        ModelFallback(Box<ModelFallback>) = "model_fallback",
        /// The model declined, and another one was asked.
        ModelRefusalFallback(Box<ModelRefusalFallback>) = "model_refusal_fallback",
        /// The model declined, and no other one was asked.
        ModelRefusalNoFallback(Box<ModelRefusalNoFallback>) = "model_refusal_no_fallback",
        /// The conversation was compacted.
        CompactBoundary(Box<CompactBoundary>) = "compact_boundary",
        /// A tool use was refused without a question.
        PermissionDenied(Box<PermissionDenied>) = "permission_denied",
        /// A hook of the settings starts.
        HookStarted(Box<HookStarted>) = "hook_started",
        /// A hook of the settings has printed more.
        HookProgress(Box<HookProgress>) = "hook_progress",
        /// A hook of the settings has ended.
        HookResponse(Box<HookResponse>) = "hook_response",
        /// A task begins.
        TaskStarted(Box<TaskStarted>) = "task_started",
        /// Something about a task changed.
        TaskUpdated(Box<TaskUpdated>) = "task_updated",
        /// What a task has done so far.
        TaskProgress(Box<TaskProgress>) = "task_progress",
        /// A task has ended.
        TaskNotification(Box<TaskNotification>) = "task_notification",
        /// Which tasks run in the background now.
        BackgroundTasksChanged(Box<BackgroundTasksChanged>) = "background_tasks_changed",
        /// A line of text for the reader.
        Informational(Box<Informational>) = "informational",
        /// A short note that a terminal would show for a while.
        Notification(Box<Notification>) = "notification",
        /// What a slash command printed.
        LocalCommandOutput(Box<LocalCommandOutput>) = "local_command_output",
        /// A long control request of ours is being worked on.
        ControlRequestProgress(Box<ControlRequestProgress>) = "control_request_progress",
        /// What an MCP server asked for by a URL is done.
        ElicitationComplete(Box<ElicitationComplete>) = "elicitation_complete",
        /// Plugins are being installed.
        PluginInstall(Box<PluginInstall>) = "plugin_install",
        /// The model was reminded of something.
        MemoryRecall(Box<MemoryRecall>) = "memory_recall",
        /// Files of the session were stored elsewhere.
        FilesPersisted(Box<FilesPersisted>) = "files_persisted",
        /// The commands that a prompt may start with are others now.
        CommandsChanged(Box<CommandsChanged>) = "commands_changed",
        /// The session has a new title.
        SessionTitleChanged(Box<SessionTitleChanged>) = "session_title_changed",
        /// Screens that show the session are out of date.
        UiInvalidate(Box<UiInvalidate>) = "ui_invalidate",
        /// Something was not saved, since the disk was full.
        SessionWritesLost(Box<SessionWritesLost>) = "session_writes_lost",
        /// A copy of the transcript could not be kept.
        MirrorError(Box<MirrorError>) = "mirror_error",
        /// A remote worker says why it goes.
        WorkerShuttingDown(Box<WorkerShuttingDown>) = "worker_shutting_down",
    }
}

impl System {
    /// The tool use that the message is about: that of a task, of a refusal or of a line of text.
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
