//! Tokens and cost: of an answer, a turn, a model, a session.

mod fallback_credit;
mod iteration;
mod model;
mod session;

pub use fallback_credit::{CreditNotApplied, CreditRedeemed, CreditRefusal, CreditStatus, FallbackCredit};
pub use iteration::{Iteration, IterationUsage};
pub use model::{CostBasis, ModelUsage};
pub use session::{ExtraUsage, SessionUsage};

use serde::{Deserialize, Serialize};

use crate::{Nullable, open_enum::open_enum};

/// Tokens of an answer or a turn (`usage`), as the model's API counts them.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens read that no cache held.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub input_tokens: u64,
    /// Tokens written.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub output_tokens: u64,
    /// Tokens written to the cache.
    #[serde(deserialize_with = "crate::lenient::optional_count")]
    pub cache_creation_input_tokens: Option<u64>,
    /// Tokens read from the cache.
    #[serde(deserialize_with = "crate::lenient::optional_count")]
    pub cache_read_input_tokens: Option<u64>,
    /// Tokens written to the cache, by how long it keeps them.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub cache_creation: Nullable<CacheCreation>,
    /// What the tokens written were spent on.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub output_tokens_details: Nullable<OutputTokensDetails>,
    /// How often the API's own tools were used.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub server_tool_use: Nullable<ServerToolUsage>,
    /// The tier that served the request.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub service_tier: Nullable<ServiceTier>,
    /// How fast the answer was to come.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub speed: Nullable<Speed>,
    /// Where in the world the model ran; may be empty.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub inference_geo: Nullable<Box<str>>,
    /// The steps of the answer, each with its own tokens, where there were several.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub iterations: Nullable<Vec<Iteration>>,
    /// What became of the code that a refusal had given for the next request.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub fallback_credit: Nullable<FallbackCredit>,
}

/// Tokens written to the cache, by how long it keeps them (`cache_creation`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct CacheCreation {
    /// Those kept for an hour.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub ephemeral_1h_input_tokens: u64,
    /// Those kept for five minutes.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub ephemeral_5m_input_tokens: u64,
}

/// What the tokens written were spent on (`output_tokens_details`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct OutputTokensDetails {
    /// Those of thinking.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub thinking_tokens: u64,
}

/// How often the API's own tools were used (`server_tool_use`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ServerToolUsage {
    /// Searches of the web.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub web_search_requests: u64,
    /// Pages of the web that were read.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub web_fetch_requests: u64,
}

open_enum! {
    /// The tier that served a request (`service_tier`).
    pub enum ServiceTier {
        /// The usual one.
        Standard = "standard",
        /// The one that is paid for in advance.
        Priority = "priority",
        /// The one that takes its time.
        Batch = "batch",
    }
}

open_enum! {
    /// How fast an answer was to come (`speed`).
    pub enum Speed {
        /// As usual.
        Standard = "standard",
        /// Faster, at a higher price.
        Fast = "fast",
    }
}
