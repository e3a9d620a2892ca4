//! `user`: input of the model, in both directions.

mod input;
mod tool_result_meta;

pub use input::UserInput;
pub use tool_result_meta::{PermissionOutcome, ToolResultMeta};

use crate::{ApiMessageId, Content, RawJson, SessionId, ToolUseId, Uuid, message::Origin};

/// Input of the model (`user`, from the CLI): tool results, synthetic prompts and replayed prompts.
#[wire]
pub struct User {
    /// The role and the content.
    pub message: UserMessage,
    /// The tool use that started the subagent; `None` for the main conversation.
    #[serialize_always]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
    /// The creation time, as ISO 8601 text.
    pub timestamp: Option<Box<str>>,
    /// The tool's own result, with more detail than the text for the model: an object, an array or a string, depending
    /// on the tool.
    pub tool_use_result: Option<RawJson>,
    /// Metadata of each tool result.
    /// Not declared, seen on the wire.
    pub tool_result_meta: Option<Vec<ToolResultMeta>>,
    /// Whether the CLI generated the message.
    #[serde(rename = "isSynthetic", default, skip_serializing_if = "std::ops::Not::not")]
    pub is_synthetic: bool,
    /// Whether it is a replay of the host's input; absent means no.
    #[serde(rename = "isReplay")]
    pub is_replay: Option<bool>,
    /// The priority.
    pub priority: Option<Priority>,
    /// The origin.
    pub origin: Option<Origin>,
    /// Whether the model answers; absent means yes.
    #[serde(rename = "shouldQuery")]
    pub should_query: Option<bool>,
    /// Whether the host composed the text.
    pub client_composed: Option<bool>,
    /// Pasted content besides the text.
    pub pasted_content: Option<Vec<Content>>,
    /// Pasted text within the content.
    pub inline_pastes: Option<Vec<String>>,
    /// Attached files; in a replay.
    pub file_attachments: Option<Vec<RawJson>>,
    /// The task id of the subagent.
    pub agent_id: Option<Box<str>>,
    /// The subagent type.
    pub subagent_type: Option<Box<str>>,
    /// The task description of the subagent.
    pub task_description: Option<String>,
    /// The API's id of the declined answer, if this message was part of that attempt.
    /// Not declared, seen on the wire.
    pub refused_message_id: Option<ApiMessageId>,
}

/// The inner message of a `user` frame.
#[wire(tolerant)]
pub struct UserMessage {
    /// Always `user`.
    pub role: Box<str>,
    /// Text, or blocks.
    #[serde(default = "crate::lenient::empty")]
    pub content: Content,
}

/// The priority of a prompt (`priority`).
#[wire]
pub enum Priority {
    /// Immediately: interrupts the running turn.
    Now = "now",
    /// As soon as the running turn can include it.
    Next = "next",
    /// In a separate turn afterwards.
    Later = "later",
}
