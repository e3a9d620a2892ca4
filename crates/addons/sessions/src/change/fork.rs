//! Forks: new sessions that start with the messages of another.

mod carried;
mod relink;
mod row;
mod slice;

use agentwire_protocol::session_info::SessionInfo;
use agentwire_protocol::{SessionId, Uuid};

use super::object::Object;
use super::{new_uuid, stamped, title_entry};
use crate::ChangeError;
use crate::RawEntry;
use crate::read::path_ids;
use crate::time;
use carried::Carried;
use relink::Ids;
use row::Row;

/// A new session that starts with messages of another.
#[derive(Debug)]
pub(crate) struct Fork {
    /// The new session's id.
    pub(crate) session: SessionId,
    /// All of its entries.
    pub(crate) entries: Vec<RawEntry>,
}

/// Creates a fork from a session's entries, up to and including a message, or of all entries.
///
/// - Each entry gets a new id. Links between entries are updated and skip progress entries; a link to an entry
///   that is not in the fork becomes `null`.
/// - Sidechains, progress and fields that belong to the original session alone (team, file history) are left out.
/// - The last entry gets the current time, because the CLI continues after the newest; `forkedFrom` names each entry's
///   origin.
/// - Entries about shortened results, the working directory and data restrictions are copied.
/// - A fork of a session with restricted data names the original, and the sessions of which that is a fork
///   (`derived-from`). Gaps in the records of the data flow are copied too (`data-flow-incomplete`).
/// - The title is the given one, or the original's title or first prompt (in `info`) with ` (fork)`.
///
/// `up_to` is an id that [`conversation`](crate::conversation) returns for a message.
/// If a compaction kept that message, the fork ends at its original place before the compaction.
pub(crate) fn fork_entries(
    session: &SessionId,
    entries: &[RawEntry],
    up_to: Option<&Uuid>,
    title: Option<&str>,
    info: impl FnOnce() -> Option<SessionInfo>,
) -> Result<Fork, ChangeError> {
    let rows = entries.iter().enumerate().filter_map(|(at, entry)| Row::of(at, entry));
    let mut rows: Vec<Row> = rows.collect();
    if rows.iter().all(|row| row.sidechain) {
        return Err(ChangeError::NoMessages);
    }
    if let Some(message) = up_to {
        slice::cut(&mut rows, message, &path_ids(entries))?;
    }
    let Some(last) = rows.iter().rposition(Row::is_written) else { return Err(ChangeError::NoMessages) };
    let fork = SessionId::from(new_uuid().as_str());
    let now = time::now();
    let ids = Ids::of(&rows);
    let carried = Carried::of(entries, &rows, session);
    let mut written = carried.before(&fork)?;
    for (at, row) in rows.iter().enumerate().filter(|(_, row)| row.is_written()) {
        let mut object = relink::linked(row, &ids);
        object.set("sessionId", &fork);
        if at == last {
            object.set("timestamp", &now);
        }
        let mut from = Object::default();
        from.set("sessionId", session);
        from.set("messageUuid", &row.uuid);
        object.set("forkedFrom", &from);
        written.push(object.into_entry()?);
    }
    written.extend(carried.after(&fork, &now)?);
    written.push(stamped(&title_entry(&fork, &carried::title(title, info))?)?);
    Ok(Fork { session: fork, entries: written })
}

#[cfg(test)]
mod tests;
