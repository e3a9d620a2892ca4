//! Tests of the memory store.

use std::convert::Infallible;

use agentwire_sessions::conformance::{self, CHECKS};
use agentwire_sessions::{MemoryStore, RawEntry, SessionKey, SessionStore};

#[tokio::test]
async fn an_id_is_kept_once_and_a_session_is_forgotten_with_all_beneath_it() {
    let store = MemoryStore::new();
    let key = SessionKey::new("project", "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11".into()).unwrap();
    let beneath = key.with_subpath("subagents/agent-1").unwrap();
    let entries = [r#"{"uuid":"a"}"#, r#"{"type":"tag"}"#].map(|text| RawEntry::parse(text).unwrap());
    store.append(&key, &entries).await.unwrap();
    store.append(&key, &entries).await.unwrap();
    store.append(&beneath, &entries).await.unwrap();
    let kept = store.load(&key).await.unwrap().unwrap();
    assert_eq!(kept, [&entries[0], &entries[1], &entries[1]].map(Clone::clone));
    assert_eq!(store.list_subkeys(&key).unwrap().await.unwrap(), ["subagents/agent-1"]);
    store.delete(&key).unwrap().await.unwrap();
    assert_eq!(store.load(&key).await.unwrap(), None);
    assert_eq!(store.load(&beneath).await.unwrap(), None);
}

#[tokio::test]
async fn it_conforms() {
    let report = conformance::run(async || Ok::<_, Infallible>(MemoryStore::new())).await;
    assert!(report.is_conformant(), "{report}");
    assert_eq!((report.passed(), report.skipped()), (CHECKS.len(), 0), "{report}");
}
