//! What holds for a whole session, and so for its fork.

use agentwire_protocol::{RawJson, SessionId};

use crate::RawEntry;
use crate::change::object::Object;
use crate::change::{ChangeError, fresh, text};
use crate::info::first_prompt;

/// What a session says of itself that its fork says too.
#[derive(Debug, Default)]
pub(super) struct Carried {
    before: Vec<Object>,
    after: Vec<Object>,
    /// Results of tools that were replaced by something shorter.
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
            // What a subagent says is its own.
            if !object.says("sessionId", session.as_str()) || object.get("agentId").is_some() {
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

    /// What stands before the messages of the fork.
    pub(super) fn before(&self, fork: &SessionId) -> Result<Vec<RawEntry>, ChangeError> {
        self.before.iter().map(|object| of_fork(object, fork)).collect()
    }

    /// What stands after them.
    pub(super) fn after(&self, fork: &SessionId, now: &str) -> Result<Vec<RawEntry>, ChangeError> {
        let mut entries = Vec::new();
        if !self.replacements.is_empty() {
            let mut entry = Object::of_kind(REPLACEMENT);
            entry.set("sessionId", fork);
            entry.set("replacements", &self.replacements);
            entry.set("uuid", &fresh::uuid());
            entry.set("timestamp", now);
            entries.push(entry.into_entry()?);
        }
        for object in &self.after {
            entries.push(of_fork(object, fork)?);
        }
        Ok(entries)
    }
}

fn of_fork(object: &Object, fork: &SessionId) -> Result<RawEntry, ChangeError> {
    let mut object = object.clone();
    object.set("sessionId", fork);
    if object.get("uuid").is_some() {
        object.set("uuid", &fresh::uuid());
    }
    object.into_entry()
}

/// The title of a fork: the given one, or what the session is called, with ` (fork)`.
pub(super) fn title(given: Option<&str>, called: impl FnOnce() -> Option<String>) -> String {
    given
        .and_then(text::title)
        .unwrap_or_else(|| format!("{} (fork)", called().as_deref().unwrap_or("Forked session")))
}

/// What a session of these entries is called: its title, its made title, or its first prompt.
///
/// Without the file, whose ends tell it as they tell it to a list: as the published SDKs do for a store.
pub(crate) fn called(entries: &[RawEntry]) -> Option<String> {
    let last = |name: &str| {
        let titles = entries.iter().rev().filter(|entry| entry.as_str().contains(name));
        titles.filter_map(|entry| Object::of(entry).ok()?.text(name)).find(|title| !title.is_empty())
    };
    last("customTitle").or_else(|| last("aiTitle")).or_else(|| first_prompt(&head(entries)))
}

/// As much of the user's entries as is looked through for the first prompt.
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

/// What must be known before anything else is read: what of the past may not be used, and on whose account it was said.
const BEFORE: [&str; 2] = ["history-suppression", "hybrid-organization"];

/// In which order they stand does not matter but among those of one kind, of which the last or all count.
const AFTER: [&str; 6] =
    ["atis-latch", "tools-used", "data-flow-records", "data-flow-incomplete", "derived-from", "relocated"];

const REPLACEMENT: &str = "content-replacement";

/// In bytes; as much as the published SDKs look through.
const MAX_HEAD: usize = 64 * 1024;
