//! `system/session_title_changed`: the title of the session changed.

use crate::{SessionId, Uuid};

/// The title of the session changed by `/rename` or `rename_session` (`system/session_title_changed`).
///
/// Not declared, seen on the wire.
#[wire]
pub struct SessionTitleChanged {
    /// The title.
    #[serde(default)]
    pub title: String,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
}
