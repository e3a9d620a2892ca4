//! `thinking` and `redacted_thinking`: the model's thinking.

/// The model's thinking (`thinking`).
#[wire(Default)]
pub struct Thinking {
    /// The text; empty if the API does not show it.
    pub thinking: String,
    /// The API's signature; empty while the block streams.
    pub signature: Option<String>,
}

/// Thinking in encrypted form (`redacted_thinking`).
#[wire]
pub struct RedactedThinking {
    /// The thinking, readable only for the API.
    pub data: String,
}
