//! The end of a fork.

use std::collections::{HashMap, HashSet};

use agentwire_protocol::Uuid;

use super::row::Row;
use crate::ChangeError;

/// Marks all entries after the message as cut; `path` has the ids of the entries on the path that is the conversation.
///
/// A queued prompt on the path may have an entry of its own on an abandoned branch, so the path is searched first.
///
/// As in the reference SDK for TypeScript: if the message is the summary of a compaction, the messages that the
/// compaction kept are not in the fork; if it is between a compaction and its summary, the fork ends before the
/// compaction.
pub(super) fn cut(rows: &mut [Row], message: &Uuid, path: &HashSet<Uuid>) -> Result<(), ChangeError> {
    let last =
        place(rows, message, |row| path.contains(&row.uuid)).or_else(|| place(rows, message, |_| true));
    let Some(last) = last else { return Err(ChangeError::UnknownMessage(message.clone())) };
    let (end, message) = (end(rows, last), rows[last].uuid.clone());
    for row in &mut rows[end..] {
        row.cut = true;
    }
    for row in &mut rows[..end] {
        let anchored = |row: &Row| row.compaction().filter(|compaction| !compaction.rewound)?.anchor;
        if anchored(row).as_ref() == Some(&message) {
            keep_nothing(row);
        }
    }
    cut_abandoned(&mut rows[..end]);
    Ok(())
}

/// Returns the index of the entry with this id or, if there is none, with the queued prompt of this id.
fn place(rows: &[Row], message: &Uuid, searched: impl Fn(&Row) -> bool) -> Option<usize> {
    let by = |found: &dyn Fn(&Row) -> bool| {
        rows.iter().position(|row| !row.sidechain && searched(row) && found(row))
    };
    by(&|row| row.uuid == *message).or_else(|| by(&|row| row.prompt().as_ref() == Some(message)))
}

/// Cuts the compactions to which the fork's end does not lead back: in a long file, the reference SDK for
/// TypeScript skips everything before the last compaction that kept no messages.
fn cut_abandoned(rows: &mut [Row]) {
    let by_id: HashMap<_, _> = rows.iter().map(|row| (&row.uuid, row)).collect();
    let Some(last) = rows.iter().rfind(|row| row.is_written() && row.is_message()) else { return };
    let (mut next, mut live) = (vec![last.uuid.clone()], HashSet::new());
    while let Some(uuid) = next.pop() {
        if let Some(row) = by_id.get(&uuid)
            && live.insert(uuid)
        {
            next.extend(row.parent.clone());
            next.extend(row.compaction().into_iter().flat_map(|compaction| compaction.kept));
        }
    }
    for row in rows.iter_mut().rev() {
        let Some(compaction) = row.compaction() else { continue };
        if live.contains(&row.uuid) || compaction.kept.iter().any(|kept| live.contains(kept)) {
            return;
        }
        row.cut = true;
    }
}

/// Returns the end of a fork with this last entry: after the entry, or before a compaction without a summary in the
/// fork.
fn end(rows: &[Row], last: usize) -> usize {
    let own = |row: &Row| !row.sidechain;
    let after_messages =
        rows[..=last].iter().rposition(|row| own(row) && row.is_message()).map_or(0, |at| at + 1);
    let open = (after_messages..=last)
        .filter(|&at| own(&rows[at]))
        .find_map(|at| Some((at, rows[at].compaction().filter(|compaction| !compaction.rewound)?)));
    let Some((boundary, compaction)) = open else { return last + 1 };
    // The entries that led to the compaction, such as the user's command, are left out too.
    let anchored_here = compaction.anchor.as_ref() == Some(&rows[boundary].uuid);
    let before = rows[boundary].object.text("logicalParentUuid").map(Uuid::from);
    let is_kept = |row: &Row| compaction.kept.contains(&row.uuid) || before.as_ref() == Some(&row.uuid);
    let kept = rows[..boundary].iter().rposition(|row| own(row) && !anchored_here && is_kept(row));
    // If the compaction before kept that message too, the message is shown after its summary.
    let summary = kept.and_then(|kept| anchor(&rows[..boundary], &rows[kept].uuid));
    kept.max(summary)
        .map(|last| last + 1)
        .filter(|&end| rows[..end].iter().any(|row| own(row) && !row.is_progress()))
        .unwrap_or(boundary)
}

/// Returns the index of the message after which the last compaction put this message; `None` if it did not keep it.
fn anchor(rows: &[Row], message: &Uuid) -> Option<usize> {
    let last = rows.iter().filter(|row| !row.sidechain).rev().find_map(Row::compaction)?;
    let anchor = last.anchor.filter(|_| !last.rewound && last.kept.contains(message))?;
    rows.iter().rposition(|row| !row.sidechain && row.uuid == anchor)
}

/// Removes the kept messages from a compaction.
fn keep_nothing(row: &mut Row) {
    let Some(mut metadata) = row.object.object("compactMetadata") else { return };
    for name in ["preservedMessages", "preservedSegment", "postTokens"] {
        metadata.remove(name);
    }
    row.object.set("compactMetadata", &metadata);
}
