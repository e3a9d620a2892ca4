//! Which session of a store is gone on with, and what a store that lists badly costs.

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use agentwire::{
    Error, ResumeError, Session, StoreFault,
    sessions::{MemoryStore, RawEntry, SessionKey, SessionStore, StoreFuture, StoredSession},
};
use serde_json::json;

use super::{
    ID,
    resuming::{Machine, entry},
};

/// A store that lists these sessions, and this beneath each; or panics where it is asked for what it does not know.
#[derive(Default)]
struct Listing {
    inner: MemoryStore,
    sessions: Option<Vec<StoredSession>>,
    beneath: Option<Vec<String>>,
}

impl SessionStore for Listing {
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [RawEntry]) -> StoreFuture<'a, ()> {
        self.inner.append(key, entries)
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<RawEntry>>> {
        self.inner.load(key)
    }

    fn list_sessions<'a>(&'a self, _: &'a str) -> Option<StoreFuture<'a, Vec<StoredSession>>> {
        let sessions = self.sessions.clone().expect("sessions that are known");
        Some(Box::pin(async { Ok(sessions) }))
    }

    fn list_subkeys<'a>(&'a self, _: &'a SessionKey) -> Option<StoreFuture<'a, Vec<String>>> {
        let beneath = self.beneath.clone().expect("parts that are known");
        Some(Box::pin(async { Ok(beneath) }))
    }
}

const OTHERS: [&str; 4] = [
    "1b0e7a3e-57a1-4a4c-8d3f-0d8c5a2f1b11",
    "2b0e7a3e-57a1-4a4c-8d3f-0d8c5a2f1b11",
    "3b0e7a3e-57a1-4a4c-8d3f-0d8c5a2f1b11",
    "4b0e7a3e-57a1-4a4c-8d3f-0d8c5a2f1b11",
];

#[tokio::test]
async fn the_last_session_is_one_with_messages() {
    let machine = Machine::new();
    let mut store = Listing { beneath: Some(Vec::new()), ..Listing::default() };
    let sidechain = || entry(json!({"type": "user", "uuid": "2", "isSidechain": true}));
    let titled = || entry(json!({"type": "ai-title"}));
    let said = || entry(json!({"type": "user", "uuid": "1"}));
    let archived =
        || entry(json!({"type": "archived", "archived": true, "timestamp": "2026-01-01T00:00:00Z"}));
    let sessions = [
        (ID, vec![titled(), said()]),
        (OTHERS[0], vec![titled()]),
        (OTHERS[1], vec![titled(), sidechain()]),
        (OTHERS[2], vec![sidechain(), said()]),
        (OTHERS[3], vec![said(), archived()]),
    ];
    let mut listed = Vec::new();
    for (at, (id, entries)) in (1..).zip(sessions) {
        let key = SessionKey::new(machine.key().project(), id.into()).unwrap();
        store.append(&key, &entries).await.unwrap();
        listed.push(StoredSession::new(id.into(), at));
    }
    store.sessions = Some(listed);
    let told = machine.told(Arc::new(store), machine.options().continue_last()).await;
    assert!(told.contains(&format!("--resume={ID}")), "{told}");
}

#[tokio::test]
async fn a_store_that_panics_when_it_is_to_list_is_told() {
    let machine = Machine::new();
    for options in [machine.options().continue_last(), machine.options().resume(ID)] {
        let store = Listing::default();
        store.append(&machine.key(), &[entry(json!({"type": "user", "uuid": "1"}))]).await.unwrap();
        let error = machine.refused(Arc::new(store), options).await;
        let Error::Resume(ResumeError::Store { source: StoreFault::Panicked { text }, .. }) = &error else {
            panic!("{error:?}")
        };
        assert!(text.ends_with("that are known"), "{text}");
    }
}

#[tokio::test]
async fn what_is_listed_twice_is_written_once() {
    let machine = Machine::new();
    let beneath = ["subagents/agent-b", "subagents/agent-a", "subagents/agent-b"].map(str::to_owned);
    let store = Listing { beneath: Some(beneath.to_vec()), ..Listing::default() };
    let said = [entry(json!({"type": "user", "uuid": "1"}))];
    store.append(&machine.key(), &said).await.unwrap();
    for subpath in &beneath {
        store.append(&machine.key().with_subpath(subpath.as_str()).unwrap(), &said).await.unwrap();
    }
    let told = machine.told(Arc::new(store), machine.options().resume(ID)).await;
    for file in ["agent-a.jsonl", "agent-b.jsonl"] {
        assert_eq!(told.matches(file).count(), 1, "{told}");
    }
}

#[tokio::test]
async fn a_project_that_no_store_has_is_refused() {
    let machine = Machine::new();
    for options in [machine.options(), machine.options().continue_last()] {
        let options = options.session_store_project("../x");
        let error = machine.refused(Arc::new(MemoryStore::new()), options).await;
        assert!(matches!(error, Error::Options { option: "sessionStoreProject", .. }), "{error:?}");
    }
}

#[test]
fn outside_of_a_runtime_it_is_an_error() {
    let machine = Machine::new();
    let builder = Session::builder().options(machine.options().resume(ID));
    let mut connecting = pin!(builder.session_store(Arc::new(MemoryStore::new())).connect());
    let polled = connecting.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(polled, Poll::Ready(Err(Error::Start(_)))), "{polled:?}");
}
