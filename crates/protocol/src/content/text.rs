//! `text`: plain text.

use super::{CacheControl, Citation};

/// Plain text (`text`).
#[wire(Default)]
pub struct Text {
    /// The text.
    pub text: String,
    /// The sources of the text, if citations were requested.
    pub citations: Option<Vec<Citation>>,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}

impl Text {
    /// Returns a block with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}
