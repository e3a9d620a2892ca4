//! The store: one immutable object for each append.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agentwire_protocol::SessionId;
use agentwire_sessions::{RawEntry, SessionKey, SessionStore, StoreError, StoreFuture, StoredSession};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt as _};

use crate::name::{Stamp, is_own};
use crate::place;

/// A store in a bucket of S3, GCS, Azure or any other service of `object_store`, below a prefix.
///
/// Each append atomically creates one object of JSON lines, which is never modified.
/// Objects are ordered by their names, which contain the writer's time: appends of one process keep the order of the
/// calls, and a process that continues a session appends after all existing objects.
/// Concurrent appends of several processes are ordered by their clocks.
///
/// Repeated entries are stored twice and loaded once.
/// There are no summaries, because updating them concurrently would lose changes.
/// Loading takes a request for each append, several at a time; a mirror with large batches needs fewer.
///
/// An append fails after 30 seconds ([`append_limit`](Self::append_limit)), even if the client would go on: a mirror
/// repeats what has failed. Other time limits, and retries, are those of the given client.
/// A failed append may have been stored; repeating it does not duplicate entries with an id.
///
/// Requires tokio.
/// S3 limits the name of an object to 1,024 bytes, which allows for some 900 bytes of ASCII in project and subpath.
pub struct BucketStore {
    objects: Arc<dyn ObjectStore>,
    prefix: Path,
    append_limit: Duration,
    /// Folders for which the store has checked that no other writer's clock is ahead.
    seen: Mutex<HashSet<Path>>,
}

impl BucketStore {
    /// Creates a store below this prefix; an empty prefix is the whole bucket.
    pub fn new(objects: Arc<dyn ObjectStore>, prefix: impl Into<Path>) -> Self {
        Self { objects, prefix: prefix.into(), append_limit: APPEND_LIMIT, seen: Mutex::default() }
    }

    /// Sets the time limit of an append; the default is 30 seconds.
    ///
    /// A mirror loses entries whose append takes longer than its `sessionStoreAppendTimeoutMs`, which must be higher.
    #[must_use]
    pub fn append_limit(mut self, limit: Duration) -> Self {
        self.append_limit = limit;
        self
    }

    async fn add(&self, key: &SessionKey, entries: &[RawEntry], stamp: Stamp) -> Result<(), StoreError> {
        let folder = place::entries(&place::folder(&self.prefix, key));
        let is_seen = self.seen().contains(&folder);
        let stamp = if is_seen { stamp } else { self.after_all(&folder, stamp).await? };
        let mut text = String::with_capacity(entries.iter().map(|entry| entry.as_str().len() + 1).sum());
        for entry in entries {
            text.push_str(entry.as_str());
            text.push('\n');
        }
        let object = folder.clone().join(stamp.name());
        // The name is unique, so a retried request writes the same object.
        self.objects.put(&object, text.into()).await.map_err(|error| failed("writing", &object, error))?;
        self.see(folder);
        Ok(())
    }

    /// Returns a stamp after all objects of other writers, whose clocks may be ahead.
    ///
    /// Later objects of this process are ignored: they belong to appends that were called later.
    async fn after_all(&self, folder: &Path, stamp: Stamp) -> Result<Stamp, StoreError> {
        let later = self.objects.list_with_offset(Some(folder), &folder.clone().join(stamp.name()));
        let moment = |object: &ObjectMeta| {
            let is_others = !object.location.filename().is_some_and(is_own);
            moment(object).filter(|moment| is_others && moment.is_credible())
        };
        let latest = later.try_fold(None, async |latest, object| Ok(latest.max(moment(&object))));
        let latest = latest.await.map_err(|error| failed("listing", folder, error))?;
        Ok(latest.map_or(stamp, Stamp::after))
    }

    fn see(&self, folder: Path) {
        let mut seen = self.seen();
        if seen.len() >= MAX_SEEN {
            // Checking them again costs one request each.
            seen.clear();
        }
        seen.insert(folder);
    }

