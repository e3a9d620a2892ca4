//! Tests with a real S3 server, which `cargo xtask services` starts.

use std::env;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use agentwire_net::error_chain;
use agentwire_sessions::conformance::{self, Outcome};
use agentwire_sessions::{RawEntry, SessionKey, SessionStore};
use agentwire_store_object::BucketStore;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::{BackoffConfig, RetryConfig};
use tokio::net::TcpSocket;

const ID: &str = "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11";
const LIMIT: Duration = Duration::from_secs(300);
/// The checks with names of hundreds of bytes.
const LONG_NAMES: &[&str] =
    &["odd_project_names_are_apart", "odd_subpaths_are_apart", "lists_odd_subkeys_as_they_were"];

fn setting(name: &str) -> String {
    let value = env::var(format!("AGENTWIRE_TEST_S3_{name}"));
    value.unwrap_or_else(|_| {
        panic!("AGENTWIRE_TEST_S3_{name} is not set: run this with `cargo xtask services`")
    })
}

fn builder() -> AmazonS3Builder {
    // With another crate's features the client contains TLS, which needs a provider. An error means that there is one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    AmazonS3Builder::new()
        .with_endpoint(setting("URL"))
        .with_bucket_name(setting("BUCKET"))
        .with_access_key_id(setting("KEY"))
        .with_secret_access_key(setting("SECRET"))
        .with_region("us-east-1")
        .with_allow_http(true)
}

fn server() -> Arc<AmazonS3> {
    Arc::new(builder().build().unwrap())
}

/// Returns an empty store.
fn store(server: &Arc<AmazonS3>) -> BucketStore {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    BucketStore::new(server.clone(), format!("tests/{}/{number}", std::process::id()))
}

fn key(project: &str) -> SessionKey {
    SessionKey::new(project, ID.into()).unwrap()
}

fn entry(number: usize) -> RawEntry {
    RawEntry::parse(format!(r#"{{"type":"user","uuid":"{number}"}}"#)).unwrap()
}

#[tokio::test]
#[ignore = "needs an S3 server: cargo xtask services"]
async fn passes_the_conformance_suite() {
    let server = server();
    let run = conformance::run(async || Ok::<_, std::convert::Infallible>(store(&server)));
    let report = tokio::time::timeout(LIMIT, run).await.unwrap();
    let failed = report.checked().iter().filter(|checked| matches!(checked.outcome, Outcome::Failed(_)));
    let failed: Vec<&str> = failed.map(|checked| checked.check.name()).collect();
    // Some servers do not support long names; all other checks must pass.
    let excused: &[&str] =
        if env::var_os("AGENTWIRE_TEST_S3_SHORT_NAMES").is_some() { LONG_NAMES } else { &[] };
    assert!(failed.iter().all(|name| excused.contains(name)), "{report}");
    for checked in report.checked() {
        let is_about_summaries = checked.check.name().contains("summar");
        assert_eq!(matches!(checked.outcome, Outcome::Skipped(_)), is_about_summaries, "{report}");
    }
}

#[tokio::test]
#[ignore = "needs an S3 server: cargo xtask services"]
async fn more_objects_than_a_page_holds_are_listed_loaded_and_deleted() {
    const OBJECTS: usize = 1050;
    let (server, key) = (server(), key("pages"));
    let (store, beneath) = (store(&server), key.with_subpath("subagents/agent-1").unwrap());
    store.append(&beneath, &[entry(0)]).await.unwrap();
    store.append(&key, &[entry(0)]).await.unwrap();
    let batches: Vec<_> = (1..OBJECTS).map(|number| [entry(number)]).collect();
    // Concurrent appends keep the order of the calls.
    let appends: Vec<_> = batches.iter().map(|batch| store.append(&key, batch)).collect();
    stream::iter(appends).buffer_unordered(16).try_collect::<()>().await.unwrap();
    let loaded = store.load(&key).await.unwrap().unwrap();
    assert_eq!(loaded, (0..OBJECTS).map(entry).collect::<Vec<_>>());
    assert_eq!(store.list_sessions("pages").unwrap().await.unwrap().len(), 1);
    assert_eq!(store.list_subkeys(&key).unwrap().await.unwrap(), ["subagents/agent-1"]);
    store.delete(&key).unwrap().await.unwrap();
    assert_eq!(store.load(&key).await.unwrap(), None);
    assert_eq!(store.load(&beneath).await.unwrap(), None);
    assert_eq!(store.list_sessions("pages").unwrap().await.unwrap(), []);
}

#[tokio::test]
#[ignore = "needs an S3 server: cargo xtask services"]
async fn wrong_credentials_are_reported() {
    let server = Arc::new(builder().with_secret_access_key("wrong").build().unwrap());
    let (store, key) = (store(&server), key("refused"));
    for error in [
        store.append(&key, &[entry(1)]).await.unwrap_err(),
        store.load(&key).await.unwrap_err(),
        store.delete(&key).unwrap().await.unwrap_err(),
    ] {
        let text = error_chain(&error);
        assert!(text.contains("SignatureDoesNotMatch"), "{text}");
    }
}

#[tokio::test]
#[ignore = "needs an S3 server: cargo xtask services"]
async fn missing_server_is_reported_within_its_limit() {
    // Nothing listens on the port, and no other process can take it.
    let held = TcpSocket::new_v4().unwrap();
    held.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let port = held.local_addr().unwrap().port();
    let retry = RetryConfig {
        backoff: BackoffConfig { init_backoff: Duration::from_millis(10), ..BackoffConfig::default() },
        max_retries: 2,
        retry_timeout: Duration::from_secs(5),
    };
    let server =
        builder().with_endpoint(format!("http://127.0.0.1:{port}")).with_retry(retry).build().unwrap();
    let started = Instant::now();
    let error = store(&Arc::new(server)).append(&key("p"), &[entry(1)]).await.unwrap_err();
    let text = error_chain(&error);
    assert!(text.contains("Connection refused"), "{text}");
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}
