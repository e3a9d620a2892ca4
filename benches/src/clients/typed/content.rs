//! The content of a message: plain text or blocks, told apart without buffering.

use std::{borrow::Borrow, fmt, marker::PhantomData};

use agentwire_testkit::bench::Tally;
use serde::{
    Deserialize, Deserializer,
    de::{
        Error, IntoDeserializer, SeqAccess, Visitor,
        value::{BorrowedStrDeserializer, SeqAccessDeserializer},
    },
};
use serde_json::value::RawValue;

#[derive(Debug)]
pub(in crate::clients) enum Content<S, R> {
    Text(S),
    Blocks(Vec<Block<S, R>>),
}

/// A block of any kind, with the fields of the usual ones; what a tool was given and what it gave is free JSON.
#[derive(Debug, Deserialize)]
pub(in crate::clients) struct Block<S, R> {
    #[serde(rename = "type")]
    kind: Kind,
    text: Option<S>,
    thinking: Option<S>,
    signature: Option<S>,
    id: Option<S>,
    name: Option<S>,
    input: Option<R>,
    tool_use_id: Option<S>,
    is_error: Option<bool>,
    content: Option<R>,
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

impl<S: AsRef<str>, R: Borrow<RawValue>> Content<S, R> {
    /// Adds up what it says.
    pub(super) fn add_to(&self, tally: &mut Tally) {
        match self {
            Self::Text(text) => tally.says(text.as_ref()),
            Self::Blocks(blocks) => {
                for block in blocks {
                    for text in [&block.text, &block.thinking].into_iter().flatten() {
                        tally.says(text.as_ref());
                    }
                    block.content.iter().for_each(|content| tally.says(content.borrow().get()));
                }
            }
        }
    }
}

impl<'de, S: Deserialize<'de>, R: Deserialize<'de>> Deserialize<'de> for Content<S, R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader(PhantomData))
    }
}

struct Reader<S, R>(PhantomData<(S, R)>);

impl<'de, S: Deserialize<'de>, R: Deserialize<'de>> Visitor<'de> for Reader<S, R> {
    type Value = Content<S, R>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or blocks")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        S::deserialize(BorrowedStrDeserializer::new(text)).map(Content::Text)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        S::deserialize(text.into_deserializer()).map(Content::Text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, blocks: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(blocks)).map(Content::Blocks)
    }
}
