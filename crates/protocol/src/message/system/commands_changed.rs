//! `system/commands_changed`: the commands that a prompt may start with are others now.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid, slash_command::SlashCommand};

/// The commands that a prompt may start with are others now (`system/commands_changed`).
///
/// The whole list each time: it replaces the one before.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct CommandsChanged {
    /// The commands.
    #[serde(default)]
    pub commands: Vec<SlashCommand>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}
