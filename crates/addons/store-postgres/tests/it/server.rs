//! Tests with a real server, which `cargo xtask services` starts.

use std::env;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use agentwire_net::error_chain;
use agentwire_sessions::{RawEntry, SessionKey, SessionStore, StoreError, conformance};
use agentwire_store_postgres::PostgresStore;
use tokio::net::TcpSocket;
use tokio_postgres::{Client, Config, NoTls};

use crate::proxy::Proxy;

const ID: &str = "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11";
const LIMIT: Duration = Duration::from_secs(60);

pub(crate) fn config() -> Config {
    let url = env::var("AGENTWIRE_TEST_POSTGRES_URL");
    url.expect("AGENTWIRE_TEST_POSTGRES_URL is not set: run this with `cargo xtask services`")
        .parse()
        .unwrap()
}

/// Returns a new name.
pub(crate) fn name() -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    format!("Test {} {}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Returns a store with its tables.
pub(crate) async fn store_at(config: Config, table: &str) -> Result<PostgresStore, StoreError> {
    let store = PostgresStore::new(config).table(table)?;
    store.create_tables().await?;
    Ok(store)
}

/// Opens a connection for the test itself.
async fn client() -> Client {
    let (client, connection) = config().connect(NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

fn key() -> SessionKey {
    SessionKey::new("-home-me", ID.into()).unwrap()
}

fn entry(name: impl std::fmt::Display) -> RawEntry {
    RawEntry::parse(format!(r#"{{"type":"user","uuid":"{name}"}}"#)).unwrap()
}

fn uuid(entry: &RawEntry) -> String {
    entry.uuid().unwrap().as_str().to_owned()
}

#[tokio::test]
#[ignore = "needs PostgreSQL: cargo xtask services"]
async fn passes_the_conformance_suite() {
    let run = conformance::run(async || store_at(config(), &name()).await);
    let report = tokio::time::timeout(LIMIT, run).await.unwrap();
    assert!(report.is_conformant(), "{report}");
    assert_eq!(report.skipped(), 0, "{report}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask services"]
async fn concurrent_appends_do_not_interleave() {
    let (table, key) = (name(), key());
    let mut writers = Vec::new();
    // Each writer has its own store, as in a separate process; creating the tables is concurrent too.
    for writer in ["a", "b"] {
        let (table, key) = (table.clone(), key.clone());
        writers.push(tokio::spawn(async move {
            let store = store_at(config(), &table).await.unwrap();
            for batch in 0..50 {
                let batch = [0, 1, 2].map(|at| entry(format!("{writer}-{batch}-{at}")));
                store.append(&key, &batch).await.unwrap();
            }
        }));
    }
    for writer in writers {
        writer.await.unwrap();
    }
    let loaded = store_at(config(), &table).await.unwrap().load(&key).await.unwrap().unwrap();
    assert_eq!(loaded.len(), 300);
    for batch in loaded.chunks(3) {
        let first = uuid(&batch[0]);
        let begins = first.strip_suffix('0').unwrap();
        assert_eq!([uuid(&batch[1]), uuid(&batch[2])], [format!("{begins}1"), format!("{begins}2")]);
    }
    for writer in ["a", "b"] {
        let own: Vec<String> = loaded.iter().map(uuid).filter(|name| name.starts_with(writer)).collect();
        let expected = (0..50).flat_map(|batch| [0, 1, 2].map(|at| format!("{writer}-{batch}-{at}")));
        assert!(own.into_iter().eq(expected), "the order of {writer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask services"]
async fn append_is_retried_if_the_connection_is_cut_before_its_commit() {
    let key_row = |table: &str| format!("select from \"{table}\" for update");
    let entries = |table: &str| format!("lock table \"{table}_entries\" in exclusive mode");
    let locks: [fn(&str) -> String; 2] = [key_row, entries];
    for lock in locks {
        let mut cut = Cut::new().await;
        cut.hold(lock).await;
        let append = cut.append();
        cut.once_it_waits().await;
        cut.let_go().await;
        append.await.unwrap().unwrap();
        assert_eq!(cut.loaded().await, [1, 2, 3].map(entry));
    }
}

/// A store with one entry, and a second client that closes its connections.
struct Cut {
    table: String,
    store: Arc<PostgresStore>,
    other: Client,
}

impl Cut {
    async fn new() -> Self {
        let table = name();
        // The name distinguishes its connections from those of other tests.
        let config = config().application_name(&table).clone();
        let store = Arc::new(store_at(config, &table).await.unwrap());
        store.append(&key(), &[entry(1)]).await.unwrap();
        Self { table, store, other: client().await }
    }

    /// Runs a statement in a transaction, so that others wait for its locks.
    async fn hold(&mut self, statement: impl Fn(&str) -> String) {
        self.other.batch_execute(&format!("begin; {}", statement(&self.table))).await.unwrap();
    }

    async fn let_go(&mut self) {
        self.other.batch_execute("rollback").await.unwrap();
    }

    fn append(&self) -> tokio::task::JoinHandle<Result<(), StoreError>> {
        let store = Arc::clone(&self.store);
        tokio::spawn(async move { store.append(&key(), &[entry(2), entry(3)]).await })
    }

    /// Terminates the waiting connection.
    async fn once_it_waits(&self) {
        let cut = "select pg_terminate_backend(pid) from pg_stat_activity \
            where application_name = $1 and wait_event_type = 'Lock'";
        let it_waits = async { while self.other.query(cut, &[&self.table]).await.unwrap().is_empty() {} };
        tokio::time::timeout(LIMIT, it_waits).await.unwrap();
    }

    async fn loaded(&self) -> Vec<RawEntry> {
        self.store.load(&key()).await.unwrap().unwrap()
    }
}

#[tokio::test]
#[ignore = "needs PostgreSQL: cargo xtask services"]
async fn an_append_whose_answer_is_lost_is_an_error_and_may_be_repeated() {
    let (proxy, through) = proxied().await;
    let store = store_at(through, &name()).await.unwrap();
    let batch = [entry(1), entry(2)];
    proxy.break_at_the_next_commit();
    let text = error_chain(&store.append(&key(), &batch).await.unwrap_err());
    assert!(!proxy.will_break(), "nothing was broken");
    assert!(text.contains("closed"), "{text}");
    // The entries were stored, although the reply was lost.
    assert_eq!(store.load(&key()).await.unwrap().unwrap(), batch);
    store.append(&key(), &batch).await.unwrap();
    assert_eq!(store.load(&key()).await.unwrap().unwrap(), batch);
}

/// Returns a proxy, and a configuration that connects through it.
async fn proxied() -> (Proxy, Config) {
    let proxy = Proxy::to(config().get_ports()[0]).await;
    let url = env::var("AGENTWIRE_TEST_POSTGRES_URL").unwrap();
    let (before, after) = url.rsplit_once(':').unwrap();
    let through = format!("{before}:{}/{}", proxy.port, after.split_once('/').unwrap().1);
    (proxy, through.parse().unwrap())
}

#[tokio::test]
#[ignore = "needs PostgreSQL: cargo xtask services"]
async fn connections_that_fell_silent_cost_one_limit() {
    let (proxy, through) = proxied().await;
    let (table, key) = (name(), key());
    let store = store_at(through, &table).await.unwrap().limit(Duration::from_secs(1));
    store.append(&key, &[entry(1)]).await.unwrap();
    for waits_for_the_limit in [true, false] {
        let at_once = tokio::join!(store.load(&key), store.load(&key), store.load(&key));
        assert!(at_once.0.is_ok() && at_once.1.is_ok() && at_once.2.is_ok());
        assert!(proxy.fall_silent() > 1, "one connection shows nothing");
        if waits_for_the_limit {
            let text = error_chain(&store.load(&key).await.unwrap_err());
            assert!(text.contains("no answer within 1s"), "{text}");
        } else {
            let dropped = tokio::time::timeout(Duration::from_millis(50), store.load(&key)).await;
            assert!(dropped.is_err());
        }
        assert_eq!(store.load(&key).await.unwrap().unwrap(), [entry(1)]);
    }
}

#[tokio::test]
#[ignore = "needs PostgreSQL: cargo xtask services"]
async fn lost_writer_releases_its_lock_soon() {
    for (fall_silent, lost) in [
        (Proxy::fall_silent_at_the_next_begin as fn(&Proxy), entry(2)),
        (Proxy::fall_silent_amid_the_next_entries as fn(&Proxy), entry("x".repeat(1 << 20))),
    ] {
        let (proxy, through) = proxied().await;
        let (table, key) = (name(), key());
        let store = store_at(config(), &table).await.unwrap().limit(LIMIT);
        store.append(&key, &[entry(1)]).await.unwrap();
        let gone = PostgresStore::new(through).table(&table).unwrap().limit(Duration::from_millis(500));
        fall_silent(&proxy);
        gone.append(&key, &[lost]).await.unwrap_err();
        store.append(&key, &[entry(3)]).await.unwrap();
        assert_eq!(store.load(&key).await.unwrap().unwrap(), [1, 3].map(entry));
    }
}

#[tokio::test]
#[ignore = "needs PostgreSQL: cargo xtask services"]
async fn lost_idle_connections_are_replaced() {
    let table = name();
    let mut config = config();
    let store = store_at(config.application_name(&table).clone(), &table).await.unwrap();
    let (other, cut) = (
        client().await,
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1",
    );
    for number in 0..3 {
        assert!(!other.query(cut, &[&table]).await.unwrap().is_empty());
        store.append(&key(), &[entry(number)]).await.unwrap();
    }
    other.query(cut, &[&table]).await.unwrap();
    assert_eq!(store.load(&key()).await.unwrap().unwrap(), [0, 1, 2].map(entry));
}

#[tokio::test]
#[ignore = "needs PostgreSQL: cargo xtask services"]
async fn an_append_that_is_dropped_leaves_nothing_and_holds_nothing() {
    let (table, key) = (name(), key());
    let store = store_at(config(), &table).await.unwrap();
    store.append(&key, &[entry(1)]).await.unwrap();
    let other = client().await;
    for number in 2..8 {
        other.batch_execute(&format!("begin; select from \"{table}\" for update")).await.unwrap();
        let late =
            tokio::time::timeout(Duration::from_millis(50), store.append(&key, &[entry(number)])).await;
        assert!(late.is_err());
        other.batch_execute("rollback").await.unwrap();
    }
    store.append(&key, &[entry(9)]).await.unwrap();
    assert_eq!(store.load(&key).await.unwrap().unwrap(), [1, 9].map(entry));
}

#[tokio::test]
#[ignore = "needs PostgreSQL: cargo xtask services"]
async fn tables_are_in_the_chosen_schema_and_old_sessions_are_deleted() {
    let (schema, table, key) = (name(), "a\"b'; --$1".to_owned(), key());
    let client = client().await;
    client.batch_execute(&format!("create schema \"{schema}\"")).await.unwrap();
    let store = PostgresStore::new(config()).schema(&schema).unwrap().table(table).unwrap();
    store.create_tables().await.unwrap();
    store.append(&key, &[entry(1)]).await.unwrap();
    store.create_tables().await.unwrap();
    assert_eq!(store.load(&key).await.unwrap().unwrap(), [entry(1)]);
    let count = format!("select count(*) from \"{schema}\".\"a\"\"b'; --$1_entries\"");
    assert_eq!(client.query_one(&count, &[]).await.unwrap().get::<_, i64>(0), 1);
    // Runs the statement of the README, which keeps a session with a recent subpath.
    store.append(&key.with_subpath("beneath").unwrap(), &[entry(2)]).await.unwrap();
    let keys = format!("\"{schema}\".\"a\"\"b'; --$1\"");
    let delete = deletion(&keys);
    client.batch_execute(&format!("update {keys} set modified_ms = 1 where subpath = ''")).await.unwrap();
    client.batch_execute(&delete).await.unwrap();
    assert_eq!(client.query_one(&count, &[]).await.unwrap().get::<_, i64>(0), 2);
    client.batch_execute(&format!("update {keys} set modified_ms = 1")).await.unwrap();
    client.batch_execute(&delete).await.unwrap();
    assert_eq!(client.query_one(&count, &[]).await.unwrap().get::<_, i64>(0), 0);
}

/// Returns the statement of the README, for sessions whose last append has a time below 1000.
fn deletion(keys: &str) -> String {
    let readme = include_str!("../../README.md");
    let statement = readme.split_once("```sql\n").unwrap().1.split_once("```").unwrap().0;
    statement.replace("agentwire_sessions", keys).replace('…', "1000")
}

#[tokio::test]
#[ignore = "needs PostgreSQL: cargo xtask services"]
async fn session_that_is_resumed_while_old_ones_are_deleted_is_kept() {
    let (table, key) = (name(), key());
    let store = store_at(config(), &table).await.unwrap();
    store.append(&key, &[entry(1)]).await.unwrap();
    let (deleting, resuming, watching) = tokio::join!(client(), client(), client());
    deleting.batch_execute(&format!("update \"{table}\" set modified_ms = 1")).await.unwrap();
    let resume = format!("begin; update \"{table}\" set modified_ms = 2000 where subpath = ''");
    resuming.batch_execute(&resume).await.unwrap();
    let delete = deletion(&format!("\"{table}\""));
    let delete = tokio::spawn(async move { deleting.batch_execute(&delete).await });
    let waiting = "select pid from pg_stat_activity where wait_event_type = 'Lock' and strpos(query, $1) > 0";
    let it_waits = async { while watching.query(waiting, &[&table]).await.unwrap().is_empty() {} };
    tokio::time::timeout(LIMIT, it_waits).await.unwrap();
    resuming.batch_execute("commit").await.unwrap();
    delete.await.unwrap().unwrap();
    assert_eq!(store.load(&key).await.unwrap().unwrap(), [entry(1)]);
}

#[tokio::test]
#[ignore = "needs PostgreSQL: cargo xtask services"]
async fn wrong_password_and_missing_tables_are_reported() {
    let mut wrong = config();
    let text =
        error_chain(&PostgresStore::new(wrong.password("wrong").clone()).load(&key()).await.unwrap_err());
    assert!(text.contains("password authentication failed"), "{text}");
    let store = PostgresStore::new(config()).table(name()).unwrap();
    for text in [
        error_chain(&store.append(&key(), &[entry(1)]).await.unwrap_err()),
        error_chain(&store.load(&key()).await.unwrap_err()),
    ] {
        assert!(text.contains("does not exist"), "{text}");
    }
}

#[tokio::test]
async fn missing_or_unresponsive_server_times_out() {
    // The listener never accepts, so connecting hangs.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    // Nothing listens on this port, and no other process can take it.
    let held = TcpSocket::new_v4().unwrap();
    held.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let store = |at: SocketAddr| {
        let mut config = Config::new();
        config.host("127.0.0.1").user("agentwire").port(at.port());
        PostgresStore::new(config).limit(Duration::from_millis(200))
    };
    let started = Instant::now();
    let (store, missing) = (store(silent.local_addr().unwrap()), store(held.local_addr().unwrap()));
    let text = error_chain(&store.append(&key(), &[entry(1)]).await.unwrap_err());
    assert!(text.contains("no answer within 200ms"), "{text}");
    let text = error_chain(&missing.load(&key()).await.unwrap_err());
    assert!(text.contains("refused"), "{text}");
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}
