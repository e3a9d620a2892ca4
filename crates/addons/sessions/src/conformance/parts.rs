//! Keys and entries for the checks.

use std::fmt;

use agentwire_protocol::SessionId;

use super::tested_store::Stop;
use crate::{RawEntry, SessionKey};

/// The project of most checks.
pub(super) const PROJECT: &str = "-home-me-project";

/// Returns the id of the session with this number.
pub(super) fn session(number: usize) -> SessionId {
    SessionId::from(format!("0b0e7a3e-57a1-4a4c-9d3f-{number:012x}"))
}

/// Returns the key of the session with this number, in [`PROJECT`].
pub(super) fn key(number: usize) -> Result<SessionKey, Stop> {
    key_of(PROJECT, number)
}

/// Returns the key of the session with this number, in a project.
pub(super) fn key_of(project: &str, number: usize) -> Result<SessionKey, Stop> {
    SessionKey::new(project, session(number)).map_err(own_fault)
}

/// Returns a key beneath a session.
pub(super) fn beneath(key: &SessionKey, subpath: &str) -> Result<SessionKey, Stop> {
    key.with_subpath(subpath).map_err(own_fault)
}

/// Parses entries.
pub(super) fn entries(texts: &[&str]) -> Result<Vec<RawEntry>, Stop> {
    texts.iter().map(|text| entry(text)).collect()
}

/// Parses an entry.
pub(super) fn entry(text: &str) -> Result<RawEntry, Stop> {
    RawEntry::parse(text).map_err(own_fault)
}

/// Returns an entry with this id.
pub(super) fn with_id(id: impl fmt::Display) -> Result<RawEntry, Stop> {
    entry(&format!(r#"{{"type":"user","uuid":"{id}"}}"#))
}

/// Returns an entry without an id.
pub(super) fn without_id(number: usize) -> Result<RawEntry, Stop> {
    entry(&format!(r#"{{"type":"mode","number":{number}}}"#))
}

/// Returns an entry that contains this text.
pub(super) fn saying(text: &str) -> Result<RawEntry, Stop> {
    entry(&serde_json::json!({ "type": "user", "text": text }).to_string())
}

/// Reports an error of the check itself, not of the store.
fn own_fault(error: impl fmt::Display) -> Stop {
    Stop::Failed(format!("the check itself is wrong: {error}"))
}
