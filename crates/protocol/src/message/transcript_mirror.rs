//! `transcript_mirror`: lines of the session's transcript file.

use crate::RawJson;

/// New lines of the session's transcript (`transcript_mirror`), for a host that mirrors it; sent with
/// `--session-mirror`.
///
/// Some follow the last `result` and the end of the CLI's input, so a host reads until the output ends.
/// The entries contain the vendor's prompt and the descriptions of tools.
/// Not declared, seen on the wire.
#[wire(message)]
pub struct TranscriptMirror {
    /// The path of the transcript file.
    #[serde(rename = "filePath")]
    pub file_path: String,
    /// The lines.
    #[serde(default)]
    pub entries: Vec<RawJson>,
}
