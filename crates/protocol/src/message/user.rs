//! `user`: what is said to the model, in both directions.

use serde::{Deserialize, Serialize};

use crate::{Content, RawJson, SessionId, ToolUseId, Uuid};

/// What was said to the model (`user`, from the CLI): tool results, synthetic prompts, and replayed ones.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct User {
    /// The role and the content.
    pub message: UserMessage,
    /// The tool use whose subagent it was said to; `None` for the main conversation.
    #[serde(default)]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uuid: Option<Uuid>,
    /// When it was made, as ISO 8601 text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Box<str>>,
    /// The tool's own result, richer than the text that the model sees: an object, array or string, as the tool likes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_use_result: Option<RawJson>,
    /// Whether the CLI made the message up itself.
    #[serde(rename = "isSynthetic", default, skip_serializing_if = "std::ops::Not::not")]
    pub is_synthetic: bool,
    /// Whether it is an echo of what we sent.
    #[serde(rename = "isReplay", default, skip_serializing_if = "std::ops::Not::not")]
    pub is_replay: bool,
}

/// The inner message of a `user` frame.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct UserMessage {
    /// Always `user`.
    pub role: Box<str>,
    /// Text, or blocks.
    pub content: Content,
}

/// A prompt on its way to the CLI (`user`, to the CLI).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct UserInput {
    #[serde(rename = "type")]
    kind: &'static str,
    /// The role and the content.
    pub message: UserMessage,
    /// Always `None` for a prompt of the host's own.
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The session; empty means the running one.
    pub session_id: Box<str>,
    /// An id of the host's choice, by which receipts and results name the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uuid: Option<Uuid>,
}

impl UserInput {
    /// A prompt with this content.
    pub fn new(content: impl Into<Content>) -> Self {
        Self {
            kind: "user",
            message: UserMessage { role: "user".into(), content: content.into() },
            parent_tool_use_id: None,
            session_id: "".into(),
            uuid: None,
        }
    }
}

/// A prompt of plain text.
impl From<&str> for UserInput {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

/// A prompt of plain text.
impl From<String> for UserInput {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}
