//! `user` to the CLI: a prompt.

use serde::{Deserialize, Serialize};

use super::UserMessage;
use crate::{
    Block, Content, RawJson, ToolUseId, Uuid,
    content::Text,
    message::{Origin, Priority},
};

/// A prompt for the CLI (`user`).
#[wire]
pub struct UserInput {
    #[serde(rename = "type", default)]
    kind: UserTag,
    /// The role and the content.
    pub message: UserMessage,
    /// Always `None` for a prompt of the host.
    #[serialize_always]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The session; empty means the running one.
    #[serde(default)]
    pub session_id: Box<str>,
    /// The id of the prompt, chosen by the host; `command_lifecycle` messages and results refer to it.
    pub uuid: Option<Uuid>,
    /// The priority; absent means [`Priority::Next`].
    pub priority: Option<Priority>,
    /// The origin; a host that forwards text of a person uses [`Origin::Human`].
    pub origin: Option<Origin>,
    /// Whether the model answers; with `false` the text waits for the next prompt.
    #[serde(rename = "shouldQuery")]
    pub should_query: Option<bool>,
    /// The creation time, as ISO 8601 text.
    pub timestamp: Option<Box<str>>,
    /// Whether the host composed the text: the CLI then does not expand `@path` and slash commands.
    pub client_composed: Option<bool>,
    /// Pasted content besides the text; the CLI appends it to the text, and only accepts text.
    pub pasted_content: Option<Vec<Content>>,
    /// Pasted text that is already part of the content; the CLI may mark it there.
    pub inline_pastes: Option<Vec<String>>,
    /// Whether the message is synthetic, not written by a person.
    #[serde(rename = "isSynthetic")]
    pub is_synthetic: Option<bool>,
    /// The tool's own result, in a transferred conversation.
    pub tool_use_result: Option<RawJson>,
    /// The task id of the subagent, in a transferred conversation.
    pub agent_id: Option<Box<str>>,
    /// The subagent type.
    pub subagent_type: Option<Box<str>>,
    /// The task description of the subagent.
    pub task_description: Option<String>,
}

impl UserInput {
    /// Returns a prompt with this content.
    pub fn new(content: impl Into<Content>) -> Self {
        Self {
            kind: UserTag::User,
            message: UserMessage { role: "user".into(), content: content.into() },
            parent_tool_use_id: None,
            session_id: "".into(),
            uuid: None,
            priority: None,
            origin: None,
            should_query: None,
            timestamp: None,
            client_composed: None,
            pasted_content: None,
            inline_pastes: None,
            is_synthetic: None,
            tool_use_result: None,
            agent_id: None,
            subagent_type: None,
            task_description: None,
        }
    }

    /// Sets the id; `command_lifecycle` messages and results refer to it.
    #[must_use]
    pub fn with_uuid(mut self, uuid: impl Into<Uuid>) -> Self {
        self.uuid = Some(uuid.into());
        self
    }

    /// Sets the priority.
    #[must_use]
    pub fn with_priority(mut self, priority: Priority) -> Self {
        self.priority = Some(priority);
        self
    }

    /// Adds a block, such as an image or a document; plain text becomes a block before it.
    #[must_use]
    pub fn with_block(mut self, block: impl Into<Block>) -> Self {
        let mut blocks = match self.message.content {
            Content::Text(text) if text.is_empty() => Vec::new(),
            Content::Text(text) => vec![Block::from(Text::new(text))],
            Content::Blocks(blocks) => blocks,
        };
        blocks.push(block.into());
        self.message.content = Content::Blocks(blocks);
        self
    }

    /// Turns the prompt into a note without an answer: it waits for the next prompt (`shouldQuery: false`).
    ///
    /// The CLI still sends a result for it, without text.
    #[must_use]
    pub fn as_note(mut self) -> Self {
        self.should_query = Some(false);
        self
    }
}

/// Converts anything that converts into [`Content`] into a prompt.
impl<C: Into<Content>> From<C> for UserInput {
    fn from(content: C) -> Self {
        Self::new(content)
    }
}

/// The constant `type` of a prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
enum UserTag {
    #[default]
    #[serde(rename = "user")]
    User,
}
