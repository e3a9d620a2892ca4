//! A store with scripted failures.

use std::{
    collections::VecDeque,
    future::pending,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use agentwire::sessions::{MemoryStore, RawEntry, SessionKey, SessionStore, StoreError, StoreFuture};
use tokio::{sync::Notify, time::timeout};

use super::ID;

/// The behaviour of a store on an append.
#[derive(Clone, Copy, Debug)]
pub(super) enum Act {
    Fail,
    /// Never answers, and stores nothing.
    Hang,
    /// Never answers, and panics when dropped.
    HangAndPanic,
    /// Panics when called.
    Panic,
    /// Panics later.
    PanicLater,
    Slow(Duration),
}

/// A store in memory with scripted failures.
#[derive(Default)]
pub(super) struct TestStore {
    pub(super) inner: MemoryStore,
    acts: Mutex<VecDeque<Act>>,
    calls: Mutex<Vec<String>>,
    called: Notify,
    /// Notified when the session has dropped the store.
    returned: Notify,
}

impl TestStore {
    pub(super) fn new(acts: impl IntoIterator<Item = Act>) -> Self {
        Self { acts: Mutex::new(acts.into_iter().collect()), ..Self::default() }
    }

    /// Returns the append calls, successful or not: the key and the ids.
    pub(super) fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until it was called this often.
    pub(super) async fn called(&self, times: usize) {
        while self.calls().len() < times {
            self.called.notified().await;
        }
    }

    /// Waits until no session holds it.
    pub(super) async fn returned(&self) {
        self.returned.notified().await;
    }

    /// Returns the number of stored entries of the main conversation.
    pub(super) async fn stored(&self) -> usize {
        let key = SessionKey::new("-src-app", ID.into()).unwrap();
        self.inner.load(&key).await.unwrap().unwrap_or_default().len()
    }
}

impl SessionStore for TestStore {
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [RawEntry]) -> StoreFuture<'a, ()> {
        let ids: Vec<_> = entries.iter().map(|entry| entry.uuid().map_or("-", |id| id.as_str())).collect();
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{key}: {}", ids.join(" ")));
        self.called.notify_one();
        let act = self.acts.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        assert!(!matches!(act, Some(Act::Panic)), "as told");
        Box::pin(async move {
            match act {
                Some(Act::Fail) => return Err(StoreError::new("writing", "the disk is full")),
                Some(Act::Hang) => pending().await,
                Some(Act::HangAndPanic) => {
                    let _panics = PanicsLater;
                    pending::<()>().await;
                }
                Some(Act::PanicLater) => {
                    passed(Duration::from_millis(1)).await;
                    panic!("as told");
                }
                Some(Act::Slow(time)) => passed(time).await,
                Some(Act::Panic) | None => {}
            }
            self.inner.append(key, entries).await
        })
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<RawEntry>>> {
        self.inner.load(key)
    }
}

/// The store as passed to a session.
pub(super) struct Lent(pub(super) Arc<TestStore>);

impl SessionStore for Lent {
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [RawEntry]) -> StoreFuture<'a, ()> {
        self.0.append(key, entries)
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<RawEntry>>> {
        self.0.load(key)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.0.returned.notify_one();
    }
}

/// Panics when dropped.
struct PanicsLater;

impl Drop for PanicsLater {
    fn drop(&mut self) {
        panic!("as told");
    }
}

/// Advances a paused clock.
pub(super) async fn passed(time: Duration) {
    assert!(timeout(time, pending::<()>()).await.is_err());
}
