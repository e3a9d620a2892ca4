//! What was used, as `/usage` tells it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{ModelUsage, Nullable};

/// What was used (`usage_report`), as `/usage` tells it; for accounts with a subscription.
///
/// Taken from the published declarations, which call it a trial; never seen.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct UsageReport {
    /// What the session used.
    pub session: UsageSession,
    /// The limits of the plan; `None` where they could not be found out.
    #[serde(default)]
    pub rate_limits: Option<UsageLimits>,
}

/// What a session used (`session`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct UsageSession {
    /// Cost in US dollars, as the CLI estimates it.
    pub total_cost_usd: f64,
    /// Time spent in API requests, in milliseconds.
    pub total_api_duration_ms: u64,
    /// Wall time, in milliseconds.
    pub total_duration_ms: u64,
    /// Lines of files that were added.
    pub total_lines_added: u64,
    /// Lines of files that were removed.
    pub total_lines_removed: u64,
    /// Tokens and cost by model.
    #[serde(default)]
    pub model_usage: BTreeMap<Box<str>, ModelUsage>,
}

/// The limits of a plan (`rate_limits`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct UsageLimits {
    /// One entry for each limit, as the server sent them; `None` where it sent none.
    #[serde(default)]
    pub limits: Option<Vec<UsageLimit>>,
    /// What was spent beyond the plan.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub extra_usage: Nullable<ExtraUsage>,
}

/// One limit of a plan (an item of `limits`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct UsageLimit {
    /// Which limit it is, such as `session` or `weekly_all`.
    pub kind: Box<str>,
    /// The heading that it stands under, such as `weekly`.
    pub group: Box<str>,
    /// How much is used, in percent.
    pub percent: f64,
    /// When it starts anew, as ISO 8601 text.
    #[serde(default)]
    pub resets_at: Option<Box<str>>,
    /// What it is for, where it is not for all.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub scope: Nullable<UsageLimitScope>,
    /// How bad it is, such as `normal`, `warning` or `critical`.
    pub severity: Box<str>,
    /// Whether it is the one to show, where there is room for one.
    pub is_active: bool,
}

/// What a limit is for (`scope`).
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct UsageLimitScope {
    /// A model.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub model: Nullable<UsageScopeName>,
    /// A program.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub surface: Nullable<UsageScopeName>,
}

/// The name of what a limit is for.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct UsageScopeName {
    /// The name for a reader.
    pub display_name: String,
}

/// What was spent beyond a plan (`extra_usage`), in the smallest unit of the currency.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ExtraUsage {
    /// Whether more can be spent.
    pub is_enabled: bool,
    /// The most that may be spent in a month.
    #[serde(default)]
    pub monthly_limit: Option<f64>,
    /// What was spent.
    #[serde(default)]
    pub used_credits: Option<f64>,
    /// The share of it.
    #[serde(default)]
    pub utilization: Option<f64>,
    /// The currency, such as `USD`.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub currency: Nullable<Box<str>>,
}
