//! `stream_event`: the model's answer as it streams.

use serde::{Deserialize, Serialize};

use crate::{Block, RawJson, SessionId, ToolUseId, Usage, Uuid, decode::DecodeError, tagged::tagged};

/// A piece of the model's answer as it streams (`stream_event`), sent with `--include-partial-messages`.
///
/// The event is kept as text and typed on demand, since most readers want few of the many.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct StreamEvent {
    /// The API's event, as text.
    pub event: RawJson,
    /// The tool use whose subagent streams; `None` for the main conversation.
    #[serde(default)]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uuid: Option<Uuid>,
    /// The answer that the piece belongs to; not declared, seen on the wire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_message_id: Option<Box<str>>,
    /// Time to the first token, in milliseconds, on the first event of an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft_ms: Option<u64>,
}

impl StreamEvent {
    /// The typed event.
    ///
    /// # Errors
    ///
    /// When it is of a known kind with a missing or wrong field.
    pub fn event(&self) -> Result<Event, DecodeError> {
        self.event.decode()
    }

    /// The text of a text delta, the commonest event of all.
    pub fn text_delta(&self) -> Option<String> {
        match self.event().ok()? {
            Event::ContentBlockDelta(BlockDelta { delta: Delta::Text(delta), .. }) => Some(delta.text),
            _ => None,
        }
    }
}

tagged! {
    /// An event of the Messages API's stream.
    pub enum Event by "type" {
        /// An answer starts.
        MessageStart(MessageStart) = "message_start",
        /// A block starts.
        ContentBlockStart(BlockStart) = "content_block_start",
        /// A block grows.
        ContentBlockDelta(BlockDelta) = "content_block_delta",
        /// A block ends.
        ContentBlockStop(BlockStop) = "content_block_stop",
        /// The answer's closing facts.
        MessageDelta(MessageDelta) = "message_delta",
        /// The answer is over.
        MessageStop(MessageStop) = "message_stop",
    }
}

/// An answer starts (`message_start`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct MessageStart {
    /// The answer so far: no content.
    pub message: RawJson,
}

/// A block starts (`content_block_start`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct BlockStart {
    /// Its place in the answer, from 0.
    pub index: u32,
    /// The block, still empty.
    pub content_block: Block,
}

/// A block grows (`content_block_delta`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct BlockDelta {
    /// Its place in the answer, from 0.
    pub index: u32,
    /// What is added.
    pub delta: Delta,
}

/// A block ends (`content_block_stop`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct BlockStop {
    /// Its place in the answer, from 0.
    pub index: u32,
}

/// The answer's closing facts (`message_delta`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct MessageDelta {
    /// The stop reason and the like.
    pub delta: RawJson,
    /// Tokens, counted to the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// The answer is over (`message_stop`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct MessageStop {}

tagged! {
    /// What is added to a block.
    pub enum Delta by "type" {
        /// More text.
        Text(TextDelta) = "text_delta",
        /// More thinking.
        Thinking(ThinkingDelta) = "thinking_delta",
        /// The signature of the thinking.
        Signature(SignatureDelta) = "signature_delta",
        /// More of a tool's input, as a piece of JSON text.
        InputJson(InputJsonDelta) = "input_json_delta",
    }
}

/// More text (`text_delta`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct TextDelta {
    /// The text.
    pub text: String,
}

/// More thinking (`thinking_delta`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ThinkingDelta {
    /// The text.
    pub thinking: String,
}

/// The signature of the thinking (`signature_delta`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SignatureDelta {
    /// The signature.
    pub signature: String,
}

/// More of a tool's input (`input_json_delta`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct InputJsonDelta {
    /// A piece of JSON text, whole only when all pieces are joined.
    pub partial_json: String,
}
