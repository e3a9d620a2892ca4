//! Messages of a stored conversation.

use agent_client_protocol::v1::schema::{ContentBlock, ContentChunk, MessageId, SessionUpdate};
use agentwire::{
    Block,
    protocol::{
        Content,
        message::{ApiMessage, UserMessage},
        session_info::{SessionMessage, SessionMessageKind},
    },
};

use super::{Mapping, content};

impl Mapping {
    /// Returns the updates that show a stored message again.
    pub(crate) fn stored(&mut self, message: &SessionMessage) -> Vec<SessionUpdate> {
        match message.kind {
            SessionMessageKind::User => match message.message.decode::<UserMessage>() {
                Ok(user) => self.stored_prompt(user.content, message.uuid.as_str()),
                Err(_) => Vec::new(),
            },
            SessionMessageKind::Assistant => match message.message.decode::<ApiMessage>() {
                Ok(answer) => self.blocks(&answer, None),
                Err(_) => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn stored_prompt(&mut self, content: Content, id: &str) -> Vec<SessionUpdate> {
        let chunk = |block: ContentBlock| {
            SessionUpdate::UserMessageChunk(ContentChunk::new(block).message_id(MessageId::new(id)))
        };
        match content {
            Content::Text(text) => typed(&text).map(ContentBlock::from).map(chunk).into_iter().collect(),
            Content::Blocks(blocks) => {
                let mut updates = Vec::new();
                for block in &blocks {
                    match block {
                        Block::ToolResult(result) => updates.extend(self.result(result, None)),
                        Block::Text(text) => {
                            updates.extend(typed(&text.text).map(ContentBlock::from).map(chunk));
                        }
                        other => updates.push(chunk(content::block(other))),
                    }
                }
                updates
            }
            _ => Vec::new(),
        }
    }
}

/// Returns what the user typed: the CLI stores slash commands and their output with tags.
fn typed(text: &str) -> Option<String> {
    let tagged = |tag: &str| {
        let rest = text.split_once(&format!("<{tag}>"))?.1;
        Some(rest.split_once(&format!("</{tag}>"))?.0.trim())
    };
    let trimmed = text.trim_start();
    if trimmed.starts_with("<command-") {
        let arguments = tagged("command-args").unwrap_or_default();
        return tagged("command-name").map(|name| format!("{name} {arguments}").trim_end().to_owned());
    }
    let is_hidden = WRITTEN_BY_THE_CLI.iter().any(|start| trimmed.starts_with(start));
    (!is_hidden && !trimmed.is_empty()).then(|| text.to_owned())
}

/// How texts begin that the CLI stores as the user's.
const WRITTEN_BY_THE_CLI: &[&str] = &[
    "<local-command-",
    "<system-reminder>",
    "<task-notification>",
    "[Request interrupted by user",
    "This session is being continued from a previous conversation",
];
