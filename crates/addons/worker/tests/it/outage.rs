//! A session store that is away for a time.

use std::{
    future::{pending, ready},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use agentwire::{
    protocol::message::UserInput,
    sessions::{MemoryStore, RawEntry, SessionKey, SessionStore, StoreError, StoreFuture},
};
use agentwire_testkit::eventually;
use agentwire_worker::{Outcome, Recovery, RecoveryError, Start, WorkerConfig};
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

/// A store whose loads never return once it hangs.
struct Hung {
    store: MemoryStore,
    hangs: AtomicBool,
}

impl SessionStore for Hung {
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [RawEntry]) -> StoreFuture<'a, ()> {
        self.store.append(key, entries)
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<RawEntry>>> {
        if self.hangs.load(Ordering::Relaxed) { Box::pin(pending()) } else { self.store.load(key) }
    }
}

#[tokio::test]
async fn turn_ends_although_a_load_never_returns() {
    let place = Place::new();
    let store = Arc::new(Hung { store: MemoryStore::new(), hangs: AtomicBool::new(false) });
    let options = place.options().load_timeout_ms(100);
    let config = WorkerConfig::new(Arc::clone(&store) as _, place.folder()).options(options);
    let (worker, mut ends) = started(config);
    let turn = prompt(1, "hold");
    assert_eq!(start(&worker, 1, 1, &turn), Start::Started);
    eventually(|| place.lines(1, "prompts").len() == 1).await;
    store.hangs.store(true, Ordering::Relaxed);
    // What has happened is read from the store.
    assert!(worker.steer(&session(1), UserInput::new("die")));
    let began = Recovery::Interrupted { tools: Vec::new() };
    let read = timeout(LIMIT, worker.recovery(&session(1), &turn.input)).await.unwrap();
    assert!(matches!(read, Err(RecoveryError::Store(_))), "{read:?}");
    let first = end(&mut ends).await.outcome;
    // A process starts with what is in the store.
    assert_eq!(start(&worker, 1, 2, &prompt(2, "Go.")), Start::Started);
    let second = end(&mut ends).await.outcome;
    for (outcome, expected) in [(first, began), (second, Recovery::Unstarted)] {
        let Outcome::Interrupted { state, why } = outcome else { panic!("not interrupted") };
        assert_eq!(state, expected, "{why}");
    }
    timeout(LIMIT, worker.drain(LIMIT)).await.unwrap();
}
