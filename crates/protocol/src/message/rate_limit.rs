//! `rate_limit_event`: the account's rate limits.

/// The account's rate limits (`rate_limit_event`), for accounts with a subscription.
///
/// Declared; a scripted model does not trigger it.
#[wire(tolerant, message)]
pub struct RateLimitEvent {
    /// The state of the limit.
    pub rate_limit_info: RateLimitInfo,
}

/// The state of a rate limit (`rate_limit_info`).
#[wire(Default, camelCase, tolerant)]
pub struct RateLimitInfo {
    /// Whether requests are allowed.
    pub status: RateLimitStatus,
    /// The time of the reset, in seconds since 1970.
    pub resets_at: Option<f64>,
    /// The kind of limit.
    pub rate_limit_type: Option<RateLimitType>,
    /// The share that is used, from 0 to 1.
    pub utilization: Option<f64>,
    /// Whether requests beyond the limit are allowed.
    pub overage_status: Option<RateLimitStatus>,
    /// The time of the reset of the overage limit, in seconds since 1970.
    pub overage_resets_at: Option<f64>,
    /// The reason why overage is disabled.
    pub overage_disabled_reason: Option<OverageDisabledReason>,
    /// Whether current requests use overage.
    pub is_using_overage: Option<bool>,
    /// Whether overage is being paid for.
    pub overage_in_use: Option<bool>,
    /// Whether overage is enabled.
    pub overage_enabled: Option<bool>,
    /// The threshold that was exceeded and caused this frame.
    pub surpassed_threshold: Option<f64>,
    /// The scope of the limit; absent for the member's own limit.
    pub limit_scope: Option<LimitScope>,
    /// The action needed to continue.
    pub error_code: Option<RateLimitErrorCode>,
    /// Whether the user may buy credits.
    pub can_user_purchase_credits: Option<bool>,
    /// Whether a saved payment method can be charged.
    pub has_chargeable_saved_payment_method: Option<bool>,
}

/// The status of a rate limit.
#[wire]
pub enum RateLimitStatus {
    /// Requests are allowed.
    Allowed = "allowed",
    /// Requests are allowed, but the limit is near.
    AllowedWarning = "allowed_warning",
    /// Requests are rejected.
    Rejected = "rejected",
}

/// The kind of limit (`rateLimitType`).
#[wire]
pub enum RateLimitType {
    /// The five-hour limit.
    FiveHour = "five_hour",
    /// The weekly limit.
    SevenDay = "seven_day",
    /// The weekly limit for Opus.
    SevenDayOpus = "seven_day_opus",
    /// The weekly limit for Sonnet.
    SevenDaySonnet = "seven_day_sonnet",
    /// The weekly limit including overage.
    SevenDayOverageIncluded = "seven_day_overage_included",
    /// The overage limit.
    Overage = "overage",
}

/// The reason why overage is disabled (`overageDisabledReason`).
#[wire]
pub enum OverageDisabledReason {
    /// Overage was not provisioned.
    NotProvisioned = "overage_not_provisioned",
    /// The organisation disabled it.
    OrgLevelDisabled = "org_level_disabled",
    /// The organisation disabled it temporarily.
    OrgLevelDisabledUntil = "org_level_disabled_until",
    /// No credits are left.
    OutOfCredits = "out_of_credits",
    /// It is disabled for this seat tier.
    SeatTierLevelDisabled = "seat_tier_level_disabled",
    /// It is disabled for the member.
    MemberLevelDisabled = "member_level_disabled",
    /// The credit limit of this seat tier is zero.
    SeatTierZeroCreditLimit = "seat_tier_zero_credit_limit",
    /// The credit limit of the group is zero.
    GroupZeroCreditLimit = "group_zero_credit_limit",
    /// The credit limit of the member is zero.
    MemberZeroCreditLimit = "member_zero_credit_limit",
    /// The organisation disabled it for this service.
    OrgServiceLevelDisabled = "org_service_level_disabled",
    /// No limits are configured.
    NoLimitsConfigured = "no_limits_configured",
    /// The reason could not be fetched.
    FetchError = "fetch_error",
    /// Anything else.
    Unclassified = "unknown",
}

/// The scope of a limit (`limitScope`).
#[wire]
pub enum LimitScope {
    /// The service.
    Service = "service",
    /// The channel.
    Channel = "channel",
    /// A group with a shared budget.
    GroupPool = "group_pool",
}

/// The action needed to continue (`errorCode`).
#[wire]
pub enum RateLimitErrorCode {
    /// Credits must be bought.
    CreditsRequired = "credits_required",
}

/// Returns the empty string, for a missing field.
impl Default for RateLimitStatus {
    fn default() -> Self {
        Self::from("")
    }
}
