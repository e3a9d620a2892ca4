//! Entries that change a stored session.

mod fork;
mod local;
mod object;
mod text;

use agentwire_protocol::{SessionId, Uuid};

pub(crate) use fork::fork_entries;

use crate::time::now;
use crate::{ChangeError, RawEntry};
use object::Object;

/// Returns the entry that sets a session's title (`custom-title`), which must not be blank; the last such entry counts.
pub(crate) fn title_entry(session: &SessionId, title: &str) -> Result<RawEntry, ChangeError> {
    let title = text::trimmed(title).ok_or(ChangeError::EmptyTitle)?;
    let mut entry = Object::of_kind("custom-title");
    entry.set("customTitle", &title);
    entry.set("sessionId", session);
    entry.into_entry()
}

/// Returns the entry that sets or removes a session's tag (`tag`); the last such entry counts. A tag without a visible
/// character is an error.
pub(crate) fn tag_entry(session: &SessionId, tag: Option<&str>) -> Result<RawEntry, ChangeError> {
    let tag = tag.map(|tag| text::tag(tag).ok_or(ChangeError::EmptyTag)).transpose()?;
    // `type` comes first: readers search for lines that start with `{"type":"tag"`.
    let mut entry = Object::of_kind("tag");
    entry.set("tag", &tag.unwrap_or_default());
    entry.set("sessionId", session);
    entry.into_entry()
}

/// Returns the entry that archives or unarchives a session in a store, at this time; the latest such entry counts.
///
/// The CLI has no such entry: it marks archived sessions in a separate file.
pub(crate) fn archived_entry(session: &SessionId, archived: bool, at: &str) -> Result<RawEntry, ChangeError> {
    let mut entry = Object::of_kind(ARCHIVED);
    entry.set("archived", &archived);
    entry.set("sessionId", session);
    entry.set("timestamp", at);
    entry.into_entry()
}

/// Returns the entry with a new id and the current time, so that a store keeps it once when an append is repeated.
pub(crate) fn stamped(entry: &RawEntry) -> Result<RawEntry, ChangeError> {
    let mut entry = Object::of(entry)?;
    entry.set("uuid", &new_uuid());
    entry.set("timestamp", &now());
    entry.into_entry()
}

/// Returns a new random UUID.
fn new_uuid() -> Uuid {
    Uuid::from(uuid::Uuid::new_v4().to_string())
}

/// The kind of the entry that marks a session as archived in a store.
pub(crate) const ARCHIVED: &str = "archived";

#[cfg(test)]
mod tests {
    use agentwire_protocol::SessionId;
    use serde_json::{Value, json};

    use super::{stamped, tag_entry};

    #[test]
    fn a_stamped_entry_has_an_id_and_a_time() {
        let tag = tag_entry(&SessionId::from("s"), Some("a")).unwrap();
        let (first, second) = (stamped(&tag).unwrap(), stamped(&tag).unwrap());
        assert_ne!(first.uuid().unwrap(), second.uuid().unwrap());
        let mut entry: Value = first.decode().unwrap();
        assert!(entry["timestamp"].as_str().unwrap().ends_with('Z'));
        entry.as_object_mut().unwrap().retain(|name, _| !["uuid", "timestamp"].contains(&name.as_str()));
        assert_eq!(entry, json!({"type": "tag", "tag": "a", "sessionId": "s"}));
    }
}
