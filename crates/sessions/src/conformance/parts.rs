//! The keys and entries that the checks work with.

use std::fmt;

use agentwire_protocol::SessionId;

use super::asked::Stop;
use crate::{RawEntry, SessionKey};

/// The project of most checks.
pub(super) const PROJECT: &str = "-home-me-project";

/// The id of the session with this number.
pub(super) fn session(number: usize) -> SessionId {
    SessionId::from(format!("0b0e7a3e-57a1-4a4c-9d3f-{number:012x}"))
}

/// The key of the session with this number, in [`PROJECT`].
pub(super) fn key(number: usize) -> Result<SessionKey, Stop> {
    key_of(PROJECT, number)
}

/// The key of the session with this number, in a project.
pub(super) fn key_of(project: &str, number: usize) -> Result<SessionKey, Stop> {
    SessionKey::new(project, session(number)).map_err(own_fault)
}

/// The key of something beneath a session.
pub(super) fn beneath(key: &SessionKey, subpath: &str) -> Result<SessionKey, Stop> {
    key.with_subpath(subpath).map_err(own_fault)
}

/// Entries of these texts.
pub(super) fn entries(texts: &[&str]) -> Result<Vec<RawEntry>, Stop> {
    texts.iter().map(|text| entry(text)).collect()
}

/// An entry of this text.
pub(super) fn entry(text: &str) -> Result<RawEntry, Stop> {
    RawEntry::parse(text).map_err(own_fault)
}

/// An entry with this id.
pub(super) fn with_id(id: impl fmt::Display) -> Result<RawEntry, Stop> {
    entry(&format!(r#"{{"type":"user","uuid":"{id}"}}"#))
}

/// An entry without an id.
pub(super) fn without_id(number: usize) -> Result<RawEntry, Stop> {
    entry(&format!(r#"{{"type":"mode","number":{number}}}"#))
}

/// An entry that holds this text, which may be anything but a lone surrogate.
pub(super) fn saying(text: &str) -> Result<RawEntry, Stop> {
    entry(&serde_json::json!({ "type": "user", "text": text }).to_string())
}

/// What can only happen when the suite is wrong, and not the store.
fn own_fault(error: impl fmt::Display) -> Stop {
    Stop::Failed(format!("the check itself is wrong: {error}"))
}
