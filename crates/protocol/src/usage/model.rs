//! Token counts and cost of one model.

/// Token counts and cost of one model (`modelUsage`).
#[wire(Default, camelCase, tolerant)]
pub struct ModelUsage {
    /// Input tokens that were not cached.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Input tokens read from the cache.
    pub cache_read_input_tokens: u64,
    /// Input tokens written to the cache.
    pub cache_creation_input_tokens: u64,
    /// Web searches.
    pub web_search_requests: u64,
    /// Cost in US dollars, as the CLI estimates it.
    #[serde(rename = "costUSD")]
    pub cost_usd: f64,
    /// The model's context window, in tokens.
    pub context_window: Option<u64>,
    /// The maximum number of output tokens of an answer.
    pub max_output_tokens: Option<u64>,
    /// The output tokens that were thinking.
    pub thinking_tokens: Option<u64>,
    /// Input tokens written to the cache with a lifetime of five minutes.
    #[serde(rename = "cacheCreationEphemeral5mInputTokens")]
    pub cache_creation_ephemeral_5m_input_tokens: Option<u64>,
    /// Input tokens written to the cache with a lifetime of one hour.
    #[serde(rename = "cacheCreationEphemeral1hInputTokens")]
    pub cache_creation_ephemeral_1h_input_tokens: Option<u64>,
    /// The model's name in the price table.
    pub canonical_model: Option<Box<str>>,
    /// The provider of the model, such as `firstParty` or `bedrock`.
    pub provider: Option<Box<str>>,
    /// The price list of the cost.
    pub cost_basis: Option<CostBasis>,
}

/// The price list of a cost (`costBasis`).
#[wire]
pub enum CostBasis {
    /// The CLI's own price list.
    List = "list",
    /// The price list in the organisation's settings.
    Managed = "managed",
    /// An estimate, since no price list applies.
    Unclassified = "unknown",
}
