//! Why the prompt cache did not hold.

use serde::{Deserialize, Serialize};

use crate::tagged::tagged;

/// What the API found out about the request (`diagnostics`).
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Diagnostics {
    /// Why the prompt cache could not serve the whole prefix; `None` while that is not known yet.
    pub cache_miss_reason: Option<CacheMissReason>,
}

tagged! {
    /// Why the prompt cache could not serve the whole prefix of a request.
    pub enum CacheMissReason by "type" {
        /// Another model was asked.
        ModelChanged(CacheMiss) = "model_changed",
        /// The system prompt is another one.
        SystemChanged(CacheMiss) = "system_changed",
        /// The tools are other ones.
        ToolsChanged(CacheMiss) = "tools_changed",
        /// The messages are other ones.
        MessagesChanged(CacheMiss) = "messages_changed",
        /// The answer to compare with was not found.
        PreviousMessageNotFound(CacheMissUnmeasured) = "previous_message_not_found",
        /// It can't be said.
        Unavailable(CacheMissUnmeasured) = "unavailable",
    }
}

/// A miss whose cost is known.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct CacheMiss {
    /// How many tokens of the input were not served from the cache for that reason.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub cache_missed_input_tokens: u64,
}

/// A miss of which nothing more is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct CacheMissUnmeasured {}
