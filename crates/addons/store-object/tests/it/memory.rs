//! Tests with an object store in memory.

use std::convert::Infallible;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use crate::faulty::{Faulty, not_found};
use agentwire_net::error_chain;
use agentwire_sessions::{RawEntry, SessionKey, SessionStore, conformance};
use agentwire_store_object::BucketStore;
use futures_util::TryStreamExt as _;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt as _};

const ID: &str = "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11";

fn key() -> SessionKey {
    SessionKey::new("-home-me", ID.into()).unwrap()
}

fn entry(number: usize) -> RawEntry {
    RawEntry::parse(format!(r#"{{"uuid":"{number}"}}"#)).unwrap()
}

/// Writes an entry as another writer at this time, in microseconds.
async fn put(objects: &InMemory, moment: u128, number: usize) {
    let path = format!("kept/-home-me/{ID}/!entries/{moment:016}-{:016x}.jsonl", 1);
    let text = format!("{{\"uuid\":\"{number}\"}}\n");
    objects.put(&Path::parse(path).unwrap(), text.into()).await.unwrap();
}

fn now() -> u128 {
    std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap().as_micros()
}

#[tokio::test]
async fn appends_with_a_slow_clock_follow_existing_entries() {
    let objects = Arc::new(InMemory::new());
    // A machine with a clock an hour ahead wrote first.
    put(&objects, now() + 3_600_000_000, 1).await;
    let store = BucketStore::new(objects, "kept");
    for number in [2, 3] {
        store.append(&key(), &[entry(number)]).await.unwrap();
    }
    assert_eq!(store.load(&key()).await.unwrap().unwrap(), [1, 2, 3].map(entry));
}

#[tokio::test]
async fn appends_after_a_load_follow_the_loaded_entries() {
    let objects = Arc::new(InMemory::new());
    let store = BucketStore::new(Arc::clone(&objects) as Arc<dyn ObjectStore>, "kept");
    store.append(&key(), &[entry(1)]).await.unwrap();
    // A writer with a fast clock appends after the load.
    put(&objects, now() + 7_200_000_000, 2).await;
    assert_eq!(store.load(&key()).await.unwrap().unwrap(), [1, 2].map(entry));
    store.append(&key(), &[entry(3)]).await.unwrap();
    assert_eq!(store.load(&key()).await.unwrap().unwrap(), [1, 2, 3].map(entry));
}

#[tokio::test]
async fn implausible_timestamp_is_not_continued() {
    let objects = Arc::new(InMemory::new());
    put(&objects, 9_999_999_999_999_999, 9).await;
    let store = BucketStore::new(objects, "kept");
    for number in [1, 2] {
        store.append(&key(), &[entry(number)]).await.unwrap();
    }
    assert_eq!(store.load(&key()).await.unwrap().unwrap(), [1, 2, 9].map(entry));
}

#[tokio::test]
async fn delete_continues_past_objects_that_are_gone() {
    // Another process deletes the first object before the store does.
    let bucket = Arc::new(Faulty::new(|at, path| (at == 0).then(|| not_found(path))));
    let store = BucketStore::new(Arc::clone(&bucket) as Arc<dyn ObjectStore>, "kept");
    for number in 0..5 {
        store.append(&key(), &[entry(number)]).await.unwrap();
    }
    store.delete(&key()).unwrap().await.unwrap();
    assert_eq!(bucket.list(None).try_collect::<Vec<_>>().await.unwrap(), []);
}

#[tokio::test]
async fn session_that_is_deleted_in_part_is_still_listed() {
    let bucket = Faulty::new(|_, path| {
        let refused = || Error::PermissionDenied { path: path.to_string(), source: "no".into() };
        path.as_ref().contains("/subagents/").then(refused)
    });
    let store = BucketStore::new(Arc::new(bucket), "kept");
    let beneath = key().with_subpath("subagents/agent-1").unwrap();
    for key in [&key(), &beneath] {
        store.append(key, &[entry(1)]).await.unwrap();
    }
    store.delete(&key()).unwrap().await.unwrap_err();
    assert_eq!(store.list_sessions("-home-me").unwrap().await.unwrap().len(), 1);
    assert_eq!(store.load(&key()).await.unwrap().unwrap(), [entry(1)]);
}

#[tokio::test]
async fn concurrent_first_appends_keep_the_order_of_the_calls() {
    let store = BucketStore::new(Arc::new(Faulty::new(|_, _| None)), "kept");
    let (key, entries) = (key(), [1, 2].map(entry));
    let mut first = store.append(&key, &entries[..1]);
    let is_listing = poll_fn(|context| Poll::Ready(first.as_mut().poll(context).is_pending())).await;
    assert!(is_listing);
    store.append(&key, &entries[1..]).await.unwrap();
    first.await.unwrap();
    assert_eq!(store.load(&key).await.unwrap().unwrap(), entries);
}

#[tokio::test]
async fn append_without_an_answer_fails_in_time_and_may_be_repeated() {
    let bucket = Arc::new(Faulty::new(|_, _| None));
    let store = BucketStore::new(Arc::clone(&bucket) as Arc<dyn ObjectStore>, "kept");
    let store = store.append_limit(Duration::from_millis(50));
    bucket.is_silent.store(true, Ordering::Relaxed);
    let text = error_chain(&store.append(&key(), &[entry(1)]).await.unwrap_err());
    assert!(text.contains("no answer within 50ms"), "{text}");
    bucket.is_silent.store(false, Ordering::Relaxed);
    // The object was written, although the reply was lost.
    assert_eq!(store.load(&key()).await.unwrap().unwrap(), [entry(1)]);
    let store = store.append_limit(Duration::from_secs(30));
    store.append(&key(), &[1, 2].map(entry)).await.unwrap();
    assert_eq!(store.load(&key()).await.unwrap().unwrap(), [1, 2].map(entry));
}

#[tokio::test]
async fn passes_the_conformance_suite() {
    let store = async || Ok::<_, Infallible>(BucketStore::new(Arc::new(InMemory::new()), "kept"));
    let report = conformance::run(store).await;
    assert!(report.is_conformant(), "{report}");
}

#[tokio::test]
async fn foreign_objects_are_left_alone() {
    let objects = Arc::new(InMemory::new());
    let theirs =
        ["kept/-home-me/notes.txt", &format!("kept/-home-me/{ID}/!entries/notes.txt"), "kept/-home-me2/x"];
    for path in theirs {
        objects.put(&Path::parse(path).unwrap(), "not JSON".into()).await.unwrap();
    }
    let store = BucketStore::new(Arc::clone(&objects) as Arc<dyn ObjectStore>, "kept");
    assert_eq!(store.load(&key()).await.unwrap(), None);
    assert_eq!(store.list_sessions("-home-me").unwrap().await.unwrap(), []);
    assert_eq!(store.list_subkeys(&key()).unwrap().await.unwrap(), [""; 0]);
    store.append(&key(), &[entry(1)]).await.unwrap();
    assert_eq!(store.load(&key()).await.unwrap().unwrap(), [entry(1)]);
}

#[tokio::test]
async fn an_append_is_one_object_and_a_broken_one_is_named() {
    let objects = Arc::new(InMemory::new());
    let store = BucketStore::new(Arc::clone(&objects) as Arc<dyn ObjectStore>, "");
    store.append(&key(), &[entry(1), entry(2)]).await.unwrap();
    let listed: Vec<_> = objects.list(None).try_collect().await.unwrap();
    assert_eq!(listed.len(), 1);
    let path = &listed[0].location;
    let text = objects.get(path).await.unwrap().bytes().await.unwrap();
    assert_eq!(text, "{\"uuid\":\"1\"}\n{\"uuid\":\"2\"}\n");
    objects.put(path, "{\"uuid\":".into()).await.unwrap();
    let error = store.load(&key()).await.unwrap_err().to_string();
    assert!(error.contains(path.as_ref()), "{error}");
}

#[tokio::test]
async fn debug_does_not_show_entries() {
    let store = BucketStore::new(Arc::new(InMemory::new()), "kept");
    assert_eq!(format!("{store:?}"), "BucketStore { objects: InMemory, prefix: Path { raw: \"kept\" }, .. }");
}
