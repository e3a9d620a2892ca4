//! Which failures of the model's API there are.

use crate::open_enum::open_enum;

open_enum! {
    /// The kind of a failure of the model's API (`error`).
    pub enum AssistantError {
        /// No valid login.
        AuthenticationFailed = "authentication_failed",
        /// The organisation does not allow this way of logging in.
        OauthOrgNotAllowed = "oauth_org_not_allowed",
        /// The account is held back.
        AccountOnHold = "account_on_hold",
        /// The account must be verified first.
        VerificationRequired = "verification_required",
        /// The credentials of a cloud provider failed.
        CloudCredentialError = "cloud_credential_error",
        /// A problem with payment.
        BillingError = "billing_error",
        /// Too many requests.
        RateLimit = "rate_limit",
        /// The API can't take more load.
        Overloaded = "overloaded",
        /// The request was refused as malformed.
        InvalidRequest = "invalid_request",
        /// There is no such model.
        ModelNotFound = "model_not_found",
        /// The API failed.
        ServerError = "server_error",
        /// The answer was cut at its token limit.
        MaxOutputTokens = "max_output_tokens",
        /// Anything else.
        Unclassified = "unknown",
    }
}
