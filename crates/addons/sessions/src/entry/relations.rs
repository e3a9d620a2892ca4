//! Entries that refer to other sessions, folders or pages.

use agentwire_protocol::{RawJson, SessionId};
use serde::Deserialize;

/// A pull request that the session opened (`pr-link`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PrLink {
    /// The number.
    pub pr_number: Option<u64>,
    /// The URL.
    pub pr_url: Option<String>,
    /// The repository, as `owner/name`.
    pub pr_repository: Option<String>,
    /// The time, as ISO 8601 text.
    pub timestamp: Option<Box<str>>,
}

/// A page that the session published (`frame-link`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FrameLink {
    /// The source file.
    pub path: Option<String>,
    /// The URL.
    pub frame_url: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// How many pages the session has published so far.
    pub artifact_count: Option<u64>,
    /// The time, as ISO 8601 text.
    pub timestamp: Option<Box<str>>,
}

/// The session moved to another folder (`relocated`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Relocated {
    /// The new folder.
    pub relocated_cwd: String,
    /// The session.
    pub session_id: Option<SessionId>,
}

/// The model ended the session (`ended-by-model`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EndedByModel {
    /// The time, as ISO 8601 text.
    pub timestamp: Option<Box<str>>,
    /// The session.
    pub session_id: Option<SessionId>,
}

/// The session continues as another one (`continued-in`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContinuedIn {
    /// The other session.
    pub continued_in_session_id: SessionId,
    /// The time, as ISO 8601 text.
    pub timestamp: Option<Box<str>>,
}

/// The sessions from which this one was created (`derived-from`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DerivedFrom {
    /// The sessions, as the CLI represents them.
    #[serde(default)]
    pub sessions: Vec<RawJson>,
    /// The session.
    pub session_id: Option<SessionId>,
}
