//! Stop events: `Stop` and `StopFailure`.

use super::{ContextOutput, HookReply, NoOutput, declare::hook_event};
use crate::message::AssistantError;

hook_event! {
    /// The model has finished its answer; a reply can make it continue.
    ///
    /// A handler that always blocks keeps the turn running up to its limits: check `stop_hook_active`.
    /// The CLI ignores `onFailure` here, so only a reply can block; a late reply lets the turn end.
    Stop => ContextOutput, refusal |reason| Some(HookReply::go_on(reason)),
        adds context, can block, can continue;

    /// The input of `Stop`.
    StopInput {
        /// Whether the turn already continues because of a `Stop` hook (`stop_hook_active`).
        #[serde(default)]
        stop_hook_active: bool,
        /// The model's last text (`last_assistant_message`).
        last_assistant_message: Option<String>,
        /// Running background tasks (`background_tasks`); absent from older CLIs.
        background_tasks: Option<Vec<BackgroundTask>>,
        /// Scheduled prompts of the session (`session_crons`); absent from older CLIs.
        session_crons: Option<Vec<SessionCron>>,
    }
}

/// A background task.
#[wire]
pub struct BackgroundTask {
    /// The id (`id`).
    pub id: Box<str>,
    /// The kind, such as `shell`, `subagent`, `monitor` or `workflow` (`type`).
    #[serde(rename = "type")]
    pub kind: Box<str>,
    /// The status, such as `running` (`status`).
    #[serde(default)]
    pub status: Box<str>,
    /// The description, cut at 1,000 characters (`description`).
    #[serde(default)]
    pub description: String,
    /// The command of a shell, cut at 1,000 characters (`command`).
    pub command: Option<String>,
    /// The type of a subagent (`agent_type`).
    pub agent_type: Option<Box<str>>,
    /// The MCP server of the task (`server`).
    pub server: Option<Box<str>>,
    /// The tool of the server (`tool`).
    pub tool: Option<Box<str>>,
    /// The name of a workflow (`name`).
    pub name: Option<Box<str>>,
}

/// A scheduled prompt of the session.
#[wire(tolerant)]
pub struct SessionCron {
    /// The id (`id`).
    #[required]
    pub id: Box<str>,
    /// The schedule, as a cron expression (`schedule`).
    pub schedule: Box<str>,
    /// Whether it repeats (`recurring`).
    pub recurring: bool,
    /// The prompt, cut at 1,000 characters (`prompt`).
    pub prompt: String,
}

hook_event! {
    /// The turn ended with an API error; fires instead of `Stop`.
    ///
    /// This event can't be blocked.
    StopFailure => NoOutput, matched by "error", refusal |_| None;

    /// The input of `StopFailure`.
    StopFailureInput {
        /// The error (`error`).
        error: AssistantError,
        /// Error details, for a person (`error_details`).
        error_details: Option<String>,
        /// The last text, which contains the error (`last_assistant_message`).
        last_assistant_message: Option<String>,
    }
}
