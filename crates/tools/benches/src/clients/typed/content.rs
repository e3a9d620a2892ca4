//! The content of a message: plain text or blocks.

use std::fmt;

use crate::cli::Tally;
use serde::{
    Deserialize, Deserializer,
    de::{Error, SeqAccess, Visitor, value::SeqAccessDeserializer},
};
use serde_json::value::RawValue;

#[derive(Debug)]
pub(in crate::clients) enum Content {
    Text(String),
    Blocks(Vec<Block>),
}

/// A block of any kind with the fields of the usual ones. A tool's input and output are raw JSON.
#[derive(Debug, Deserialize)]
pub(in crate::clients) struct Block {
    #[serde(rename = "type")]
    kind: Kind,
    text: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    id: Option<String>,
    name: Option<String>,
    input: Option<Box<RawValue>>,
    tool_use_id: Option<String>,
    is_error: Option<bool>,
    content: Option<Box<RawValue>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Text,
    Thinking,
    ToolUse,
    ToolResult,
    #[serde(other)]
    Other,
}

impl Content {
    /// Adds the texts to the tally.
    pub(super) fn add_to(&self, tally: &mut Tally) {
        match self {
            Self::Text(text) => tally.text(text),
            Self::Blocks(blocks) => {
                for block in blocks {
                    for text in [&block.text, &block.thinking].into_iter().flatten() {
                        tally.text(text);
                    }
                    block.content.iter().for_each(|content| tally.text(content.get()));
                }
            }
        }
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // An untagged enum would buffer the blocks, which `RawValue` can't be read from.
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = Content;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or blocks")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Content, E> {
                Ok(Content::Text(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, blocks: A) -> Result<Content, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(blocks)).map(Content::Blocks)
            }
        }

        deserializer.deserialize_any(Either)
    }
}
