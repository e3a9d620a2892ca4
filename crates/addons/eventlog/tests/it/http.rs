//! Server-sent events over a real connection.

mod client;

use std::{sync::Arc, time::Duration};

use agentwire_eventlog::{
    EventLog, EventLogError, Events, LogBatch, LogEvent, LogEventKind, LogFuture, MemoryLog, Position,
};
use agentwire_protocol::RawJson;
use tokio::{net::TcpListener, task::JoinSet, time::timeout};

use crate::{
    contract::LIMIT,
    model::{SESSION, append, message, turn, whole},
};
use client::{Event, Reader};

/// A server with the router, which ends when it is dropped.
struct Server {
    address: String,
    _task: JoinSet<()>,
}

impl Server {
    async fn start(events: Events) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let mut task = JoinSet::new();
        task.spawn(async move { axum::serve(listener, events.router()).await.unwrap() });
        Self { address, _task: task }
    }

    async fn read(&self, last: Option<&str>) -> Result<Reader, String> {
        let path = format!("/sessions/{}/events", SESSION.replace('/', "%2F"));
        timeout(LIMIT, Reader::connect(&self.address, &path, last)).await.unwrap()
    }
}

fn events(entries: &[agentwire_eventlog::LogEntry]) -> Vec<Event> {
    let event = |entry: &agentwire_eventlog::LogEntry| Event {
        name: entry.event.kind.name().to_owned(),
        id: entry.position.to_string(),
        data: entry.event.data.as_str().to_owned(),
    };
    entries.iter().map(event).collect()
}

#[tokio::test]
async fn reader_continues_after_the_last_event_id() {
    let log = Arc::new(MemoryLog::new());
    let server = Server::start(Events::new(log.clone())).await;
    let entries = turn(2, 100);
    let mut reader = server.read(None).await.unwrap();
    let mut got = Vec::new();
    // The connection is cut after each seventh event, while the turn runs.
    for entry in &entries {
        append(&*log, entry).await;
        got.push(reader.next().await.unwrap());
        if got.len() % 7 == 0 {
            drop(reader);
            reader = server.read(Some(&got.last().unwrap().id)).await.unwrap();
        }
    }
    assert_eq!(got, events(&entries));
    let mut late = server.read(Some("2-5")).await.unwrap();
    for expected in events(&whole(&entries[5..])) {
        assert_eq!(late.next().await.unwrap(), expected);
    }
}

#[tokio::test]
async fn invalid_last_event_id_is_refused() {
    let server = Server::start(Events::new(Arc::new(MemoryLog::new()))).await;
    let refused = server.read(Some("yesterday")).await.unwrap_err();
    assert!(refused.contains("400") && refused.contains("`yesterday` is not a position"), "{refused}");
}

#[tokio::test]
async fn idle_reader_gets_heartbeats() {
    let events = Events::new(Arc::new(MemoryLog::new())).heartbeat(Duration::from_millis(20));
    let server = Server::start(events).await;
    let mut reader = server.read(None).await.unwrap();
    for _ in 0..3 {
        reader.comment().await.unwrap();
    }
}

#[tokio::test]
async fn longest_heartbeat_and_most_readers_are_accepted() {
    let log = Arc::new(MemoryLog::new());
    append(&*log, &turn(1, 0)[0]).await;
    let server = Server::start(Events::new(log).heartbeat(Duration::MAX).readers(usize::MAX)).await;
    assert_eq!(server.read(None).await.unwrap().next().await.unwrap().id, "1-1");
}

#[tokio::test]
async fn readers_beyond_the_limit_are_refused_until_one_leaves() {
    let log = Arc::new(MemoryLog::new());
    append(&*log, &turn(1, 0)[0]).await;
    let server = Server::start(Events::new(log).readers(1).heartbeat(Duration::from_millis(10))).await;
    let mut first = server.read(None).await.unwrap();
    first.next().await.unwrap();
    let refused = server.read(None).await.unwrap_err();
    assert!(refused.contains("503"), "{refused}");
    drop(first);
    // The server notices at the next heartbeat.
    let again = async { while server.read(None).await.is_err() {} };
    timeout(LIMIT, again).await.unwrap();
}

#[tokio::test]
async fn slow_reader_delays_nothing_and_misses_no_message_within_the_limit() {
    let log = Arc::new(MemoryLog::new());
    let server = Server::start(Events::new(log.clone())).await;
    let mut reader = server.read(None).await.unwrap();
    // More than the buffers of the connection hold, while the reader reads nothing.
    let entries: Vec<_> = (1..=6000)
        .map(|n| agentwire_eventlog::LogEntry::new(Position::new(1, n), message(&"x".repeat(1000))))
        .collect();
    for entry in &entries {
        append(&*log, entry).await;
    }
    for expected in events(&entries) {
        assert_eq!(timeout(LIMIT, reader.next()).await.unwrap().unwrap(), expected);
    }
}

#[tokio::test]
async fn gap_is_reported() {
    let log = Arc::new(MemoryLog::new().bytes(1000));
    for n in 1..100 {
        log.append(SESSION, Position::new(1, n), &message("text")).await.unwrap();
    }
    let server = Server::start(Events::new(log)).await;
    let mut reader = server.read(None).await.unwrap();
    assert_eq!(reader.next().await.unwrap().name, "gap");
    assert_eq!(reader.next().await.unwrap().name, "message");
}

#[tokio::test]
async fn line_breaks_in_json_stay_in_one_event() {
    let log = Arc::new(MemoryLog::new());
    let data = RawJson::parse("{\"a\":\r\n1,\n\"b\": 2}").unwrap();
    log.append(SESSION, Position::new(1, 1), &LogEvent::new(LogEventKind::Message, data)).await.unwrap();
    let server = Server::start(Events::new(log)).await;
    let event = server.read(None).await.unwrap().next().await.unwrap();
    assert_eq!(event.data, r#"{"a":  1, "b": 2}"#);
}

/// A log that can't be reached.
struct Broken;

impl EventLog for Broken {
    fn append<'a>(&'a self, session: &'a str, _: Position, _: &'a LogEvent) -> LogFuture<'a, ()> {
        Box::pin(async {
            Err(EventLogError::Unavailable { session: session.into(), cause: "secret host".into() })
        })
    }

    fn tail<'a>(&'a self, session: &'a str, _: Position) -> LogFuture<'a, LogBatch> {
        Box::pin(async {
            Err(EventLogError::Unavailable { session: session.into(), cause: "secret host".into() })
        })
    }
}

#[tokio::test]
async fn failure_of_the_log_ends_the_response_with_its_error() {
    let server = Server::start(Events::new(Arc::new(Broken))).await;
    let mut reader = server.read(None).await.unwrap();
    let event = reader.next().await.unwrap();
    assert_eq!((event.name.as_str(), event.data.contains("not available")), ("failed", true));
    assert!(!event.data.contains("secret"), "{event:?}");
    assert_eq!(reader.next().await, None);
}
