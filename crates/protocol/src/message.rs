//! Messages of the CLI, distinguished by `type`.

mod active_goal;
mod answer;
mod assistant;
mod auth_status;
mod autocompact_state;
mod command_lifecycle;
mod conversation_reset;
mod declare;
mod keep_alive;
mod origin;
mod prompt_suggestion;
mod rate_limit;
mod result;
mod stream_event;
mod system;
mod tool_progress;
mod tool_use_summary;
mod transcript_mirror;
mod user;

pub use active_goal::*;
pub use answer::*;
pub use assistant::*;
pub use auth_status::*;
pub use autocompact_state::*;
pub use command_lifecycle::*;
pub use conversation_reset::*;
pub use keep_alive::*;
pub use origin::*;
pub use prompt_suggestion::*;
pub use rate_limit::*;
pub use result::*;
pub use stream_event::*;
pub use system::*;
pub use tool_progress::*;
pub use tool_use_summary::*;
pub use transcript_mirror::*;
pub use user::*;

use std::cell::OnceCell;

use crate::{
    DecodeError, ToolUseId,
    control::{self, ControlCancelRequest, ControlRequest, ControlResponse},
    decode::{self, Step},
};

declare::messages! {
    /// One message of the CLI.
    ///
    /// This is a typed view: unmodelled fields of known kinds are only in the original line, not in the
    /// view.
    /// Unknown kinds are kept whole, as [`Message::Unknown`].
    /// Large kinds are boxed to keep the enum small.
    ///
    /// Read it with [`Message::from_line`] or [`Message::read`], which set aside fields that do not fit.
    /// `Deserialize` is strict, and works only with `serde_json` directly, without `#[serde(flatten)]` and
    /// `#[serde(untagged)]`: [the front page](crate#store-messages-in-records-of-your-own) has the details.
    pub enum Message by "type" {
        /// An answer of the model: one frame per content block.
        Assistant(Box<Assistant>) = "assistant",
        /// Input of the model: tool results and replayed prompts.
        User(Box<User>) = "user",
        /// Events of the session, distinguished by `subtype`.
        System(System) = "system" as union,
        /// The end of a turn.
        Result(Box<TurnResult>) = "result",
        /// A fragment of the model's answer while it streams.
        StreamEvent(Box<StreamEvent>) = "stream_event",
        /// The progress of a running tool.
        ToolProgress(Box<ToolProgress>) = "tool_progress",
        /// A summary of several tool uses.
        ToolUseSummary(Box<ToolUseSummary>) = "tool_use_summary",
        /// The state of a prompt.
        CommandLifecycle(Box<CommandLifecycle>) = "command_lifecycle",
        /// A suggestion for the next prompt.
        PromptSuggestion(Box<PromptSuggestion>) = "prompt_suggestion",
        /// The conversation was reset.
        ConversationReset(Box<ConversationReset>) = "conversation_reset",
        /// The goal of the session changed.
        ActiveGoal(Box<ActiveGoal>) = "active_goal",
        /// The state of automatic compaction.
        AutocompactState(Box<AutocompactState>) = "autocompact_state",
        /// The account's rate limits.
        RateLimit(Box<RateLimitEvent>) = "rate_limit_event",
        /// The status of a login.
        AuthStatus(Box<AuthStatus>) = "auth_status",
        /// New lines of the session's transcript.
        TranscriptMirror(Box<TranscriptMirror>) = "transcript_mirror",
        /// A request of the control protocol.
        ControlRequest(Box<ControlRequest>) = "control_request" without ids,
        /// A response of the control protocol.
        ControlResponse(Box<ControlResponse>) = "control_response" without ids,
        /// The cancellation of a control request.
        ControlCancelRequest(ControlCancelRequest) = "control_cancel_request" without ids,
        /// A keep-alive frame.
        KeepAlive(KeepAlive) = "keep_alive" without ids,
    }
}

impl Message {
    /// Reads one line tolerantly: see [`read`](Self::read).
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn from_line(line: &str) -> Result<Self, DecodeError> {
        Self::read(line.as_bytes()).map(|(message, _)| message)
    }

    /// Reads one line that may not be UTF-8.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn from_bytes(line: &[u8]) -> Result<Self, DecodeError> {
        Self::read(line).map(|(message, _)| message)
    }

    /// Reads one line, and returns the message with the errors of dropped fields.
    ///
    /// A field that does not fit its type is treated as missing. Of several fields with the same name, the last counts.
    /// An object inside the message that lacks a required field becomes `Unknown`, which keeps the whole object.
    /// The list has one error with a path per such field.
    /// If a line has too many faults, each list with a fault is treated as missing; a fault in `message` is then an error.
    ///
    /// Frames of the control protocol are strict, since a missing field can change the meaning of a permission request:
    /// only a few display fields of a request can be dropped.
    ///
    /// # Errors
    ///
    /// Returns an error if the line is not UTF-8 or not a JSON object, or if a message of a known kind lacks an
    /// essential field, such as the `subtype` of a `result`.
    pub fn read(line: &[u8]) -> Result<(Self, Vec<DecodeError>), DecodeError> {
        let line = decode::utf8(line)?;
        let is_control = OnceCell::new();
        let may_miss = |text: &str, path: &[Step]| {
            !is_control.get_or_init(|| control::is_control(text)) || control::is_decoration(path)
        };
        // Drops lists with too many faulty parts, but none of a request, or of an answer, which would look empty.
        let is_outside = |step: &Step| matches!(step, Step::Key(name) if !KEPT.contains(&name.as_str()));
        decode::tolerant(line, may_miss).or_else(|error| {
            decode::tolerant(line, |text, path| path.iter().all(is_outside) && may_miss(text, path))
                .map_err(|_| error)
        })
    }

    /// Returns the tool use whose subagent the message belongs to; `None` for the main conversation.
    pub fn parent_tool_use_id(&self) -> Option<ToolUseId> {
        match self {
            Self::Assistant(message) => message.parent_tool_use_id.clone(),
            Self::User(message) => message.parent_tool_use_id.clone(),
            Self::StreamEvent(message) => message.parent_tool_use_id.clone(),
            Self::Unknown(unknown) => unknown.field("parent_tool_use_id").ok().flatten(),
            _ => None,
        }
    }
}

/// The fields of messages that do not lose their lists.
const KEPT: [&str; 3] = ["message", "event", "request"];
