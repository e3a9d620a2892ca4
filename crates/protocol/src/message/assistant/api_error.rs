//! What belongs to the cause of an API error.

use serde::{Deserialize, Serialize};

use crate::{message::RateLimitInfo, open_enum::open_enum};

/// What belongs to the cause of an API error (`api_error_params`): each field to a few causes.
///
/// Not declared, seen on the wire with the two fields on media; the others are those that the CLI checks.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ApiErrorParams {
    /// The effort that the model does not have without thinking.
    pub effort: Option<Box<str>>,
    /// Whose login failed.
    pub provider: Option<ApiErrorProvider>,
    /// What helps the login.
    pub remedy: Option<CredentialRemedy>,
    /// What kind of block was refused.
    pub media: Option<RefusedMedia>,
    /// Why it was.
    pub media_reason: Option<RefusedMediaReason>,
    /// The limit that was reached.
    pub rate_limit_info: Option<Box<RateLimitInfo>>,
    /// What cut the answer off.
    pub cut: Option<CutReason>,
}

open_enum! {
    /// Whose login failed (`provider`).
    pub enum ApiErrorProvider {
        /// Amazon Bedrock.
        Bedrock = "bedrock",
        /// The vendor's API on AWS.
        AnthropicAws = "anthropicAws",
        /// The one that the CLI calls so.
        Mantle = "mantle",
        /// The vendor's API on Google Cloud.
        AnthropicGoogleCloud = "anthropicGoogleCloud",
        /// Google's Vertex AI.
        Vertex = "vertex",
        /// Microsoft's Foundry.
        Foundry = "foundry",
        /// A gateway.
        Gateway = "gateway",
    }
}

open_enum! {
    /// What helps a login that failed (`remedy`).
    pub enum CredentialRemedy {
        /// The command of the settings that gets new credentials.
        RefreshCommand = "refresh_command",
        /// New credentials, got by hand.
        RefreshCredentials = "refresh_credentials",
        /// New default credentials of Google's.
        Adc = "adc",
        /// Another token for the gateway in the environment.
        GatewayToken = "gateway_token",
        /// The host has the credentials.
        HostManaged = "host_managed",
        /// The account needs the model.
        ModelAccess = "model_access",
    }
}

open_enum! {
    /// A kind of block that the API refused (`media`).
    pub enum RefusedMedia {
        /// An image.
        Image = "image",
        /// A document.
        Document = "document",
    }
}

open_enum! {
    /// Why the API refused a block (`media_reason`).
    pub enum RefusedMediaReason {
        /// It could not be read.
        Unprocessable = "unprocessable",
        /// The model takes no such blocks.
        UnsupportedByModel = "unsupported_by_model",
        /// The blocks of the request are too large together.
        MediaBudget = "media_budget",
    }
}

open_enum! {
    /// What cut an answer off (`cut`).
    pub enum CutReason {
        /// The limit of its length.
        OutputLimit = "output_limit",
        /// The context window.
        ContextWindow = "context_window",
    }
}
