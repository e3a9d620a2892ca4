//! `active_goal`: the goal of the session.

/// The goal that `/goal` sets changed (`active_goal`).
#[wire(message)]
pub struct ActiveGoal {
    /// The goal; `None` if there is none.
    #[serialize_always]
    pub value: Option<Goal>,
}

/// A goal that the session must reach before it may stop.
#[wire(tolerant)]
pub struct Goal {
    /// The condition to reach.
    pub condition: String,
    /// How often the condition was checked and not met.
    pub iterations: u64,
    /// The time when the goal was set, in milliseconds since 1970.
    pub set_at: u64,
    /// The tokens used when the goal was set.
    pub tokens_at_start: u64,
    /// The reason why the last check failed.
    pub last_reason: Option<String>,
}
