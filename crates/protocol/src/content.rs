//! What a message holds: text, or blocks by their `type`.

mod image;
mod text;
mod thinking;
mod tool_result;
mod tool_use;

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{SeqAccess, Visitor, value::SeqAccessDeserializer},
};

pub use image::Image;
pub use text::Text;
pub use thinking::Thinking;
pub use tool_result::ToolResult;
pub use tool_use::ToolUse;

use crate::tagged::tagged;

tagged! {
    /// A content block.
    pub enum Block by "type" {
        /// Text.
        Text(Text) = "text",
        /// The model's thinking.
        Thinking(Thinking) = "thinking",
        /// The model wants to use a tool.
        ToolUse(Box<ToolUse>) = "tool_use",
        /// What a tool gave.
        ToolResult(Box<ToolResult>) = "tool_result",
        /// A picture.
        Image(Image) = "image",
    }
}

/// The content of a `user` message: plain text, or blocks.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Content {
    /// Plain text.
    Text(String),
    /// Blocks.
    Blocks(Vec<Block>),
}

impl Content {
    /// The blocks; none where the content is plain text.
    pub fn blocks(&self) -> &[Block] {
        match self {
            Self::Text(_) => &[],
            Self::Blocks(blocks) => blocks,
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<Block>> for Content {
    fn from(blocks: Vec<Block>) -> Self {
        Self::Blocks(blocks)
    }
}

/// Written as what it is.
impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Blocks(blocks) => blocks.serialize(serializer),
        }
    }
}

/// Read by what it is, without buffering; `null` is read as no blocks.
impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a list of content blocks")
    }

    fn visit_str<E>(self, text: &str) -> Result<Content, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Content, E> {
        Ok(text.into())
    }

    fn visit_unit<E>(self) -> Result<Content, E> {
        Ok(Content::Blocks(Vec::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Content, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Content::Blocks)
    }
}
