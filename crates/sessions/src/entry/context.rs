//! Where an entry stands in the conversation, and where it came from.

use agentwire_protocol::{SessionId, Uuid};
use serde::Deserialize;

/// Where an entry stands in the conversation and where it came from: what messages, attachments and notes of the system
/// have beside what they say.
///
/// Each field is `None` (or `false`) where the entry does not have it, as with entries that are about the session as a
/// whole.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EntryContext {
    /// The entry's own id.
    pub uuid: Option<Uuid>,
    /// The entry that it comes after; `None` at a start.
    pub parent_uuid: Option<Uuid>,
    /// The entry that it comes after where a compaction has cut the way there.
    pub logical_parent_uuid: Option<Uuid>,
    /// Whether it belongs to a side conversation, such as a subagent's.
    #[serde(default)]
    pub is_sidechain: bool,
    /// When it was written, as ISO 8601 text.
    pub timestamp: Option<Box<str>>,
    /// The session that it was written in.
    pub session_id: Option<SessionId>,
    /// The subagent that it belongs to.
    pub agent_id: Option<Box<str>>,
    /// The working folder.
    pub cwd: Option<String>,
    /// The branch of git that was checked out there.
    pub git_branch: Option<String>,
    /// The version of the CLI.
    pub version: Option<Box<str>>,
    /// How the CLI was started, such as `cli` or `sdk-rust`.
    pub entrypoint: Option<Box<str>>,
    /// Where the entry was copied from, in a fork.
    pub forked_from: Option<ForkedFrom>,
}

/// The entry that one of a fork is a copy of (`forkedFrom`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ForkedFrom {
    /// The session that was forked.
    pub session_id: SessionId,
    /// The entry in it.
    pub message_uuid: Option<Uuid>,
}
