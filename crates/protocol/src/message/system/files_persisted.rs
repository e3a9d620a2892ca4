//! `system/files_persisted`: files of the session were uploaded.

/// Files of the session were uploaded (`system/files_persisted`).
///
/// Declared, but never seen.
#[wire(tolerant, message)]
pub struct FilesPersisted {
    /// The uploaded files.
    pub files: Vec<PersistedFile>,
    /// The failed files.
    pub failed: Vec<UnpersistedFile>,
    /// The time, as ISO 8601 text.
    pub processed_at: Option<Box<str>>,
}

/// An uploaded file.
#[wire]
pub struct PersistedFile {
    /// The file name.
    pub filename: String,
    /// The id of the uploaded file.
    pub file_id: Box<str>,
}

/// A file that failed to upload.
#[wire]
pub struct UnpersistedFile {
    /// The file name.
    pub filename: String,
    /// The error.
    #[serde(default)]
    pub error: String,
}
