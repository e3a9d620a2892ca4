//! What was given to the model beside what was said.

use agentwire_protocol::{RawJson, ToolUseId, Uuid};
use serde::Deserialize;

use super::union::union;

/// Something that was given to the model beside what was said (`attachment`).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct AttachmentEntry {
    /// What it is.
    pub attachment: Attachment,
}

union! {
    /// What an attachment is.
    ///
    /// Most are about the surroundings (the date, the tools, the working folder) and are `Unknown` here.
    pub enum Attachment by "type" {
        /// A prompt that was queued, and folded into the turn that ran.
        QueuedCommand(QueuedCommand) = "queued_command",
        /// A hook ran, and refused nothing.
        HookSuccess(HookRun) = "hook_success",
        /// A hook refused.
        HookBlockingError(HookBlockingError) = "hook_blocking_error",
        /// A hook failed, which refuses nothing.
        HookNonBlockingError(HookRun) = "hook_non_blocking_error",
        /// A hook gave the model something to read.
        HookAdditionalContext(HookAdditionalContext) = "hook_additional_context",
        /// How the session's goal stands.
        GoalStatus(GoalStatus) = "goal_status",
    }
}

/// A prompt that was queued, and folded into the turn that ran (`queued_command`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct QueuedCommand {
    /// The prompt: text, or a list of content blocks.
    pub prompt: RawJson,
    /// What kind of input it was, such as `prompt`.
    pub command_mode: Option<Box<str>>,
    /// The id that whoever sent it gave it.
    #[serde(rename = "source_uuid")]
    pub source_uuid: Option<Uuid>,
}

/// How a hook ran (`hook_success`, `hook_non_blocking_error`).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookRun {
    /// The hook, such as `PreToolUse:Bash`.
    pub hook_name: Option<String>,
    /// The event, such as `PreToolUse`.
    pub hook_event: Option<Box<str>>,
    /// The tool use that it was about.
    #[serde(rename = "toolUseID")]
    pub tool_use_id: Option<ToolUseId>,
    /// Its command.
    pub command: Option<String>,
    /// What it wrote to its output.
    pub stdout: Option<String>,
    /// What it wrote to its error output.
    pub stderr: Option<String>,
    /// How it exited.
    pub exit_code: Option<i64>,
    /// How long it ran, in milliseconds.
    pub duration_ms: Option<f64>,
}

/// A hook refused (`hook_blocking_error`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookBlockingError {
    /// The hook.
    pub hook_name: Option<String>,
    /// The event.
    pub hook_event: Option<Box<str>>,
    /// The tool use that it was about.
    #[serde(rename = "toolUseID")]
    pub tool_use_id: Option<ToolUseId>,
    /// What it said, as the CLI describes it.
    pub blocking_error: Option<RawJson>,
}

/// A hook gave the model something to read (`hook_additional_context`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookAdditionalContext {
    /// The hook.
    pub hook_name: Option<String>,
    /// The event.
    pub hook_event: Option<Box<str>>,
    /// What it gave: texts.
    pub content: RawJson,
}

/// How the session's goal stands (`goal_status`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GoalStatus {
    /// What is to be reached.
    pub condition: Option<String>,
    /// Whether it is.
    pub met: bool,
    /// Why, or why not.
    pub reason: Option<String>,
}
