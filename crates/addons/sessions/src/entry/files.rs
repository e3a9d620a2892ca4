//! Entries about files in the working directory.

use agentwire_protocol::{RawJson, SessionId, Uuid};
use serde::Deserialize;

/// The state of the files at a message, for rewinding (`file-history-snapshot`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FileHistorySnapshot {
    /// The message.
    pub message_id: Uuid,
    /// The state, as the CLI represents it.
    pub snapshot: Option<RawJson>,
    /// Whether it replaces the previous one.
    #[serde(default)]
    pub is_snapshot_update: bool,
}

/// A file that was added to the state at a message (`file-history-delta`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FileHistoryDelta {
    /// The message during which the file was changed.
    pub message_id: Uuid,
    /// The message with the state that this belongs to.
    pub snapshot_message_id: Option<Uuid>,
    /// The file.
    pub tracking_path: Option<String>,
    /// The place of the backup, as the CLI represents it.
    pub backup: Option<RawJson>,
    /// The time, as ISO 8601 text.
    pub timestamp: Option<Box<str>>,
}

/// The worktree that the session works in (`worktree-state`); the last one in a file counts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WorktreeState {
    /// The worktree, as the CLI represents it; `None` after leaving it.
    pub worktree_session: Option<RawJson>,
    /// The session.
    pub session_id: Option<SessionId>,
}
