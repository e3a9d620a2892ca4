//! Turns that a writer writes, and what a reader must get of them.

use agentwire_eventlog::{EventLog, LogEntry, LogEvent, LogEventKind, Position};
use agentwire_protocol::RawJson;

pub(crate) const SESSION: &str = "me/0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11";

pub(crate) fn event(kind: LogEventKind, data: &str) -> LogEvent {
    LogEvent::new(kind, RawJson::encode(data).unwrap())
}

pub(crate) fn message(text: &str) -> LogEvent {
    event(LogEventKind::Message, text)
}

/// Returns the entries of a turn: a start, deltas and messages, and an end.
pub(crate) fn turn(number: u64, messages: u64) -> Vec<LogEntry> {
    let mut events = vec![event(LogEventKind::Start, "start")];
    for n in 0..messages {
        events.push(event(LogEventKind::Delta, &format!("delta {n}")));
        events.push(event(LogEventKind::Delta, &format!("more {n}")));
        events.push(message(&format!("message {n}")));
    }
    events.push(event(LogEventKind::End, "end"));
    let positions = (1..).map(|sequence| Position::new(number, sequence));
    positions.zip(events).map(|(position, event)| LogEntry::new(position, event)).collect()
}

pub(crate) async fn append(log: &dyn EventLog, entry: &LogEntry) {
    log.append(SESSION, entry.position, &entry.event).await.unwrap();
}

/// Returns the entries that are not deltas.
pub(crate) fn whole(entries: &[LogEntry]) -> Vec<LogEntry> {
    entries.iter().filter(|entry| entry.event.kind != LogEventKind::Delta).cloned().collect()
}
