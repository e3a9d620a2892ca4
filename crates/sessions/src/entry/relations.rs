//! Entries that lead elsewhere: to another session, another folder, a page.

use agentwire_protocol::{RawJson, SessionId};
use serde::Deserialize;

/// A pull request that the session made (`pr-link`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PrLink {
    /// Its number.
    pub pr_number: Option<u64>,
    /// Its address.
    pub pr_url: Option<String>,
    /// The repository, as `owner/name`.
    pub pr_repository: Option<String>,
    /// When, as ISO 8601 text.
    pub timestamp: Option<Box<str>>,
}

/// A page that the session published (`frame-link`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FrameLink {
    /// The file that it was made from.
    pub path: Option<String>,
    /// Its address.
    pub frame_url: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// How many the session has published by then.
    pub artifact_count: Option<u64>,
    /// When, as ISO 8601 text.
    pub timestamp: Option<Box<str>>,
}

/// The session went on in another folder (`relocated`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Relocated {
    /// The folder.
    pub relocated_cwd: String,
    /// The session.
    pub session_id: Option<SessionId>,
}

/// The model ended the session (`ended-by-model`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EndedByModel {
    /// When, as ISO 8601 text.
    pub timestamp: Option<Box<str>>,
    /// The session.
    pub session_id: Option<SessionId>,
}

/// The session goes on as another one (`continued-in`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContinuedIn {
    /// The other one.
    pub continued_in_session_id: SessionId,
    /// When, as ISO 8601 text.
    pub timestamp: Option<Box<str>>,
}

/// The sessions that this one was made from (`derived-from`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DerivedFrom {
    /// The sessions, as the CLI describes them.
    #[serde(default)]
    pub sessions: Vec<RawJson>,
    /// The session.
    pub session_id: Option<SessionId>,
}
