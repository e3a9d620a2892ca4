//! `citations`: the sources of a text.

/// The source of a text.
#[wire(tag = "type")]
pub enum Citation {
    /// A range of characters in a plain text.
    Char(Box<CharLocation>) = "char_location",
    /// A range of pages in a PDF.
    Page(Box<PageLocation>) = "page_location",
    /// A range of blocks in a document made of blocks.
    ContentBlock(Box<ContentBlockLocation>) = "content_block_location",
    /// A page of a web search.
    WebSearchResult(Box<WebSearchResultLocation>) = "web_search_result_location",
    /// A search result in the prompt.
    SearchResult(Box<SearchResultLocation>) = "search_result_location",
}

impl Citation {
    /// Returns the cited text; `None` for an unknown kind.
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
#[wire(Default)]
pub struct CharLocation {
    /// The cited text.
    pub cited_text: String,
    /// The document's index in the prompt, from 0.
    pub document_index: u64,
    /// That document's title.
    pub document_title: Option<String>,
    /// The first character, from 0.
    pub start_char_index: u64,
    /// The end of the range (exclusive).
    pub end_char_index: u64,
    /// The id of the document's file at the API, if it has one; only in responses.
    pub file_id: Option<Box<str>>,
}

/// A range of pages in a PDF (`page_location`).
#[wire(Default)]
pub struct PageLocation {
    /// The cited text.
    pub cited_text: String,
    /// The document's index in the prompt, from 0.
    pub document_index: u64,
    /// That document's title.
    pub document_title: Option<String>,
    /// The first page, from 1.
    pub start_page_number: u64,
    /// The end of the range (exclusive).
    pub end_page_number: u64,
    /// The id of the document's file at the API, if it has one; only in responses.
    pub file_id: Option<Box<str>>,
}

/// A range of blocks in a document made of blocks (`content_block_location`).
#[wire(Default)]
pub struct ContentBlockLocation {
    /// The cited text.
    pub cited_text: String,
    /// The document's index in the prompt, from 0.
    pub document_index: u64,
    /// That document's title.
    pub document_title: Option<String>,
    /// The first block, from 0.
    pub start_block_index: u64,
    /// The end of the range (exclusive).
    pub end_block_index: u64,
    /// The id of the document's file at the API, if it has one; only in responses.
    pub file_id: Option<Box<str>>,
}

/// A page that a web search found (`web_search_result_location`).
#[wire(Default)]
pub struct WebSearchResultLocation {
    /// The cited text.
    pub cited_text: String,
    /// The position in the search result, readable only for the API.
    pub encrypted_index: Box<str>,
    /// The page's title.
    pub title: Option<String>,
    /// The page's URL.
    pub url: Box<str>,
}

/// A range of blocks in a search result of the prompt (`search_result_location`).
#[wire(Default)]
pub struct SearchResultLocation {
    /// The cited text.
    pub cited_text: String,
    /// The index of the search result in the prompt, from 0.
    pub search_result_index: u64,
    /// The source of that search result.
    pub source: String,
    /// Its title.
    pub title: Option<String>,
    /// The first block, from 0.
    pub start_block_index: u64,
    /// The end of the range (exclusive).
    pub end_block_index: u64,
}

/// Whether the model cites sources (`citations` of a document or a search result).
#[wire(Default)]
pub struct CitationsConfig {
    /// Whether citations are enabled; absent means no.
    pub enabled: Option<bool>,
}

impl CitationsConfig {
    /// Returns a configuration with citations enabled.
    pub fn enabled() -> Self {
        Self { enabled: Some(true) }
    }
}
