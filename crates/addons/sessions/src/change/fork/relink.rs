//! New ids for the entries of a fork, and their links to each other.

use std::collections::{HashMap, HashSet};

use agentwire_protocol::{RawJson, Uuid};

use super::row::Row;
use crate::change::new_uuid;
use crate::change::object::Object;
use crate::read::TALK;

/// New ids for the entries in the fork, and the links of the entries that are left out.
#[derive(Debug)]
pub(super) struct Ids<'a> {
    rows: HashMap<&'a Uuid, &'a Row>,
    fresh: HashMap<&'a Uuid, Uuid>,
}

impl<'a> Ids<'a> {
    pub(super) fn of(rows: &'a [Row]) -> Self {
        let fresh = rows.iter().filter(|row| row.is_written()).map(|row| (&row.uuid, new_uuid()));
        // The CLI may write an entry again after the end of the fork, which must not hide the one in the fork.
        let rows = rows.iter().filter(|row| !row.cut && !row.sidechain).map(|row| (&row.uuid, row));
        Self { fresh: fresh.collect(), rows: rows.collect() }
    }

    /// Returns the new id of this entry, or of its nearest ancestor that is not progress; `None` outside the fork.
    fn nearest(&self, uuid: &Uuid) -> Option<&Uuid> {
        let (mut at, mut seen) = (uuid, HashSet::new());
        loop {
            if let Some(fresh) = self.fresh.get(at) {
                return Some(fresh);
            }
            let row = self.rows.get(at).filter(|row| row.is_progress())?;
            at = row.parent.as_ref().filter(|parent| seen.insert(*parent))?;
        }
    }

    /// Returns the value, with the new id if it is the id of an entry in the fork.
    fn renamed(&self, value: &RawJson) -> RawJson {
        let fresh = value.decode::<String>().ok().and_then(|text| self.fresh.get(&Uuid::from(text)));
        fresh.and_then(|fresh| RawJson::encode(fresh).ok()).unwrap_or_else(|| value.clone())
    }

    /// Replaces the ids in these fields, each a string or a list of strings.
    fn rename(&self, object: &mut Object, names: &[&str]) {
        for name in names {
            if let Some(list) = object.list(name) {
                object.set(name, &list.iter().map(|value| self.renamed(value)).collect::<Vec<_>>());
            } else if let Some(value) = object.get(name) {
                object.set(name, &self.renamed(value));
            }
        }
    }
}

/// Returns the entry with new ids and links, and without the fields in [`LEFT_OUT`].
pub(super) fn linked(row: &Row, ids: &Ids<'_>) -> Object {
    let mut object = row.object.clone();
    object.set("uuid", &ids.fresh.get(&row.uuid));
    object.set("parentUuid", &row.parent.as_ref().and_then(|parent| ids.nearest(parent)));
    if let Some(before) = object.text("logicalParentUuid") {
        object.set("logicalParentUuid", &ids.nearest(&Uuid::from(before)));
    }
    object.set("isSidechain", &false);
    for name in LEFT_OUT {
        object.remove(name);
    }
    match &*row.kind {
        "assistant" => name_request(row, &mut object),
        "attachment" => rename_attachment(&mut object, ids),
        "system" => rename_system(&mut object, ids),
        _ => {}
    }
    object
}

/// Sets `requestSessionId` to the session in which the model answered, that is, where the entry was first written.
fn name_request(row: &Row, object: &mut Object) {
    let asked = row.object.text("requestSessionId").or_else(|| row.forked_from());
    let asked = asked.or_else(|| row.object.text("sessionId"));
    if let Some(asked) = asked {
        object.set("requestSessionId", &asked);
    }
}

fn rename_attachment(object: &mut Object, ids: &Ids<'_>) {
    let Some(mut attachment) = object.object("attachment") else { return };
    if attachment.has_text("type", "queued_command") {
        ids.rename(&mut attachment, &["source_uuid"]);
    } else if attachment.has_text("type", "deferred_tools_record") {
        ids.rename(&mut attachment, &["nameOnlyAnnouncements"]);
    } else {
        return;
    }
    object.set("attachment", &attachment);
}

fn rename_system(object: &mut Object, ids: &Ids<'_>) {
    if object.has_text("subtype", "model_refusal_fallback") {
        object.set("neutralizedByFork", &true);
    }
    if object.has_text("subtype", TALK)
        && let Some(mut fold) = object.object("fold")
        && let Some(mut command) = fold.object("command")
    {
        ids.rename(&mut command, &["source_uuid"]);
        fold.set("command", &command);
        object.set("fold", &fold);
    }
    let Some(mut metadata) = object.object("compactMetadata") else { return };
    for (kept, names) in KEPT {
        if let Some(mut messages) = metadata.object(kept) {
            ids.rename(&mut messages, names);
            metadata.set(kept, &messages);
        }
    }
    metadata.remove("runningTurnSends");
    object.set("compactMetadata", &metadata);
}

/// Fields of `compactMetadata` with the ids of the messages that a compaction kept.
const KEPT: [(&str, &[&str]); 2] = [
    ("preservedMessages", &["anchorUuid", "uuids", "allUuids"]),
    ("preservedSegment", &["headUuid", "anchorUuid", "tailUuid"]),
];

/// Fields that belong to the original session alone.
const LEFT_OUT: [&str; 10] = [
    "teamName",
    "agentName",
    "sessionKind",
    "slug",
    "sourceToolAssistantUUID",
    "summarizedTurnPromptUuids",
    "droppedPromptUuids",
    "sentAsUuid",
    "rowsAheadOfPutBack",
    "turnAttributionKey",
];
