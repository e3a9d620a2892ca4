//! The usage of a session and the extra usage of an account, as in `get_usage` and the result of `/usage`.

use std::collections::BTreeMap;

use super::ModelUsage;
use crate::Nullable;

/// The usage of a session (`session`).
#[wire(Default, tolerant)]
pub struct SessionUsage {
    /// The cost in US dollars, as the CLI estimates it.
    pub total_cost_usd: f64,
    /// The time spent waiting for the API, in milliseconds.
    pub total_api_duration_ms: u64,
    /// The duration of the session, in milliseconds.
    pub total_duration_ms: u64,
    /// Lines added to files.
    pub total_lines_added: u64,
    /// Lines removed from files.
    pub total_lines_removed: u64,
    /// Token counts and cost by model.
    pub model_usage: BTreeMap<Box<str>, ModelUsage>,
}

/// Extra usage beyond a plan (`extra_usage`), in the smallest unit of the currency.
#[wire(Default, nulls, tolerant)]
pub struct ExtraUsage {
    /// Whether extra usage is enabled.
    pub is_enabled: bool,
    /// The monthly limit.
    pub monthly_limit: Option<f64>,
    /// The amount used.
    pub used_credits: Option<f64>,
    /// The amount used, in percent.
    pub utilization: Option<f64>,
    /// The currency of both amounts, such as `USD`.
    pub currency: Nullable<Box<str>>,
}
