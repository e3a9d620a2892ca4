//! `active_goal`: the goal of the session.

use crate::{SessionId, Uuid};

/// The goal that `/goal` sets changed (`active_goal`).
#[wire]
pub struct ActiveGoal {
    /// The goal; `None` if there is none.
    #[serialize_always]
    pub value: Option<Goal>,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
}

/// A goal that the session must reach before it may stop.
#[wire]
pub struct Goal {
    /// The condition to reach.
    #[serde(default)]
    pub condition: String,
    /// How often the condition was checked and not met.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub iterations: u64,
    /// The time when the goal was set, in milliseconds since 1970.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub set_at: u64,
    /// The tokens used when the goal was set.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub tokens_at_start: u64,
    /// The reason why the last check failed.
    pub last_reason: Option<String>,
}
