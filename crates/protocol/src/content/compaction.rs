//! `compaction`: the summary of a context that the API compacted.

use super::{Block, CacheControl};

/// The summary of a context that the API compacted (`compaction`).
#[wire(Default)]
pub struct Compaction {
    /// The summary; `None` if the compaction failed.
    #[serialize_always]
    pub content: Option<String>,
    /// State of earlier compactions, readable only for the API.
    pub encrypted_content: Option<String>,
    /// The API's signature of the summary.
    pub signature: Option<String>,
    /// The changes from the tools of the request to those at the end of the compacted range, as `tool_addition` and
    /// `tool_removal` blocks.
    ///
    /// An empty list means that no tool changed; an absent one, that the API did not check.
    pub tool_changes: Option<Vec<Block>>,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}
