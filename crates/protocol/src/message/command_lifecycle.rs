//! `command_lifecycle`: the state of a prompt.

use crate::{SessionId, Uuid, open_enum::open_enum};

/// The state of a prompt (`command_lifecycle`).
///
/// Sent for prompts with an id of the host; not declared, seen on the wire.
#[wire]
pub struct CommandLifecycle {
    /// The id of the prompt, chosen by the host.
    #[serde(default = "crate::lenient::empty")]
    pub command_uuid: Uuid,
    /// The state.
    #[serde(default = "crate::lenient::empty")]
    pub state: CommandState,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
}

open_enum! {
    /// The state of a prompt.
    pub enum CommandState {
        /// Waiting in the queue.
        Queued = "queued",
        /// Its turn started, or the running turn included it.
        Started = "started",
        /// Answered.
        Completed = "completed",
        /// Cancelled before it started.
        Cancelled = "cancelled",
    }
}
