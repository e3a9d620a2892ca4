//! `web_search_tool_result`: the result of a web search by the API.

use super::{CacheControl, Caller, ServerToolError};
use crate::ToolUseId;

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

crate::forms::forms! { WebSearchContent, "a list of pages or an error": list => Results, object => Failure }

/// An item of a web search result.
#[wire(tag = "type")]
pub enum WebSearchItem {
    /// A page.
    Page(Box<WebSearchResult>) = "web_search_result",
}

/// The error of a web search.
#[wire(tag = "type")]
pub enum WebSearchFailure {
    /// The search failed.
    Error(ServerToolError) = "web_search_tool_result_error",
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
