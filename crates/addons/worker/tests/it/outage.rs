//! A session store that is away for a time.

use std::{future::ready, sync::Arc, time::Duration};

use agentwire::sessions::{MemoryStore, RawEntry, SessionKey, SessionStore, StoreError, StoreFuture};
use agentwire_worker::{Start, WorkerConfig};
use tokio::{
    sync::Notify,
    time::{Instant, pause, resume, timeout},
};

use crate::{
    LIMIT, done, prompt, session,
    stand_in::Place,
    worker::{end, start, started},
};

/// A store that takes no entry before an instant.
struct Down {
    store: MemoryStore,
    until: Instant,
    /// Notified when an entry is taken.
    taken: Notify,
}

impl SessionStore for Down {
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [RawEntry]) -> StoreFuture<'a, ()> {
        if Instant::now() < self.until {
            return Box::pin(ready(Err(StoreError::new("append", "down"))));
        }
        self.taken.notify_one();
        self.store.append(key, entries)
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<RawEntry>>> {
        self.store.load(key)
    }
}

#[tokio::test]
async fn outage_of_40_seconds_at_the_end_of_a_session_loses_no_entry() {
    let place = Place::new();
    let config_dir = place.folder().join("config");
    let options = place
        .options()
        .env("CLAUDE_CONFIG_DIR", config_dir.to_string_lossy())
        .session_store_flush_timeout_ms(200);
    let until = Instant::now() + Duration::from_secs(40);
    let store = Arc::new(Down { store: MemoryStore::new(), until, taken: Notify::new() });
    let config = WorkerConfig::new(Arc::clone(&store) as _, place.folder()).options(options);
    let (worker, mut ends) = started(config);
    assert_eq!(start(&worker, 1, 1, &prompt(1, "mirror")), Start::Started);
    assert_eq!(end(&mut ends).await.outcome, done());
    // The CLI is idle during the outage, so the paused clock skips it. The exit of the CLI needs real time.
    pause();
    let stored = async {
        timeout(LIMIT, store.taken.notified()).await.unwrap();
        resume();
    };
    tokio::join!(worker.drain(LIMIT), stored);
    let key = SessionKey::new("tenant", session(1).session).unwrap();
    assert_eq!(store.load(&key).await.unwrap().unwrap().len(), 1);
}
