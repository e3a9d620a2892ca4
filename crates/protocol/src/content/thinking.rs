//! `thinking` and `redacted_thinking`: the model's thinking.

use serde::{Deserialize, Serialize};

/// The model's thinking (`thinking`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Thinking {
    /// The text; empty if the API does not show it.
    pub thinking: String,
    /// The API's signature; empty while the block streams.
    pub signature: Option<String>,
}

/// Thinking in encrypted form (`redacted_thinking`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct RedactedThinking {
    /// The thinking, readable only for the API.
    pub data: String,
}
