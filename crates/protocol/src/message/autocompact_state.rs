//! `autocompact_state`: when the conversation will be compacted.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid};

/// When the conversation will be compacted by itself (`autocompact_state`).
///
/// Not declared, seen on the wire.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct AutocompactState {
    /// The rule that holds.
    #[serialize_always]
    pub value: Option<Autocompact>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

/// When a conversation is compacted by itself.
///
/// Not declared, seen on the wire.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Autocompact {
    /// Whether it is at all.
    pub enabled: bool,
    /// The context window that counts, in tokens.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub effective_window: Option<u64>,
    /// From how many tokens on.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub threshold: Option<u64>,
    /// Whether it happens without being asked for.
    pub enforced: Option<bool>,
    /// Where the rule comes from, such as `model-default`.
    pub source: Option<Box<str>>,
}
