//! `system/commands_changed`: the slash commands changed.

use crate::slash_command::SlashCommand;

/// The slash commands changed (`system/commands_changed`).
///
/// The list is complete and replaces the previous one.
#[wire(tolerant, message)]
pub struct CommandsChanged {
    /// The commands.
    pub commands: Vec<SlashCommand>,
}
