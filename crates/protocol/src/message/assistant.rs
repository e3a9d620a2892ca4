//! `assistant`: what the model said.

use serde::{Deserialize, Serialize};

use crate::{Block, RawJson, SessionId, ToolUseId, Usage, Uuid, open_enum::open_enum};

/// One content block of the model's answer (`assistant`), complete.
///
/// The CLI sends one frame for each block, all with the same `message.id`, before the block's `content_block_stop`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Assistant {
    /// The answer, holding this block alone.
    pub message: ApiMessage,
    /// The tool use whose subagent said it; `None` for the main conversation.
    #[serde(default)]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The kind of failure that this text stands for, where the model's API failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<AssistantError>,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uuid: Option<Uuid>,
    /// The id of the API request that gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<Box<str>>,
    /// When it was made, as ISO 8601 text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Box<str>>,
    /// Whether the text stands for an API error; not declared, seen on the wire.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_api_error_message: bool,
}

/// A message of the model's API (`message` of an `assistant` frame).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ApiMessage {
    /// The API's id, the same for every block of one answer.
    pub id: Box<str>,
    /// The model that answered.
    pub model: Box<str>,
    /// The blocks; one for each frame of an answer that streams.
    pub content: Vec<Block>,
    /// Why the model stopped; `None` while the answer streams.
    #[serde(default)]
    pub stop_reason: Option<Box<str>>,
    /// Tokens, as far as they are counted by then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What the API did about a long context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_management: Option<RawJson>,
}

open_enum! {
    /// The kind of a failure of the model's API.
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
