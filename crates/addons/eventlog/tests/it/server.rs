//! The log on a real server, which `cargo xtask services` starts.

use std::{
    env,
    error::Error as _,
    process::Stdio,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use agentwire_eventlog::{EventLog as _, EventLogError, Position, RedisLog};
use redis::Client;
use tokio::{process::Command, task::JoinSet, time::timeout};

use crate::{
    contract::{self, LIMIT},
    model::{SESSION, append, message, turn, whole},
};

/// Returns an empty log.
fn log() -> RedisLog {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    RedisLog::new(client()).prefix(format!("test-{}-{number}", std::process::id()))
}

fn client() -> Client {
    Client::open(url()).unwrap()
}

#[expect(clippy::expect_used, reason = "the message names the command that sets the variable")]
fn url() -> String {
    env::var("AGENTWIRE_TEST_REDIS_URL")
        .expect("AGENTWIRE_TEST_REDIS_URL is not set: run this with `cargo xtask services`")
}

/// The database of the test that kills connections, so that it does not kill those of other tests.
const OWN: u8 = 9;

/// Kills the connections to that database, and returns their number.
async fn kill(admin: &mut redis::aio::MultiplexedConnection) -> usize {
    let list: String = redis::cmd("CLIENT").arg("LIST").query_async(admin).await.unwrap();
    let own = format!("db={OWN}");
    let field = |line: &str| line.split(' ').find_map(|field| field.strip_prefix("id=").map(str::to_owned));
    let lines = list.lines().filter(|line| line.split(' ').any(|field| field == own));
    let ids: Vec<_> = lines.filter_map(field).collect();
    for id in &ids {
        redis::cmd("CLIENT").arg(&["KILL", "ID", id]).query_async::<i64>(admin).await.unwrap();
    }
    ids.len()
}

#[tokio::test]
#[ignore = "needs Redis: cargo xtask services"]
async fn redis_log_keeps_the_contract() {
    contract::holds(log, || log().bytes(1000)).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Redis: cargo xtask services"]
async fn readers_on_other_connections_follow_a_running_turn() {
    let name = format!("follow-{}", std::process::id());
    let entries = turn(1, 200);
    let expected = whole(&entries);
    let mut readers = JoinSet::new();
    for _ in 0..4 {
        let (log, last) = (RedisLog::new(client()).prefix(name.clone()), entries.last().unwrap().position);
        readers.spawn(async move { contract::read(&log, Position::START, last).await });
    }
    let writer = RedisLog::new(client()).prefix(name);
    for entry in &entries {
        append(&writer, entry).await;
    }
    let read_all = async {
        while let Some(read) = readers.join_next().await {
            let (entries, has_gap) = read.unwrap();
            assert_eq!((whole(&entries), has_gap), (expected.clone(), false));
        }
    };
    timeout(LIMIT, read_all).await.unwrap();
}

#[tokio::test]
#[ignore = "needs Redis: cargo xtask services"]
async fn log_reconnects_after_its_connections_were_killed() {
    let log = RedisLog::new(Client::open(format!("{}{OWN}", url())).unwrap());
    let mut admin = client().get_multiplexed_async_connection().await.unwrap();
    let entries = turn(1, 2);
    append(&log, &entries[0]).await;
    assert!(kill(&mut admin).await > 0);
    append(&log, &entries[1]).await;
    let mut waiting = log.tail(SESSION, entries[1].position);
    assert!(timeout(Duration::from_millis(100), &mut waiting).await.is_err());
    assert!(kill(&mut admin).await > 0);
    append(&log, &entries[2]).await;
    let batch = match timeout(LIMIT, waiting).await.unwrap() {
        Ok(batch) => batch,
        // The reader repeats the call.
        Err(_) => log.tail(SESSION, entries[1].position).await.unwrap(),
    };
    assert_eq!(batch.entries, [entries[2].clone()]);
}

#[tokio::test]
#[ignore = "needs Redis: cargo xtask services"]
async fn full_server_still_has_readers() {
    // Another process could take a free port before the server does.
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("redis.sock");
    let mut command = Command::new(env::var("AGENTWIRE_TEST_REDIS_SERVER").unwrap());
    command.args(["--port", "0", "--save", "", "--unixsocket"]).arg(&socket);
    let _server = command.stdout(Stdio::null()).kill_on_drop(true).spawn().unwrap();
    let client = Client::open(format!("unix://{}", socket.display())).unwrap();
    let (log, entries) = (RedisLog::new(client.clone()), turn(1, 0));
    let stored =
        async { while log.append(SESSION, entries[0].position, &entries[0].event).await.is_err() {} };
    timeout(LIMIT, stored).await.unwrap();
    let mut admin = client.get_multiplexed_async_connection().await.unwrap();
    redis::cmd("CONFIG").arg(&["SET", "maxmemory", "1"]).query_async::<()>(&mut admin).await.unwrap();
    let error = log.append(SESSION, entries[1].position, &entries[1].event).await.unwrap_err();
    assert!(error.source().unwrap().to_string().contains("OOM"), "{error:?}");
    let read = contract::read(&log, Position::START, entries[0].position).await;
    assert_eq!(read, (entries[..1].to_vec(), false));
}

#[tokio::test]
async fn silent_server_is_an_error_at_the_limit() {
    // The listener never answers, and redis' own limit on connecting is a second.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let client = Client::open(format!("redis://{}/", silent.local_addr().unwrap())).unwrap();
    for limit in [200, 1200].map(Duration::from_millis) {
        let log = RedisLog::new(client.clone()).limit(limit);
        let started = Instant::now();
        let error = log.append(SESSION, Position::new(1, 1), &message("text")).await.unwrap_err();
        assert!(matches!(error, EventLogError::Unavailable { .. }), "{error:?}");
        assert_eq!(error.source().unwrap().to_string(), format!("redis has not answered within {limit:?}"));
        assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    }
}

#[tokio::test]
#[ignore = "needs Redis: cargo xtask services"]
async fn session_expires() {
    let log = log().expiry(Duration::from_millis(50));
    append(&log, &turn(1, 0)[0]).await;
    // A turn with a lower number is accepted once the session is gone.
    let gone = async { while log.append(SESSION, Position::new(0, 1), &message("new")).await.is_err() {} };
    timeout(LIMIT, gone).await.unwrap();
}
