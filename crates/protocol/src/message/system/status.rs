//! `system/status`: the CLI's activity.

use crate::{PermissionMode, Uuid};

/// The CLI's activity (`system/status`).
#[wire(tolerant, message)]
pub struct Status {
    /// The activity; `None` if there is none to report.
    #[serialize_always]
    pub status: Option<StatusKind>,
    /// The permission mode, if it has just changed.
    #[serde(rename = "permissionMode")]
    pub permission_mode: Option<PermissionMode>,
    /// The outcome of a compaction.
    pub compact_result: Option<CompactResult>,
    /// The error of a failed compaction.
    pub compact_error: Option<Box<str>>,
    /// The length of the summary so far, in characters.
    /// Not declared, seen on the wire.
    pub compact_output_chars: Option<u64>,
    /// The prompts that the turn answers, by the ids that the host chose.
    /// Not declared, seen on the wire.
    pub user_message_uuids: Option<Vec<Uuid>>,
}

/// An activity of the CLI.
#[wire]
pub enum StatusKind {
    /// Compacting the conversation.
    Compacting = "compacting",
    /// Sending a request to the API; reported with `--include-partial-messages`.
    Requesting = "requesting",
}

/// The outcome of a compaction.
#[wire]
pub enum CompactResult {
    /// The compaction succeeded.
    Success = "success",
    /// The compaction failed, and the conversation is unchanged.
    Failed = "failed",
}
