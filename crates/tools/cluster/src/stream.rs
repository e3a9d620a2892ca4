//! `stream`: readers of running turns are cut at random places.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use agentwire::sessions::{FolderStore, SessionKey, SessionStore};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::Setup;
use crate::cluster::{Cluster, Plan};
use crate::failure::Failure;
use crate::lines;
use crate::sessions::{LIMIT, TENANT, prompt, session};
use crate::waiting::within;

/// Checks that each reader gets each message once and in order, including all messages of the stored session.
pub(crate) fn run(setup: &Setup) -> Result<String, Failure> {
    let (sessions, turns) = (setup.size(8, 2), setup.size(4, 2));
    setup.runtime.block_on(within("all readers have read", LIMIT, streamed(setup, sessions, turns)))
}

async fn streamed(setup: &Setup, sessions: usize, turns: usize) -> Result<String, Failure> {
    let settings = json!({"allowed_tools": ["Bash"], "slots": sessions});
    let cluster =
        Cluster::start(setup, Plan { nodes: 1, cli: &setup.cli, script: talkative(), settings }).await?;
    let _workers = [cluster.worker()?, cluster.worker()?];
    let board = cluster.board()?;
    let mut readers = JoinSet::new();
    for n in 0..sessions {
        for seed in 0..READERS {
            let (url, random) = (board.url.clone(), Random(seed + READERS * n as u64));
            readers.spawn(async move { (n, read(&url, n, turns, random).await) });
        }
    }
    for turn in 0..turns {
        let prompts: Vec<_> = (0..sessions).map(|n| prompt(turn * sessions + n, "Go.")).collect();
        cluster.send(&prompts).await?;
    }
    let (mut reads, mut cuts) = (HashMap::<usize, Vec<Vec<Event>>>::new(), 0);
    while let Some(read) = readers.join_next().await {
        let (n, read) = read.map_err(|error| Failure::new(error.to_string()))?;
        let (events, connections) = read?;
        cuts += connections - 1;
        reads.entry(n).or_default().push(events);
    }
    let (mut wrong, mut messages, mut deltas) = (Vec::new(), 0, 0);
    for (n, reads) in reads {
        let stored = stored(&cluster, n).await?;
        let first = messages_of(&reads[0]);
        for events in &reads {
            let read = messages_of(events);
            let is_in_order = events.windows(2).all(|pair| pair[0].position < pair[1].position);
            let whole = events.iter().all(|event| event.name != "gap" && event.name != "failed");
            let uuids: Vec<_> = read.iter().filter_map(|message| message["uuid"].as_str()).collect();
            let is_kept = stored.iter().all(|uuid| uuids.contains(&uuid.as_str()));
            let seen = uuids.iter().filter(|uuid| stored.iter().any(|known| known == *uuid)).count();
            if !is_in_order || !whole || read != first || !is_kept || seen != stored.len() {
                wrong.push(format!("session {n}: {seen} of {} messages", stored.len()));
            }
            messages += read.len();
            deltas += events.iter().filter(|event| event.name == "delta").count();
        }
    }
    let figures = format!(
        "{READERS} readers in each of {sessions} sessions, cut {cuts} times in {turns} turns: {messages} messages, each \
         once and in order, and {deltas} deltas; {} readers with another result",
        wrong.len()
    );
    if !wrong.is_empty() || deltas == 0 || cuts == 0 {
        return Err(Failure::finding(format!("{figures}: {wrong:?}")));
    }
    Ok(figures)
}

/// An event of a stream.
struct Event {
    name: String,
    /// The number of the turn, and the number of the event in it.
    position: (u64, u64),
    data: String,
}

fn messages_of(events: &[Event]) -> Vec<Value> {
    let messages = events.iter().filter(|event| event.name == "message");
    messages.map(|event| serde_json::from_str(&event.data).unwrap_or_default()).collect()
}

/// Reads up to the end of the last turn, and returns the events and the number of connections. Each connection is cut
/// after a random number of lines, or when it is silent for a while.
async fn read(url: &str, n: usize, turns: usize, mut random: Random) -> Result<(Vec<Event>, usize), Failure> {
    let path = format!("/sessions/{}/events", session(n).to_string().replace('/', "%2F"));
    let (mut read, mut connections) = (Vec::<Event>::new(), 0);
    while read.iter().filter(|event| event.name == "end").count() < turns {
        let last = read
            .last()
            .map(|Event { position, .. }| format!("Last-Event-ID: {}-{}\r\n", position.0, position.1));
        let mut lines = lines::get(url, &path, &last.unwrap_or_default()).await?;
        connections += 1;
        let (mut name, mut id, mut data) = (String::new(), String::new(), String::new());
        for _ in 0..random.below(120) {
            let Ok(line) = timeout(SILENCE, lines.next_line()).await else { break };
            let Some(line) = line? else { break };
            match line.split_once(": ") {
                Some(("event", value)) => value.clone_into(&mut name),
                Some(("id", value)) => value.clone_into(&mut id),
                Some(("data", value)) => value.clone_into(&mut data),
                _ if line.is_empty() && !name.is_empty() => {
                    read.push(Event {
                        name: std::mem::take(&mut name),
                        position: position(&id)?,
                        data: data.clone(),
                    });
                }
                _ => {}
            }
        }
    }
    Ok((read, connections))
}

fn position(id: &str) -> Result<(u64, u64), Failure> {
    let numbers =
        id.split_once('-').and_then(|(turn, number)| Some((turn.parse().ok()?, number.parse().ok()?)));
    numbers.ok_or_else(|| Failure::new(format!("`{id}` is not the id of an event")))
}

/// Returns the ids of the assistant's messages in the stored session.
async fn stored(cluster: &Cluster, n: usize) -> Result<Vec<String>, Failure> {
    let store: Arc<dyn SessionStore> = Arc::new(FolderStore::at(cluster.path("store")));
    let key = SessionKey::new(TENANT, session(n).session)?;
    let entries =
        store.load(&key).await?.ok_or_else(|| Failure::finding(format!("session {n} is not stored")))?;
    let entries = entries.iter().filter_map(|entry| serde_json::from_str::<Value>(entry.as_str()).ok());
    let replies = entries.filter(|entry| entry["type"] == "assistant");
    Ok(replies.filter_map(|entry| entry["uuid"].as_str().map(str::to_owned)).collect())
}

/// A model that uses a tool in each turn, with a pause after each part of its text.
fn talkative() -> String {
    let tool = json!({"tool_use": {"name": "Bash", "input": {"command": "echo ran >> ran.txt"}}});
    let text = "The text of this message comes in parts. ".repeat(8);
    let replies = |blocks: Value| json!([{"blocks": blocks, "chunks": 20, "pause_ms": 5, "times": 1000}]);
    json!({
        "match": [{"marker": "tool_result", "in": "last", "replies": replies(json!([{"text": text}]))}],
        "replies": replies(json!([{"text": text}, tool])),
    })
    .to_string()
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

/// How many readers each session has.
const READERS: u64 = 3;
/// How long a reader waits for the next line before it connects again.
const SILENCE: Duration = Duration::from_millis(500);
