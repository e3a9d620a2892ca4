//! Changes of stored sessions: the entries that make them, wherever these are kept.

mod error;
mod fork;
mod fresh;
mod local;
mod object;
mod text;

use agentwire_protocol::SessionId;

pub use error::ChangeError;
pub(crate) use fork::{called, fork_entries};
pub(crate) use fresh::now;

use crate::RawEntry;
use object::Object;

/// The entry that gives a session this title (`custom-title`); of several, the last counts.
///
/// # Errors
///
/// When nothing but space is in the title.
pub(crate) fn title_entry(session: &SessionId, title: &str) -> Result<RawEntry, ChangeError> {
    let title = text::title(title).ok_or(ChangeError::EmptyTitle)?;
    let mut entry = Object::of_kind("custom-title");
    entry.set("customTitle", &title);
    entry.set("sessionId", session);
    entry.into_entry()
}

/// The entry that tags a session (`tag`), or takes its tag away; of several, the last counts.
///
/// # Errors
///
/// When nothing visible is in the tag.
pub(crate) fn tag_entry(session: &SessionId, tag: Option<&str>) -> Result<RawEntry, ChangeError> {
    let tag = tag.map(|tag| text::tag(tag).ok_or(ChangeError::EmptyTag)).transpose()?;
    // Readers look for a line that starts with its kind.
    let mut entry = Object::of_kind("tag");
    entry.set("tag", &tag.unwrap_or_default());
    entry.set("sessionId", session);
    entry.into_entry()
}

/// The entry that puts a session into a store's archive, or takes it out, at this time; of several, the latest counts.
///
/// No entry of the CLI's says it, which keeps the mark in a file of its own.
pub(crate) fn archived_entry(session: &SessionId, archived: bool, at: &str) -> Result<RawEntry, ChangeError> {
    let mut entry = Object::of_kind(ARCHIVED);
    entry.set("archived", &archived);
    entry.set("sessionId", session);
    entry.set("timestamp", at);
    entry.into_entry()
}

/// The same entry with an id and a time of its own, as a store has them: what is appended again is kept once.
pub(crate) fn stamped(entry: &RawEntry) -> Result<RawEntry, ChangeError> {
    let mut entry = Object::of(entry)?;
    entry.set("uuid", &fresh::uuid());
    entry.set("timestamp", &now());
    entry.into_entry()
}

/// The kind of the entry that says whether a session is archived, in a store.
pub(crate) const ARCHIVED: &str = "archived";

#[cfg(test)]
mod tests {
    use agentwire_protocol::SessionId;
    use serde_json::{Value, json};

    use super::{ChangeError, stamped, tag_entry, title_entry};

    #[test]
    fn titles_and_tags_are_entries_as_the_cli_writes_them() {
        let session = SessionId::from("s");
        let title = title_entry(&session, " A \"walk\"\n").unwrap();
        assert_eq!(title.as_str(), r#"{"type":"custom-title","customTitle":"A \"walk\"","sessionId":"s"}"#);
        let tag = tag_entry(&session, Some("a\u{200b}b ")).unwrap();
        assert_eq!(tag.as_str(), r#"{"type":"tag","tag":"ab","sessionId":"s"}"#);
        let none = tag_entry(&session, None).unwrap();
        assert_eq!(none.as_str(), r#"{"type":"tag","tag":"","sessionId":"s"}"#);
        assert!(matches!(title_entry(&session, " \n"), Err(ChangeError::EmptyTitle)));
        assert!(matches!(tag_entry(&session, Some("\u{200b} ")), Err(ChangeError::EmptyTag)));
    }

    #[test]
    fn a_stamp_is_an_id_and_a_time() {
        let tag = tag_entry(&SessionId::from("s"), Some("a")).unwrap();
        let (first, second) = (stamped(&tag).unwrap(), stamped(&tag).unwrap());
        assert_ne!(first.uuid().unwrap(), second.uuid().unwrap());
        let mut entry: Value = first.decode().unwrap();
        assert!(entry["timestamp"].as_str().unwrap().ends_with('Z'));
        entry.as_object_mut().unwrap().retain(|name, _| !["uuid", "timestamp"].contains(&name.as_str()));
        assert_eq!(entry, json!({"type": "tag", "tag": "a", "sessionId": "s"}));
    }
}
