//! Which entries are in a fork that ends with a message.

use agentwire_protocol::Uuid;

use super::row::Row;
use crate::change::ChangeError;

/// Cuts what was written after the message.
///
/// As the published TypeScript SDK does: where the message is the summary of a compaction, nothing that this kept is in
/// the fork; where it stands between a compaction and its summary, the fork ends before the compaction.
pub(super) fn cut(rows: &mut [Row], message: &Uuid) -> Result<(), ChangeError> {
    let own = |row: &Row| !row.sidechain;
    let by = |found: &dyn Fn(&Row) -> bool| rows.iter().position(|row| own(row) && found(row));
    let last = by(&|row| row.uuid == *message).or_else(|| by(&|row| row.prompt().as_ref() == Some(message)));
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
    Ok(())
}

/// Where a fork ends that has this as its last row: right after it, or before a compaction that has no summary yet.
fn end(rows: &[Row], last: usize) -> usize {
    let own = |row: &Row| !row.sidechain;
    let after_messages =
        rows[..=last].iter().rposition(|row| own(row) && row.is_message()).map_or(0, |at| at + 1);
    let open = (after_messages..=last)
        .filter(|&at| own(&rows[at]))
        .find_map(|at| Some((at, rows[at].compaction().filter(|compaction| !compaction.rewound)?)));
    let Some((boundary, compaction)) = open else { return last + 1 };
    // What leads to the compaction itself, such as the user's command, is no part of it either.
    let kept = rows[..boundary].iter().rposition(|row| own(row) && compaction.kept.contains(&row.uuid));
    kept.map(|kept| kept + 1)
        .filter(|&end| rows[..end].iter().any(|row| own(row) && !row.is_progress()))
        .unwrap_or(boundary)
}

/// The compaction as one that kept no messages.
fn keep_nothing(row: &mut Row) {
    let Some(mut metadata) = row.object.object("compactMetadata") else { return };
    for name in ["preservedMessages", "preservedSegment", "postTokens"] {
        metadata.remove(name);
    }
    row.object.set("compactMetadata", &metadata);
}
