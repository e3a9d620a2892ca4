//! What the CLI says, by its `type`.

mod answer;
mod assistant;
mod keep_alive;
mod rate_limit;
mod result;
mod stream_event;
mod system;
mod user;

pub use answer::{
    BindingMismatch, CacheMiss, CacheMissReason, CacheMissUnmeasured, ClearedThinking, ClearedToolUses,
    Container, ContainerSkill, ContextEdit, ContextManagement, Diagnostics, InputTransformation, Refusal,
    RefusalCategory, SkillSource, StopDetails, StopReason, TransformedThinking,
};
pub use assistant::{ApiMessage, Assistant, AssistantError};
pub use keep_alive::KeepAlive;
pub use rate_limit::{RateLimitEvent, RateLimitInfo, RateLimitStatus};
pub use result::{PermissionDenial, ResultSubtype, TerminalReason, TurnResult};
pub use stream_event::{
    AbandonedBlocks, ApiError, ApiErrorKind, BlockDelta, BlockStart, BlockStop, CitationsDelta,
    CompactionDelta, Delta, Event, InputJsonDelta, MessageDelta, MessageDeltaFields, MessageStart,
    MessageStop, Ping, SignatureDelta, StreamError, StreamEvent, TextDelta, ThinkingDelta, ThinkingDisplay,
};
pub use system::{Init, InitMcpServer, InitPlugin, SessionState, SessionStateChanged, Status, System};
pub use user::{User, UserInput, UserMessage};

use crate::{
    DecodeError, SessionId,
    control::{ControlCancelRequest, ControlRequest, ControlResponse},
    decode,
    tagged::tagged,
};

tagged! {
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
        /// Where the account stands against its rate limits.
        RateLimit(Box<RateLimitEvent>) = "rate_limit_event",
        /// A request of the control protocol.
        ControlRequest(Box<ControlRequest>) = "control_request",
        /// A response of the control protocol.
        ControlResponse(Box<ControlResponse>) = "control_response",
        /// A request of the control protocol is taken back.
        ControlCancelRequest(ControlCancelRequest) = "control_cancel_request",
        /// Says nothing but that the connection lives.
        KeepAlive(KeepAlive) = "keep_alive",
    }
}

impl Message {
    /// Reads one line.
    ///
    /// # Errors
    ///
    /// When the line is no JSON object, or of a known kind with a missing or wrong field.
    pub fn from_line(line: &str) -> Result<Self, DecodeError> {
        decode::decode(line)
    }

    /// The session that the message belongs to; an unknown kind is asked for its field.
    pub fn session_id(&self) -> Option<SessionId> {
        match self {
            Self::Assistant(message) => message.session_id.clone(),
            Self::User(message) => message.session_id.clone(),
            Self::System(message) => message.session_id(),
            Self::Result(message) => message.session_id.clone(),
            Self::StreamEvent(message) => message.session_id.clone(),
            Self::RateLimit(message) => message.session_id.clone(),
            Self::ControlRequest(_)
            | Self::ControlResponse(_)
            | Self::ControlCancelRequest(_)
            | Self::KeepAlive(_) => None,
            Self::Unknown(unknown) => unknown.field("session_id").ok().flatten(),
        }
    }
}
