//! Imports sessions from the CLI's files into a store.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::path::Path;

use agentwire_protocol::{RawJson, SessionId, Uuid};
use serde_json::Value;

use super::sessions::AGENT_METADATA;
use super::{KeyError, SessionKey, SessionStore, StoreError};
use crate::change::archived_entry;
use crate::ends::Ends;
use crate::info::{info_of, mark_of};
use crate::read::read_metadata;
use crate::sessions::{Inside, SessionFile};
use crate::stream::{Line, Lines, MAX_LINE};
use crate::{RawEntry, SessionError, Sessions};

/// Imports a session with its subagents and workflows from the CLI's files into a store. Returns the session's key in the
/// store, or `None` if the session does not exist.
///
/// The project gets the name of the file's folder, as in a mirror, so the session can be resumed from the store.
/// For a session that the CLI has moved to a worktree, a mirror keeps the first folder; an import uses the current one.
/// The archive mark is imported with its time.
/// Importing a session again, or one whose end a mirror did not store, adds only missing entries. An entry without an
/// id is missing if the file has more equal entries than the store. Later entries of its kind are then added again,
/// because for some kinds the last entry counts.
/// A store only appends, so a session that lacks earlier entries there is refused.
///
/// Entries are appended in order, in batches of at most 500 entries or about a megabyte.
/// Lines that are not JSON objects, such as an incomplete last line, are skipped.
/// The future reads files between appends, which blocks the thread that polls it.
/// If the future is dropped, the store keeps the entries appended so far; importing again completes the session.
///
/// # Errors
///
/// If the id is not a UUID, a folder or a subagent has a name that is invalid in a key, a file can't be read or has a
/// line of more than 64 MiB, or the store fails or lacks entries before others that it has.
pub async fn import_session(
    sessions: &Sessions,
    id: &SessionId,
    store: &dyn SessionStore,
) -> Result<Option<SessionKey>, ImportError> {
    let Some(file) = sessions.find(id)? else { return Ok(None) };
    let project =
        file.path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let key = SessionKey::new(project.unwrap_or_default(), id.clone())?;
    let stored = store.load(&key).await?.unwrap_or_default();
    append_missing(store, &key, &file.path, &stored).await?;
    if let Some(mark) = mark(&file)?
        && !stored.iter().any(|entry| entry.kind() == mark.kind() && value(entry) == value(&mark))
    {
        store.append(&key, &[mark]).await?;
    }
    let folder = file.folder();
    for (_, path) in sessions.files_beneath(&file) {
        let Some(subpath) = path.strip_prefix(&folder).ok().and_then(subpath) else { continue };
        let key = key.with_subpath(subpath)?;
        let stored = store.load(&key).await?.unwrap_or_default();
        append_missing(store, &key, &path, &stored).await?;
        let last = stored.iter().rfind(|entry| entry.kind() == AGENT_METADATA);
        if let Some(metadata) = metadata(sessions, &path.with_extension("meta.json"))?
            && last.is_none_or(|last| value(last) != value(&metadata))
        {
            store.append(&key, &[metadata]).await?;
        }
    }
    Ok(Some(key))
}

/// An import failed, possibly after some entries were appended. Importing again completes it, except after
/// [`Key`](Self::Key), [`Gap`](Self::Gap) and a line that is too long.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The CLI's files can't be read.
    #[error("reading the session")]
    Local(#[from] SessionError),
    /// The store failed.
    #[error("keeping the session in the store")]
    Store(#[from] StoreError),
    /// A store can't have a session or a subagent of this name.
    #[error("naming the session in the store")]
    Key(#[from] KeyError),
    /// The store lacks entries of the session, or of one of its subagents, before others that it has.
    #[error(
        "the store lacks entries of {0} before others that it has, and would get them last: delete the session there \
         first"
    )]
    Gap(SessionKey),
}

