//! Who is logged in, and whose API is asked.

use serde::{Deserialize, Serialize};

use crate::open_enum::open_enum;

/// Who is logged in (`account` of the handshake).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AccountInfo {
    /// The user's address.
    pub email: Option<Box<str>>,
    /// The user's organisation.
    pub organization: Option<Box<str>>,
    /// The plan that is paid for.
    pub subscription_type: Option<Box<str>>,
    /// Where the login's token came from; `none` without one.
    pub token_source: Option<Box<str>>,
    /// Where the API key came from, such as `ANTHROPIC_API_KEY`; `none` without one.
    pub api_key_source: Option<Box<str>>,
    /// Whose API is asked.
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
