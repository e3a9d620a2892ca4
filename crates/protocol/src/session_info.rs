//! Stored sessions, as tools tell of them that read the CLI's folder.
//!
//! None of it comes over the wire of a running session: it is the shape in which the declarations tell of stored ones.

use serde::{Deserialize, Serialize};

use crate::{RawJson, SessionId, ToolUseId, Uuid, open_enum::open_enum};

/// What is known of a stored session.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SessionInfo {
    /// The session.
    pub session_id: SessionId,
    /// A title to show: the user's own, a made one, or the first prompt.
    #[serde(default)]
    pub summary: String,
    /// When it changed last, in milliseconds since 1970.
    #[serde(default)]
    pub last_modified: u64,
    /// The size of its file in bytes.
    pub file_size: Option<u64>,
    /// The title that the user gave it.
    pub custom_title: Option<String>,
    /// The first prompt that says something.
    pub first_prompt: Option<String>,
    /// The git branch at its end.
    pub git_branch: Option<String>,
    /// Its working directory.
    pub cwd: Option<String>,
    /// The tag that the user gave it.
    pub tag: Option<String>,
    /// When it began, in milliseconds since 1970.
    pub created_at: Option<u64>,
    /// Whether it is archived; absent where it never was.
    pub archived: Option<bool>,
}

impl SessionInfo {
    /// A session of which nothing else is known.
    pub fn new(session_id: SessionId, summary: impl Into<String>, last_modified: u64) -> Self {
        Self {
            session_id,
            summary: summary.into(),
            last_modified,
            file_size: None,
            custom_title: None,
            first_prompt: None,
            git_branch: None,
            cwd: None,
            tag: None,
            created_at: None,
            archived: None,
        }
    }
}

/// A message of a stored session.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SessionMessage {
    /// Whose message it is.
    #[serde(rename = "type")]
    pub kind: SessionMessageKind,
    /// Its id.
    pub uuid: Uuid,
    /// The session.
    pub session_id: SessionId,
    /// The message as it is stored; its shape depends on the kind.
    pub message: RawJson,
    /// The tool use that started the subagent; `null` for the main conversation.
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The subagent that started this one; `null` for one that the main conversation started.
    pub parent_agent_id: Option<Box<str>>,
}

impl SessionMessage {
    /// A message of the main conversation.
    pub fn new(kind: SessionMessageKind, uuid: Uuid, session_id: SessionId, message: RawJson) -> Self {
        Self { kind, uuid, session_id, message, parent_tool_use_id: None, parent_agent_id: None }
    }
}

open_enum! {
    /// Whose message a stored one is (`type`).
    pub enum SessionMessageKind {
        /// The user's, or a tool's result.
        User = "user",
        /// The model's.
        Assistant = "assistant",
        /// The CLI's.
        System = "system",
    }
}
