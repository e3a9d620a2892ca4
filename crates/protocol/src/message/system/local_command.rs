//! `system/local_command_output`: the output of a slash command.

use crate::{SessionId, Uuid};

/// The output of a slash command that needs no model (`system/local_command_output`).
///
/// Declared, but never seen: CLI 2.1.330 sends such text as an `assistant` frame with
/// [`local_command_source`](crate::message::Assistant::local_command_source).
#[wire]
pub struct LocalCommandOutput {
    /// The text.
    #[serde(default)]
    pub content: String,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
}
