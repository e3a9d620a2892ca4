//! A reader of server-sent events that reconnects after each cut.

use agentwire::protocol::RawJson;
use agentwire_eventlog::{LogEntry, LogEvent, LogEventKind, Position};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    net::TcpStream,
};

use super::{Random, TURNS, ends};

/// Reads up to the end of the last turn. Each connection is cut after a random number of lines.
pub(super) async fn read(address: &str, name: &str, mut random: Random) -> Vec<LogEntry> {
    let mut read: Vec<LogEntry> = Vec::new();
    while ends(&read) < TURNS {
        let mut lines = connect(address, name, read.last().map(|entry| entry.position)).await;
        let (mut event, mut id, mut data) = (String::new(), String::new(), String::new());
        for _ in 0..random.below(120) {
            if ends(&read) == TURNS {
                break;
            }
            let line = lines.next_line().await.unwrap().unwrap();
            match line.split_once(": ") {
                Some(("event", value)) => value.clone_into(&mut event),
                Some(("id", value)) => value.clone_into(&mut id),
                Some(("data", value)) => value.clone_into(&mut data),
                _ if line.is_empty() && !data.is_empty() => {
                    read.push(entry(&event, &id, &data));
                    data.clear();
                }
                _ => {}
            }
        }
    }
    read
}

async fn connect(address: &str, name: &str, last: Option<Position>) -> Lines<BufReader<TcpStream>> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let last = last.map(|last| format!("Last-Event-ID: {last}\r\n")).unwrap_or_default();
    let path = format!("/sessions/{}/events", name.replace('/', "%2F"));
    // A response to HTTP/1.0 is not in chunks.
    stream.write_all(format!("GET {path} HTTP/1.0\r\n{last}\r\n").as_bytes()).await.unwrap();
    let mut lines = BufReader::new(stream).lines();
    assert!(lines.next_line().await.unwrap().is_some_and(|line| line.contains(" 200 ")));
    while lines.next_line().await.unwrap().is_some_and(|line| !line.is_empty()) {}
    lines
}

fn entry(event: &str, id: &str, data: &str) -> LogEntry {
    let kind = LogEventKind::from_name(event).unwrap();
    LogEntry::new(id.parse().unwrap(), LogEvent::new(kind, RawJson::parse(data).unwrap()))
}