/// Appends the entries of the file that are not stored.
async fn append_missing(
    store: &dyn SessionStore,
    key: &SessionKey,
    path: &Path,
    stored: &[RawEntry],
) -> Result<(), ImportError> {
    let mut lines = Lines::open(path).map_err(SessionError::io("reading", path))?;
    let ids: HashSet<_> = stored.iter().filter_map(RawEntry::uuid).collect();
    if !ids.is_empty() && has_gap(path, &ids)? {
        return Err(ImportError::Gap(key.clone()));
    }
    let mut without_id = HashMap::<_, usize>::new();
    for entry in stored.iter().filter(|entry| entry.uuid().is_none()) {
        *without_id.entry(value(entry)).or_default() += 1;
    }
    loop {
        let mut batch = next_batch(&mut lines, path)?;
        if batch.is_empty() {
            return Ok(());
        }
        batch.retain(|entry| match entry.uuid() {
            Some(id) => !ids.contains(id),
            None => {
                let value = value(entry);
                if let Some(left) = without_id.get_mut(&value).filter(|left| **left > 0) {
                    *left -= 1;
                    return false;
                }
                // Of some kinds the last entry counts, so later ones must follow this one in the store too.
                without_id.retain(|stored, _| stored["type"] != value["type"]);
                true
            }
        });
        if !batch.is_empty() {
            store.append(key, &batch).await?;
        }
    }
}

/// Returns the value to compare, because a store may change the order of keys; an entry that is too deep is text.
fn value(entry: &RawEntry) -> Value {
    entry.decode().unwrap_or_else(|_| entry.as_str().into())
}

/// Returns whether an entry of the file that is stored follows one that is not.
fn has_gap(path: &Path, stored: &HashSet<&Uuid>) -> Result<bool, SessionError> {
    let mut lines = Lines::open(path).map_err(SessionError::io("reading", path))?;
    let (mut lacks_one, mut seen) = (false, HashSet::new());
    loop {
        let batch = next_batch(&mut lines, path)?;
        if batch.is_empty() {
            return Ok(false);
        }
        for id in batch.iter().filter_map(RawEntry::uuid) {
            let Some(id) = stored.get(id) else {
                lacks_one = true;
                continue;
            };
            // The CLI may write an entry again, so only the first place of an id counts.
            if seen.insert(id) && lacks_one {
                return Ok(true);
            }
        }
    }
}

/// Returns the next entries; none at the end of the file.
fn next_batch(lines: &mut Lines<File>, path: &Path) -> Result<Vec<RawEntry>, SessionError> {
    let (mut batch, mut size) = (Vec::new(), 0);
    while batch.len() < MAX_ENTRIES && size < MAX_BYTES {
        match lines.next().map_err(SessionError::io("reading", path))? {
            None => break,
            Some(Line::Whole(line)) => {
                batch.extend(RawEntry::parse(String::from_utf8_lossy(line.trim_ascii())).ok());
                // A batch of skipped lines must not look like the end of the file.
                size = if batch.is_empty() { 0 } else { size + line.len() };
            }
            Some(Line::TooLong(offset)) => {
                return Err(SessionError::LineTooLong { path: path.to_owned(), offset, limit: MAX_LINE });
            }
        }
    }
    Ok(batch)
}

/// Returns the subpath for a file in the session's folder.
fn subpath(inside: &Path) -> Option<String> {
    let inside = inside.with_extension("");
    let parts: Option<Vec<_>> = inside.iter().map(|part| part.to_str()).collect();
    Some(parts?.join("/"))
}

/// Returns the archive mark as an entry; `None` if the session was never archived.
fn mark(file: &SessionFile) -> Result<Option<RawEntry>, SessionError> {
    let ends = Ends::read(&file.path).map_err(SessionError::io("reading", &file.path))?;
    let archived = ends.and_then(|ends| info_of(file, &ends, true)).and_then(|info| info.archived);
    let (Some(archived), Some(mark)) = (archived, mark_of(file)) else { return Ok(None) };
    Ok(archived_entry(&file.id, archived, &mark.at).ok())
}

/// Returns a subagent's metadata as the entry that a mirror receives; `None` if there is no usable file.
fn metadata(sessions: &Sessions, path: &Path) -> Result<Option<RawEntry>, SessionError> {
    let Some(path) = Inside::of(sessions.projects()).file(path.to_owned()) else { return Ok(None) };
    let text = read_metadata(&path).map_err(SessionError::io("reading", &path))?.unwrap_or_default();
    let fields = agentwire_protocol::decode::decode_bytes::<BTreeMap<String, RawJson>>(&text);
    let Ok(mut fields) = fields else { return Ok(None) };
    // The metadata's own `type` would be used as the entry's kind.
    let kind = RawJson::encode(AGENT_METADATA).ok();
    fields.extend(kind.map(|kind| ("type".to_owned(), kind)));
    Ok(RawJson::encode(&fields).ok().and_then(|text| RawEntry::parse(text.as_str()).ok()))
}

/// The limits of a batch, as in the reference SDKs.
const MAX_ENTRIES: usize = 500;
const MAX_BYTES: usize = 1 << 20;
