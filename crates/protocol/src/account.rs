//! The logged-in account and the API provider.

/// The logged-in account (`account` of the handshake).
#[wire(Default, Eq, camelCase)]
pub struct AccountInfo {
    /// The user's email address.
    pub email: Option<Box<str>>,
    /// The user's organisation.
    pub organization: Option<Box<str>>,
    /// The subscription plan.
    pub subscription_type: Option<Box<str>>,
    /// The source of the login token; `none` without a token.
    pub token_source: Option<Box<str>>,
    /// The source of the API key, such as `ANTHROPIC_API_KEY`; `none` without a key.
    pub api_key_source: Option<Box<str>>,
    /// The API provider.
    pub api_provider: Option<ApiProvider>,
}

/// The API provider (`apiProvider`).
#[wire]
pub enum ApiProvider {
    /// Anthropic's API.
    FirstParty = "firstParty",
    /// Amazon Bedrock.
    Bedrock = "bedrock",
    /// Google Vertex AI.
    Vertex = "vertex",
    /// Microsoft Foundry.
    Foundry = "foundry",
    /// Anthropic's API through AWS.
    AnthropicAws = "anthropicAws",
    /// Anthropic's API through Google Cloud.
    AnthropicGoogleCloud = "anthropicGoogleCloud",
    /// Amazon's newer endpoint.
    Mantle = "mantle",
    /// A gateway of the organisation.
    Gateway = "gateway",
}
