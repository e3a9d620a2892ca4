//! Token counts.

use serde::{Deserialize, Serialize};

/// Tokens of an answer or a turn (`usage`), as the model's API counts them.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens read that no cache held.
    #[serde(default)]
    pub input_tokens: u64,
    /// Tokens written.
    #[serde(default)]
    pub output_tokens: u64,
    /// Tokens written to the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_creation_input_tokens: Option<u64>,
    /// Tokens read from the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read_input_tokens: Option<u64>,
    /// The tier that served the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_tier: Option<Box<str>>,
}

/// Tokens and cost of one model (`modelUsage`).
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelUsage {
    /// Tokens read that no cache held.
    #[serde(default)]
    pub input_tokens: u64,
    /// Tokens written.
    #[serde(default)]
    pub output_tokens: u64,
    /// Tokens read from the cache.
    #[serde(default)]
    pub cache_read_input_tokens: u64,
    /// Tokens written to the cache.
    #[serde(default)]
    pub cache_creation_input_tokens: u64,
    /// Web searches made.
    #[serde(default)]
    pub web_search_requests: u64,
    /// Cost in US dollars, as the CLI estimates it.
    #[serde(rename = "costUSD", default)]
    pub cost_usd: f64,
    /// The model's context window, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// The most tokens that one answer may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
}
