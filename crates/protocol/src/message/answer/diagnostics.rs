//! Diagnostics of the prompt cache.

/// The API's diagnostics of a request (`diagnostics`).
#[wire(Default, nulls)]
pub struct Diagnostics {
    /// The reason for a cache miss in the request's prefix; `None` if not known yet.
    pub cache_miss_reason: Option<CacheMissReason>,
}

/// The reason for a cache miss in a request's prefix.
#[wire(tag = "type")]
pub enum CacheMissReason {
    /// The model changed.
    ModelChanged(CacheMiss) = "model_changed",
    /// The system prompt changed.
    SystemChanged(CacheMiss) = "system_changed",
    /// The tools changed.
    ToolsChanged(CacheMiss) = "tools_changed",
    /// The messages changed.
    MessagesChanged(CacheMiss) = "messages_changed",
    /// The answer to compare with was not found.
    PreviousMessageNotFound(CacheMissUnmeasured) = "previous_message_not_found",
    /// The reason is unavailable.
    Unavailable(CacheMissUnmeasured) = "unavailable",
}

/// A cache miss with its cost.
#[wire(Default, tolerant)]
pub struct CacheMiss {
    /// The number of input tokens not served from the cache for this reason.
    pub cache_missed_input_tokens: u64,
}

/// A cache miss without further details.
#[wire(Copy, Default, Eq)]
pub struct CacheMissUnmeasured {}
