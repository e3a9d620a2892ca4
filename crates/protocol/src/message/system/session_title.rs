//! `system/session_title_changed`: the title of the session changed.

/// The title of the session changed by `/rename` or `rename_session` (`system/session_title_changed`).
///
/// Not declared, seen on the wire.
#[wire(tolerant, message)]
pub struct SessionTitleChanged {
    /// The title.
    pub title: String,
}
