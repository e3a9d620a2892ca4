//! What the CLI says, by its `type`.

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

pub use active_goal::{ActiveGoal, Goal};
pub use answer::{
    BindingMismatch, CacheMiss, CacheMissReason, CacheMissUnmeasured, ClearedThinking, ClearedToolUses,
    Container, ContainerSkill, ContextEdit, ContextManagement, Diagnostics, InputTransformation, Refusal,
    RefusalCategory, SkillSource, StopDetails, StopReason, TransformedThinking,
};
pub use assistant::{
    ApiErrorParams, ApiErrorProvider, ApiMessage, Assistant, AssistantError, ContextAgent, ContextCategory,
    ContextCategoryKind, ContextMcpTool, ContextMemoryFile, ContextOverLimit, ContextSkill, ContextUsage,
    CredentialRemedy, CutReason, LocalCommandOutcome, LocalCommandRun, OverLimitKind, RefusedMedia,
    RefusedMediaReason, ToolUseMeta, UsageLimit, UsageLimitScope, UsageLimits, UsageReport, UsageScopeName,
};
pub use auth_status::AuthStatus;
pub use autocompact_state::{Autocompact, AutocompactState};
pub use command_lifecycle::{CommandLifecycle, CommandState};
pub use conversation_reset::{ConversationReset, ResetTrigger};
pub use keep_alive::KeepAlive;
pub use origin::{
    ChannelOrigin, NotificationSubkind, ObserverOrigin, Origin, PeerMode, PeerOrigin, PlainOrigin,
    TaskNotificationOrigin,
};
pub use prompt_suggestion::PromptSuggestion;
pub use rate_limit::{
    LimitScope, OverageDisabledReason, RateLimitErrorCode, RateLimitEvent, RateLimitInfo, RateLimitStatus,
    RateLimitType,
};
pub use result::{
    DeferredToolUse, InvalidConfigFile, KilledSubagents, PermissionDenial, QueuedBehind, RefusedSubagents,
    RequestedSubagents, ResultSubtype, StartupFailureReason, SubagentStats, TerminalReason, TurnResult,
};
pub use stream_event::{
    AbandonedBlocks, ApiError, ApiErrorKind, BlockDelta, BlockStart, BlockStop, CitationsDelta,
    CompactionDelta, Delta, Event, InputJsonDelta, MessageDelta, MessageDeltaFields, MessageStart,
    MessageStop, Ping, SignatureDelta, StreamError, StreamEvent, TextDelta, ThinkingDelta, ThinkingDisplay,
};
pub use system::*;
pub use tool_progress::{SubagentRetry, ToolProgress};
pub use tool_use_summary::ToolUseSummary;
pub use transcript_mirror::TranscriptMirror;
pub use user::{PermissionOutcome, Priority, ToolResultMeta, User, UserInput, UserMessage};

use std::cell::OnceCell;

use crate::{
    DecodeError, ToolUseId,
    control::{self, ControlCancelRequest, ControlRequest, ControlResponse},
    decode,
};

declare::messages! {
    /// One message of the CLI, as far as this crate understands it.
    ///
    /// A typed view: fields of known kinds that are not modelled here are in the line that it came from, not in the
    /// view.
    /// Kinds that are not known are kept whole, as [`Message::Unknown`].
    /// Large kinds are boxed, so that a message stays small to move.
    pub enum Message by "type" {
        /// What the model said: one frame for each content block.
        Assistant(Box<Assistant>) = "assistant",
        /// What was said to the model: tool results, and prompts that are replayed.
        User(Box<User>) = "user",
        /// News of the session itself, by `subtype`.
        System(System) = "system" as union,
        /// The end of a turn.
        Result(Box<TurnResult>) = "result",
        /// A piece of the model's answer as it streams.
        StreamEvent(Box<StreamEvent>) = "stream_event",
        /// A tool still runs.
        ToolProgress(Box<ToolProgress>) = "tool_progress",
        /// What several tool uses were about.
        ToolUseSummary(Box<ToolUseSummary>) = "tool_use_summary",
        /// What has become of a prompt.
        CommandLifecycle(Box<CommandLifecycle>) = "command_lifecycle",
        /// What the user may say next.
        PromptSuggestion(Box<PromptSuggestion>) = "prompt_suggestion",
        /// All that was said is forgotten.
        ConversationReset(Box<ConversationReset>) = "conversation_reset",
        /// The goal of the session has changed.
        ActiveGoal(Box<ActiveGoal>) = "active_goal",
        /// When the conversation will be compacted by itself.
        AutocompactState(Box<AutocompactState>) = "autocompact_state",
        /// Where the account stands against its rate limits.
        RateLimit(Box<RateLimitEvent>) = "rate_limit_event",
        /// A login is under way.
        AuthStatus(Box<AuthStatus>) = "auth_status",
        /// New lines of the session's transcript.
        TranscriptMirror(Box<TranscriptMirror>) = "transcript_mirror",
        /// A request of the control protocol.
        ControlRequest(Box<ControlRequest>) = "control_request" without ids,
        /// A response of the control protocol.
        ControlResponse(Box<ControlResponse>) = "control_response" without ids,
        /// A request of the control protocol is cancelled.
        ControlCancelRequest(ControlCancelRequest) = "control_cancel_request" without ids,
        /// Says nothing but that the connection lives.
        KeepAlive(KeepAlive) = "keep_alive" without ids,
    }
}

impl Message {
    /// Reads one line, as far as it can be read: see [`read`](Self::read).
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn from_line(line: &str) -> Result<Self, DecodeError> {
        Self::read(line.as_bytes()).map(|(message, _)| message)
    }

    /// Reads one line that may not even be UTF-8.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn from_bytes(line: &[u8]) -> Result<Self, DecodeError> {
        Self::read(line).map(|(message, _)| message)
    }

    /// Reads one line, and returns the message with what was set aside of it.
    ///
    /// A field that does not fit its type is read as if it were missing, of a repeated field the last one counts, and an
    /// object inside the message that lacks what its kind needs becomes `Unknown`, which keeps it whole.
    /// Each error of the list names one such field by its path.
    ///
    /// Frames of the control protocol are strict, since a permission question with a field less may be another question:
    /// only the few fields of a request that are there to be shown can be set aside.
    ///
    /// # Errors
    ///
    /// When the line is no UTF-8 or no JSON object, and when a message of a known kind lacks what it would be nothing
    /// without, such as the `subtype` of a `result`.
    pub fn read(line: &[u8]) -> Result<(Self, Vec<DecodeError>), DecodeError> {
        let line = decode::utf8(line)?;
        let is_control = OnceCell::new();
        decode::tolerant(line, |text, path| {
            !is_control.get_or_init(|| control::is_control(text)) || control::is_decoration(path)
        })
    }

    /// The tool use whose subagent the message belongs to; `None` for the main conversation.
    pub fn parent_tool_use_id(&self) -> Option<ToolUseId> {
        match self {
            Self::Assistant(message) => message.parent_tool_use_id.clone(),
            Self::User(message) => message.parent_tool_use_id.clone(),
            Self::StreamEvent(message) => message.parent_tool_use_id.clone(),
            Self::ToolProgress(message) => message.parent_tool_use_id.clone(),
            Self::Unknown(unknown) => unknown.field("parent_tool_use_id").ok().flatten(),
            _ => None,
        }
    }
}
