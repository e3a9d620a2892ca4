//! `system/session_state_changed`: idle, running, or waiting for an answer.

/// The session's state changed (`system/session_state_changed`).
///
/// Sent to a host that sets `CLAUDE_CODE_SDK_READS_SESSION_STATE=1`.
/// `idle` follows the `result`. A background agent keeps the state `running` until its follow-up turn has ended; a
/// background shell does not.
#[wire(message)]
pub struct SessionStateChanged {
    /// The new state.
    #[serde(default = "crate::lenient::empty")]
    pub state: SessionState,
    /// Whether only the host should use it; not declared, seen on the wire.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sdk_host_only: bool,
}

/// The state of a session.
#[wire]
pub enum SessionState {
    /// No activity.
    Idle = "idle",
    /// A turn or a background agent is running.
    Running = "running",
    /// A permission request or a dialog is unanswered.
    RequiresAction = "requires_action",
}
