//! Brings a session from the CLI's own files into a store.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;

use agentwire_protocol::{RawJson, SessionId};

use super::sessions::AGENT_METADATA;
use super::{SessionKey, SessionStore, StoreError};
use crate::change::archived_entry;
use crate::info::mark_of;
use crate::sessions::{Inside, SessionFile};
use crate::{RawEntry, SessionError, Sessions};

/// Brings a session and its subagents from the CLI's own files into a store; the key it has there, or `None` where
/// there is no such session.
///
/// The project is called what its folder is called, as a mirror calls it, so the session can be resumed from the store
/// as if it had been mirrored.
/// Whether it is archived comes with it, as of when that was set.
/// It is no fault to import a session twice, or one that a mirror has left gaps in: what has an id is kept once.
///
/// Entries go to the store in order, at most 500 or about a megabyte at once.
/// A line that is no JSON object is left out, such as the last one while it is being written.
/// Files are read a little at a time between appends, by whoever polls the future; that blocks.
/// A future that is dropped leaves in the store what has come so far; importing again completes it.
///
/// # Errors
///
/// When the id is no UUID, a file can't be read, or the store fails.
pub async fn import_session(
    sessions: &Sessions,
    id: &SessionId,
    store: &dyn SessionStore,
) -> Result<Option<SessionKey>, ImportError> {
    let Some(file) = sessions.find(id)? else { return Ok(None) };
    let project =
        file.path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let key = SessionKey::new(project.unwrap_or_default(), id.clone()).map_err(naming)?;
    append_file(store, &key, &file.path).await?;
    if let Some(mark) = mark(sessions, id, &file)? {
        store.append(&key, &[mark]).await?;
    }
    let folder = file.folder();
    for (_, path) in sessions.subagent_files(id)?.unwrap_or_default() {
        let Some(subpath) = path.strip_prefix(&folder).ok().and_then(subpath) else { continue };
        let key = key.with_subpath(subpath).map_err(naming)?;
        append_file(store, &key, &path).await?;
        if let Some(metadata) = metadata(sessions, &path.with_extension("meta.json"))? {
            store.append(&key, &[metadata]).await?;
        }
    }
    Ok(Some(key))
}

/// A session was not brought into a store, or not all of it; importing it again completes it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The CLI's files can't be read.
    #[error("reading the session")]
    Local(#[from] SessionError),
    /// The store does not take it.
    #[error("keeping the session in the store")]
    Store(#[from] StoreError),
}

fn naming(error: super::KeyError) -> ImportError {
    StoreError::new("naming the session", error).into()
}

async fn append_file(store: &dyn SessionStore, key: &SessionKey, path: &Path) -> Result<(), ImportError> {
    let file = File::open(path).map_err(SessionError::io("reading", path))?;
    let mut lines = BufReader::new(file);
    loop {
        let batch = next_batch(&mut lines).map_err(SessionError::io("reading", path))?;
        if batch.is_empty() {
            return Ok(());
        }
        store.append(key, &batch).await?;
    }
}

/// The next entries; none at the end of the file.
fn next_batch(lines: &mut impl BufRead) -> std::io::Result<Vec<RawEntry>> {
    let (mut batch, mut size, mut line) = (Vec::new(), 0, Vec::new());
    while batch.len() < MAX_ENTRIES && size < MAX_BYTES && lines.read_until(b'\n', &mut line)? > 0 {
        size += line.len();
        batch.extend(RawEntry::parse(String::from_utf8_lossy(line.trim_ascii())).ok());
        line.clear();
        // What is passed over must not look like the end.
        size = if batch.is_empty() { 0 } else { size };
    }
    Ok(batch)
}

/// What lies beneath a session, by the file's place in the session's folder.
fn subpath(inside: &Path) -> Option<String> {
    let inside = inside.with_extension("");
    let parts: Option<Vec<_>> = inside.iter().map(|part| part.to_str()).collect();
    Some(parts?.join("/"))
}

/// Whether the session is archived, as an entry; none where it never was.
fn mark(sessions: &Sessions, id: &SessionId, file: &SessionFile) -> Result<Option<RawEntry>, SessionError> {
    let archived = sessions.info(id)?.and_then(|info| info.archived);
    let (Some(archived), Some(mark)) = (archived, mark_of(file)) else { return Ok(None) };
    Ok(archived_entry(id, archived, &mark.at).ok())
}

/// A subagent's metadata as the entry that a mirror is sent for it; none where the file is none.
fn metadata(sessions: &Sessions, path: &Path) -> Result<Option<RawEntry>, SessionError> {
    let Some(path) = Inside::of(sessions.projects()).file(path.to_owned()) else { return Ok(None) };
    let text = fs::read(&path).map_err(SessionError::io("reading", &path))?;
    let fields = agentwire_protocol::decode::decode_bytes::<BTreeMap<String, RawJson>>(&text);
    let Ok(mut fields) = fields else { return Ok(None) };
    // A `type` of its own would be taken for the entry's.
    let kind = RawJson::encode(AGENT_METADATA).ok();
    fields.extend(kind.map(|kind| ("type".to_owned(), kind)));
    Ok(RawJson::encode(&fields).ok().and_then(|text| RawEntry::parse(text.as_str()).ok()))
}

/// How many entries are appended at once, and about how many bytes; the published SDKs have the same.
const MAX_ENTRIES: usize = 500;
const MAX_BYTES: usize = 1 << 20;
