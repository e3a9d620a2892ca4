//! `system/ui_invalidate`: screens that show the session are out of date.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid};

/// Screens that show the session are out of date (`system/ui_invalidate`).
///
/// A process that waits for a claim sends it before it answers `initialize`, and again when it is claimed.
/// A host that has no such screens can pass it over.
/// Not declared, seen on the wire.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct UiInvalidate {
    /// What has to be done about it; seen is `ui.render`, that all be drawn anew.
    #[serde(default)]
    pub event: Box<str>,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uuid: Option<Uuid>,
}
