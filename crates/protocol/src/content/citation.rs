//! `citations`: where words come from.

use serde::{Deserialize, Serialize};

use crate::tagged::tagged;

tagged! {
    /// Where words come from.
    pub enum Citation by "type" {
        /// From a plain text, by characters.
        Char(Box<CharLocation>) = "char_location",
        /// From a PDF, by pages.
        Page(Box<PageLocation>) = "page_location",
        /// From a document made of blocks, by blocks.
        ContentBlock(Box<ContentBlockLocation>) = "content_block_location",
        /// From a web search.
        WebSearchResult(Box<WebSearchResultLocation>) = "web_search_result_location",
        /// From a search result in the prompt.
        SearchResult(Box<SearchResultLocation>) = "search_result_location",
    }
}

impl Citation {
    /// The words that are cited; `None` for an unknown kind.
    pub fn cited_text(&self) -> Option<&str> {
        match self {
            Self::Char(at) => Some(&at.cited_text),
            Self::Page(at) => Some(&at.cited_text),
            Self::ContentBlock(at) => Some(&at.cited_text),
            Self::WebSearchResult(at) => Some(&at.cited_text),
            Self::SearchResult(at) => Some(&at.cited_text),
            Self::Unknown(_) => None,
        }
    }
}

/// A range of characters in a plain text (`char_location`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct CharLocation {
    /// The words that are cited.
    pub cited_text: String,
    /// Which document of the prompt, from 0.
    pub document_index: u64,
    /// That document's title.
    pub document_title: Option<String>,
    /// The first character, from 0.
    pub start_char_index: u64,
    /// The character behind the last.
    pub end_char_index: u64,
    /// The document's file at the API, where it is one; only from the model.
    pub file_id: Option<Box<str>>,
}

/// A range of pages in a PDF (`page_location`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct PageLocation {
    /// The words that are cited.
    pub cited_text: String,
    /// Which document of the prompt, from 0.
    pub document_index: u64,
    /// That document's title.
    pub document_title: Option<String>,
    /// The first page, from 1.
    pub start_page_number: u64,
    /// The page behind the last.
    pub end_page_number: u64,
    /// The document's file at the API, where it is one; only from the model.
    pub file_id: Option<Box<str>>,
}

/// A range of blocks in a document made of blocks (`content_block_location`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ContentBlockLocation {
    /// The words that are cited.
    pub cited_text: String,
    /// Which document of the prompt, from 0.
    pub document_index: u64,
    /// That document's title.
    pub document_title: Option<String>,
    /// The first block, from 0.
    pub start_block_index: u64,
    /// The block behind the last.
    pub end_block_index: u64,
    /// The document's file at the API, where it is one; only from the model.
    pub file_id: Option<Box<str>>,
}

/// A page that a web search found (`web_search_result_location`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct WebSearchResultLocation {
    /// The words that are cited.
    pub cited_text: String,
    /// The place in the search's result, for the API alone to read.
    pub encrypted_index: Box<str>,
    /// The page's title.
    pub title: Option<String>,
    /// The page's address.
    pub url: Box<str>,
}

/// A range of blocks in a search result of the prompt (`search_result_location`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SearchResultLocation {
    /// The words that are cited.
    pub cited_text: String,
    /// Which search result of the prompt, from 0.
    pub search_result_index: u64,
    /// Where that result says it comes from.
    pub source: String,
    /// Its title.
    pub title: Option<String>,
    /// The first block, from 0.
    pub start_block_index: u64,
    /// The block behind the last.
    pub end_block_index: u64,
}

/// Whether the model is to cite (`citations` of a document or a search result).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct CitationsConfig {
    /// Whether it is; absent means no.
    pub enabled: Option<bool>,
}

impl CitationsConfig {
    /// The model is to cite.
    pub fn enabled() -> Self {
        Self { enabled: Some(true) }
    }
}
