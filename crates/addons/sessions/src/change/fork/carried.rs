//! Entries about a whole session, which a fork copies.

use agentwire_protocol::{RawJson, SessionId};

use crate::ChangeError;
use crate::RawEntry;
use crate::change::object::Object;
use crate::change::{new_uuid, text};
use crate::info::first_prompt;

/// The entries about a session that its fork copies.
#[derive(Debug, Default)]
pub(super) struct Carried {
    before: Vec<Object>,
    after: Vec<Object>,
    /// The replacements of tool results that were too long.
    replacements: Vec<RawJson>,
}

impl Carried {
    pub(super) fn of(entries: &[RawEntry], session: &SessionId) -> Self {
        let mut carried = Self::default();
        for entry in entries {
            let kind = entry.kind();
            let (before, after) = (BEFORE.contains(&kind), AFTER.contains(&kind));
            if !before && !after && kind != REPLACEMENT {
                continue;
            }
            let Ok(object) = Object::of(entry) else { continue };
            // A subagent's entries do not apply to the session.
            if !object.has_text("sessionId", session.as_str()) || object.get("agentId").is_some() {
                continue;
            }
            if before {
                carried.before.push(object);
            } else if after {
                carried.after.push(object);
            } else {
                carried.replacements.extend(object.list("replacements").unwrap_or_default());
            }
        }
        carried
    }

    /// Returns the entries that come before the fork's messages.
    pub(super) fn before(&self, fork: &SessionId) -> Result<Vec<RawEntry>, ChangeError> {
        self.before.iter().map(|object| of_fork(object, fork)).collect()
    }

    /// Returns the entries that come after the fork's messages.
    pub(super) fn after(
        &self,
        session: &SessionId,
        fork: &SessionId,
        now: &str,
    ) -> Result<Vec<RawEntry>, ChangeError> {
        let mut entries = Vec::new();
        if !self.replacements.is_empty() {
            let mut entry = Object::of_kind(REPLACEMENT);
            entry.set("sessionId", fork);
            entry.set("replacements", &self.replacements);
            entry.set("uuid", &new_uuid());
            entry.set("timestamp", now);
            entries.push(entry.into_entry()?);
        }
        for object in &self.after {
            entries.push(of_fork(object, fork)?);
        }
        if let Some(derived) = self.derived_from(session) {
            entries.push(of_fork(&derived, fork)?);
        }
        Ok(entries)
    }

    /// Returns the entry that names the original, and the sessions from which the original was created; `None` if the
    /// original has no restricted data. Of several such entries, the last counts.
    fn derived_from(&self, session: &SessionId) -> Option<Object> {
        let last = self.after.iter().rfind(|object| object.has_text("type", DERIVED));
        if last.is_none() && !self.after.iter().any(|object| object.get("type").is_some_and(is_data_flow)) {
            return None;
        }
        let mut origin = Object::of_kind("claude_code_session");
        origin.set("id", session);
        origin.set("via", "fork");
        let mut sessions = last.and_then(|last| last.list("sessions")).unwrap_or_default();
        sessions.extend(RawJson::encode(&origin).ok());
        let mut entry = Object::of_kind(DERIVED);
        entry.set("v", &1);
        entry.set("sessions", &sessions);
        Some(entry)
    }
}

fn is_data_flow(kind: &RawJson) -> bool {
    kind.as_str().starts_with("\"data-flow-")
}

fn of_fork(object: &Object, fork: &SessionId) -> Result<RawEntry, ChangeError> {
    let mut object = object.clone();
    object.set("sessionId", fork);
    if object.get("uuid").is_some() {
        object.set("uuid", &new_uuid());
    }
    object.into_entry()
}

/// Returns the title of a fork: the given one, or the original's title with ` (fork)`.
pub(super) fn title(given: Option<&str>, called: impl FnOnce() -> Option<String>) -> String {
    given
        .and_then(text::trimmed)
        .unwrap_or_else(|| format!("{} (fork)", called().as_deref().unwrap_or("Forked session")))
}

/// Returns the title, the generated title or the first prompt of a session, from its entries alone.
///
/// Like the published SDKs for a store, it does not limit the search to the ends of the file.
pub(crate) fn called(entries: &[RawEntry]) -> Option<String> {
    let last = |name: &str| {
        let titles = entries.iter().rev().filter(|entry| entry.as_str().contains(name));
        titles.filter_map(|entry| Object::of(entry).ok()?.text(name)).find(|title| !title.is_empty())
    };
    last("customTitle").or_else(|| last("aiTitle")).or_else(|| first_prompt(&head(entries)))
}

/// Returns user entries up to [`MAX_HEAD`] bytes, in which the first prompt is searched.
fn head(entries: &[RawEntry]) -> Vec<u8> {
    let mut head = Vec::new();
    for entry in entries.iter().filter(|entry| entry.kind() == "user") {
        if head.len() > MAX_HEAD {
            break;
        }
        head.extend_from_slice(entry.as_str().as_bytes());
        head.push(b'\n');
    }
    head
}

/// Entries that affect how later entries are read: suppressed history, and the organization.
const BEFORE: [&str; 2] = ["history-suppression", "hybrid-organization"];

/// The order of these matters only within a kind, of which the last or all count.
const AFTER: [&str; 6] =
    ["atis-latch", "tools-used", "data-flow-records", "data-flow-incomplete", DERIVED, "relocated"];

const DERIVED: &str = "derived-from";

const REPLACEMENT: &str = "content-replacement";

/// In bytes, as in the published SDKs.
const MAX_HEAD: usize = 64 * 1024;
