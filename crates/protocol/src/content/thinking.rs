//! `thinking`: what the model thought before it answered.

use serde::{Deserialize, Serialize};

/// What the model thought before it answered (`thinking`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Thinking {
    /// The text.
    pub thinking: String,
    /// The API's signature of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}
