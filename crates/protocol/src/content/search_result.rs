//! `search_result`: something that a search of the host's found, for the model to cite.

use serde::{Deserialize, Serialize};

use super::{Block, CacheControl, CitationsConfig};

/// Something that a search of the host's found (`search_result`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SearchResult {
    /// Where it comes from, such as an address.
    pub source: String,
    /// Its title.
    pub title: String,
    /// Its text, as blocks of text.
    pub content: Vec<Block>,
    /// Whether the model is to cite it.
    pub citations: Option<CitationsConfig>,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}

impl SearchResult {
    /// A result with this content.
    pub fn new(source: impl Into<String>, title: impl Into<String>, content: Vec<Block>) -> Self {
        Self { source: source.into(), title: title.into(), content, citations: None, cache_control: None }
    }
}
