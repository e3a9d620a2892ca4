//! `rate_limit_event`: where the account stands.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid, open_enum::open_enum};

/// Where the account stands against its rate limits (`rate_limit_event`), for accounts with a subscription.
///
/// Taken from the published declarations; a scripted model never causes one.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct RateLimitEvent {
    /// The standing.
    #[serde(default)]
    pub rate_limit_info: RateLimitInfo,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

/// The standing against one limit (`rate_limit_info`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct RateLimitInfo {
    /// Whether requests pass.
    pub status: RateLimitStatus,
    /// When the limit starts anew, in seconds since 1970.
    pub resets_at: Option<f64>,
    /// Which limit it is.
    pub rate_limit_type: Option<RateLimitType>,
    /// The share that is used, from 0 to 1.
    pub utilization: Option<f64>,
    /// Whether requests pass beyond the limit.
    pub overage_status: Option<RateLimitStatus>,
    /// When the limit of that starts anew, in seconds since 1970.
    pub overage_resets_at: Option<f64>,
    /// Why no request passes beyond the limit.
    pub overage_disabled_reason: Option<OverageDisabledReason>,
    /// Whether requests go beyond the limit now.
    pub is_using_overage: Option<bool>,
    /// Whether usage beyond the limit is being paid for.
    pub overage_in_use: Option<bool>,
    /// Whether usage beyond the limit is turned on.
    pub overage_enabled: Option<bool>,
    /// The share whose passing caused this frame.
    pub surpassed_threshold: Option<f64>,
    /// Whose limit it is; absent for the member's own.
    pub limit_scope: Option<LimitScope>,
    /// What is needed to go on.
    pub error_code: Option<RateLimitErrorCode>,
    /// Whether the user may buy more.
    pub can_user_purchase_credits: Option<bool>,
    /// Whether there is a way to pay for it.
    pub has_chargeable_saved_payment_method: Option<bool>,
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

open_enum! {
    /// Which limit it is (`rateLimitType`).
    pub enum RateLimitType {
        /// That of five hours.
        FiveHour = "five_hour",
        /// That of a week.
        SevenDay = "seven_day",
        /// That of a week for Opus.
        SevenDayOpus = "seven_day_opus",
        /// That of a week for Sonnet.
        SevenDaySonnet = "seven_day_sonnet",
        /// That of a week, with what lies beyond.
        SevenDayOverageIncluded = "seven_day_overage_included",
        /// That of what lies beyond.
        Overage = "overage",
    }
}

open_enum! {
    /// Why no request passes beyond a limit (`overageDisabledReason`).
    pub enum OverageDisabledReason {
        /// It was never set up.
        NotProvisioned = "overage_not_provisioned",
        /// The organisation turned it off.
        OrgLevelDisabled = "org_level_disabled",
        /// The organisation turned it off for some time.
        OrgLevelDisabledUntil = "org_level_disabled_until",
        /// Nothing is left.
        OutOfCredits = "out_of_credits",
        /// It is off for seats of this kind.
        SeatTierLevelDisabled = "seat_tier_level_disabled",
        /// It is off for the member.
        MemberLevelDisabled = "member_level_disabled",
        /// Seats of this kind may spend nothing.
        SeatTierZeroCreditLimit = "seat_tier_zero_credit_limit",
        /// The group may spend nothing.
        GroupZeroCreditLimit = "group_zero_credit_limit",
        /// The member may spend nothing.
        MemberZeroCreditLimit = "member_zero_credit_limit",
        /// The organisation turned it off for this service.
        OrgServiceLevelDisabled = "org_service_level_disabled",
        /// No limit was set.
        NoLimitsConfigured = "no_limits_configured",
        /// It could not be found out.
        FetchError = "fetch_error",
        /// Anything else.
        Unclassified = "unknown",
    }
}

open_enum! {
    /// Whose limit it is (`limitScope`).
    pub enum LimitScope {
        /// The service's.
        Service = "service",
        /// The channel's.
        Channel = "channel",
        /// That of a group which shares a budget.
        GroupPool = "group_pool",
    }
}

open_enum! {
    /// What is needed to go on (`errorCode`).
    pub enum RateLimitErrorCode {
        /// More must be bought.
        CreditsRequired = "credits_required",
    }
}

/// The empty string, as where the CLI does not say it.
impl Default for RateLimitStatus {
    fn default() -> Self {
        Self::from("")
    }
}
