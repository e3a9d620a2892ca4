//! The steps of an answer, each with its token counts.

use crate::{Nullable, usage::CacheCreation};

/// One step of an answer (an item of `iterations`).
#[wire(tag = "type")]
pub enum Iteration {
    /// An answer of the model.
    Message(Box<IterationUsage>) = "message",
    /// A compaction of the context.
    Compaction(Box<IterationUsage>) = "compaction",
    /// Advice of another model.
    AdvisorMessage(Box<IterationUsage>) = "advisor_message",
    /// An answer of another model, after the first one declined.
    FallbackMessage(Box<IterationUsage>) = "fallback_message",
}

/// Token counts of one step of an answer.
#[wire(Default, tolerant)]
pub struct IterationUsage {
    /// Input tokens that were not cached.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Input tokens written to the cache.
    pub cache_creation_input_tokens: u64,
    /// Input tokens read from the cache.
    pub cache_read_input_tokens: u64,
    /// Input tokens written to the cache, by lifetime.
    pub cache_creation: Nullable<CacheCreation>,
    /// The model; absent or `null` for a compaction.
    pub model: Nullable<Box<str>>,
}
