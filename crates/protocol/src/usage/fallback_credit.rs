//! `fallback_credit`: credits for requests that are repeated on another model after a refusal.

use crate::Nullable;

/// Whether the credit was redeemed (`status`).
#[wire(tag = "type")]
pub enum CreditStatus {
    /// Redeemed: the cold cache costs nothing extra.
    Redeemed(CreditRedeemed) = "redeemed",
    /// Not redeemed.
    NotApplied(Box<CreditNotApplied>) = "not_applied",
}

/// The outcome of the credit token that an earlier refusal contained (`fallback_credit`).
#[wire]
pub struct FallbackCredit {
    /// Whether the credit was redeemed.
    pub status: CreditStatus,
}

/// The credit was redeemed.
#[wire(Copy, Default, Eq)]
pub struct CreditRedeemed {}

/// The credit was not redeemed (`not_applied`).
#[wire]
pub struct CreditNotApplied {
    /// The reason.
    pub reason: CreditRefusal,
    /// The fields of the request that must be removed to redeem it.
    pub remove_to_redeem: Nullable<Vec<Box<str>>>,
}

/// The reason why a credit was not redeemed.
#[wire]
pub enum CreditRefusal {
    /// The request differs from the refused one.
    BodyMismatch = "body_mismatch",
    /// The credit does not apply to the continuation of a partial answer.
    ContinuationExcluded = "continuation_excluded",
    /// The credit only applies to the continuation of a partial answer.
    ContinuationOnly = "continuation_only",
    /// The credit expired.
    Expired = "expired",
    /// The credit does not apply to this model.
    InvalidTargetModel = "invalid_target_model",
    /// Credits are not enabled for the account.
    NotEnabled = "not_enabled",
    /// The price could not be adjusted.
    RepriceUnavailable = "reprice_unavailable",
    /// The check is temporarily unavailable.
    TemporarilyUnavailable = "temporarily_unavailable",
    /// The request has fields that exclude credits.
    VariantFieldsPresent = "variant_fields_present",
    /// The credit belongs to another organisation.
    WrongOrganization = "wrong_organization",
    /// The credit belongs to another platform.
    WrongPlatform = "wrong_platform",
    /// The credit belongs to another workspace.
    WrongWorkspace = "wrong_workspace",
}
