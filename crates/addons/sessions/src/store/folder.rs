//! A store of JSON lines files in a folder.

mod lines;
mod names;
mod place;
mod synced;

use std::fmt;
use std::fs::{self, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use agentwire_protocol::SessionId;
use blocking::{Task, unblock};

use super::summary::Folded;
use super::{SessionKey, SessionStore, SessionSummary, StoreError, StoreFuture, StoredSession};
use crate::RawEntry;
use crate::ends::Known;
use crate::ids::is_uuid;
use crate::stream::append_lines;
use place::{Place, entries_name, found, with_ending};
use synced::Synced;

/// A store that keeps sessions in a folder, as JSON lines files; several programs may use the same folder at once.
///
/// It implements all methods of [`SessionStore`] and needs no async runtime.
/// Clones refer to the same store.
///
/// # Guarantees
///
/// - An append of up to 1 GiB is one write to the end of one file, so concurrent appends, from any number of processes,
///   do not interleave. A larger one has several writes.
///   This requires a file system with atomic appends: local ones, not NFS.
/// - A writer that is killed and a full disk leave at most complete entries and one torn line, which is skipped.
///   A retried append is complete; entries without an id may then be stored twice.
/// - An entry of more than 1 GiB is refused.
/// - A completed append survives a crash of the program but not of the machine; use [`synced`](Self::synced) for that.
/// - New files and folders are accessible to the user alone (0600, 0700); existing folders keep their permissions.
/// - Symbolic links inside the folder are not followed: loads and appends through them fail, and lists leave them out.
///   The folder itself may be a link.
///
/// # Threads
///
/// Each operation runs on the thread pool of the crate `blocking`, so a slow disk does not block an async runtime.
/// Dropping a future that was polled does not cancel its operation.
///
/// # Files
///
/// A session is in `PROJECT/SESSION.jsonl`, and its subpaths are in `PROJECT/SESSION/SUBPATH.jsonl`.
/// Characters of names other than lower-case ASCII letters, digits, `-` and `_` are escaped, because file systems
/// differ.
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
}

impl FolderStore {
    /// Returns the store in this folder, which the first append creates.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { place: Place::new(folder.into()), synced: None }
    }

    /// Returns the same store, with appends that are synced to the disk before they complete.
    #[must_use]
    pub fn synced(&self) -> Self {
        Self { synced: Some(Arc::default()), ..self.clone() }
    }

    /// Returns the folder, as an absolute path.
    pub fn folder(&self) -> &Path {
        self.place.root()
    }

    /// Runs `work` on the thread pool for blocking work when the future is first polled.
    fn run<T: Send + 'static>(
        &self,
        doing: impl fmt::Display + Send + 'static,
        work: impl FnOnce(&Place) -> io::Result<T> + Send + 'static,
    ) -> StoreFuture<'static, T> {
        let place = self.place.clone();
        Box::pin(async move {
            let task = DetachOnDrop(Some(unblock(move || work(&place))));
            task.await.map_err(|error| StoreError::new(doing, error))
        })
    }
}

/// A task that continues when its future is dropped.
struct DetachOnDrop<T>(Option<Task<T>>);

impl<T> Future for DetachOnDrop<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        match &mut self.0 {
            Some(task) => Pin::new(task).poll(context),
            None => Poll::Pending,
        }
    }
}

impl<T> Drop for DetachOnDrop<T> {
    fn drop(&mut self) {
        if let Some(task) = self.0.take() {
            task.detach();
        }
    }
}

impl SessionStore for FolderStore {
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [RawEntry]) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            if entries.is_empty() {
                return Ok(());
            }
            let (file, synced) = (self.place.file(key), self.synced.clone());
            let doing = format!("appending to {}", file.display());
            let batches =
                lines::batches(entries, lines::LONGEST).map_err(|error| StoreError::new(&doing, error))?;
            self.run(doing, move |place| append(place, &file, &batches, synced.as_deref())).await
        })
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<RawEntry>>> {
        let file = self.place.file(key);
        self.run(format!("reading {}", file.display()), move |place| {
            let entries = place.open(&file)?.map(lines::load).transpose()?;
            // A failed first append may leave a file without an entry.
            Ok(entries.filter(|entries| !entries.is_empty()))
        })
    }

    fn list_sessions<'a>(&'a self, project: &'a str) -> Option<StoreFuture<'a, Vec<StoredSession>>> {
        let folder = self.place.project(project);
        Some(self.run(format!("listing {}", folder.display()), move |place| {
            let sessions = sessions(place, &folder)?;
            let stored = |(id, is): (_, Metadata)| StoredSession::new(id, Known::of(&is).modified_ms);
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

fn append(place: &Place, path: &Path, batches: &[Vec<u8>], synced: Option<&Synced>) -> io::Result<()> {
    let mut file = place.open_to_append(path)?;
    let is_new = file.metadata()?.len() == 0;
    for batch in batches {
        append_lines(&mut file, batch)?;
    }
    if let Some(synced) = synced {
        file.sync_data()?;
        // If another writer created the file, its folders may not be synced.
        if is_new || !synced.has(path) {
            place.sync_folders(path)?;
            synced.add(path);
        }
    }
    Ok(())
}

/// Returns the sessions in a project's folder, with their metadata.
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
        let Some(file) = place.open(&with_ending(path, place::ENTRIES))? else { continue };
        let modified = Known::of(&file.metadata()?).modified_ms;
        // An entry that was appended twice is folded twice, which matters only if another value came in between.
        let (mut folded, mut is_empty) = (Folded::default(), true);
        lines::for_each(file, lines::LONGEST, |entry| {
            folded.add(&entry);
            is_empty = false;
        })?;
        if !is_empty {
            summaries.push(SessionSummary::new(id, modified, folded.into_data()));
        }
    }
    Ok(summaries)
}

/// Deletes the session's own file last, so that an interrupted deletion is visible and can be repeated.
fn delete(place: &Place, key: &SessionKey, file: &Path) -> io::Result<()> {
    let beneath = place.beneath(key);
    if key.subpath().is_none() {
        let mut tries = 0;
        while place.check(&beneath, FileType::is_dir)? {
            match found(fs::remove_dir_all(&beneath)) {
                // Another writer appended meanwhile.
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty && tries < 3 => tries += 1,
                removed => _ = removed?,
            }
        }
    }
    if place.check(file, FileType::is_file)? {
        found(fs::remove_file(file))?;
    }
    // Removes folders that are now empty.
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
