//! Prompt events: `UserPromptSubmit` and `UserPromptExpansion`.

use super::{HookReply, declare::hook_event};

hook_event! {
    /// Before a prompt is sent to the model; a reply can block it or add text for the model.
    ///
    /// A blocked prompt ends its turn, with the reason as the result's text.
    UserPromptSubmit => UserPromptSubmitOutput, refusal |reason| Some(HookReply::block(reason)), also when late, within 30_000 ms,
        adds context, can block;

    /// The input of `UserPromptSubmit`.
    UserPromptSubmitInput {
        /// The prompt's text (`prompt`).
        prompt: String,
        /// The source of the prompt (`source`); often absent.
        source: Option<PromptSource>,
        /// The session title (`session_title`).
        session_title: Option<String>,
    }
}

/// The source of a prompt.
#[wire]
pub enum PromptSource {
    /// The user typed it.
    User = "user",
    /// A host sent it.
    Sdk = "sdk",
    /// The CLI, for example to report the outcome of a task.
    System = "system",
    /// The wake-up of a loop.
    LoopWakeup = "loop_wakeup",
    /// A scheduled prompt.
    ScheduleWakeup = "schedule_wakeup",
    /// An event that a host provides for polling; a block rejects the event.
    PollEvent = "poll_event",
}

/// The event-specific output of `UserPromptSubmit`.
#[wire(Default, camelCase)]
pub struct UserPromptSubmitOutput {
    /// Additional text for the model (`additionalContext`).
    pub additional_context: Option<String>,
    /// A title for the session (`sessionTitle`).
    pub session_title: Option<String>,
    /// Whether the notice of the block leaves out the prompt's text (`suppressOriginalPrompt`).
    pub suppress_original_prompt: Option<bool>,
}

hook_event! {
    /// After a slash command was expanded into a prompt, before it is sent to the model.
    ///
    /// A block ends the turn, with the reason as the result's text.
    UserPromptExpansion => UserPromptExpansionOutput, matched by "command_name", refusal |reason| Some(HookReply::block(reason)), also when late,
        adds context, can block;

    /// The input of `UserPromptExpansion`.
    UserPromptExpansionInput {
        /// The source of the expansion (`expansion_type`).
        expansion_type: ExpansionType,
        /// The command, without its slash (`command_name`).
        command_name: Box<str>,
        /// The arguments of the command (`command_args`).
        #[serde(default)]
        command_args: String,
        /// The location of the command's definition, such as `projectSettings` (`command_source`).
        command_source: Option<Box<str>>,
        /// The original prompt (`prompt`).
        #[serde(default)]
        prompt: String,
    }
}

/// The source of an expanded prompt.
#[wire]
pub enum ExpansionType {
    /// A slash command or a skill.
    SlashCommand = "slash_command",
    /// A prompt of an MCP server.
    McpPrompt = "mcp_prompt",
}

/// The event-specific output of `UserPromptExpansion`.
#[wire(Default, camelCase)]
pub struct UserPromptExpansionOutput {
    /// Additional text for the model (`additionalContext`).
    pub additional_context: Option<String>,
    /// Whether the notice of the block leaves out the prompt's text (`suppressOriginalPrompt`).
    pub suppress_original_prompt: Option<bool>,
}
