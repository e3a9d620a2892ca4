//! Entries about the files that the session works on.

use agentwire_protocol::{RawJson, SessionId, Uuid};
use serde::Deserialize;

/// The state of the files at a message, to go back to (`file-history-snapshot`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FileHistorySnapshot {
    /// The message.
    pub message_id: Uuid,
    /// The state, as the CLI keeps it.
    pub snapshot: Option<RawJson>,
    /// Whether it takes the place of the one before.
    #[serde(default)]
    pub is_snapshot_update: bool,
}

/// A file that was added to the state at a message (`file-history-delta`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FileHistoryDelta {
    /// The message during which it was changed.
    pub message_id: Uuid,
    /// The message whose state it belongs to.
    pub snapshot_message_id: Option<Uuid>,
    /// The file.
    pub tracking_path: Option<String>,
    /// Where its content is kept, as the CLI keeps it.
    pub backup: Option<RawJson>,
    /// When, as ISO 8601 text.
    pub timestamp: Option<Box<str>>,
}

/// The worktree that the session works in (`worktree-state`); the last one of a file counts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WorktreeState {
    /// The worktree, as the CLI describes it; `None` where it was left.
    pub worktree_session: Option<RawJson>,
    /// The session.
    pub session_id: Option<SessionId>,
}
