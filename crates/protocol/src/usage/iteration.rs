//! The steps of one answer, each with its own tokens.

use serde::{Deserialize, Serialize};

use crate::{Nullable, tagged::tagged, usage::CacheCreation};

tagged! {
    /// One step of an answer (an item of `iterations`).
    pub enum Iteration by "type" {
        /// The model answered.
        Message(Box<IterationUsage>) = "message",
        /// The context was compacted.
        Compaction(Box<IterationUsage>) = "compaction",
        /// Another model gave advice.
        AdvisorMessage(Box<IterationUsage>) = "advisor_message",
        /// Another model answered, since the first one declined.
        FallbackMessage(Box<IterationUsage>) = "fallback_message",
    }
}

/// Tokens of one step of an answer.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct IterationUsage {
    /// Tokens read that no cache held.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub input_tokens: u64,
    /// Tokens written.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub output_tokens: u64,
    /// Tokens written to the cache.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub cache_creation_input_tokens: u64,
    /// Tokens read from the cache.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub cache_read_input_tokens: u64,
    /// Tokens written to the cache, by how long it keeps them.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub cache_creation: Nullable<CacheCreation>,
    /// The model; a compaction has none.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub model: Nullable<Box<str>>,
}
