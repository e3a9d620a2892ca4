//! `text`: words.

use serde::{Deserialize, Serialize};

use super::{CacheControl, Citation};

/// Words (`text`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Text {
    /// The words.
    pub text: String,
    /// Where the words come from, when the model was asked to say so.
    pub citations: Option<Vec<Citation>>,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}

impl Text {
    /// A block with these words.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}
