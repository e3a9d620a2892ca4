//! A store in a folder: files of JSON lines.

mod lines;
mod names;
mod place;
mod sidecar;
mod synced;
mod threads;

use std::fmt;
use std::fs::{self, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentwire_protocol::SessionId;

use super::key::is_uuid;
use super::{SessionKey, SessionStore, SessionSummary, StoreError, StoreFuture, StoredSession};
use crate::RawEntry;
use place::{Place, entries_name, found, with_ending};
use synced::Synced;
use threads::Threads;

/// Keeps sessions in a folder of its own, as files of JSON lines; several programs may use the same folder at once.
///
/// It does all that a [`SessionStore`] can, and needs nothing but the standard library and a file system.
/// Clones are the same store.
///
/// # What is promised
///
/// - An append is one write to the end of one file, so appends that run at once, in any number of processes, stay
///   together each.
///   That holds where the file system appends as a whole: on local ones, not on NFS.
/// - A writer that is killed in the middle, and a full disk, leave at most entries that are whole and one torn line,
///   which is passed over.
///   A retried append is complete; what has no id may then be kept twice.
/// - What an append has given is safe from the end of this program, and not yet from that of the machine:
///   [`synced`](Self::synced) makes it so.
/// - What it makes is for the user alone (0700, 0600); a folder that exists keeps its permissions.
/// - It follows no link inside the folder: what lies behind one is an error.
///   The folder itself may be one.
///
/// # Where the work is done
///
/// Each operation runs on a thread of its own, eight at most; a slow disk makes futures wait, and blocks no runtime.
/// A future that is dropped once it was polled has its work done all the same.
///
/// # The files
///
/// `PROJECT/SESSION.jsonl` is a session, and `PROJECT/SESSION/SUBPATH.jsonl` what lies beneath it.
/// In names, what is not a lower-case ASCII letter, a digit, `-` or `_` is escaped, since file systems differ.
/// Beside a session, `SESSION.summary` saves reading it again; it may be removed at any time.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use agentwire_sessions::{FolderStore, RawEntry, SessionKey, SessionStore};
///
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// let store = FolderStore::at(folder);
/// let key = SessionKey::new("-srv-project", "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11".into())?;
/// store.append(&key, &[RawEntry::parse(r#"{"type":"user","uuid":"a"}"#)?]).await?;
/// assert_eq!(FolderStore::at(folder).load(&key).await?.unwrap().len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct FolderStore {
    place: Place,
    synced: Option<Arc<Synced>>,
    threads: Arc<Threads>,
}

impl FolderStore {
    /// The store in this folder, which is made with the first append.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { place: Place::new(folder.into()), synced: None, threads: Arc::default() }
    }

    /// The same store, in which each append is on the disk before it has succeeded.
    #[must_use]
    pub fn synced(&self) -> Self {
        Self { synced: Some(Arc::default()), ..self.clone() }
    }

    /// Its folder, as an absolute path.
    pub fn folder(&self) -> &Path {
        self.place.root()
    }

    /// Does work on a thread, once the future is polled.
    fn run<T: Send + 'static>(
        &self,
        doing: impl fmt::Display + Send + 'static,
        work: impl FnOnce(&Place) -> io::Result<T> + Send + 'static,
    ) -> StoreFuture<'static, T> {
        let place = self.place.clone();
        let done = self.threads.run(move || work(&place));
        Box::pin(async move { done.await.map_err(|error| StoreError::new(doing, error)) })
    }
}

impl SessionStore for FolderStore {
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [RawEntry]) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            if entries.is_empty() {
                return Ok(());
            }
            let (file, batch, synced) = (self.place.file(key), lines::batch(entries), self.synced.clone());
            let doing = format!("appending to {}", file.display());
            self.run(doing, move |place| append(place, &file, &batch, synced.as_deref())).await
        })
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<RawEntry>>> {
        let file = self.place.file(key);
        self.run(format!("reading {}", file.display()), move |place| {
            let entries = place.open(&file)?.map(lines::load).transpose()?;
            // A first append that got nowhere has left a file without an entry.
            Ok(entries.filter(|entries| !entries.is_empty()))
        })
    }

    fn list_sessions<'a>(&'a self, project: &'a str) -> Option<StoreFuture<'a, Vec<StoredSession>>> {
        let folder = self.place.project(project);
        Some(self.run(format!("listing {}", folder.display()), move |place| {
            let sessions = sessions(place, &folder)?;
            let stored = |(id, is): (_, Metadata)| StoredSession::new(id, sidecar::modified_ms(&is));
            Ok(sessions.into_iter().map(stored).collect())
        }))
    }

    fn list_summaries<'a>(&'a self, project: &'a str) -> Option<StoreFuture<'a, Vec<SessionSummary>>> {
        let folder = self.place.project(project);
        Some(self.run(format!("summarising {}", folder.display()), move |place| summaries(place, &folder)))
    }

    fn delete<'a>(&'a self, key: &'a SessionKey) -> Option<StoreFuture<'a, ()>> {
        let (key, file) = (key.clone(), self.place.file(key));
        Some(self.run(format!("deleting {}", file.display()), move |place| delete(place, &key, &file)))
    }

    fn list_subkeys<'a>(&'a self, key: &'a SessionKey) -> Option<StoreFuture<'a, Vec<String>>> {
        let folder = self.place.beneath(key);
        Some(self.run(format!("listing {}", folder.display()), move |place| subkeys(place, &folder)))
    }
}

