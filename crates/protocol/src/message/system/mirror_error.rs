//! `system/mirror_error`: a copy of the transcript could not be kept.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid};

/// A copy of the transcript could not be stored, and some of it is lost (`system/mirror_error`).
///
/// Made by host libraries that keep such a copy, not by the CLI.
/// Taken from the published declarations, never seen.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct MirrorError {
    /// Why.
    #[serde(default)]
    pub error: String,
    /// Where it should have gone; `None` where it belongs to no session of the store's, as the Python SDK has it.
    pub key: Option<MirrorKey>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

/// Where a copy of a transcript goes (`key`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MirrorKey {
    /// The project.
    pub project_key: Box<str>,
    /// The session.
    pub session_id: SessionId,
    /// The part of the session, such as a subagent's transcript.
    pub subpath: Option<Box<str>>,
}
