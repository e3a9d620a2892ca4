//! Tests with a real server, which `cargo xtask services` starts.

use std::convert::Infallible;
use std::env;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use agentwire_net::error_chain;
use agentwire_sessions::{RawEntry, SessionKey, SessionStore, conformance};
use agentwire_store_redis::RedisStore;
use redis::Client;

use crate::process::Server;

const ID: &str = "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11";
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

fn url() -> String {
    env::var("AGENTWIRE_TEST_REDIS_URL")
        .expect("AGENTWIRE_TEST_REDIS_URL is not set: run this with `cargo xtask services`")
}

/// Returns an empty store.
pub(crate) fn store() -> RedisStore {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    RedisStore::new(Client::open(url()).unwrap()).prefix(format!("test-{}-{number}", std::process::id()))
}

fn key() -> SessionKey {
    SessionKey::new("-home-me", ID.into()).unwrap()
}

fn entry(name: impl std::fmt::Display) -> RawEntry {
    RawEntry::parse(format!(r#"{{"type":"user","uuid":"{name}"}}"#)).unwrap()
}

#[tokio::test]
#[ignore = "needs Redis: cargo xtask services"]
async fn passes_the_conformance_suite() {
    let report =
        tokio::time::timeout(LIMIT, conformance::run(async || Ok::<_, Infallible>(store()))).await.unwrap();
    assert!(report.is_conformant(), "{report}");
    assert_eq!(report.skipped(), 0, "{report}");
}

#[tokio::test]
#[ignore = "needs Redis: cargo xtask services"]
async fn acknowledged_entries_survive_a_restart_and_the_store_reconnects() {
    let mut server = Server::start().await;
    let (store, key) = (RedisStore::new(server.client()), key());
    for number in 0..20 {
        store.append(&key, &[entry(number)]).await.unwrap();
    }
    server.kill().await;
    let text = error_chain(&store.append(&key, &[entry("lost")]).await.unwrap_err());
    assert!(text.contains("refused"), "{text}");
    server.start_again().await;
    // The same store: first a read and, after another restart, an append.
    assert_eq!(store.load(&key).await.unwrap().unwrap(), (0..20).map(entry).collect::<Vec<_>>());
    server.kill().await;
    server.start_again().await;
    store.append(&key, &[entry(19), entry(20)]).await.unwrap();
    assert_eq!(store.load(&key).await.unwrap().unwrap(), (0..21).map(entry).collect::<Vec<_>>());
    assert_eq!(store.list_summaries("-home-me").unwrap().await.unwrap().len(), 1);
}

#[tokio::test]
#[ignore = "needs Redis: cargo xtask services"]
async fn append_without_a_password_names_the_cause() {
    let server = Server::start().await;
    let mut connection = server.client().get_multiplexed_async_connection().await.unwrap();
    let set = redis::cmd("CONFIG").arg(&["SET", "requirepass", "x"]).query_async::<()>(&mut connection).await;
    set.unwrap();
    let store = RedisStore::new(server.client());
    let text = error_chain(&store.append(&key(), &[entry(1)]).await.unwrap_err());
    assert!(text.contains("NOAUTH"), "{text}");
}

#[tokio::test]
#[ignore = "needs Redis: cargo xtask services"]
async fn sessions_of_a_full_server_are_listed_and_deleted() {
    let server = Server::start().await;
    let (store, key) = (RedisStore::new(server.client()), key());
    let beneath = key.with_subpath("subagents/agent-1").unwrap();
    for key in [&key, &beneath] {
        store.append(key, &[entry(1)]).await.unwrap();
    }
    let mut connection = server.client().get_multiplexed_async_connection().await.unwrap();
    let full = redis::cmd("CONFIG").arg(&["SET", "maxmemory", "1"]).query_async::<()>(&mut connection).await;
    full.unwrap();
    let text = error_chain(&store.append(&key, &[entry(2)]).await.unwrap_err());
    assert!(text.contains("OOM"), "{text}");
    assert_eq!(store.list_summaries("-home-me").unwrap().await.unwrap().len(), 1);
    store.delete(&beneath).unwrap().await.unwrap();
    assert_eq!(store.load(&beneath).await.unwrap(), None);
    assert_eq!(store.list_subkeys(&key).unwrap().await.unwrap(), [""; 0]);
    store.delete(&key).unwrap().await.unwrap();
    assert_eq!(store.list_sessions("-home-me").unwrap().await.unwrap(), []);
}

#[tokio::test]
#[ignore = "needs Redis: cargo xtask services"]
async fn restart_during_appends_loses_no_acknowledged_entry() {
    let mut server = Server::start().await;
    let (store, key) = (Arc::new(RedisStore::new(server.client())), key());
    let failures = Arc::new(AtomicUsize::new(0));
    let writer = tokio::spawn({
        let (store, key, failures) = (Arc::clone(&store), key.clone(), Arc::clone(&failures));
        async move {
            for number in 0..400 {
                // Repeats the same batch until it succeeds, as a mirror does.
                while store.append(&key, &[entry(number)]).await.is_err() {
                    failures.fetch_add(1, Ordering::Relaxed);
                    tokio::task::yield_now().await;
                }
            }
        }
    });
    let some_are_there =
        async { while store.load(&key).await.unwrap().is_none_or(|loaded| loaded.len() < 100) {} };
    tokio::time::timeout(LIMIT, some_are_there).await.unwrap();
    server.kill().await;
    let it_is_missed = async {
        while failures.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, it_is_missed).await.unwrap();
    server.start_again().await;
    tokio::time::timeout(LIMIT, writer).await.unwrap().unwrap();
    assert_eq!(store.load(&key).await.unwrap().unwrap(), (0..400).map(entry).collect::<Vec<_>>());
}

#[tokio::test]
#[ignore = "needs Redis: cargo xtask services"]
async fn reconnects_after_failover_and_dropped_call() {
    let server = Server::start().await;
    let (store, key) = (RedisStore::new(server.client()), key());
    let mut other = server.client().get_multiplexed_async_connection().await.unwrap();
    store.append(&key, &[entry(1)]).await.unwrap();
    let first = connections(&mut other).await;
    store.load(&key).await.unwrap();
    assert_eq!(connections(&mut other).await, first);
    // The server becomes a replica of a server that does not exist.
    let follow = async |other: &mut _, whom: [&str; 2]| {
        redis::cmd("REPLICAOF").arg(&whom).query_async::<()>(other).await.unwrap();
    };
    follow(&mut other, ["127.0.0.1", "1"]).await;
    let text = error_chain(&store.append(&key, &[entry(2)]).await.unwrap_err());
    assert!(text.contains("READONLY") || text.contains("read only"), "{text}");
    follow(&mut other, ["NO", "ONE"]).await;
    store.append(&key, &[entry(2)]).await.unwrap();
    assert_eq!(connections(&mut other).await, first + 1);
    redis::cmd("CLIENT").arg(&["PAUSE", "3000", "ALL"]).query_async::<()>(&mut other).await.unwrap();
    assert!(tokio::time::timeout(Duration::from_millis(50), store.load(&key)).await.is_err());
    assert_eq!(store.load(&key).await.unwrap().unwrap(), [1, 2].map(entry));
    assert_eq!(connections(&mut other).await, first + 2);
}

#[tokio::test]
#[ignore = "needs Redis: cargo xtask services"]
async fn missing_reply_is_an_error_in_time() {
    let server = Server::start().await;
    let (store, key) = (RedisStore::new(server.client()).limit(Duration::from_secs(1)), key());
    // This opens the connection, so that only the limit of a reply applies.
    store.append(&key, &[entry(1)]).await.unwrap();
    let mut other = server.client().get_multiplexed_async_connection().await.unwrap();
    redis::cmd("CLIENT").arg(&["PAUSE", "60000", "ALL"]).query_async::<()>(&mut other).await.unwrap();
    let started = Instant::now();
    let loaded = tokio::time::timeout(Duration::from_secs(30), store.load(&key)).await.unwrap();
    let text = error_chain(&loaded.unwrap_err());
    assert!(text.contains("timed out"), "{text}");
    // The client's own limit is shorter.
    assert!(started.elapsed() >= Duration::from_secs(1));
}

/// Returns how many connections a server has accepted.
async fn connections(server: &mut redis::aio::MultiplexedConnection) -> u64 {
    let info: String = redis::cmd("INFO").arg("stats").query_async(server).await.unwrap();
    let count = info.lines().find_map(|line| line.strip_prefix("total_connections_received:"));
    count.unwrap().trim().parse().unwrap()
}

#[tokio::test]
#[ignore = "needs Redis: cargo xtask services"]
async fn wrong_password_is_reported() {
    let url = url();
    let (_, address) = url.split_once('@').unwrap();
    let store = RedisStore::new(Client::open(format!("redis://:wrong@{address}")).unwrap());
    for text in [
        error_chain(&store.append(&key(), &[entry(1)]).await.unwrap_err()),
        error_chain(&store.load(&key()).await.unwrap_err()),
    ] {
        assert!(text.contains("password") || text.contains("uthentication"), "{text}");
        assert!(!text.contains("wrong@"), "{text}");
    }
}

#[tokio::test]
async fn unresponsive_server_times_out() {
    // The listener never accepts, so connecting hangs.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let client = Client::open(format!("redis://{}/", silent.local_addr().unwrap())).unwrap();
    let store = RedisStore::new(client).limit(Duration::from_millis(200));
    let started = Instant::now();
    let text = error_chain(&store.load(&key()).await.unwrap_err());
    assert!(text.contains("timed out"), "{text}");
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}
