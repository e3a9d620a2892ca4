//! `system/session_writes_lost`: data was lost because the disk was full.

use crate::SessionId;

/// Data was lost because the disk was full (`system/session_writes_lost`).
///
/// Sent at most once, as the CLI exits with code 0.
/// Earlier results remain valid.
/// Declared, but never seen.
#[wire(tolerant, message)]
pub struct SessionWritesLost {
    /// The reason why writes failed.
    #[serde(default = "crate::lenient::empty")]
    pub error_code: WriteErrorCode,
    /// The lost data.
    pub lost: Vec<LostWrites>,
    /// The sessions with incomplete transcripts.
    pub transcript_session_ids: Option<Vec<SessionId>>,
}

/// The reason why writes failed.
#[wire]
pub enum WriteErrorCode {
    /// The disk was full.
    DiskFull = "ENOSPC",
    /// The disk quota was exceeded.
    QuotaUsedUp = "EDQUOT",
}

/// The kind of lost data.
#[wire]
pub enum LostWrites {
    /// Lines of a session's transcript: a resumed session may lack part of the conversation.
    Transcript = "transcript",
    /// Changes of the CLI's own configuration.
    GlobalConfig = "global_config",
}
