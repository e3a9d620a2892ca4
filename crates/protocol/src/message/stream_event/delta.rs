//! Changes of a content block while it streams.

use crate::content::Citation;

/// A change of a content block.
#[wire(tag = "type")]
pub enum Delta {
    /// Additional text.
    Text(TextDelta) = "text_delta",
    /// Additional thinking.
    Thinking(ThinkingDelta) = "thinking_delta",
    /// The signature of the thinking.
    Signature(SignatureDelta) = "signature_delta",
    /// A fragment of a tool's input, as JSON text.
    InputJson(InputJsonDelta) = "input_json_delta",
    /// An additional citation.
    Citations(CitationsDelta) = "citations_delta",
    /// The whole summary of a compaction.
    Compaction(Box<CompactionDelta>) = "compaction_delta",
}

/// Additional text (`text_delta`).
#[wire(Eq)]
pub struct TextDelta {
    /// The text.
    pub text: String,
}

/// Additional thinking (`thinking_delta`).
#[wire(Eq)]
pub struct ThinkingDelta {
    /// The text; empty if the API does not show it.
    pub thinking: String,
    /// The approximate number of thinking tokens since the last such number, for a progress bar.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub estimated_tokens: Option<u64>,
}

/// The signature of the thinking (`signature_delta`).
#[wire(Eq)]
pub struct SignatureDelta {
    /// The signature.
    pub signature: String,
}

/// A fragment of a tool's input (`input_json_delta`).
#[wire(Eq)]
pub struct InputJsonDelta {
    /// A fragment of JSON text; only the concatenation of all fragments is valid JSON.
    pub partial_json: String,
}

/// A citation (`citations_delta`).
#[wire]
pub struct CitationsDelta {
    /// The citation to append to the block's list.
    pub citation: Citation,
}

/// The summary of a compaction (`compaction_delta`), sent as a whole.
#[wire(Default, Eq)]
pub struct CompactionDelta {
    /// The summary; `None` if the compaction failed.
    #[serialize_always]
    pub content: Option<String>,
    /// State of earlier compactions, readable only for the API.
    pub encrypted_content: Option<String>,
}
