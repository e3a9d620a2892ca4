//! Readers of running turns that are cut at random places: each sees each message once and in order.

mod sse;

use std::{collections::HashMap, sync::Mutex};

use agentwire::{Incoming, Message};
use agentwire_eventlog::{
    EventLog, EventLogError, Events, LogEntry, LogEvent, LogEventKind, MemoryLog, Position,
};
use tokio::{net::TcpListener, task::JoinSet, time::timeout};

use super::*;

const SESSIONS: usize = 3;
const TURNS: usize = 2;
/// The readers of each session, on each of both ways.
const READERS: u64 = 3;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn cut_readers_of_memory_get_each_message_once_and_in_order() {
    let log: Arc<dyn EventLog> = Arc::new(MemoryLog::new());
    cut_readers_get_each_message_once_and_in_order(|| Arc::clone(&log)).await;
}

/// Runs turns with the real CLI, and follows them by the log and by server-sent events. `log` returns a handle of the
/// same log.
pub(crate) async fn cut_readers_get_each_message_once_and_in_order(log: impl Fn() -> Arc<dyn EventLog>) {
    let place = talkative().await;
    let sent: Arc<Mutex<HashMap<String, Vec<String>>>> = Arc::default();
    let written = Arc::clone(&sent);
    let root = Path::new(place.root());
    let options = options(root, place.model.base_url()).include_partial_messages();
    let worker = worker_in(root, options).events(log()).on_message(move |fence, incoming| {
        if let Incoming::Message(message, line) = incoming
            && !matches!(message, Message::StreamEvent(_))
        {
            let text = String::from_utf8(line.as_bytes().to_vec()).unwrap();
            written.lock().unwrap().entry(fence.session.to_string()).or_default().push(text);
        }
    });
    let engine = engine(&place, worker).await;
    let address = serve(log()).await;

    let mut readers = JoinSet::new();
    for n in 0..SESSIONS {
        for seed in 0..READERS {
            let (name, log, address) = (session(n).to_string(), log(), address.clone());
            readers.spawn({
                let name = name.clone();
                async move { (name.clone(), read_log(&*log, &name, Random(seed)).await) }
            });
            readers.spawn(async move { (name.clone(), sse::read(&address, &name, Random(seed + 99)).await) });
        }
        for turn in 0..TURNS {
            engine.prompt(&session(n), prompt(10 * n + turn)).await.unwrap();
        }
    }
    let mut deltas = 0;
    while let Some(read) = readers.join_next().await {
        let (name, entries) = read.unwrap();
        let in_order = entries.windows(2).all(|pair| pair[0].position < pair[1].position);
        assert!(in_order, "{name}: no event comes twice or late");
        let messages = entries.iter().filter(|entry| entry.event.kind == LogEventKind::Message);
        let messages: Vec<_> = messages.map(|entry| entry.event.data.as_str().to_owned()).collect();
        assert_eq!(messages, sent.lock().unwrap()[&name], "{name}");
        deltas += entries.iter().filter(|entry| entry.event.kind == LogEventKind::Delta).count();
    }
    assert!(deltas > 0, "the readers follow running turns");
    engine.close(LIMIT).await;
    stale_writer_is_refused(&*log()).await;
}

/// Returns a place with a model that uses a tool in each turn, with a pause after each part of its text.
async fn talkative() -> Place {
    let tool = json!({"tool_use": {"name": "Bash", "input": {"command": "echo one >> ran.txt"}}});
    let text = "The text of this message comes in parts. ".repeat(8);
    let script = json!({
        "match": [{"marker": "tool_result", "in": "last", "replies": [
            {"blocks": [{"text": text}], "chunks": 20, "pause_ms": 5, "times": 99},
        ]}],
        "replies": [{"blocks": [{"text": text}, tool], "chunks": 20, "pause_ms": 5, "times": 99}],
    });
    Place::scripted(&script.to_string()).await
}

async fn serve(log: Arc<dyn EventLog>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move { axum::serve(listener, Events::new(log).router()).await.unwrap() });
    address
}

/// Reads up to the end of the last turn. Calls are dropped at random times, and batches at random places.
async fn read_log(log: &dyn EventLog, name: &str, mut random: Random) -> Vec<LogEntry> {
    let (mut read, mut at) = (Vec::new(), Position::START);
    while ends(&read) < TURNS {
        let limit = Duration::from_millis(random.below(40));
        let Ok(batch) = timeout(limit, log.tail(name, at)).await else { continue };
        let batch = batch.unwrap();
        assert!(!batch.has_gap, "{name}");
        let kept = random.below(batch.entries.len() as u64 + 1) as usize;
        read.extend(batch.entries.into_iter().take(kept));
        at = read.last().map_or(at, |entry| entry.position);
    }
    read
}

fn ends(entries: &[LogEntry]) -> usize {
    entries.iter().filter(|entry| entry.event.kind == LogEventKind::End).count()
}

async fn stale_writer_is_refused(log: &dyn EventLog) {
    let event = LogEvent::new(LogEventKind::Message, agentwire::protocol::RawJson::empty_object());
    let name = session(0).to_string();
    let refused = log.append(&name, Position::new(1, 1_000_000), &event).await.unwrap_err();
    assert!(matches!(refused, EventLogError::Stale { turn: 1, .. }), "{refused:?}");
}

/// A sequence of numbers that is the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        // The constants of SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)) % limit
    }
}
