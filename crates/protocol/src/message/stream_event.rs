//! `stream_event`: the model's answer as it streams.

mod delta;
mod event;

use serde::{Deserialize, Serialize};

pub use delta::{
    CitationsDelta, CompactionDelta, Delta, InputJsonDelta, SignatureDelta, TextDelta, ThinkingDelta,
};
pub use event::{
    ApiError, ApiErrorKind, BlockDelta, BlockStart, BlockStop, Event, MessageDelta, MessageDeltaFields,
    MessageStart, MessageStop, Ping, StreamError,
};

use crate::{
    ApiMessageId, RawJson, SessionId, ToolUseId, Uuid,
    decode::{self, DecodeError},
    open_enum::open_enum,
};

/// A piece of the model's answer as it streams (`stream_event`), sent with `--include-partial-messages`.
///
/// The event is kept as text and typed on demand, since most readers want few of the many.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct StreamEvent {
    /// The API's event, as text.
    pub event: RawJson,
    /// The tool use whose subagent streams; `None` for the main conversation.
    #[serialize_always]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
    /// The answer that the piece belongs to; the API's id of it.
    ///
    /// Not declared, seen on the wire.
    pub api_message_id: Option<ApiMessageId>,
    /// Time to the first token, in milliseconds, on the `message_start` of an answer.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub ttft_ms: Option<u64>,
    /// The prompt that the turn answers, by the `uuid` that the host gave it.
    ///
    /// It is on the first event of a turn, and on the first one after another prompt was folded into the turn.
    /// Boxed, since events are many and few have it.
    pub user_message_uuid: Option<Box<Uuid>>,
    /// All prompts that the turn has taken in so far, in that order, at most 64; there when `user_message_uuid` is.
    #[serde(default, skip_serializing_if = "<[Uuid]>::is_empty")]
    pub user_message_uuids: Box<[Uuid]>,
    /// Why the turn goes on from one that was broken off with its process: `interrupted_turn`, or what the host of
    /// the CLI says with `CLAUDE_CODE_RESUME_REASON`.
    pub resume_reason: Option<Box<str>>,
    /// How the thinking of this answer is shown, on `message_start` and on the events of `thinking` blocks.
    ///
    /// Not declared, seen on the wire.
    pub thinking_display: Option<ThinkingDisplay>,
    /// The blocks to drop, on the `message_stop` with which the CLI closes an answer that broke off.
    ///
    /// Not declared, seen on the wire.
    pub abandoned_blocks: Option<Box<AbandonedBlocks>>,
    /// Messages that the turn wrote in front of its first request to the model, by their ids.
    ///
    /// Not declared, seen on the wire.
    pub owed_rows: Option<Box<[Uuid]>>,
}

impl StreamEvent {
    /// The typed event.
    ///
    /// # Errors
    ///
    /// When it is of a known kind with a missing or wrong field; the positions count from the start of the event.
    pub fn event(&self) -> Result<Event, DecodeError> {
        decode::tolerant(self.event.as_str(), |_, _| true).map(|(event, _)| event)
    }

    /// The text of a text delta, the commonest event of all.
    pub fn text_delta(&self) -> Option<String> {
        match self.event().ok()? {
            Event::ContentBlockDelta(BlockDelta { delta: Delta::Text(delta), .. }) => Some(delta.text),
            _ => None,
        }
    }
}

open_enum! {
    /// How the model's thinking is shown (`thinking_display`).
    pub enum ThinkingDisplay {
        /// As short news of what it thinks about.
        Updates = "updates",
        /// As a summary.
        Summarized = "summarized",
        /// Not at all.
        Omitted = "omitted",
    }
}

/// The blocks of an answer that broke off (`abandoned_blocks`): the CLI asks again, and streams another answer.
///
/// Not declared, seen on the wire.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct AbandonedBlocks {
    /// The answer, by the API's id.
    pub api_message_id: ApiMessageId,
    /// The first block to drop, from 0; those before it were sent as `assistant` frames and stay.
    #[serde(default)]
    pub from_block_index: u32,
}
