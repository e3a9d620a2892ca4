//! A store in memory.

use std::collections::{BTreeMap, HashSet};
use std::future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use agentwire_protocol::{RawJson, Uuid};

use super::{SessionKey, SessionStore, SessionSummary, StoreError, StoreFuture, StoredSession, fold_summary};
use crate::RawEntry;

/// A store in memory, for tests and temporary copies.
///
/// Memory grows with each append, and only `delete` frees it.
#[derive(Debug, Default)]
pub struct MemoryStore {
    kept: Mutex<BTreeMap<SessionKey, Kept>>,
    /// The time of the last append. Changes only under the lock of `kept`.
    last_ms: AtomicU64,
}

impl MemoryStore {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn add(&self, key: &SessionKey, entries: &[RawEntry]) -> Result<(), StoreError> {
        if entries.is_empty() {
            return Ok(());
        }
        let mut kept = self.kept();
        let kept = kept.entry(key.clone()).or_default();
        let first = kept.entries.len();
        for entry in entries {
            if entry.uuid().is_none_or(|id| kept.ids.insert(id.clone())) {
                kept.entries.push(entry.clone());
            }
        }
        // Strictly increasing, so that the order of sessions is the order of their last appends.
        kept.modified_ms = now_ms().max(self.last_ms.load(Ordering::Relaxed) + 1);
        self.last_ms.store(kept.modified_ms, Ordering::Relaxed);
        if key.subpath().is_none() {
            let folded = fold_summary(kept.summary.as_ref(), &kept.entries[first..]);
            kept.summary = Some(folded.map_err(|error| StoreError::new("folding a summary", error))?);
        }
        Ok(())
    }

    fn kept(&self) -> MutexGuard<'_, BTreeMap<SessionKey, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The entries under one key.
#[derive(Debug, Default)]
struct Kept {
    entries: Vec<RawEntry>,
    ids: HashSet<Uuid>,
    modified_ms: u64,
    /// The summary of a session; `None` for a subpath.
    summary: Option<RawJson>,
}

impl SessionStore for MemoryStore {
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [RawEntry]) -> StoreFuture<'a, ()> {
        Box::pin(future::ready(self.add(key, entries)))
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<RawEntry>>> {
        let entries = self.kept().get(key).map(|kept| kept.entries.clone());
        Box::pin(future::ready(Ok(entries)))
    }

    fn list_sessions<'a>(&'a self, project: &'a str) -> Option<StoreFuture<'a, Vec<StoredSession>>> {
        let kept = self.kept();
        let sessions = kept.iter().filter(|(key, _)| key.project() == project && key.subpath().is_none());
        let sessions =
            sessions.map(|(key, kept)| StoredSession::new(key.session_id().clone(), kept.modified_ms));
        Some(Box::pin(future::ready(Ok(sessions.collect()))))
    }

    fn list_summaries<'a>(&'a self, project: &'a str) -> Option<StoreFuture<'a, Vec<SessionSummary>>> {
        let kept = self.kept();
        let summaries = kept.iter().filter(|(key, _)| key.project() == project).filter_map(|(key, kept)| {
            Some(SessionSummary::new(key.session_id().clone(), kept.modified_ms, kept.summary.clone()?))
        });
        Some(Box::pin(future::ready(Ok(summaries.collect()))))
    }

    fn delete<'a>(&'a self, key: &'a SessionKey) -> Option<StoreFuture<'a, ()>> {
        self.kept().retain(|kept, _| kept != key && (key.subpath().is_some() || kept.session() != *key));
        Some(Box::pin(future::ready(Ok(()))))
    }

    fn list_subkeys<'a>(&'a self, key: &'a SessionKey) -> Option<StoreFuture<'a, Vec<String>>> {
        let session = key.session();
        let kept = self.kept();
        let subkeys = kept.keys().filter(|kept| kept.session() == session).filter_map(|kept| kept.subpath());
        Some(Box::pin(future::ready(Ok(subkeys.map(str::to_owned).collect()))))
    }
}

fn now_ms() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::MemoryStore;
    use crate::{RawEntry, SessionKey, SessionStore};

    #[tokio::test]
    async fn a_later_append_has_a_later_time_within_a_millisecond_too() {
        let store = MemoryStore::new();
        let entry = [RawEntry::parse("{}").unwrap()];
        for number in (0..50).rev() {
            let id = format!("0b0e7a3e-57a1-4a4c-9d3f-{number:012x}");
            store.append(&SessionKey::new("p", id.into()).unwrap(), &entry).await.unwrap();
        }
        let mut listed = store.list_sessions("p").unwrap().await.unwrap();
        listed.sort_by(|a, b| b.session_id.cmp(&a.session_id));
        assert!(listed.is_sorted_by(|a, b| a.modified_ms < b.modified_ms), "{listed:?}");
    }
}
