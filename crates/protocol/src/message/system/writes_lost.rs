//! `system/session_writes_lost`: the disk was full.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid, open_enum::open_enum};

/// The disk was full, and something was not saved (`system/session_writes_lost`).
///
/// Sent once at most, as the CLI exits with 0.
/// The results that came before it stand.
/// Taken from the published declarations, never seen.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SessionWritesLost {
    /// Why the writes failed.
    #[serde(default = "crate::lenient::empty")]
    pub error_code: WriteErrorCode,
    /// What was not saved.
    #[serde(default)]
    pub lost: Vec<LostWrites>,
    /// The sessions that have gaps in their transcripts now.
    pub transcript_session_ids: Option<Vec<SessionId>>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

open_enum! {
    /// Why writes failed.
    pub enum WriteErrorCode {
        /// The disk was full.
        DiskFull = "ENOSPC",
        /// The quota of the disk was used up.
        QuotaUsedUp = "EDQUOT",
    }
}

open_enum! {
    /// What was not saved.
    pub enum LostWrites {
        /// Lines of a session's transcript: to resume it may miss part of the conversation.
        Transcript = "transcript",
        /// Changes of the CLI's own configuration.
        GlobalConfig = "global_config",
    }
}
