//! The parts of a conversation that an export shows.

use std::collections::{HashMap, HashSet};

use agentwire_protocol::RawJson;
use agentwire_protocol::content::{Image, Text, Thinking};
use agentwire_protocol::session_info::SessionMessage;
use serde::Deserialize;

use super::picture::Picture;

/// A part of a message.
#[derive(Debug)]
pub(super) enum Item {
    Text(String),
    Thinking(String),
    /// A tool use, with its result if there is one.
    Tool {
        name: String,
        input: RawJson,
        result: Option<ToolResult>,
    },
    /// A result without its tool use in the conversation.
    Result(ToolResult),
    Picture(Picture),
    /// A note about content that is not shown.
    Note(String),
    /// Any other content, by its kind.
    Other {
        kind: String,
        json: RawJson,
    },
}

/// A tool result.
#[derive(Debug)]
pub(super) struct ToolResult {
    pub(super) failed: bool,
    /// Texts are shown as output, not as prose.
    pub(super) items: Vec<Item>,
}

/// Returns the parts of each message; results are moved to their tool uses.
pub(super) fn items(messages: &[SessionMessage]) -> impl Iterator<Item = Vec<Item>> {
    let blocks: Vec<Vec<Block>> = messages.iter().map(|message| blocks(&message.message)).collect();
    let uses: HashSet<String> = blocks.iter().flatten().filter_map(Block::id_of_use).collect();
    let mut results = HashMap::new();
    let mut shown: Vec<Vec<Block>> = Vec::new();
    for blocks in blocks {
        let mut rest = Vec::new();
        for block in blocks {
            match block {
                // A second result of the same use is shown separately.
                Block::Result { of, result } if uses.contains(&of) && !results.contains_key(&of) => {
                    results.insert(of, result);
                }
                block => rest.push(block),
            }
        }
        shown.push(rest);
    }
    shown.into_iter().map(move |blocks| {
        let items = blocks.into_iter().map(|block| match block {
            Block::Use { id, name, input } => Item::Tool { name, input, result: results.remove(&id) },
            Block::Result { result, .. } => Item::Result(result),
            Block::Item(item) => item,
        });
        items
            .filter(|item| !matches!(item, Item::Text(text) | Item::Thinking(text) if text.trim().is_empty()))
            .collect()
    })
}

/// A content block of a message.
enum Block {
    Use { id: String, name: String, input: RawJson },
    Result { of: String, result: ToolResult },
    Item(Item),
}

impl Block {
    fn id_of_use(&self) -> Option<String> {
        if let Self::Use { id, .. } = self { Some(id.clone()) } else { None }
    }

    fn of(json: RawJson) -> Self {
        #[derive(Deserialize)]
        struct Use {
            id: String,
            name: String,
            input: RawJson,
        }
        #[derive(Deserialize)]
        struct Result {
            tool_use_id: String,
            content: Option<RawJson>,
            #[serde(default)]
            is_error: Option<bool>,
        }
        let kind = kind(&json);
        if kind.ends_with("tool_use")
            && let Ok(Use { id, name, input }) = json.decode()
        {
            return Self::Use { id, name, input };
        }
        if kind.ends_with("tool_result")
            && let Ok(Result { tool_use_id, content, is_error }) = json.decode()
        {
            let items = content.map(inner).unwrap_or_default();
            return Self::Result {
                of: tool_use_id,
                result: ToolResult { failed: is_error == Some(true), items },
            };
        }
        Self::Item(item(kind, json))
    }
}

/// Returns the content blocks of a message.
fn blocks(message: &RawJson) -> Vec<Block> {
    #[derive(Deserialize)]
    struct Message {
        content: RawJson,
    }
    // A system entry has no message.
    if message.as_str() == "null" {
        return Vec::new();
    }
    let Ok(Message { content }) = message.decode() else {
        return vec![Block::Item(Item::Other { kind: "message".to_owned(), json: message.clone() })];
    };
    if let Ok(text) = content.decode() {
        return vec![Block::Item(Item::Text(text))];
    }
    match content.decode::<Vec<RawJson>>() {
        Ok(blocks) => blocks.into_iter().map(Block::of).collect(),
        Err(_) => vec![Block::Item(Item::Other { kind: "content".to_owned(), json: content })],
    }
}

/// Returns the parts of a tool result.
fn inner(content: RawJson) -> Vec<Item> {
    if let Ok(text) = content.decode() {
        return vec![Item::Text(text)];
    }
    match content.decode::<Vec<RawJson>>() {
        Ok(blocks) => blocks.into_iter().map(|block| item(kind(&block), block)).collect(),
        Err(_) => vec![Item::Other { kind: kind(&content), json: content }],
    }
}

fn item(kind: String, json: RawJson) -> Item {
    let known = match &*kind {
        "text" => json.decode::<Text>().ok().map(|block| Item::Text(block.text)),
        "thinking" => json.decode::<Thinking>().ok().map(|block| Item::Thinking(block.thinking)),
        "image" => json.decode::<Image>().ok().map(|block| Item::Picture(Picture::of(block))),
        "redacted_thinking" => Some(Item::Note("Thinking that is encrypted".to_owned())),
        "document" => Some(Item::Note(format!("A document, {} bytes of JSON", json.as_str().len()))),
        _ => None,
    };
    known.unwrap_or(Item::Other { kind, json })
}

/// Returns the `type` of a block.
fn kind(block: &RawJson) -> String {
    #[derive(Deserialize)]
    struct Tag {
        r#type: String,
    }
    block.decode::<Tag>().map(|tag| tag.r#type).unwrap_or_default()
}
