//! `system/local_command_output`: the output of a slash command.

/// The output of a slash command that needs no model (`system/local_command_output`).
///
/// Declared, but never seen: CLI 2.1.330 sends such text as an `assistant` frame with
/// [`local_command_source`](crate::message::Assistant::local_command_source).
#[wire(tolerant, message)]
pub struct LocalCommandOutput {
    /// The text.
    pub content: String,
}
