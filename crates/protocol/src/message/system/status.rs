//! `system/status`: what the CLI is busy with.

use serde::{Deserialize, Serialize};

use crate::{PermissionMode, SessionId, Uuid, open_enum::open_enum};

/// What the CLI is busy with (`system/status`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Status {
    /// What it is; `None` for nothing in particular.
    #[serialize_always]
    pub status: Option<Activity>,
    /// The permission mode, where it has just changed.
    #[serde(rename = "permissionMode")]
    pub permission_mode: Option<PermissionMode>,
    /// How a compaction ended.
    pub compact_result: Option<CompactResult>,
    /// Why a compaction failed.
    pub compact_error: Option<Box<str>>,
    /// How long the summary is so far, in characters.
    /// Not declared, seen on the wire.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub compact_output_chars: Option<u64>,
    /// The prompts that the turn answers, by the ids that the host gave them.
    /// Not declared, seen on the wire.
    pub user_message_uuids: Option<Vec<Uuid>>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

open_enum! {
    /// What the CLI is busy with.
    pub enum Activity {
        /// It compacts the conversation.
        Compacting = "compacting",
        /// It asks the model's API; told with `--include-partial-messages`.
        Requesting = "requesting",
    }
}

open_enum! {
    /// How a compaction ended.
    pub enum CompactResult {
        /// Well.
        Success = "success",
        /// The conversation stays as it was.
        Failed = "failed",
    }
}
