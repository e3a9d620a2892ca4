//! When the model is done: `Stop` and `StopFailure`.

use serde::{Deserialize, Serialize};

use super::{CanBlock, CanContinue, HookReply, NoOutput, ability::adds_context, declare::hook_event};
use crate::message::AssistantError;

hook_event! {
    /// The model is done: it may be made to go on.
    ///
    /// A handler that always refuses keeps the turn running up to its limits: look at `stop_hook_active`.
    /// The CLI ignores `onFailure` here, so only a reply can refuse; one that comes too late lets the turn end.
    Stop => StopOutput, refusal |reason| Some(HookReply::go_on(reason));

    /// What `Stop` tells.
    StopInput {
        /// Whether the turn goes on already because a `Stop` hook said so (`stop_hook_active`).
        #[serde(default)]
        stop_hook_active: bool,
        /// The model's last text (`last_assistant_message`).
        last_assistant_message: Option<String>,
        /// What still runs in the background (`background_tasks`); absent from older CLIs.
        background_tasks: Option<Vec<BackgroundTask>>,
        /// What the session has planned to run later (`session_crons`); absent from older CLIs.
        session_crons: Option<Vec<SessionCron>>,
    }
}

/// What only `Stop` can say.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StopOutput {
    /// Text for the model, which goes on to act on it (`additionalContext`).
    pub additional_context: Option<String>,
}

adds_context!(Stop);
impl CanBlock for Stop {}
impl CanContinue for Stop {}

/// Something that runs in the background.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct BackgroundTask {
    /// Its id (`id`).
    pub id: Box<str>,
    /// Its kind, such as `shell`, `subagent`, `monitor` or `workflow` (`type`).
    #[serde(rename = "type")]
    pub kind: Box<str>,
    /// How it is doing, such as `running` (`status`).
    #[serde(default)]
    pub status: Box<str>,
    /// What it is for, cut at 1,000 characters (`description`).
    #[serde(default)]
    pub description: String,
    /// The command of a shell, cut at 1,000 characters (`command`).
    pub command: Option<String>,
    /// The kind of a subagent (`agent_type`).
    pub agent_type: Option<Box<str>>,
    /// The MCP server that it belongs to (`server`).
    pub server: Option<Box<str>>,
    /// The tool of that server (`tool`).
    pub tool: Option<Box<str>>,
    /// The name of a workflow (`name`).
    pub name: Option<Box<str>>,
}

/// A prompt that the session has planned for later.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SessionCron {
    /// Its id (`id`).
    pub id: Box<str>,
    /// When, as a cron expression (`schedule`).
    #[serde(default)]
    pub schedule: Box<str>,
    /// Whether it comes again and again (`recurring`).
    #[serde(default)]
    pub recurring: bool,
    /// The prompt, cut at 1,000 characters (`prompt`).
    #[serde(default)]
    pub prompt: String,
}

hook_event! {
    /// The turn ended with an error of the API, in the place of `Stop`.
    ///
    /// The event can't refuse.
    StopFailure => NoOutput, matched by "error", refusal |_| None;

    /// What `StopFailure` tells.
    StopFailureInput {
        /// What went wrong (`error`).
        error: AssistantError,
        /// More of it, for a person (`error_details`).
        error_details: Option<String>,
        /// The last text, which is that of the error (`last_assistant_message`).
        last_assistant_message: Option<String>,
    }
}
