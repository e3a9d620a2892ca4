//! `system/session_title_changed`: the session has a new title.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid};

/// The session has a new title (`system/session_title_changed`), given by `/rename` or `rename_session`.
///
/// Not declared, seen on the wire.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SessionTitleChanged {
    /// The title.
    #[serde(default)]
    pub title: String,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}
