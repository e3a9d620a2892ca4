//! `system/model_…`: fallbacks to another model.

use crate::{Nullable, Uuid, message::RefusalCategory};

/// The model was overloaded, and the fallback model continues (`system/model_fallback`).
///
/// Not declared, seen on the wire.
#[wire(tolerant, message)]
pub struct ModelFallback {
    /// The trigger.
    #[serde(default = "crate::lenient::empty")]
    pub trigger: ModelFallbackTrigger,
    /// The original model.
    pub original_model: Box<str>,
    /// The fallback model.
    pub fallback_model: Box<str>,
    /// A message for display.
    pub content: Option<String>,
}

/// The trigger of a fallback.
#[wire]
pub enum ModelFallbackTrigger {
    /// The API is overloaded for the original model.
    Overloaded = "overloaded",
}

/// The model declined, and another model was used (`system/model_refusal_fallback`).
///
/// Sent after the messages of the refused attempt were retracted; see also
/// [`Assistant::supersedes`](crate::message::Assistant::supersedes).
#[wire(tolerant, message)]
pub struct ModelRefusalFallback {
    /// The trigger.
    #[serde(default = "crate::lenient::empty")]
    pub trigger: RefusalTrigger,
    /// The direction of the change.
    #[serde(default = "crate::lenient::empty")]
    pub direction: FallbackDirection,
    /// The scope of the change; absent means the session.
    pub scope: Option<FallbackScope>,
    /// The model that declined.
    pub original_model: Box<str>,
    /// The fallback model.
    pub fallback_model: Box<str>,
    /// The id of the declined API request.
    #[serialize_always]
    pub request_id: Option<Box<str>>,
    /// The refusal category; `null` if unnamed.
    pub api_refusal_category: Nullable<RefusalCategory>,
    /// The API's message for display.
    pub api_refusal_explanation: Nullable<String>,
    /// The retracted messages; ignore unknown ids.
    pub retracted_message_uuids: Option<Vec<Uuid>>,
    /// The declined prompt; `null` if no person wrote it.
    pub refused_user_message_uuid: Nullable<Uuid>,
    /// A message for display.
    pub content: String,
}

/// The trigger of a refusal fallback.
#[wire]
pub enum RefusalTrigger {
    /// The model declined.
    Refusal = "refusal",
}

/// The direction of a model change.
#[wire]
pub enum FallbackDirection {
    /// To the fallback model, for one attempt.
    Retry = "retry",
    /// Back to the original model; current CLIs don't send it.
    Revert = "revert",
    /// To the fallback model permanently; current CLIs don't send it.
    Sticky = "sticky",
}

/// The scope of a model change.
#[wire]
pub enum FallbackScope {
    /// The session continues with the fallback model.
    Session = "session",
    /// Only this answer of a subagent or a side question.
    Local = "local",
}

/// The model declined, and no other model was used (`system/model_refusal_no_fallback`).
#[wire(tolerant, message)]
pub struct ModelRefusalNoFallback {
    /// The model that declined.
    pub original_model: Box<str>,
    /// The id of the declined API request.
    #[serialize_always]
    pub request_id: Option<Box<str>>,
    /// The refusal category; `null` if unnamed.
    pub api_refusal_category: Nullable<RefusalCategory>,
    /// The API's message for display.
    pub api_refusal_explanation: Nullable<String>,
    /// The declined prompt; `null` if no person wrote it.
    pub refused_user_message_uuid: Nullable<Uuid>,
    /// A message for display; may be empty.
    pub content: String,
}
