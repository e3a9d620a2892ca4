//! Choosing the session to resume from a store, and stores with faulty lists.

use std::{
    fs,
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

/// A store that lists these sessions and what is stored beneath them, and panics on unknown keys.
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
async fn continue_picks_a_session_with_messages() {
    let machine = Machine::new();
    let mut store = Listing { beneath: Some(Vec::new()), ..Listing::default() };
    let sidechain = || entry(json!({"type": "user", "uuid": "2", "isSidechain": true}));
    let titled = || entry(json!({"type": "ai-title"}));
    let prompt = || entry(json!({"type": "user", "uuid": "1"}));
    let archived =
        || entry(json!({"type": "archived", "archived": true, "timestamp": "2026-01-01T00:00:00Z"}));
    let sessions = [
        (ID, vec![titled(), prompt()]),
        (OTHERS[0], vec![titled()]),
        (OTHERS[1], vec![titled(), sidechain()]),
        (OTHERS[2], vec![sidechain(), prompt()]),
        (OTHERS[3], vec![prompt(), archived()]),
    ];
    let mut listed = Vec::new();
    for (at, (id, entries)) in (1..).zip(sessions) {
        let key = SessionKey::new(machine.key().project(), id.into()).unwrap();
        store.append(&key, &entries).await.unwrap();
        listed.push(StoredSession::new(id.into(), at));
    }
    store.sessions = Some(listed);
    let report = machine.report(Arc::new(store), machine.options().continue_last()).await;
    assert!(report.contains(&format!("--resume={ID}")), "{report}");
}

#[tokio::test]
async fn continue_with_an_empty_store_starts_a_new_session() {
    // The store would get only the rest of the session that the CLI has on this machine.
    let machine = Machine::new();
    let options =
        machine.options().env("CLAUDE_CONFIG_DIR", machine.path("home/.claude").display().to_string());
    let builder = Session::builder().options(options.continue_last());
    let ended = builder.session_store(Arc::new(MemoryStore::new())).connect().await;
    assert!(matches!(ended, Err(Error::Ended(_))), "{ended:?}");
    let report = fs::read_to_string(machine.path("report")).unwrap();
    assert!(report.contains("--session-mirror") && !report.contains("--continue"), "{report}");
}

#[tokio::test]
async fn panic_in_listing_is_reported() {
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
async fn duplicate_subpaths_are_written_once() {
    let machine = Machine::new();
    let beneath = ["subagents/agent-b", "subagents/agent-a", "subagents/agent-b"].map(str::to_owned);
    let store = Listing { beneath: Some(beneath.to_vec()), ..Listing::default() };
    let entries = [entry(json!({"type": "user", "uuid": "1"}))];
    store.append(&machine.key(), &entries).await.unwrap();
    for subpath in &beneath {
        store.append(&machine.key().with_subpath(subpath.as_str()).unwrap(), &entries).await.unwrap();
    }
    let report = machine.report(Arc::new(store), machine.options().resume(ID)).await;
    for file in ["agent-a.jsonl", "agent-b.jsonl"] {
        assert_eq!(report.matches(file).count(), 1, "{report}");
    }
}

#[tokio::test]
async fn invalid_project_is_refused() {
    let machine = Machine::new();
    for options in [machine.options(), machine.options().continue_last()] {
        let options = options.session_store_project("../x");
        let error = machine.refused(Arc::new(MemoryStore::new()), options).await;
        assert!(matches!(error, Error::Options { option: "sessionStoreProject", .. }), "{error:?}");
    }
}

#[test]
fn resuming_without_a_runtime_is_an_error() {
    let machine = Machine::new();
    let builder = Session::builder().options(machine.options().resume(ID));
    let mut connecting = pin!(builder.session_store(Arc::new(MemoryStore::new())).connect());
    let polled = connecting.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(polled, Poll::Ready(Err(Error::Start(_)))), "{polled:?}");
}
