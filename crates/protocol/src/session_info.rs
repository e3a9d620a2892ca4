//! Stored sessions.
//!
//! These types do not occur on the wire of a running session; the declarations of the official SDK define their shape.

use crate::{RawJson, SessionId, ToolUseId, Uuid};

/// The metadata of a stored session.
#[wire(Eq, camelCase, tolerant, new)]
pub struct SessionInfo {
    /// The session id.
    #[required]
    pub session_id: SessionId,
    /// The display title: the user's title, a generated one, or the first prompt.
    pub summary: String,
    /// The time of the last change, in milliseconds since 1970.
    pub last_modified: u64,
    /// The size of the file in bytes.
    pub file_size: Option<u64>,
    /// The title that the user set.
    pub custom_title: Option<String>,
    /// The first prompt with content.
    pub first_prompt: Option<String>,
    /// The git branch at the end of the session.
    pub git_branch: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The tag that the user set.
    pub tag: Option<String>,
    /// The start time, in milliseconds since 1970.
    pub created_at: Option<u64>,
    /// Whether the session is archived; absent if it never was.
    pub archived: Option<bool>,
}

/// A message of a stored session.
#[wire(nulls, new)]
pub struct SessionMessage {
    /// The kind of message.
    #[serde(rename = "type")]
    pub kind: SessionMessageKind,
    /// The message id.
    pub uuid: Uuid,
    /// The session id.
    pub session_id: SessionId,
    /// The stored message: a [`UserMessage`](crate::message::UserMessage), an
    /// [`ApiMessage`](crate::message::ApiMessage), or `null` for [`System`](SessionMessageKind::System).
    pub message: RawJson,
    /// The tool use that started the subagent; `null` for the main conversation.
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The parent of the subagent; `null` if the main conversation started it.
    pub parent_agent_id: Option<Box<str>>,
}

/// The kind of a stored message (`type`).
#[wire]
pub enum SessionMessageKind {
    /// A prompt or a tool result.
    User = "user",
    /// A message of the model.
    Assistant = "assistant",
    /// A message of the CLI.
    System = "system",
}
