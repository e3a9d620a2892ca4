//! `text`: words.

use serde::{Deserialize, Serialize};

/// Words (`text`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Text {
    /// The words.
    pub text: String,
}

impl Text {
    /// A block with these words.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}
