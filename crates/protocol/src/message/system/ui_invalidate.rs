//! `system/ui_invalidate`: screens that show the session are out of date.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid};

/// Screens that show the session are out of date (`system/ui_invalidate`).
///
/// A process that waits for a claim sends it before it answers `initialize`, and again when it is claimed.
/// A host that has no such screens can pass it over.
/// Not declared, seen on the wire.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct UiInvalidate {
    /// What has to be done about it; seen is `ui.render`, that all be drawn anew.
    #[serde(default)]
    pub event: Box<str>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}
