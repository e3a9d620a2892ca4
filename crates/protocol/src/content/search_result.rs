//! `search_result`: a search result that the host provides, for the model to cite.

use super::{Block, CacheControl, CitationsConfig};

/// A search result that the host provides (`search_result`).
#[wire(new)]
pub struct SearchResult {
    /// The source, such as a URL.
    pub source: String,
    /// The title.
    pub title: String,
    /// The text, as text blocks.
    #[argument]
    pub content: Vec<Block>,
    /// Whether the model cites it.
    pub citations: Option<CitationsConfig>,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}
