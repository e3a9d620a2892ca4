//! What a session used, and what was spent beyond the plan: what `get_usage` and a `/usage` result both tell.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ModelUsage;
use crate::Nullable;

/// What a session has used (`session`).
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SessionUsage {
    /// Its cost in US dollars, as the CLI estimates it.
    #[serde(deserialize_with = "crate::lenient::amount")]
    pub total_cost_usd: f64,
    /// How long it waited for the API, in milliseconds.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub total_api_duration_ms: u64,
    /// How long it has lasted, in milliseconds.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub total_duration_ms: u64,
    /// Lines that it added to files.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub total_lines_added: u64,
    /// Lines that it took from files.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub total_lines_removed: u64,
    /// Tokens and cost by model.
    pub model_usage: BTreeMap<Box<str>, ModelUsage>,
}

/// Use beyond a plan (`extra_usage`), in the smallest unit of the currency.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ExtraUsage {
    /// Whether it is allowed.
    #[serde(default)]
    pub is_enabled: bool,
    /// The most in a month.
    pub monthly_limit: Option<f64>,
    /// How much is used.
    pub used_credits: Option<f64>,
    /// The same, in percent.
    pub utilization: Option<f64>,
    /// The currency of the two amounts, such as `USD`.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub currency: Nullable<Box<str>>,
}
