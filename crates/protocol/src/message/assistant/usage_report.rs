//! What was used, as `/usage` tells it.

use serde::{Deserialize, Serialize};

use crate::{
    Nullable,
    usage::{ExtraUsage, SessionUsage},
};

/// What was used (`usage_report`), as `/usage` tells it; for accounts with a subscription.
///
/// Taken from the published declarations, which call it a trial; never seen.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct UsageReport {
    /// What the session used.
    #[serde(default)]
    pub session: SessionUsage,
    /// The limits of the plan; `None` where they could not be found out.
    pub rate_limits: Option<UsageLimits>,
}

/// The limits of a plan (`rate_limits`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct UsageLimits {
    /// One entry for each limit, as the server sent them; `None` where it sent none.
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
    #[serde(default)]
    pub group: Box<str>,
    /// How much is used, in percent.
    #[serde(default, deserialize_with = "crate::lenient::amount")]
    pub percent: f64,
    /// When it starts anew, as ISO 8601 text.
    pub resets_at: Option<Box<str>>,
    /// What it is for, where it is not for all.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub scope: Nullable<UsageLimitScope>,
    /// How bad it is, such as `normal`, `warning` or `critical`.
    #[serde(default)]
    pub severity: Box<str>,
    /// Whether it is the one to show, where there is room for one.
    #[serde(default)]
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
    #[serde(default)]
    pub display_name: String,
}