    fn seen(&self) -> MutexGuard<'_, HashSet<Path>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn all(&self, key: &SessionKey) -> Result<Option<Vec<RawEntry>>, StoreError> {
        let folder = place::entries(&place::folder(&self.prefix, key));
        let listed = self.list(&folder).try_collect::<Vec<_>>().await;
        let listed = listed.map_err(|error| failed("listing", &folder, error))?;
        let mut names: Vec<(Stamp, Path)> =
            listed.into_iter().filter_map(|object| Some((moment(&object)?, object.location))).collect();
        if names.is_empty() {
            return Ok(None);
        }
        // Not every service lists in order.
        names.sort();
        if names.last().is_some_and(|(latest, _)| *latest > Stamp::next()) {
            // Another writer's clock is ahead, so later appends have to check again.
            self.seen().remove(&folder);
        }
        let parts = stream::iter(names).map(|(_, name)| self.part(name)).buffered(AT_ONCE);
        let (mut entries, mut ids) = (Vec::new(), HashSet::new());
        let mut parts = std::pin::pin!(parts);
        while let Some(part) = parts.next().await {
            let fresh = |entry: &RawEntry| entry.uuid().is_none_or(|id| ids.insert(id.clone()));
            entries.extend(part?.into_iter().filter(fresh));
        }
        Ok(Some(entries))
    }

    async fn part(&self, name: Path) -> Result<Vec<RawEntry>, StoreError> {
        let got = self.objects.get(&name).await.map_err(|error| failed("reading", &name, error))?;
        let bytes = got.bytes().await.map_err(|error| failed("reading", &name, error))?;
        let text = std::str::from_utf8(&bytes)
            .map_err(|error| StoreError::new(format_args!("reading the object {name}"), error))?;
        let parse = |line| {
            RawEntry::parse(line).map_err(|error| {
                StoreError::new(format_args!("reading an entry of the object {name}"), error)
            })
        };
        text.lines().map(parse).collect()
    }

    async fn sessions(&self, project: &str) -> Result<Vec<StoredSession>, StoreError> {
        let folder = place::project(&self.prefix, project);
        let mut sessions = BTreeMap::<String, Stamp>::new();
        let mut objects = self.list(&folder);
        while let Some(object) = objects.next().await {
            let object = object.map_err(|error| failed("listing", &folder, error))?;
            let (Some(way), Some(stamp)) = (place::below(&folder, &object.location), moment(&object)) else {
                continue;
            };
            // Longer paths are those of subpaths.
            if way.len() != UUID || way.contains('/') {
                continue;
            }
            let last = sessions.entry(way.to_owned()).or_insert(stamp);
            *last = stamp.max(*last);
        }
        let session =
            |(id, last): (String, Stamp)| StoredSession::new(SessionId::from(id), last.milliseconds());
        Ok(sessions.into_iter().map(session).collect())
    }

    /// Deletes the session's own entries last, so that an interrupted deletion is visible and can be repeated.
    async fn remove(&self, key: &SessionKey) -> Result<(), StoreError> {
        let folder = place::folder(&self.prefix, key);
        let own = place::entries(&folder);
        if key.subpath().is_none() {
            let entries = own.clone();
            self.remove_all(&folder, move |object| !object.prefix_matches(&entries)).await?;
        }
        self.remove_all(&own, |_| true).await
    }

    async fn remove_all(
        &self,
        folder: &Path,
        is_meant: impl Fn(&Path) -> bool + Send + 'static,
    ) -> Result<(), StoreError> {
        let names = self.list(folder).map_ok(|object| object.location);
        let names = names.try_filter(move |name| ready(is_meant(name))).boxed();
        let mut removed = self.objects.delete_stream(names);
        while let Some(removed) = removed.next().await {
            match removed {
                // Another process deleted this object; others may be left.
                Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(failed("deleting", folder, error)),
            }
        }
        Ok(())
    }

    async fn subkeys(&self, key: &SessionKey) -> Result<Vec<String>, StoreError> {
        let folder = place::folder(&self.prefix, &key.session());
        let mut ways = BTreeSet::new();
        let mut objects = self.list(&folder);
        while let Some(object) = objects.next().await {
            let object = object.map_err(|error| failed("listing", &folder, error))?;
            let way = place::below(&folder, &object.location).filter(|way| !way.is_empty());
            if let (Some(way), Some(_)) = (way, moment(&object)) {
                ways.insert(way.to_owned());
            }
        }
        Ok(ways.iter().filter_map(|way| place::subpath(way)).collect())
    }

    fn list(&self, folder: &Path) -> stream::BoxStream<'static, object_store::Result<ObjectMeta>> {
        self.objects.list(Some(folder))
    }
}

impl SessionStore for BucketStore {
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [RawEntry]) -> StoreFuture<'a, ()> {
        // Taken at the call and not at the first poll, so that objects keep the order of the calls.
        let stamp = Stamp::next();
        Box::pin(async move {
            if entries.is_empty() {
                return Ok(());
            }
            let added = tokio::time::timeout(self.append_limit, self.add(key, entries, stamp)).await;
            added.unwrap_or_else(|_| {
                let why = format!("no answer within {:?}", self.append_limit);
                Err(StoreError::new(format_args!("appending to {key} in the object store"), why))
            })
        })
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<RawEntry>>> {
        Box::pin(self.all(key))
    }

    fn list_sessions<'a>(&'a self, project: &'a str) -> Option<StoreFuture<'a, Vec<StoredSession>>> {
        Some(Box::pin(self.sessions(project)))
    }

    fn delete<'a>(&'a self, key: &'a SessionKey) -> Option<StoreFuture<'a, ()>> {
        Some(Box::pin(self.remove(key)))
    }

    fn list_subkeys<'a>(&'a self, key: &'a SessionKey) -> Option<StoreFuture<'a, Vec<String>>> {
        Some(Box::pin(self.subkeys(key)))
    }
}

/// Writes the prefix, and the client only as it describes itself.
impl fmt::Debug for BucketStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BucketStore")
            .field("objects", &format_args!("{}", self.objects))
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

/// Returns the time of an object; `None` if the store did not create it.
fn moment(object: &ObjectMeta) -> Option<Stamp> {
    Stamp::of(object.location.filename()?)
}

fn failed(doing: &str, object: &Path, error: object_store::Error) -> StoreError {
    StoreError::new(format_args!("{doing} {object} in the object store"), error)
}

/// Longer than a working service takes, and half of a mirror's limit.
const APPEND_LIMIT: Duration = Duration::from_secs(30);
/// How many objects are read concurrently.
const AT_ONCE: usize = 8;
/// The maximum number of remembered folders, of some hundred bytes each.
const MAX_SEEN: usize = 4096;
/// The length of a session's id.
const UUID: usize = 36;
