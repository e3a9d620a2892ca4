//! Tokens and cost of one model.

use serde::{Deserialize, Serialize};

use crate::open_enum::open_enum;

/// Tokens and cost of one model (`modelUsage`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ModelUsage {
    /// Tokens read that no cache held.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub input_tokens: u64,
    /// Tokens written.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub output_tokens: u64,
    /// Tokens read from the cache.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub cache_read_input_tokens: u64,
    /// Tokens written to the cache.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub cache_creation_input_tokens: u64,
    /// Web searches made.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub web_search_requests: u64,
    /// Cost in US dollars, as the CLI estimates it.
    #[serde(rename = "costUSD", deserialize_with = "crate::lenient::amount")]
    pub cost_usd: f64,
    /// The model's context window, in tokens.
    #[serde(deserialize_with = "crate::lenient::optional_count")]
    pub context_window: Option<u64>,
    /// The most tokens that one answer may have.
    #[serde(deserialize_with = "crate::lenient::optional_count")]
    pub max_output_tokens: Option<u64>,
    /// Those of the tokens written that were thinking.
    #[serde(deserialize_with = "crate::lenient::optional_count")]
    pub thinking_tokens: Option<u64>,
    /// Those of the tokens written to the cache that it keeps for five minutes.
    #[serde(
        rename = "cacheCreationEphemeral5mInputTokens",
        deserialize_with = "crate::lenient::optional_count"
    )]
    pub cache_creation_ephemeral_5m_input_tokens: Option<u64>,
    /// Those of the tokens written to the cache that it keeps for an hour.
    #[serde(
        rename = "cacheCreationEphemeral1hInputTokens",
        deserialize_with = "crate::lenient::optional_count"
    )]
    pub cache_creation_ephemeral_1h_input_tokens: Option<u64>,
    /// The model's name in the price table.
    pub canonical_model: Option<Box<str>>,
    /// Who served the model, such as `firstParty` or `bedrock`.
    pub provider: Option<Box<str>>,
    /// Which prices the cost was made of.
    pub cost_basis: Option<CostBasis>,
}

open_enum! {
    /// Which prices a cost was made of (`costBasis`).
    pub enum CostBasis {
        /// Those that the CLI knows.
        List = "list",
        /// Those of the organisation's settings.
        Managed = "managed",
        /// A guess, since none fits.
        Unclassified = "unknown",
    }
}
