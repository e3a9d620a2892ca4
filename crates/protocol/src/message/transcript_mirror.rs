//! `transcript_mirror`: what goes into the transcript on the disk.

use serde::{Deserialize, Serialize};

use crate::{RawJson, SessionId, Uuid};

/// New lines of the session's transcript (`transcript_mirror`), for a host that keeps a copy; sent with
/// `--session-mirror`.
///
/// Some come after the last `result` and after the end of our input, so a host reads until the output ends.
/// The entries hold the vendor's prompt and the descriptions of tools.
/// Not declared, seen on the wire.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct TranscriptMirror {
    /// The file that the CLI writes them to.
    #[serde(rename = "filePath")]
    pub file_path: String,
    /// The lines.
    #[serde(default)]
    pub entries: Vec<RawJson>,
    /// The session, where it is told.
    pub session_id: Option<SessionId>,
    /// This frame's own id, where it has one.
    pub uuid: Option<Uuid>,
}
