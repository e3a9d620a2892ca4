//! On the way of a prompt to the model: `UserPromptSubmit` and `UserPromptExpansion`.

use serde::{Deserialize, Serialize};

use super::{CanBlock, HookReply, ability::adds_context, declare::hook_event};
use crate::open_enum::open_enum;

hook_event! {
    /// A prompt is on its way to the model: it may be blocked, and the model told something beside it.
    ///
    /// A blocked prompt ends its turn with the reason as the result's text.
    UserPromptSubmit => UserPromptSubmitOutput, refusal |reason| Some(HookReply::block_prompt(reason)), also when late, within 30_000 ms;

    /// What `UserPromptSubmit` tells.
    UserPromptSubmitInput {
        /// The prompt's text (`prompt`).
        prompt: String,
        /// Where the prompt came from (`source`); often absent.
        source: Option<PromptSource>,
        /// The session's title (`session_title`).
        session_title: Option<String>,
    }
}

open_enum! {
    /// Where a prompt came from.
    pub enum PromptSource {
        /// The user typed it.
        User = "user",
        /// A host sent it.
        Sdk = "sdk",
        /// The CLI made it, as for the news of a task.
        System = "system",
        /// A loop woke up.
        LoopWakeup = "loop_wakeup",
        /// A planned prompt came due.
        ScheduleWakeup = "schedule_wakeup",
        /// An event that a host put in for polling; blocking it rejects the event.
        PollEvent = "poll_event",
    }
}

/// What only `UserPromptSubmit` can say.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UserPromptSubmitOutput {
    /// Text for the model beside the prompt (`additionalContext`).
    pub additional_context: Option<String>,
    /// A title for the session (`sessionTitle`).
    pub session_title: Option<String>,
    /// Whether to keep the prompt's text out of the notice that it was blocked (`suppressOriginalPrompt`).
    pub suppress_original_prompt: Option<bool>,
}

adds_context!(UserPromptSubmit, UserPromptExpansion);
impl CanBlock for UserPromptSubmit {}

impl HookReply<UserPromptSubmit> {
    /// The prompt does not reach the model; the turn ends with this text as its result.
    pub fn block_prompt(reason: impl Into<String>) -> Self {
        Self::blocked(reason)
    }

    /// The same reply, and the session gets this title.
    #[must_use]
    pub fn with_session_title(mut self, title: impl Into<String>) -> Self {
        self.output.get_or_insert_default().session_title = Some(title.into());
        self
    }
}

hook_event! {
    /// A slash command was expanded into a prompt, which is on its way to the model.
    ///
    /// A block keeps it from the model and ends the turn with the reason as the result's text.
    UserPromptExpansion => UserPromptExpansionOutput, matched by "command_name", refusal |reason| Some(HookReply::block(reason)), also when late;

    /// What `UserPromptExpansion` tells.
    UserPromptExpansionInput {
        /// What was expanded (`expansion_type`).
        expansion_type: ExpansionType,
        /// The command, without its slash (`command_name`).
        command_name: Box<str>,
        /// What followed it (`command_args`).
        #[serde(default)]
        command_args: String,
        /// Where the command is defined, such as `projectSettings` (`command_source`).
        command_source: Option<Box<str>>,
        /// The prompt as it was written, before it was expanded (`prompt`).
        #[serde(default)]
        prompt: String,
    }
}

open_enum! {
    /// What a prompt was expanded from.
    pub enum ExpansionType {
        /// A slash command or a skill.
        SlashCommand = "slash_command",
        /// A prompt of an MCP server.
        McpPrompt = "mcp_prompt",
    }
}

/// What only `UserPromptExpansion` can say.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UserPromptExpansionOutput {
    /// Text for the model beside the prompt (`additionalContext`).
    pub additional_context: Option<String>,
    /// Whether to keep the prompt's text out of the notice that it was blocked (`suppressOriginalPrompt`).
    pub suppress_original_prompt: Option<bool>,
}

impl CanBlock for UserPromptExpansion {}