fn append(place: &Place, path: &Path, batch: &[u8], synced: Option<&Synced>) -> io::Result<()> {
    let mut file = place.open_to_append(path)?;
    let is_new = file.metadata()?.len() == 0;
    lines::append(&mut file, batch)?;
    if let Some(synced) = synced {
        file.sync_data()?;
        // Whoever made a file that is there already may have left its folders to chance.
        if is_new || !synced.has(path) {
            place.sync_folders(path)?;
            synced.add(path);
        }
    }
    Ok(())
}

/// The sessions of a project's folder, and what the file system says of each.
fn sessions(place: &Place, folder: &Path) -> io::Result<Vec<(SessionId, Metadata)>> {
    let mut sessions = Vec::new();
    for entry in place.read_dir(folder)? {
        let name = entry.file_name();
        let id = entries_name(&name).and_then(|name| names::decoded(&[name])).filter(|id| is_uuid(id));
        let (Some(id), Some(is)) = (id, found(entry.metadata())?) else { continue };
        if is.is_file() && is.len() > 0 {
            sessions.push((SessionId::from(id), is));
        }
    }
    Ok(sessions)
}

fn summaries(place: &Place, folder: &Path) -> io::Result<Vec<SessionSummary>> {
    let mut summaries = Vec::new();
    for (id, _) in sessions(place, folder)? {
        let path = folder.join(names::path(id.as_str()));
        let Some(file) = place.open(&with_ending(path.clone(), place::ENTRIES))? else { continue };
        let is = file.metadata()?;
        if let Some(data) = sidecar::summary(place, &path, file, &is)? {
            summaries.push(SessionSummary::new(id, sidecar::modified_ms(&is), data));
        }
    }
    Ok(summaries)
}

/// The session's own file goes last, so that a deletion that was broken off can be seen and done again.
fn delete(place: &Place, key: &SessionKey, file: &Path) -> io::Result<()> {
    let beneath = place.beneath(key);
    if key.subpath().is_none() {
        let mut tries = 0;
        while place.check(&beneath, FileType::is_dir)? {
            match found(fs::remove_dir_all(&beneath)) {
                // Somebody appended in between.
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty && tries < 3 => tries += 1,
                removed => _ = removed?,
            }
        }
        for ending in [sidecar::SUMMARY, sidecar::NEW_SUMMARY] {
            found(fs::remove_file(with_ending(beneath.clone(), ending)))?;
        }
    }
    if place.check(file, FileType::is_file)? {
        found(fs::remove_file(file))?;
    }
    // Folders that are empty now go too; the first that is not ends it.
    for folder in file.ancestors().skip(1).take_while(|folder| folder.starts_with(&beneath)) {
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
    Ok(())
}

fn subkeys(place: &Place, folder: &Path) -> io::Result<Vec<String>> {
    let mut subkeys = Vec::new();
    let mut open = vec![(folder.to_owned(), Vec::<String>::new())];
    while let Some((folder, names)) = open.pop() {
        for entry in place.read_dir(&folder)? {
            let file_name = entry.file_name();
            let kind = entry.file_type()?;
            let name = if kind.is_dir() { file_name.to_str() } else { entries_name(&file_name) };
            let Some(name) = name else { continue };
            let names: Vec<_> = names.iter().cloned().chain([name.to_owned()]).collect();
            if kind.is_dir() {
                open.push((entry.path(), names));
            } else if kind.is_file() && found(entry.metadata())?.is_some_and(|is| is.len() > 0) {
                let names: Vec<_> = names.iter().map(String::as_str).collect();
                subkeys.extend(names::decoded(&names));
            }
        }
    }
    Ok(subkeys)
}
