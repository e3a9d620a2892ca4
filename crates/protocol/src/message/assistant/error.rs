//! Kinds of API failures.

/// The kind of an API failure (`error`).
#[wire]
pub enum AssistantError {
    /// The login is invalid.
    AuthenticationFailed = "authentication_failed",
    /// The organisation does not allow this way of logging in.
    OauthOrgNotAllowed = "oauth_org_not_allowed",
    /// The account is on hold.
    AccountOnHold = "account_on_hold",
    /// The account must be verified first.
    VerificationRequired = "verification_required",
    /// The credentials of a cloud provider failed.
    CloudCredentialError = "cloud_credential_error",
    /// A billing problem.
    BillingError = "billing_error",
    /// Too many requests.
    RateLimit = "rate_limit",
    /// The API is overloaded.
    Overloaded = "overloaded",
    /// The request was rejected as invalid.
    InvalidRequest = "invalid_request",
    /// The model does not exist.
    ModelNotFound = "model_not_found",
    /// The API failed.
    ServerError = "server_error",
    /// The answer reached its token limit.
    MaxOutputTokens = "max_output_tokens",
    /// Anything else.
    Unclassified = "unknown",
}
