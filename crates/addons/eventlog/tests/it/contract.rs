//! The contract of an `EventLog`, which each implementation passes.

use std::time::Duration;

use agentwire_eventlog::{EventLog, EventLogError, LogEntry, LogEventKind, Position};
use tokio::time::timeout;

use crate::model::{SESSION, append, event, message, turn, whole};

pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// Runs the contract on empty logs; `small` returns one with a limit of 1,000 bytes for each session.
pub(crate) async fn holds<L: EventLog>(log: impl Fn() -> L, small: impl Fn() -> L) {
    let bounded = async {
        repeated_append_is_stored_once(&log()).await;
        older_turn_is_refused(&log()).await;
        deltas_are_deleted_at_the_end_of_a_turn(&log()).await;
        deltas_of_a_lost_turn_are_deleted_at_the_next_start(&log()).await;
        sessions_are_separate(&log()).await;
        waiting_reader_gets_an_append(&log()).await;
        reader_at_any_position_gets_each_message_once_and_in_order(&log()).await;
        oldest_entries_beyond_the_limit_are_deleted_and_reported(&small()).await;
        deleted_deltas_are_no_gap(&small()).await;
        deltas_that_an_end_has_deleted_make_room(&small()).await;
        event_beyond_the_limit_is_deleted_and_reported(&small()).await;
        json_is_kept_as_it_was(&log()).await;
    };
    timeout(LIMIT, bounded).await.unwrap();
}

/// Reads up to a position, with at least one call.
pub(crate) async fn read(log: &dyn EventLog, after: Position, last: Position) -> (Vec<LogEntry>, bool) {
    let (mut entries, mut has_gap) = (Vec::new(), false);
    let mut at = after;
    while at < last {
        let batch = log.tail(SESSION, at).await.unwrap();
        assert!(!batch.entries.is_empty(), "a batch has entries");
        at = batch.entries.last().unwrap().position;
        entries.extend(batch.entries);
        has_gap |= batch.has_gap;
    }
    (entries, has_gap)
}

async fn repeated_append_is_stored_once(log: &dyn EventLog) {
    let turn = turn(1, 3);
    for _ in 0..2 {
        for entry in &turn[..5] {
            append(log, entry).await;
        }
    }
    assert_eq!(read(log, Position::START, turn[4].position).await, (turn[..5].to_vec(), false));
}

async fn older_turn_is_refused(log: &dyn EventLog) {
    let (old, new) = (turn(7, 1), turn(8, 1));
    append(log, &old[0]).await;
    append(log, &old[3]).await;
    append(log, &new[0]).await;
    let refused = log.append(SESSION, old[4].position, &old[4].event).await.unwrap_err();
    assert!(matches!(refused, EventLogError::Stale { turn: 7, last: 8, .. }), "{refused:?}");
    let expected = vec![old[0].clone(), old[3].clone(), new[0].clone()];
    assert_eq!(read(log, Position::START, new[0].position).await, (expected, false));
}

async fn deltas_are_deleted_at_the_end_of_a_turn(log: &dyn EventLog) {
    let turn = turn(1, 3);
    let (last, running) = turn.split_last().unwrap();
    for entry in running {
        append(log, entry).await;
    }
    assert_eq!(read(log, Position::START, running.last().unwrap().position).await, (running.to_vec(), false));
    append(log, last).await;
    assert_eq!(read(log, Position::START, last.position).await, (whole(&turn), false));
}

async fn deltas_of_a_lost_turn_are_deleted_at_the_next_start(log: &dyn EventLog) {
    let (lost, next) = (turn(1, 1), turn(2, 1));
    for entry in lost[..4].iter().chain(&next[..2]) {
        append(log, entry).await;
    }
    let expected = [whole(&lost[..4]), next[..2].to_vec()].concat();
    assert_eq!(read(log, Position::START, next[1].position).await, (expected, false));
}

async fn sessions_are_separate(log: &dyn EventLog) {
    log.append("{a}", Position::new(5, 1), &message("a")).await.unwrap();
    log.append("{b}", Position::new(1, 1), &message("b")).await.unwrap();
    let batch = log.tail("{b}", Position::START).await.unwrap();
    assert_eq!(batch.entries, [LogEntry::new(Position::new(1, 1), message("b"))]);
}

