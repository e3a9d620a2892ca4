//! `system/commands_changed`: the slash commands changed.

use crate::{SessionId, Uuid, slash_command::SlashCommand};

/// The slash commands changed (`system/commands_changed`).
///
/// The list is complete and replaces the previous one.
#[wire]
pub struct CommandsChanged {
    /// The commands.
    #[serde(default)]
    pub commands: Vec<SlashCommand>,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
}
