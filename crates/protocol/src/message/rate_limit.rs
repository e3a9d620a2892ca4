//! `rate_limit_event`: where the account stands.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid, open_enum::open_enum};

/// Where the account stands against its rate limits (`rate_limit_event`).
///
/// Taken from the published declarations; a scripted model never causes one.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct RateLimitEvent {
    /// The standing.
    pub rate_limit_info: RateLimitInfo,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uuid: Option<Uuid>,
}

/// The standing against one limit (`rate_limit_info`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RateLimitInfo {
    /// Whether requests pass.
    pub status: RateLimitStatus,
    /// When the limit starts anew, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resets_at: Option<f64>,
    /// Which limit it is, such as `five_hour`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit_type: Option<Box<str>>,
    /// The share that is used, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utilization: Option<f64>,
    /// Whether requests pass beyond the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overage_status: Option<RateLimitStatus>,
}

open_enum! {
    /// Whether requests pass.
    pub enum RateLimitStatus {
        /// They do.
        Allowed = "allowed",
        /// They do, but the limit is near.
        AllowedWarning = "allowed_warning",
        /// They do not.
        Rejected = "rejected",
    }
}
