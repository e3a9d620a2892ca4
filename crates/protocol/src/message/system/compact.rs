//! `system/compact_boundary`: the conversation was compacted up to this point.

use crate::Uuid;

/// The conversation was compacted, and continues from a summary (`system/compact_boundary`).
#[wire(tolerant, message)]
pub struct CompactBoundary {
    /// The metadata of the compaction.
    pub compact_metadata: CompactMetadata,
    /// The message before the boundary.
    /// Not declared, seen on the wire.
    pub logical_parent_uuid: Option<Uuid>,
}

/// The metadata of a compaction (`compact_metadata`).
#[wire(Default, tolerant)]
pub struct CompactMetadata {
    /// The trigger.
    pub trigger: CompactTrigger,
    /// Tokens before the compaction.
    pub pre_tokens: u64,
    /// Tokens after the compaction.
    pub post_tokens: Option<u64>,
    /// Tokens removed by all compactions of the session.
    /// Not declared, seen on the wire.
    pub cumulative_dropped_tokens: Option<u64>,
    /// The duration in milliseconds.
    pub duration_ms: Option<u64>,
    /// The first and the last message of the kept range; [`preserved_messages`](Self::preserved_messages)
    /// takes precedence if both are present.
    pub preserved_segment: Option<PreservedSegment>,
    /// The messages that were kept unchanged; absent if all were summarised.
    pub preserved_messages: Option<PreservedMessages>,
}

/// The trigger of a compaction.
#[wire]
pub enum CompactTrigger {
    /// A request of the user or the host.
    Manual = "manual",
    /// The conversation grew too long.
    Auto = "auto",
}

/// A range of messages that a compaction kept (`preserved_segment`).
#[wire]
pub struct PreservedSegment {
    /// The first message.
    pub head_uuid: Uuid,
    /// The new parent of the first message: the summary or the boundary.
    pub anchor_uuid: Uuid,
    /// The last message.
    pub tail_uuid: Uuid,
}

/// The messages that a compaction kept (`preserved_messages`), each the parent of the next.
#[wire]
pub struct PreservedMessages {
    /// The new parent of the first message.
    pub anchor_uuid: Uuid,
    /// The messages in their order.
    #[serde(default)]
    pub uuids: Vec<Uuid>,
    /// All kept messages, including invisible ones.
    /// Not declared, seen on the wire.
    pub all_uuids: Option<Vec<Uuid>>,
}

/// Returns the empty string, for a missing field.
impl Default for CompactTrigger {
    fn default() -> Self {
        Self::from("")
    }
}
