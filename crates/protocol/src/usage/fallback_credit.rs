//! What became of the code that a refusal had given for the next request.

use serde::{Deserialize, Serialize};

use crate::{Nullable, open_enum::open_enum, tagged::tagged};

tagged! {
    /// Whether the code was taken (`status`).
    pub enum CreditStatus by "type" {
        /// It was: the cold cache costs nothing extra.
        Redeemed(CreditRedeemed) = "redeemed",
        /// It was not.
        NotApplied(Box<CreditNotApplied>) = "not_applied",
    }
}

/// What became of the code that a refusal had given for the next request (`fallback_credit`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct FallbackCredit {
    /// Whether it was taken.
    pub status: CreditStatus,
}

/// The code was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct CreditRedeemed {}

/// The code was not taken (`not_applied`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct CreditNotApplied {
    /// Why not.
    pub reason: CreditRefusal,
    /// The fields of the request that kept it from being taken.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub remove_to_redeem: Nullable<Vec<Box<str>>>,
}

open_enum! {
    /// Why a code was not taken.
    pub enum CreditRefusal {
        /// The request is another one.
        BodyMismatch = "body_mismatch",
        /// It is not for going on from a partial answer.
        ContinuationExcluded = "continuation_excluded",
        /// It is for going on from a partial answer alone.
        ContinuationOnly = "continuation_only",
        /// It came too late.
        Expired = "expired",
        /// It is not for that model.
        InvalidTargetModel = "invalid_target_model",
        /// The account can't use such codes.
        NotEnabled = "not_enabled",
        /// The price could not be changed.
        RepriceUnavailable = "reprice_unavailable",
        /// It could not be looked at just now.
        TemporarilyUnavailable = "temporarily_unavailable",
        /// The request has fields that such codes can't go with.
        VariantFieldsPresent = "variant_fields_present",
        /// It was given to another organisation.
        WrongOrganization = "wrong_organization",
        /// It was given on another platform.
        WrongPlatform = "wrong_platform",
        /// It was given in another workspace.
        WrongWorkspace = "wrong_workspace",
    }
}
