//! `system/ui_invalidate`: views of the session are out of date.

/// Views of the session are out of date (`system/ui_invalidate`).
///
/// A spare process sends it before it answers `initialize`, and again when it is claimed.
/// A host without such views can ignore it.
/// Not declared, seen on the wire.
#[wire(tolerant, message)]
pub struct UiInvalidate {
    /// The required action; only `ui.render`, which redraws everything, was seen.
    pub event: Box<str>,
}
