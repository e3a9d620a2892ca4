//! `autocompact_state`: the state of automatic compaction.

use crate::{SessionId, Uuid};

/// The state of automatic compaction (`autocompact_state`).
///
/// Not declared, seen on the wire.
#[wire]
pub struct AutocompactState {
    /// The configuration.
    #[serialize_always]
    pub value: Option<Autocompact>,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
}

/// The configuration of automatic compaction.
///
/// Not declared, seen on the wire.
#[wire]
pub struct Autocompact {
    /// Whether it is enabled.
    pub enabled: bool,
    /// The effective context window in tokens.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub effective_window: Option<u64>,
    /// The threshold in tokens.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub threshold: Option<u64>,
    /// Whether it is enforced.
    pub enforced: Option<bool>,
    /// The source of the configuration, such as `model-default`.
    pub source: Option<Box<str>>,
}
