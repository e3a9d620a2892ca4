//! `system/compact_boundary`: the conversation was compacted up to here.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid, open_enum::open_enum};

/// The conversation was compacted, and goes on from a summary (`system/compact_boundary`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct CompactBoundary {
    /// Why, and what it saved.
    #[serde(default)]
    pub compact_metadata: CompactMetadata,
    /// The message before the boundary.
    /// Not declared, seen on the wire.
    pub logical_parent_uuid: Option<Uuid>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

/// Why a conversation was compacted, and what it saved (`compact_metadata`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CompactMetadata {
    /// Who asked for it.
    pub trigger: CompactTrigger,
    /// Tokens of the conversation before.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub pre_tokens: u64,
    /// Tokens of the conversation after.
    #[serde(deserialize_with = "crate::lenient::optional_count")]
    pub post_tokens: Option<u64>,
    /// Tokens that all compactions of the session took away.
    /// Not declared, seen on the wire.
    #[serde(deserialize_with = "crate::lenient::optional_count")]
    pub cumulative_dropped_tokens: Option<u64>,
    /// How long it took, in milliseconds.
    #[serde(deserialize_with = "crate::lenient::optional_count")]
    pub duration_ms: Option<u64>,
    /// The stretch of messages that was kept, by its ends; [`preserved_messages`](Self::preserved_messages)
    /// counts where both are there.
    pub preserved_segment: Option<PreservedSegment>,
    /// The messages that were kept as they were; absent where all were summed up.
    pub preserved_messages: Option<PreservedMessages>,
}

open_enum! {
    /// Who asked for a compaction.
    pub enum CompactTrigger {
        /// The user did.
        Manual = "manual",
        /// The context was nearly full.
        Auto = "auto",
    }
}

/// A stretch of messages that a compaction kept (`preserved_segment`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct PreservedSegment {
    /// The first one.
    pub head_uuid: Uuid,
    /// The message that they now hang on: the summary or the boundary.
    pub anchor_uuid: Uuid,
    /// The last one.
    pub tail_uuid: Uuid,
}

/// The messages that a compaction kept (`preserved_messages`), each following the one before it.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct PreservedMessages {
    /// The message that the first one now hangs on.
    pub anchor_uuid: Uuid,
    /// The messages in their order.
    #[serde(default)]
    pub uuids: Vec<Uuid>,
    /// All messages that are kept, those that no reader sees among them.
    /// Not declared, seen on the wire.
    pub all_uuids: Option<Vec<Uuid>>,
}

/// The empty string, as where the CLI does not say it.
impl Default for CompactTrigger {
    fn default() -> Self {
        Self::from("")
    }
}
