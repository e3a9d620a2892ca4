//! `thinking` and `redacted_thinking`: what the model thought before it answered.

use serde::{Deserialize, Serialize};

/// What the model thought before it answered (`thinking`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Thinking {
    /// The text; empty where the API does not show it.
    pub thinking: String,
    /// The API's signature of it; empty while the block streams.
    pub signature: Option<String>,
}

/// Thinking that the API shows to nobody (`redacted_thinking`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct RedactedThinking {
    /// The thinking, for the API alone to read.
    pub data: String,
}
