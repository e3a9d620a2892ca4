//! `usage_report`: the usage, as `/usage` shows it.

use crate::{
    Nullable,
    usage::{ExtraUsage, SessionUsage},
};

/// The usage (`usage_report`), as `/usage` shows it; for accounts with a subscription.
///
/// Declared as experimental, never seen.
#[wire(nulls, tolerant)]
pub struct UsageReport {
    /// The usage of the session.
    pub session: SessionUsage,
    /// The limits of the plan; `None` if unknown.
    pub rate_limits: Option<UsageLimits>,
}

/// The limits of a plan (`rate_limits`).
#[wire(nulls)]
pub struct UsageLimits {
    /// One entry per limit, as the server sent them; `None` if it sent none.
    pub limits: Option<Vec<UsageLimit>>,
    /// Extra usage beyond the plan.
    pub extra_usage: Nullable<ExtraUsage>,
}

/// One limit of a plan (an item of `limits`).
#[wire(nulls, tolerant)]
pub struct UsageLimit {
    /// The limit, such as `session` or `weekly_all`.
    #[required]
    pub kind: Box<str>,
    /// The group to display it in, such as `weekly`.
    pub group: Box<str>,
    /// The utilization in percent.
    pub percent: f64,
    /// The time of the reset, as ISO 8601 text.
    pub resets_at: Option<Box<str>>,
    /// The scope, if the limit does not apply to everything.
    pub scope: Nullable<UsageLimitScope>,
    /// The severity, such as `normal`, `warning` or `critical`.
    pub severity: Box<str>,
    /// Whether to show this limit if there is only space for one.
    pub is_active: bool,
}

/// The scope of a limit (`scope`).
#[wire(Default)]
pub struct UsageLimitScope {
    /// A model.
    pub model: Nullable<UsageScopeName>,
    /// A client program.
    pub surface: Nullable<UsageScopeName>,
}

/// The name of a scope.
#[wire(tolerant)]
pub struct UsageScopeName {
    /// The display name.
    pub display_name: String,
}
