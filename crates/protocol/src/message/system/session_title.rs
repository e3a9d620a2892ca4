//! `system/session_title_changed`: the title of the session changed.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid};

/// The title of the session changed by `/rename` or `rename_session` (`system/session_title_changed`).
///
/// Not declared, seen on the wire.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SessionTitleChanged {
    /// The title.
    #[serde(default)]
    pub title: String,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
}
