//! `command_lifecycle`: the state of a prompt.

use crate::Uuid;

/// The state of a prompt (`command_lifecycle`).
///
/// Sent for prompts with an id of the host; not declared, seen on the wire.
#[wire(message)]
pub struct CommandLifecycle {
    /// The id of the prompt, chosen by the host.
    #[serde(default = "crate::lenient::empty")]
    pub command_uuid: Uuid,
    /// The state.
    #[serde(default = "crate::lenient::empty")]
    pub state: CommandState,
}

/// The state of a prompt.
#[wire]
pub enum CommandState {
    /// Waiting in the queue.
    Queued = "queued",
    /// Its turn started, or the running turn included it.
    Started = "started",
    /// Answered.
    Completed = "completed",
    /// Cancelled before it started; after [`Started`](Self::Started): its turn was interrupted or failed.
    Cancelled = "cancelled",
}