async fn waiting_reader_gets_an_append(log: &dyn EventLog) {
    let entry = &turn(1, 0)[0];
    let mut waiting = log.tail(SESSION, Position::START);
    assert!(timeout(Duration::from_millis(50), &mut waiting).await.is_err(), "there is nothing to read");
    append(log, entry).await;
    assert_eq!(waiting.await.unwrap().entries.as_slice(), std::slice::from_ref(entry));
}

async fn reader_at_any_position_gets_each_message_once_and_in_order(log: &dyn EventLog) {
    let turns = [turn(1, 40), turn(3, 0), turn(4, 25)].concat();
    for entry in &turns {
        append(log, entry).await;
    }
    let last = turns.last().unwrap().position;
    for cut in &turns[..turns.len() - 1] {
        let rest: Vec<_> = whole(&turns).into_iter().filter(|entry| entry.position > cut.position).collect();
        assert_eq!(read(log, cut.position, last).await, (rest, false), "{}", cut.position);
    }
}

async fn oldest_entries_beyond_the_limit_are_deleted_and_reported(log: &dyn EventLog) {
    let entries: Vec<_> =
        (1..=30).map(|n| LogEntry::new(Position::new(1, n), message(&format!("{n:0>98}")))).collect();
    for entry in &entries {
        append(log, entry).await;
    }
    let last = entries[29].position;
    // An entry weighs 100 bytes and the overhead.
    assert_eq!(read(log, Position::START, last).await, (entries[24..].to_vec(), true));
    assert_eq!(read(log, entries[22].position, last).await, (entries[24..].to_vec(), true));
    assert_eq!(read(log, entries[23].position, last).await, (entries[24..].to_vec(), false));
    assert_eq!(read(log, entries[27].position, last).await, (entries[28..].to_vec(), false));
}

async fn deleted_deltas_are_no_gap(log: &dyn EventLog) {
    let kept = LogEntry::new(Position::new(1, 40), message("kept"));
    for n in 1..40 {
        append(log, &LogEntry::new(Position::new(1, n), event(LogEventKind::Delta, &format!("{n:0>98}"))))
            .await;
    }
    append(log, &kept).await;
    let (entries, has_gap) = read(log, Position::START, kept.position).await;
    assert!(entries.len() < 10, "{}", entries.len());
    assert_eq!((entries.last(), has_gap), (Some(&kept), false));
}

async fn deltas_that_an_end_has_deleted_make_room(log: &dyn EventLog) {
    let mut all = Vec::new();
    for number in 1..=3 {
        let deltas = (0..4).map(|n| event(LogEventKind::Delta, &format!("{n:0>98}")));
        let events = std::iter::once(event(LogEventKind::Start, "s")).chain(deltas);
        for (sequence, event) in (1..).zip(events.chain([event(LogEventKind::End, "e")])) {
            all.push(LogEntry::new(Position::new(number, sequence), event));
        }
    }
    for entry in &all {
        append(log, entry).await;
    }
    // The entries never use more than 991 of the 1,000 bytes, because each end deletes the deltas.
    let last = all.last().unwrap().position;
    assert_eq!(read(log, Position::START, last).await, (whole(&all), false));
}

async fn event_beyond_the_limit_is_deleted_and_reported(log: &dyn EventLog) {
    append(log, &LogEntry::new(Position::new(1, 1), message(&"long".repeat(1000)))).await;
    let next = LogEntry::new(Position::new(1, 2), message("short"));
    append(log, &next).await;
    assert_eq!(read(log, Position::START, next.position).await, (vec![next], true));
}

async fn json_is_kept_as_it_was(log: &dyn EventLog) {
    let text = "{\"b\": 1.0,\r\n \"a\": \"ä\\u0000\u{2028}\", \"n\": 123456789012345678901234567890}";
    let json = agentwire_protocol::RawJson::parse(text).unwrap();
    let entry =
        LogEntry::new(Position::new(1, 1), agentwire_eventlog::LogEvent::new(LogEventKind::Message, json));
    append(log, &entry).await;
    assert_eq!(read(log, Position::START, entry.position).await, (vec![entry], false));
}
