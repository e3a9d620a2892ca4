//! `compaction`: what the API made of a context that had grown too long.

use serde::{Deserialize, Serialize};

use super::{Block, CacheControl};

/// What the API made of a context that had grown too long (`compaction`).
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Compaction {
    /// The summary; `None` where it failed.
    #[serde(default)]
    pub content: Option<String>,
    /// What the API needs of earlier compactions, for it alone to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encrypted_content: Option<String>,
    /// The API's signature of the summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// `tool_addition` and `tool_removal` blocks that lead from the request's tools to those at the end of the range.
    ///
    /// An empty list says that no tool changed, an absent one that the API did not look.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_changes: Option<Vec<Block>>,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Box<CacheControl>>,
}
