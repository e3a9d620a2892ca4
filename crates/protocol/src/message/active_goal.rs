//! `active_goal`: what the session is to reach.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid};

/// The goal that `/goal` set has changed (`active_goal`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ActiveGoal {
    /// The goal; `None` where there is none any more.
    #[serialize_always]
    pub value: Option<Goal>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

/// What the session is to reach before it may stop.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Goal {
    /// What must be true in the end.
    #[serde(default)]
    pub condition: String,
    /// How often it was found not to be true yet.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub iterations: u64,
    /// When it was set, in milliseconds since 1970.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub set_at: u64,
    /// Tokens used when it was set.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub tokens_at_start: u64,
    /// Why it was not true the last time.
    pub last_reason: Option<String>,
}
