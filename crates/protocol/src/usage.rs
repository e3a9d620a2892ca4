//! Token counts and cost of answers, turns, models and sessions.

mod fallback_credit;
mod iteration;
mod model;
mod session;

pub use fallback_credit::{CreditNotApplied, CreditRedeemed, CreditRefusal, CreditStatus, FallbackCredit};
pub use iteration::{Iteration, IterationUsage};
pub use model::{CostBasis, ModelUsage};
pub use session::{ExtraUsage, SessionUsage};

use crate::Nullable;

/// Token counts of an answer or a turn (`usage`), as the API reports them.
#[wire(Default, tolerant)]
pub struct Usage {
    /// Input tokens that were not cached.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Input tokens written to the cache.
    pub cache_creation_input_tokens: Option<u64>,
    /// Input tokens read from the cache.
    pub cache_read_input_tokens: Option<u64>,
    /// Input tokens written to the cache, by lifetime.
    pub cache_creation: Nullable<CacheCreation>,
    /// A breakdown of the output tokens.
    pub output_tokens_details: Nullable<OutputTokensDetails>,
    /// The number of calls of the API's own tools.
    pub server_tool_use: Nullable<ServerToolUsage>,
    /// The service tier of the request.
    pub service_tier: Nullable<ServiceTier>,
    /// The speed mode of the answer.
    pub speed: Nullable<Speed>,
    /// The region in which the model ran; may be empty.
    pub inference_geo: Nullable<Box<str>>,
    /// The steps of the answer, if there were several.
    pub iterations: Nullable<Vec<Iteration>>,
    /// The outcome of the credit token that an earlier refusal contained.
    pub fallback_credit: Nullable<FallbackCredit>,
}

/// Input tokens written to the cache, by lifetime (`cache_creation`).
#[wire(Copy, Default, Eq, tolerant)]
pub struct CacheCreation {
    /// Tokens with a lifetime of one hour.
    pub ephemeral_1h_input_tokens: u64,
    /// Tokens with a lifetime of five minutes.
    pub ephemeral_5m_input_tokens: u64,
}

/// A breakdown of the output tokens (`output_tokens_details`).
#[wire(Copy, Default, Eq, tolerant)]
pub struct OutputTokensDetails {
    /// Thinking tokens.
    pub thinking_tokens: u64,
}

/// The number of calls of the API's own tools (`server_tool_use`).
#[wire(Copy, Default, Eq, tolerant)]
pub struct ServerToolUsage {
    /// Web searches.
    pub web_search_requests: u64,
    /// Web pages fetched.
    pub web_fetch_requests: u64,
}

/// The service tier of a request (`service_tier`).
#[wire]
pub enum ServiceTier {
    /// Standard capacity.
    Standard = "standard",
    /// Priority capacity, paid in advance.
    Priority = "priority",
    /// Batch processing, with a longer latency.
    Batch = "batch",
}

/// The speed mode of an answer (`speed`).
#[wire]
pub enum Speed {
    /// Standard speed.
    Standard = "standard",
    /// Faster, at a higher price.
    Fast = "fast",
}
