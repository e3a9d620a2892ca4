//! `web_search_tool_result`: what a web search of the API's found.

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

/// What a web search found (`web_search_tool_result`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct WebSearchToolResult {
    /// The tool use that it answers.
    pub tool_use_id: ToolUseId,
    /// The pages, or what went wrong.
    pub content: WebSearchContent,
    /// Who made the tool use; absent where the model itself did.
    pub caller: Option<Caller>,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}

/// The pages that were found, or what went wrong: a list or an object.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum WebSearchContent {
    /// The pages.
    Results(Vec<WebSearchItem>),
    /// What went wrong.
    Failure(WebSearchFailure),
}

tagged! {
    /// One thing that a web search found.
    pub enum WebSearchItem by "type" {
        /// A page.
        Page(Box<WebSearchResult>) = "web_search_result",
    }
}

tagged! {
    /// What went wrong with a web search.
    pub enum WebSearchFailure by "type" {
        /// The search failed.
        Error(ServerToolError) = "web_search_tool_result_error",
    }
}

/// A page that was found (`web_search_result`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct WebSearchResult {
    /// The page's address.
    pub url: Box<str>,
    /// The page's title.
    pub title: String,
    /// The page's text, for the API alone to read.
    pub encrypted_content: String,
    /// How old the page is, in words.
    pub page_age: Option<Box<str>>,
}

/// Written as what it is.
impl Serialize for WebSearchContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Results(results) => results.serialize(serializer),
            Self::Failure(failure) => failure.serialize(serializer),
        }
    }
}

/// Read by what it is, without buffering.
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
