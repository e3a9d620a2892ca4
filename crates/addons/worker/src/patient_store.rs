//! A store whose appends survive an outage.

use std::{sync::Arc, time::Duration};

use agentwire::sessions::{RawEntry, SessionKey, SessionStore, SessionSummary, StoreFuture, StoredSession};
use tokio::time::{Instant, sleep};

/// A store whose failed appends are repeated for [`PATIENCE`], since their entries are nowhere else.
pub(crate) struct PatientStore(pub(crate) Arc<dyn SessionStore>);

impl SessionStore for PatientStore {
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [RawEntry]) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let until = Instant::now() + PATIENCE;
            loop {
                match self.0.append(key, entries).await {
                    Err(_) if Instant::now() < until => sleep(PAUSE).await,
                    appended => return appended,
                }
            }
        })
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<RawEntry>>> {
        self.0.load(key)
    }

    fn list_sessions<'a>(&'a self, project: &'a str) -> Option<StoreFuture<'a, Vec<StoredSession>>> {
        self.0.list_sessions(project)
    }

    fn list_summaries<'a>(&'a self, project: &'a str) -> Option<StoreFuture<'a, Vec<SessionSummary>>> {
        self.0.list_summaries(project)
    }

    fn delete<'a>(&'a self, key: &'a SessionKey) -> Option<StoreFuture<'a, ()>> {
        self.0.delete(key)
    }

    fn list_subkeys<'a>(&'a self, key: &'a SessionKey) -> Option<StoreFuture<'a, Vec<String>>> {
        self.0.list_subkeys(key)
    }
}

/// The longest outage of a store in which no entry is lost.
pub(crate) const OUTAGE: Duration = Duration::from_secs(45);

/// How long an append is repeated: the session makes three attempts to append an entry.
const PATIENCE: Duration = Duration::from_secs(15);

const PAUSE: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use agentwire::sessions::StoreError;

    use super::*;

    /// A store that is down for this time, and counts appends.
    struct Down(Instant, AtomicUsize);

    impl SessionStore for Down {
        fn append<'a>(&'a self, _: &'a SessionKey, _: &'a [RawEntry]) -> StoreFuture<'a, ()> {
            self.1.fetch_add(1, Ordering::Relaxed);
            let is_up = Instant::now() >= self.0;
            Box::pin(async move { if is_up { Ok(()) } else { Err(StoreError::new("append", "down")) } })
        }

        fn load<'a>(&'a self, _: &'a SessionKey) -> StoreFuture<'a, Option<Vec<RawEntry>>> {
            Box::pin(async { Ok(None) })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn append_is_repeated_for_a_limited_time() {
        let key = SessionKey::new("tenant", "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11".into()).unwrap();
        for (outage, appends, is_stored) in [(10, 11, true), (600, 16, false)] {
            let down = Arc::new(Down(Instant::now() + Duration::from_secs(outage), AtomicUsize::default()));
            let store = PatientStore(Arc::clone(&down) as _);
            let stored = store.append(&key, &[]).await;
            assert_eq!((stored.is_ok(), down.1.load(Ordering::Relaxed)), (is_stored, appends));
        }
    }
}
