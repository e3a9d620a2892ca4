//! `compaction`: what the API made of a context that had grown too long.

use serde::{Deserialize, Serialize};

use super::{Block, CacheControl};

/// What the API made of a context that had grown too long (`compaction`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Compaction {
    /// The summary; `None` where it failed.
    #[serialize_always]
    pub content: Option<String>,
    /// What the API needs of earlier compactions, for it alone to read.
    pub encrypted_content: Option<String>,
    /// The API's signature of the summary.
    pub signature: Option<String>,
    /// `tool_addition` and `tool_removal` blocks that lead from the request's tools to those at the end of the range.
    ///
    /// An empty list says that no tool changed, an absent one that the API did not look.
    pub tool_changes: Option<Vec<Block>>,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}
