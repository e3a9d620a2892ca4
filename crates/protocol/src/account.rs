//! Who is logged in, and whose API is asked.

use serde::{Deserialize, Serialize};

use crate::open_enum::open_enum;

/// Who is logged in (`account` of the handshake).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AccountInfo {
    /// The user's address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<Box<str>>,
    /// The user's organisation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub organization: Option<Box<str>>,
    /// The plan that is paid for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription_type: Option<Box<str>>,
    /// Where the login's token came from; `none` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_source: Option<Box<str>>,
    /// Where the API key came from, such as `ANTHROPIC_API_KEY`; `none` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key_source: Option<Box<str>>,
    /// Whose API is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_provider: Option<ApiProvider>,
}

open_enum! {
    /// Whose API is asked (`apiProvider`).
    pub enum ApiProvider {
        /// Anthropic's own.
        FirstParty = "firstParty",
        /// Amazon Bedrock.
        Bedrock = "bedrock",
        /// Google Vertex AI.
        Vertex = "vertex",
        /// Microsoft Foundry.
        Foundry = "foundry",
        /// Anthropic's, by way of AWS.
        AnthropicAws = "anthropicAws",
        /// Anthropic's, by way of Google Cloud.
        AnthropicGoogleCloud = "anthropicGoogleCloud",
        /// Amazon's newer one.
        Mantle = "mantle",
        /// A gateway of the organisation's.
        Gateway = "gateway",
    }
}
