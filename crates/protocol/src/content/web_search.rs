//! `web_search_tool_result`: the result of a web search by the API.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{
        MapAccess, SeqAccess, Visitor,
        value::{MapAccessDeserializer, SeqAccessDeserializer},
    },
};

use super::{CacheControl, Caller, ServerToolError};
use crate::{ToolUseId, tagged::tagged};

/// The result of a web search (`web_search_tool_result`).
#[wire]
pub struct WebSearchToolResult {
    /// The tool use that this result answers.
    pub tool_use_id: ToolUseId,
    /// The pages or the error.
    pub content: WebSearchContent,
    /// The caller of the tool; absent if the model called it directly.
    pub caller: Option<Caller>,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}

/// The pages or the error: a list or an object on the wire.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum WebSearchContent {
    /// The pages.
    Results(Vec<WebSearchItem>),
    /// The error.
    Failure(WebSearchFailure),
}

tagged! {
    /// An item of a web search result.
    pub enum WebSearchItem by "type" {
        /// A page.
        Page(Box<WebSearchResult>) = "web_search_result",
    }
}

tagged! {
    /// The error of a web search.
    pub enum WebSearchFailure by "type" {
        /// The search failed.
        Error(ServerToolError) = "web_search_tool_result_error",
    }
}

/// A page of a search result (`web_search_result`).
#[wire]
pub struct WebSearchResult {
    /// The page's URL.
    pub url: Box<str>,
    /// The page's title.
    pub title: String,
    /// The page's text, readable only for the API.
    pub encrypted_content: String,
    /// The age of the page, as text.
    pub page_age: Option<Box<str>>,
}

/// Serializes the inner value without a tag.
impl Serialize for WebSearchContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Results(results) => results.serialize(serializer),
            Self::Failure(failure) => failure.serialize(serializer),
        }
    }
}

/// Deserializes by the JSON type, without buffering.
impl<'de> Deserialize<'de> for WebSearchContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WebSearchVisitor)
    }
}

struct WebSearchVisitor;

impl<'de> Visitor<'de> for WebSearchVisitor {
    type Value = WebSearchContent;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of pages or an error")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<WebSearchContent, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(WebSearchContent::Results)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<WebSearchContent, A::Error> {
        WebSearchFailure::deserialize(MapAccessDeserializer::new(map)).map(WebSearchContent::Failure)
    }
}
