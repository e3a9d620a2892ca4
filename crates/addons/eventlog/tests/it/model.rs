//! Turns that a writer writes, and what a reader must get of them.

use agentwire_eventlog::{Entry, EventLog, Frame, FrameKind, Position};
use agentwire_protocol::RawJson;

pub(crate) const SESSION: &str = "me/0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11";

pub(crate) fn frame(kind: FrameKind, data: &str) -> Frame {
    Frame::new(kind, RawJson::encode(data).unwrap())
}

pub(crate) fn message(text: &str) -> Frame {
    frame(FrameKind::Message, text)
}

/// Returns the frames of a turn: a start, deltas and messages, and an end.
pub(crate) fn turn(number: u64, messages: u64) -> Vec<Entry> {
    let mut frames = vec![frame(FrameKind::Start, "start")];
    for n in 0..messages {
        frames.push(frame(FrameKind::Delta, &format!("delta {n}")));
        frames.push(frame(FrameKind::Delta, &format!("more {n}")));
        frames.push(message(&format!("message {n}")));
    }
    frames.push(frame(FrameKind::End, "end"));
    let positions = (1..).map(|sequence| Position::new(number, sequence));
    positions.zip(frames).map(|(position, frame)| Entry::new(position, frame)).collect()
}

pub(crate) async fn append(log: &dyn EventLog, entry: &Entry) {
    log.append(SESSION, entry.position, &entry.frame).await.unwrap();
}

/// Returns the entries that are not deltas.
pub(crate) fn whole(entries: &[Entry]) -> Vec<Entry> {
    entries.iter().filter(|entry| entry.frame.kind != FrameKind::Delta).cloned().collect()
}
