//! `transcript_mirror`: lines of the session's transcript file.

use crate::{RawJson, SessionId, Uuid};

/// New lines of the session's transcript (`transcript_mirror`), for a host that mirrors it; sent with
/// `--session-mirror`.
///
/// Some follow the last `result` and the end of the CLI's input, so a host reads until the output ends.
/// The entries contain the vendor's prompt and the descriptions of tools.
/// Not declared, seen on the wire.
#[wire]
pub struct TranscriptMirror {
    /// The path of the transcript file.
    #[serde(rename = "filePath")]
    pub file_path: String,
    /// The lines.
    #[serde(default)]
    pub entries: Vec<RawJson>,
    /// The session id, if present.
    pub session_id: Option<SessionId>,
    /// The id of this frame, if it has one.
    pub uuid: Option<Uuid>,
}
