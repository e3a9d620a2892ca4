//! `stream_event`: a fragment of the model's answer while it streams.

mod delta;
mod event;

pub use delta::*;
pub use event::*;

use crate::{ApiMessageId, SessionId, ToolUseId, Uuid};

/// A fragment of the model's answer while it streams (`stream_event`), sent with `--include-partial-messages`.
#[wire]
pub struct StreamEvent {
    /// The API's event.
    pub event: Event,
    /// The tool use that started the subagent; `None` for the main conversation.
    #[serialize_always]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
    /// The API's id of the answer.
    ///
    /// Not declared, seen on the wire.
    pub api_message_id: Option<ApiMessageId>,
    /// Time to the first token, in milliseconds, on the `message_start` of an answer.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub ttft_ms: Option<u64>,
    /// The prompt that the turn answers, by the `uuid` that the host chose.
    ///
    /// Present on the first event of a turn, and on the first one after the turn included another prompt.
    /// Boxed, since events are frequent and few have it.
    pub user_message_uuid: Option<Box<Uuid>>,
    /// All prompts that the turn has included so far, in order, at most 64; present with `user_message_uuid`.
    #[serde(default, skip_serializing_if = "<[Uuid]>::is_empty")]
    pub user_message_uuids: Box<[Uuid]>,
    /// Why the turn continues one whose process ended: `interrupted_turn`, or the value of
    /// `CLAUDE_CODE_RESUME_REASON` in the CLI's environment.
    pub resume_reason: Option<Box<str>>,
    /// The display of this answer's thinking, on `message_start` and on the events of `thinking` blocks.
    ///
    /// Not declared, seen on the wire.
    pub thinking_display: Option<ThinkingDisplay>,
    /// The blocks to drop, on the `message_stop` with which the CLI closes an aborted answer.
    ///
    /// Not declared, seen on the wire.
    pub abandoned_blocks: Option<Box<AbandonedBlocks>>,
    /// The ids of messages that the turn wrote before its first API request.
    ///
    /// Not declared, seen on the wire.
    pub owed_rows: Option<Box<[Uuid]>>,
}

impl StreamEvent {
    /// Returns the text of a text delta, the most frequent event.
    pub fn text_delta(&self) -> Option<&str> {
        match &self.event {
            Event::ContentBlockDelta(BlockDelta { delta: Delta::Text(delta), .. }) => Some(&delta.text),
            _ => None,
        }
    }
}

/// The display of the model's thinking (`thinking_display`).
#[wire]
pub enum ThinkingDisplay {
    /// Short progress updates. Not declared, seen on the wire.
    Updates = "updates",
    /// A summary.
    Summarized = "summarized",
    /// No thinking text.
    Omitted = "omitted",
    /// A short title for each section; only in sessions that the vendor hosts.
    Highlights = "highlights",
}

/// The blocks of an aborted answer (`abandoned_blocks`). After a broken stream the CLI repeats the request and streams
/// another answer; after an interrupt it does not.
///
/// Not declared, seen on the wire.
#[wire]
pub struct AbandonedBlocks {
    /// The API's id of the answer.
    pub api_message_id: ApiMessageId,
    /// The first block to drop, from 0; earlier blocks were sent as `assistant` frames and remain valid.
    #[serde(default)]
    pub from_block_index: u32,
}
