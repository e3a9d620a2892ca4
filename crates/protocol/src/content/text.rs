//! `text`: plain text.

use super::{CacheControl, Citation};

/// Plain text (`text`).
#[wire(Default, new)]
pub struct Text {
    /// The text.
    pub text: String,
    /// The sources of the text, if citations were requested.
    pub citations: Option<Vec<Citation>>,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}
