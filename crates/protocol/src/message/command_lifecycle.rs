//! `command_lifecycle`: the receipts of a prompt.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid, open_enum::open_enum};

/// What has become of a prompt (`command_lifecycle`).
///
/// Sent for prompts that the host gave an id; not declared, seen on the wire.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct CommandLifecycle {
    /// The prompt, by the id that the host gave it.
    #[serde(default = "crate::lenient::empty")]
    pub command_uuid: Uuid,
    /// What has become of it.
    #[serde(default = "crate::lenient::empty")]
    pub state: CommandState,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

open_enum! {
    /// What has become of a prompt.
    pub enum CommandState {
        /// It waits.
        Queued = "queued",
        /// Its turn began, or the running turn took it in.
        Started = "started",
        /// It was answered.
        Completed = "completed",
        /// It was cancelled before it began.
        Cancelled = "cancelled",
    }
}
