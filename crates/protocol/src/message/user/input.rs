//! `user`, to the CLI: a prompt.

use serde::{Deserialize, Serialize};

use super::UserMessage;
use crate::{
    Block, Content, RawJson, ToolUseId, Uuid,
    content::Text,
    message::{Origin, Priority},
};

/// A prompt on its way to the CLI (`user`, to the CLI).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct UserInput {
    #[serde(rename = "type", default)]
    kind: UserTag,
    /// The role and the content.
    pub message: UserMessage,
    /// Always `None` for a prompt of the host's own.
    #[serialize_always]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The session; empty means the running one.
    #[serde(default)]
    pub session_id: Box<str>,
    /// An id of the host's choice, by which receipts and results name the prompt.
    pub uuid: Option<Uuid>,
    /// How soon it is to be read; absent means [`Priority::Next`].
    pub priority: Option<Priority>,
    /// Where it comes from; a host that passes on what a person typed says [`Origin::Human`].
    pub origin: Option<Origin>,
    /// Whether the model shall answer; with `false` the text waits for the next prompt.
    #[serde(rename = "shouldQuery")]
    pub should_query: Option<bool>,
    /// When it was made, as ISO 8601 text.
    pub timestamp: Option<Box<str>>,
    /// Whether the host put it together from what nobody typed: then no `@path` and no slash command is looked for.
    pub client_composed: Option<bool>,
    /// What the user pasted, beside the text; the CLI puts it behind the text, and takes text alone.
    pub pasted_content: Option<Vec<Content>>,
    /// What the user pasted and is in the text already; the CLI may mark it there.
    pub inline_pastes: Option<Vec<String>>,
    /// Whether the message was made up, and nobody said it.
    #[serde(rename = "isSynthetic")]
    pub is_synthetic: Option<bool>,
    /// A tool's own result, in a conversation that is handed on.
    pub tool_use_result: Option<RawJson>,
    /// The subagent that it belongs to, by its task, in a conversation that is handed on.
    pub agent_id: Option<Box<str>>,
    /// The kind of that subagent.
    pub subagent_type: Option<Box<str>>,
    /// What that subagent does.
    pub task_description: Option<String>,
}

impl UserInput {
    /// A prompt with this content.
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
}

impl UserInput {
    /// Gives it an id, by which receipts and results name it.
    #[must_use]
    pub fn with_uuid(mut self, uuid: impl Into<Uuid>) -> Self {
        self.uuid = Some(uuid.into());
        self
    }

    /// Says how soon it is to be read.
    #[must_use]
    pub fn with_priority(mut self, priority: Priority) -> Self {
        self.priority = Some(priority);
        self
    }

    /// Adds a block, such as a picture or a document; plain text becomes a block before it.
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

    /// Makes a note of it, which the model does not answer: it waits for the next prompt (`shouldQuery: false`).
    ///
    /// The CLI ends it with a result of its own, without text.
    #[must_use]
    pub fn as_note(mut self) -> Self {
        self.should_query = Some(false);
        self
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

/// A prompt of text or blocks.
impl From<Content> for UserInput {
    fn from(content: Content) -> Self {
        Self::new(content)
    }
}

/// A prompt of blocks.
impl From<Vec<Block>> for UserInput {
    fn from(blocks: Vec<Block>) -> Self {
        Self::new(blocks)
    }
}

/// The `type` of a prompt, which is never another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
enum UserTag {
    #[default]
    #[serde(rename = "user")]
    User,
}
