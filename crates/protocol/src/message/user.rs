//! `user`: what is said to the model, in both directions.

mod input;
mod tool_result_meta;

pub use input::UserInput;
pub use tool_result_meta::{PermissionOutcome, ToolResultMeta};

use serde::{Deserialize, Serialize};

use crate::{
    ApiMessageId, Content, RawJson, SessionId, ToolUseId, Uuid, message::Origin, open_enum::open_enum,
};

/// What was said to the model (`user`, from the CLI): tool results, synthetic prompts, and replayed ones.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct User {
    /// The role and the content.
    pub message: UserMessage,
    /// The tool use whose subagent it was said to; `None` for the main conversation.
    #[serialize_always]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
    /// When it was made, as ISO 8601 text.
    pub timestamp: Option<Box<str>>,
    /// The tool's own result, richer than the text that the model sees: an object, array or string, as the
    /// tool likes.
    pub tool_use_result: Option<RawJson>,
    /// How each tool use of the message came to its result.
    /// Not declared, seen on the wire.
    pub tool_result_meta: Option<Vec<ToolResultMeta>>,
    /// Whether the CLI made the message up itself.
    #[serde(rename = "isSynthetic", default, skip_serializing_if = "std::ops::Not::not")]
    pub is_synthetic: bool,
    /// Whether it is an echo of what we sent; absent means that it is not.
    #[serde(rename = "isReplay")]
    pub is_replay: Option<bool>,
    /// How soon it was to be read.
    pub priority: Option<Priority>,
    /// Where it came from.
    pub origin: Option<Origin>,
    /// Whether the model answers it; absent means that it does.
    #[serde(rename = "shouldQuery")]
    pub should_query: Option<bool>,
    /// Whether the host put it together from what nobody typed.
    pub client_composed: Option<bool>,
    /// What the user pasted, beside the text.
    pub pasted_content: Option<Vec<Content>>,
    /// What the user pasted, within the text.
    pub inline_pastes: Option<Vec<String>>,
    /// Files that came with it; in an echo.
    pub file_attachments: Option<Vec<RawJson>>,
    /// The subagent that it belongs to, by its task.
    pub agent_id: Option<Box<str>>,
    /// The kind of subagent.
    pub subagent_type: Option<Box<str>>,
    /// What the subagent does.
    pub task_description: Option<String>,
    /// The API's id of the answer that was declined, where this message was part of that attempt.
    /// Not declared, seen on the wire.
    pub refused_message_id: Option<ApiMessageId>,
}

/// The inner message of a `user` frame.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct UserMessage {
    /// Always `user`.
    #[serde(default)]
    pub role: Box<str>,
    /// Text, or blocks.
    #[serde(default = "crate::lenient::empty")]
    pub content: Content,
}

open_enum! {
    /// How soon a prompt is to be read (`priority`).
    pub enum Priority {
        /// At once: what runs is interrupted.
        Now = "now",
        /// As soon as the running turn can take it in.
        Next = "next",
        /// In a turn of its own, afterwards.
        Later = "later",
    }
}
