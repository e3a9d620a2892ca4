//! A store whose appends survive an outage, and whose loads end.

use std::{sync::Arc, time::Duration};

use agentwire::{
    Options,
    sessions::{RawEntry, SessionKey, SessionStore, SessionSummary, StoreError, StoreFuture, StoredSession},
};
use tokio::time::{Instant, sleep, timeout};

/// A store whose failed appends are repeated for [`PATIENCE`], since their entries are nowhere else. A load has a limit,
/// since the end of a turn waits for it.
pub(crate) struct PatientStore {
    store: Arc<dyn SessionStore>,
    load_limit: Duration,
}

impl PatientStore {
    /// Wraps the store of sessions with these options.
    pub(crate) fn new(store: Arc<dyn SessionStore>, options: &Options) -> Self {
        Self { store, load_limit: options.load_timeout_ms.map_or(LOAD_LIMIT, Duration::from_millis) }
    }
}

impl SessionStore for PatientStore {
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [RawEntry]) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let until = Instant::now() + PATIENCE;
            loop {
                match self.store.append(key, entries).await {
                    Err(_) if Instant::now() < until => sleep(PAUSE).await,
                    appended => return appended,
                }
            }
        })
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<RawEntry>>> {
        Box::pin(async move {
            let loaded = timeout(self.load_limit, self.store.load(key)).await;
            let late = |_| Err(StoreError::new("load", format!("no answer within {:?}", self.load_limit)));
            loaded.unwrap_or_else(late)
        })
    }

    fn list_sessions<'a>(&'a self, project: &'a str) -> Option<StoreFuture<'a, Vec<StoredSession>>> {
        self.store.list_sessions(project)
    }

    fn list_summaries<'a>(&'a self, project: &'a str) -> Option<StoreFuture<'a, Vec<SessionSummary>>> {
        self.store.list_summaries(project)
    }

    fn delete<'a>(&'a self, key: &'a SessionKey) -> Option<StoreFuture<'a, ()>> {
        self.store.delete(key)
    }

    fn list_subkeys<'a>(&'a self, key: &'a SessionKey) -> Option<StoreFuture<'a, Vec<String>>> {
        self.store.list_subkeys(key)
    }
}

/// The longest outage of a store in which no entry is lost.
pub(crate) const OUTAGE: Duration = Duration::from_secs(45);

/// How long an append is repeated: the session makes three attempts to append an entry.
const PATIENCE: Duration = Duration::from_secs(15);

const PAUSE: Duration = Duration::from_secs(1);

/// How long a load may take unless the options set a limit: as long as in a session.
const LOAD_LIMIT: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use std::{
        future::pending,
        sync::atomic::{AtomicUsize, Ordering},
    };

    use super::*;

    /// A store that takes no append before this time, counts appends, and never answers a load.
    struct Down(Instant, AtomicUsize);

    impl SessionStore for Down {
        fn append<'a>(&'a self, _: &'a SessionKey, _: &'a [RawEntry]) -> StoreFuture<'a, ()> {
            self.1.fetch_add(1, Ordering::Relaxed);
            let is_up = Instant::now() >= self.0;
            Box::pin(async move { if is_up { Ok(()) } else { Err(StoreError::new("append", "down")) } })
        }

        fn load<'a>(&'a self, _: &'a SessionKey) -> StoreFuture<'a, Option<Vec<RawEntry>>> {
            Box::pin(pending())
        }
    }

    fn key() -> SessionKey {
        SessionKey::new("tenant", "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11".into()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn append_is_repeated_for_a_limited_time() {
        for (outage, appends, is_stored) in [(10, 11, true), (600, 16, false)] {
            let down = Arc::new(Down(Instant::now() + Duration::from_secs(outage), AtomicUsize::default()));
            let store = PatientStore::new(Arc::clone(&down) as _, &Options::new());
            let stored = store.append(&key(), &[]).await;
            assert_eq!((stored.is_ok(), down.1.load(Ordering::Relaxed)), (is_stored, appends));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn load_has_a_limit() {
        for (options, seconds) in [(Options::new(), 60), (Options::new().load_timeout_ms(5000), 5)] {
            let store = PatientStore::new(Arc::new(Down(Instant::now(), AtomicUsize::default())), &options);
            let start = Instant::now();
            store.load(&key()).await.unwrap_err();
            assert_eq!(start.elapsed().as_secs(), seconds);
        }
    }
}
