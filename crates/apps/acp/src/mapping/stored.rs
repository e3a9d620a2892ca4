//! Messages of a stored conversation.

use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, EmbeddedResource, EmbeddedResourceResource, MessageId, SessionUpdate,
    TextResourceContents,
};
use agentwire::{
    Block,
    protocol::{
        Content,
        message::{ApiMessage, AssistantError, UserMessage},
        session_info::{SessionMessage, SessionMessageKind},
    },
};

use super::{Mapping, SYNTHETIC, content};
use crate::{embedded, failure};

impl Mapping {
    /// Returns the updates that show a stored message again.
    pub(crate) fn stored(&mut self, message: &SessionMessage) -> Vec<SessionUpdate> {
        match message.kind {
            SessionMessageKind::User => match message.message.decode::<UserMessage>() {
                Ok(user) => self.stored_prompt(user.content, message.uuid.as_str()),
                Err(_) => Vec::new(),
            },
            SessionMessageKind::Assistant => match message.message.decode::<ApiMessage>() {
                Ok(answer) if !is_missing_login(&answer) => self.blocks(&answer, None),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn stored_prompt(&mut self, content: Content, id: &str) -> Vec<SessionUpdate> {
        let chunk = |block: ContentBlock| {
            SessionUpdate::UserMessageChunk(ContentChunk::new(block).message_id(MessageId::new(id)))
        };
        match content {
            Content::Text(text) => shown(&text, &[]).into_iter().map(chunk).collect(),
            Content::Blocks(blocks) => {
                let texts = blocks.iter().filter_map(Block::as_text);
                let resources: Vec<_> =
                    texts.filter_map(|text| embedded::read(&without_reminders(text))).collect();
                let mut updates = Vec::new();
                for block in &blocks {
                    match block {
                        Block::ToolResult(result) => updates.extend(self.result(result, None)),
                        Block::Text(text) => {
                            updates.extend(shown(&text.text, &resources).into_iter().map(chunk));
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

/// Returns whether a message of the CLI asks for a login. Editors have no `/login`, and the login may be valid by now.
fn is_missing_login(answer: &ApiMessage) -> bool {
    // Stored messages have no kind, so their texts decide.
    let kind = Some(&AssistantError::InvalidRequest);
    let is_one = |text: &str| {
        failure::is_missing_login(kind, text) && !USAGE_LIMITS.iter().any(|start| text.starts_with(start))
    };
    *answer.model == *SYNTHETIC && answer.content.iter().filter_map(Block::as_text).any(is_one)
}

/// Returns the content that a text of the user was made of. A resource is shown where the prompt refers to it, and not
/// again as a block of its own.
fn shown(text: &str, resources: &[TextResourceContents]) -> Vec<ContentBlock> {
    let text = without_reminders(text);
    if embedded::read(&text).is_some() {
        return Vec::new();
    }
    let Some(text) = typed(&text) else { return Vec::new() };
    let (mut content, mut rest) = (Vec::new(), &*text);
    let words = |text: &str| (!text.is_empty()).then(|| ContentBlock::from(text));
    while let Some((before, resource, after)) = split_at_resource(rest, resources) {
        content.extend(words(before));
        let resource = EmbeddedResourceResource::TextResourceContents(resource.clone());
        content.push(ContentBlock::Resource(EmbeddedResource::new(resource)));
        rest = after;
    }
    content.extend(words(rest));
    content
}

/// Splits a text at its first reference to one of these resources.
fn split_at_resource<'a>(
    text: &'a str,
    resources: &'a [TextResourceContents],
) -> Option<(&'a str, &'a TextResourceContents, &'a str)> {
    let splits = resources.iter().filter_map(|resource| {
        let (before, after) = text.split_once(&embedded::reference(&resource.uri))?;
        Some((before, resource, after))
    });
    splits.min_by_key(|(before, ..)| before.len())
}

/// Removes the reminders that the CLI adds to texts of the user, for the model.
fn without_reminders(text: &str) -> String {
    let (mut kept, mut rest) = (String::new(), text);
    while let Some((before, reminder)) = rest.split_once("<system-reminder>")
        && let Some((_, after)) = reminder.split_once("</system-reminder>")
    {
        kept.push_str(before.trim_end());
        rest = after;
    }
    kept + rest
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

/// The starts of texts that the CLI stores as the user's.
const WRITTEN_BY_THE_CLI: &[&str] = &[
    "<local-command-",
    "<task-notification>",
    "[Request interrupted by user",
    "This session is being continued from a previous conversation",
];
/// The starts of the CLI's messages about usage limits, some of which name `/login` too.
const USAGE_LIMITS: &[&str] = &[
    "You've hit your",
    "You've reached your",
    "You're out of",
    "Your org is out of usage",
    "Your seat type doesn't include",
    "Your usage allocation",
    "Your group's usage limit",
    "Fable 5 requires usage credits",
];

#[cfg(test)]
mod tests;
