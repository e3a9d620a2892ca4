//! Entries about a whole session, which a fork copies.

use std::collections::HashSet;

use agentwire_protocol::session_info::SessionInfo;
use agentwire_protocol::{RawJson, SessionId};

use super::row::Row;
use crate::ChangeError;
use crate::RawEntry;
use crate::change::object::Object;
use crate::change::{new_uuid, text};

/// The entries about a session that its fork copies.
#[derive(Debug, Default)]
pub(super) struct Carried {
    before: Vec<Object>,
    after: Vec<Object>,
    /// The replacements of tool results that were too long.
    replacements: Vec<RawJson>,
}

impl Carried {
    pub(super) fn of(entries: &[RawEntry], rows: &[Row], session: &SessionId) -> Self {
        let mut carried = Self::default();
        // The indices of the first entry about the data flow, and of its last snapshot.
        let (mut flow, mut snapshot) = (None, None);
        for (at, entry) in entries.iter().enumerate() {
            let kind = entry.kind();
            let (before, after) = (BEFORE.contains(&kind), AFTER.contains(&kind));
            if !before && !after && kind != REPLACEMENT {
                continue;
            }
            let Ok(object) = Object::of(entry) else { continue };
            if before {
                // These apply whichever session they name; an owner only with restrictions.
                if kind != OWNER || object.list("restricted").is_some_and(|list| !list.is_empty()) {
                    carried.before.push(object);
                }
                continue;
            }
            // A subagent's entries do not apply to the session.
            if !object.has_text("sessionId", session.as_str()) || object.get("agentId").is_some() {
                continue;
            }
            if kind.starts_with("data-flow-") {
                flow = flow.or(Some(at));
                snapshot = Some(at).filter(|_| object.is("snapshot")).or(snapshot);
            }
            if after {
                carried.after.push(object);
            } else {
                carried.replacements.extend(object.list("replacements").unwrap_or_default());
            }
        }
        carried.after.extend(flow.and_then(|flow| incomplete(rows, flow, snapshot)));
        let derived = carried.derived_from(rows, session, flow.is_some());
        carried.after.extend(derived);
        carried
    }

    /// Returns the entries that come before the fork's messages.
    pub(super) fn before(&self, fork: &SessionId) -> Result<Vec<RawEntry>, ChangeError> {
        self.before.iter().map(|object| of_fork(object, fork)).collect()
    }

    /// Returns the entries that come after the fork's messages.
    pub(super) fn after(&self, fork: &SessionId, now: &str) -> Result<Vec<RawEntry>, ChangeError> {
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
        Ok(entries)
    }

    /// Returns the entry that names the original, and the sessions from which the original was created; `None` if the
    /// original has no restricted data. Of several such entries, the last counts.
    fn derived_from(&self, rows: &[Row], session: &SessionId, has_flow: bool) -> Option<Object> {
        let last = self.after.iter().rfind(|object| object.has_text("type", DERIVED));
        if last.is_none() && !has_flow {
            return None;
        }
        let mut sessions = last.and_then(|last| last.list("sessions")).unwrap_or_default();
        let id = |session: &RawJson| session.decode::<Object>().ok()?.text("id");
        let mut ids: HashSet<String> = sessions.iter().filter_map(id).collect();
        for id in rows.iter().filter_map(Row::forked_from).chain([session.to_string()]) {
            if ids.insert(id.clone()) {
                let mut origin = Object::of_kind("claude_code_session");
                origin.set("id", &id);
                origin.set("via", "fork");
                sessions.extend(RawJson::encode(&origin).ok());
            }
        }
        let mut entry = Object::of_kind(DERIVED);
        entry.set("v", &1);
        entry.set("sessions", &sessions);
        Some(entry)
    }
}

/// Returns the entry that reports gaps in the records of the data flow, with the codes of the reference SDK for
/// TypeScript. The fork's own order does not show the gaps, because the records come after all messages there.
fn incomplete(rows: &[Row], flow: usize, snapshot: Option<usize>) -> Option<Object> {
    let any = |is_gap: &dyn Fn(&Row) -> bool| rows.iter().any(|row| !row.sidechain && is_gap(row));
    let untracked = any(&|row| row.at > flow && !row.object.is("dataFlowOn"));
    let compacted = any(&|row| Some(row.at) > snapshot && row.compaction().is_some());
    let codes = [untracked.then_some(11), compacted.then_some(13)];
    let codes: Vec<u8> = codes.into_iter().flatten().collect();
    let mut entry = Object::of_kind("data-flow-incomplete");
    entry.set("v", &1);
    entry.set("codes", &codes);
    (!codes.is_empty()).then_some(entry)
}

fn of_fork(object: &Object, fork: &SessionId) -> Result<RawEntry, ChangeError> {
    let mut object = object.clone();
    object.set("sessionId", fork);
    if object.get("uuid").is_some() {
        object.set("uuid", &new_uuid());
    }
    object.into_entry()
}

/// Returns the title of a fork: the given one, or the original's title or first prompt with ` (fork)`.
pub(super) fn title(given: Option<&str>, original: impl FnOnce() -> Option<SessionInfo>) -> String {
    given.and_then(text::trimmed).unwrap_or_else(|| {
        let called = original().and_then(|info| info.custom_title.or(info.first_prompt));
        format!("{} (fork)", called.as_deref().unwrap_or("Forked session"))
    })
}

/// Entries that affect how later entries are read: suppressed history, the organization, and a restricted owner.
const BEFORE: [&str; 3] = ["history-suppression", "hybrid-organization", OWNER];

/// The order of these entries matters only within a kind: the last entry of the kind counts, or all do.
const AFTER: [&str; 6] =
    ["atis-latch", "tools-used", "data-flow-records", "data-flow-incomplete", DERIVED, "relocated"];

const OWNER: &str = "session-owner";

const DERIVED: &str = "derived-from";

const REPLACEMENT: &str = "content-replacement";
