//! `system/model_…`: another model takes over, or none does.

use serde::{Deserialize, Serialize};

use crate::{Nullable, SessionId, Uuid, open_enum::open_enum};

/// The model was overloaded, and the fallback model takes over (`system/model_fallback`).
///
/// Not declared, seen on the wire.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ModelFallback {
    /// Why.
    #[serde(default = "crate::lenient::empty")]
    pub trigger: ModelFallbackTrigger,
    /// The model that was asked.
    #[serde(default)]
    pub original_model: Box<str>,
    /// The model that takes over.
    #[serde(default)]
    pub fallback_model: Box<str>,
    /// Words for a reader.
    pub content: Option<String>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

open_enum! {
    /// Why the fallback model takes over.
    pub enum ModelFallbackTrigger {
        /// The API can't take more load for that model.
        Overloaded = "overloaded",
    }
}

/// The model declined, and another one was asked instead (`system/model_refusal_fallback`).
///
/// It comes after the messages of the refused attempt were cancelled; see also
/// [`Assistant::supersedes`](crate::message::Assistant::supersedes).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ModelRefusalFallback {
    /// Why.
    #[serde(default = "crate::lenient::empty")]
    pub trigger: RefusalTrigger,
    /// Which way the model changed.
    #[serde(default = "crate::lenient::empty")]
    pub direction: FallbackDirection,
    /// How far the change reaches; absent means the session.
    pub scope: Option<FallbackScope>,
    /// The model that declined.
    #[serde(default)]
    pub original_model: Box<str>,
    /// The model that was asked instead.
    #[serde(default)]
    pub fallback_model: Box<str>,
    /// The id of the API request that was declined.
    #[serialize_always]
    pub request_id: Option<Box<str>>,
    /// The policy that the request fell under, such as `cyber`; `null` where none was named.
    /// It is a [`RefusalCategory`](crate::message::RefusalCategory) or a newer word.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub api_refusal_category: Nullable<Box<str>>,
    /// The API's words for a reader.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub api_refusal_explanation: Nullable<String>,
    /// The messages that no longer count; ids that are not known can be passed over.
    pub retracted_message_uuids: Option<Vec<Uuid>>,
    /// The prompt that was declined; `null` where no person wrote it.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub refused_user_message_uuid: Nullable<Uuid>,
    /// Words for a reader.
    #[serde(default)]
    pub content: String,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

open_enum! {
    /// Why another model was asked.
    pub enum RefusalTrigger {
        /// The model declined.
        Refusal = "refusal",
    }
}

open_enum! {
    /// Which way the model changed.
    pub enum FallbackDirection {
        /// To the fallback model, for one more attempt.
        Retry = "retry",
        /// Back to the first one; current CLIs don't send it.
        Revert = "revert",
        /// To the fallback model for good; current CLIs don't send it.
        Sticky = "sticky",
    }
}

open_enum! {
    /// How far a change of the model reaches.
    pub enum FallbackScope {
        /// The session goes on with the fallback model.
        Session = "session",
        /// Only this one answer, of a subagent or a side question, comes from it.
        Local = "local",
    }
}

/// The model declined, and no other one was asked (`system/model_refusal_no_fallback`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ModelRefusalNoFallback {
    /// The model that declined.
    #[serde(default)]
    pub original_model: Box<str>,
    /// The id of the API request that was declined.
    #[serialize_always]
    pub request_id: Option<Box<str>>,
    /// The policy that the request fell under, such as `cyber`; `null` where none was named.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub api_refusal_category: Nullable<Box<str>>,
    /// The API's words for a reader.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub api_refusal_explanation: Nullable<String>,
    /// The prompt that was declined; `null` where no person wrote it.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub refused_user_message_uuid: Nullable<Uuid>,
    /// Words for a reader; may be empty.
    #[serde(default)]
    pub content: String,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}
