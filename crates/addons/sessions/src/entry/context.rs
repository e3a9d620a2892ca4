//! An entry's place in the conversation, and its origin.

use agentwire_protocol::{SessionId, Uuid};
use serde::Deserialize;

/// The place in the conversation and the origin of an entry: the fields that messages, attachments and system entries
/// have in common.
///
/// Each field is `None` (or `false`) if the entry does not have it, as in entries about the session as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EntryContext {
    /// The entry's own id.
    pub uuid: Option<Uuid>,
    /// The preceding entry; `None` for the first.
    pub parent_uuid: Option<Uuid>,
    /// The preceding entry before a compaction, which starts a new chain.
    pub logical_parent_uuid: Option<Uuid>,
    /// Whether it belongs to a side conversation, such as a subagent's.
    #[serde(default)]
    pub is_sidechain: bool,
    /// The time, as ISO 8601 text.
    pub timestamp: Option<Box<str>>,
    /// The session in which it was written.
    pub session_id: Option<SessionId>,
    /// The subagent that wrote it.
    pub agent_id: Option<Box<str>>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The git branch that was checked out in the working directory.
    pub git_branch: Option<String>,
    /// The version of the CLI.
    pub version: Option<Box<str>>,
    /// How the CLI was started, such as `cli` or `sdk-cli`.
    pub entrypoint: Option<Box<str>>,
    /// The original of an entry in a fork.
    pub forked_from: Option<ForkedFrom>,
}

/// The original of an entry in a fork (`forkedFrom`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ForkedFrom {
    /// The session that was forked.
    pub session_id: SessionId,
    /// The entry in it.
    pub message_uuid: Option<Uuid>,
}
