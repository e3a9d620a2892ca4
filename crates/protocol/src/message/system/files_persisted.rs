//! `system/files_persisted`: files of the session were stored elsewhere.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid};

/// Files of the session were stored elsewhere (`system/files_persisted`).
///
/// Taken from the published declarations, never seen.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct FilesPersisted {
    /// Those that were stored.
    #[serde(default)]
    pub files: Vec<PersistedFile>,
    /// Those that were not.
    #[serde(default)]
    pub failed: Vec<UnpersistedFile>,
    /// When, as ISO 8601 text.
    pub processed_at: Option<Box<str>>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

/// A file that was stored.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct PersistedFile {
    /// Its name.
    pub filename: String,
    /// The id under which it is found.
    pub file_id: Box<str>,
}

/// A file that could not be stored.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct UnpersistedFile {
    /// Its name.
    pub filename: String,
    /// Why not.
    #[serde(default)]
    pub error: String,
}
