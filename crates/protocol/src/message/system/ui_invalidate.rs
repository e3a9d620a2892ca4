//! `system/ui_invalidate`: views of the session are out of date.

use crate::{SessionId, Uuid};

/// Views of the session are out of date (`system/ui_invalidate`).
///
/// A spare process sends it before it answers `initialize`, and again when it is claimed.
/// A host without such views can ignore it.
/// Not declared, seen on the wire.
#[wire]
pub struct UiInvalidate {
    /// The required action; only `ui.render`, which redraws everything, was seen.
    #[serde(default)]
    pub event: Box<str>,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
}
