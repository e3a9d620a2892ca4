//! What is added to a block as it streams.

use serde::{Deserialize, Serialize};

use crate::{content::Citation, tagged::tagged};

tagged! {
    /// What is added to a block.
    pub enum Delta by "type" {
        /// More text.
        Text(TextDelta) = "text_delta",
        /// More thinking.
        Thinking(ThinkingDelta) = "thinking_delta",
        /// The signature of the thinking.
        Signature(SignatureDelta) = "signature_delta",
        /// More of a tool's input, as a piece of JSON text.
        InputJson(InputJsonDelta) = "input_json_delta",
        /// Where the text comes from, one more.
        Citations(CitationsDelta) = "citations_delta",
        /// The summary of a compaction, whole.
        Compaction(Box<CompactionDelta>) = "compaction_delta",
    }
}

/// More text (`text_delta`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct TextDelta {
    /// The text.
    pub text: String,
}

/// More thinking (`thinking_delta`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ThinkingDelta {
    /// The text; empty where the API does not show it.
    pub thinking: String,
    /// About how many tokens of thinking came since the last such number: a hint for a progress bar, not a count.
    pub estimated_tokens: Option<u64>,
}

/// The signature of the thinking (`signature_delta`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SignatureDelta {
    /// The signature.
    pub signature: String,
}

/// More of a tool's input (`input_json_delta`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct InputJsonDelta {
    /// A piece of JSON text, whole only when all pieces are joined.
    pub partial_json: String,
}

/// Where the text comes from (`citations_delta`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct CitationsDelta {
    /// One more place, to be added to the block's list.
    pub citation: Citation,
}

/// The summary of a compaction (`compaction_delta`); it comes in one piece.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct CompactionDelta {
    /// The summary; `None` where it failed.
    #[serialize_always]
    pub content: Option<String>,
    /// What the API needs of earlier compactions, for it alone to read.
    pub encrypted_content: Option<String>,
}
