//! Parameters of an API error.

use crate::{account::ApiProvider, message::RateLimitInfo};

/// The parameters of an API error (`api_error_params`): each cause uses a few of the fields.
///
/// Not declared; the two media fields were seen on the wire, the others are those that the CLI checks.
#[wire(Default)]
pub struct ApiErrorParams {
    /// The effort level that the model does not support without thinking.
    pub effort: Option<Box<str>>,
    /// The provider that rejected the login.
    pub provider: Option<ApiProvider>,
    /// The remedy for the login.
    pub remedy: Option<CredentialRemedy>,
    /// The kind of the rejected block.
    pub media: Option<RefusedMedia>,
    /// The reason for the rejection.
    pub media_reason: Option<RefusedMediaReason>,
    /// The limit that was reached.
    pub rate_limit_info: Option<Box<RateLimitInfo>>,
    /// The limit that cut the answer off.
    pub cut: Option<CutReason>,
}

/// The remedy for a failed login (`remedy`).
#[wire]
pub enum CredentialRemedy {
    /// Run the settings' command that refreshes credentials.
    RefreshCommand = "refresh_command",
    /// Refresh the credentials manually.
    RefreshCredentials = "refresh_credentials",
    /// Refresh Google's application default credentials.
    Adc = "adc",
    /// Replace the gateway token in the environment.
    GatewayToken = "gateway_token",
    /// The host manages the credentials.
    HostManaged = "host_managed",
    /// Request access to the model for the account.
    ModelAccess = "model_access",
}

/// The kind of a block that the API rejected (`media`).
#[wire]
pub enum RefusedMedia {
    /// An image.
    Image = "image",
    /// A document.
    Document = "document",
}

/// The reason why the API rejected a block (`media_reason`).
#[wire]
pub enum RefusedMediaReason {
    /// The block could not be processed.
    Unprocessable = "unprocessable",
    /// The model does not support such blocks.
    UnsupportedByModel = "unsupported_by_model",
    /// The blocks of the request are too large in total.
    MediaBudget = "media_budget",
}

/// The limit that cut an answer off (`cut`).
#[wire]
pub enum CutReason {
    /// The output limit.
    OutputLimit = "output_limit",
    /// The context window.
    ContextWindow = "context_window",
}
