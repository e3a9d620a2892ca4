//! `system/local_command_output`: what a slash command printed.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid};

/// What a slash command that needs no model printed (`system/local_command_output`).
///
/// Declared, never seen: CLI 2.1.330 sends such text as an `assistant` frame with
/// [`local_command_source`](crate::message::Assistant::local_command_source).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct LocalCommandOutput {
    /// The text.
    #[serde(default)]
    pub content: String,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}
