//! `system/mirror_error`: a copy of the transcript could not be stored.

use crate::SessionId;

/// A copy of the transcript could not be stored (`system/mirror_error`).
///
/// Created by host libraries that mirror sessions, not by the CLI.
/// Declared, but never seen.
#[wire(tolerant, message, new)]
pub struct MirrorError {
    /// The error.
    pub error: String,
    /// The destination; `None` if it belongs to no session of the store, as in the Python SDK.
    pub key: Option<MirrorKey>,
}

/// The destination of a mirrored transcript (`key`).
#[wire(camelCase, new)]
pub struct MirrorKey {
    /// The project.
    pub project_key: Box<str>,
    /// The session id.
    pub session_id: SessionId,
    /// The part of the session, such as a subagent's transcript.
    pub subpath: Option<Box<str>>,
}
