//! Attachments: content for the model besides the messages.

use agentwire_protocol::{RawJson, ToolUseId, Uuid};
use serde::Deserialize;

use super::union::union;

/// Content for the model besides the messages (`attachment`).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct AttachmentEntry {
    /// The attachment.
    pub attachment: Attachment,
}

union! {
    /// The kind of an attachment.
    ///
    /// Most are about the environment (the date, the tools, the working directory) and are `Unknown` here.
    pub enum Attachment by "type" {
        /// A queued prompt that was added to the running turn.
        QueuedCommand(QueuedCommand) = "queued_command",
        /// A hook that ran and did not block.
        HookSuccess(HookRun) = "hook_success",
        /// A hook that blocked.
        HookBlockingError(HookBlockingError) = "hook_blocking_error",
        /// A hook that failed, which does not block.
        HookNonBlockingError(HookRun) = "hook_non_blocking_error",
        /// Context that a hook added for the model.
        HookAdditionalContext(HookAdditionalContext) = "hook_additional_context",
        /// The state of the session's goal.
        GoalStatus(GoalStatus) = "goal_status",
    }
}

/// A queued prompt that was added to the running turn (`queued_command`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct QueuedCommand {
    /// The prompt: text, or a list of content blocks.
    pub prompt: RawJson,
    /// The kind of input, such as `prompt`.
    pub command_mode: Option<Box<str>>,
    /// The id that the sender gave the prompt.
    #[serde(rename = "source_uuid")]
    pub source_uuid: Option<Uuid>,
}

/// The run of a hook (`hook_success`, `hook_non_blocking_error`).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookRun {
    /// The hook, such as `PreToolUse:Bash`.
    pub hook_name: Option<String>,
    /// The event, such as `PreToolUse`.
    pub hook_event: Option<Box<str>>,
    /// The tool use that the hook ran for.
    #[serde(rename = "toolUseID")]
    pub tool_use_id: Option<ToolUseId>,
    /// The hook's command.
    pub command: Option<String>,
    /// The hook's standard output.
    pub stdout: Option<String>,
    /// The hook's standard error output.
    pub stderr: Option<String>,
    /// The exit code.
    pub exit_code: Option<i64>,
    /// The duration in milliseconds.
    pub duration_ms: Option<f64>,
}

/// A hook that blocked (`hook_blocking_error`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookBlockingError {
    /// The hook.
    pub hook_name: Option<String>,
    /// The event.
    pub hook_event: Option<Box<str>>,
    /// The tool use that the hook ran for.
    #[serde(rename = "toolUseID")]
    pub tool_use_id: Option<ToolUseId>,
    /// The hook's reason, as the CLI represents it.
    pub blocking_error: Option<RawJson>,
}

/// Context that a hook added for the model (`hook_additional_context`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookAdditionalContext {
    /// The hook.
    pub hook_name: Option<String>,
    /// The event.
    pub hook_event: Option<Box<str>>,
    /// The texts.
    pub content: RawJson,
}

/// The state of the session's goal (`goal_status`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GoalStatus {
    /// The goal.
    pub condition: Option<String>,
    /// Whether the goal is met.
    pub met: bool,
    /// The reason.
    pub reason: Option<String>,
}
