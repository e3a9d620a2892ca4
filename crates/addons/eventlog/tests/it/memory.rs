//! The log in memory: the contract, and readers that are cut at random places while a writer writes.

use agentwire_eventlog::{EventLog as _, EventLogError, LogEntry, MemoryLog, Position};
use proptest::prelude::*;

use crate::{
    contract,
    model::{SESSION, append, message, turn, whole},
};

#[tokio::test]
async fn memory_log_keeps_the_contract() {
    contract::holds(MemoryLog::new, || MemoryLog::new().bytes(1000)).await;
}

#[tokio::test]
async fn oldest_session_makes_room() {
    let log = MemoryLog::new().sessions(2);
    for (session, turn) in [("a", 5), ("b", 5), ("a", 6), ("c", 5)] {
        log.append(session, Position::new(turn, 1), &message(session)).await.unwrap();
    }
    // `b` is gone, and with it the number of its turn.
    log.append("c", Position::new(4, 1), &message("old")).await.unwrap_err();
    let refused = log.append("a", Position::new(4, 1), &message("old")).await.unwrap_err();
    assert!(matches!(refused, EventLogError::Stale { last: 6, .. }), "{refused:?}");
    log.append("b", Position::new(4, 1), &message("new")).await.unwrap();
}

/// A step of the writer or of the reader.
#[derive(Clone, Debug)]
enum Step {
    /// Appends the next entries.
    Write(usize),
    /// Appends an event of an earlier turn.
    WriteStale,
    /// Repeats the last append.
    Repeat,
    /// Reads one batch, and handles this many of its entries before the connection is cut.
    Read(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (1..90_usize).prop_map(Step::Write),
        Just(Step::WriteStale),
        Just(Step::Repeat),
        (0..80_usize).prop_map(Step::Read),
    ];
    prop::collection::vec(step, 1..60)
}

proptest! {
    #[test]
    fn reader_that_is_cut_anywhere_gets_each_message_once_and_in_order(
        turns in prop::collection::vec((1..4_u64, 0..30_u64), 1..6),
        steps in steps(),
    ) {
        let mut number = 0;
        let mut all: Vec<LogEntry> = Vec::new();
        for (step, messages) in turns {
            number += step;
            all.extend(turn(number, messages));
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(follow(&all, &steps));
    }
}

async fn follow(all: &[LogEntry], steps: &[Step]) {
    let log = MemoryLog::new();
    let (mut written, mut at) = (0, Position::START);
    let mut got: Vec<LogEntry> = Vec::new();
    for step in steps {
        match step {
            Step::Write(count) => {
                let end = (written + count).min(all.len());
                for entry in &all[written..end] {
                    append(&log, entry).await;
                }
                written = end;
            }
            Step::WriteStale => {
                let turn = written.checked_sub(1).map_or(0, |last| all[last].position.turn);
                if turn > 0 {
                    let stale = log.append(SESSION, Position::new(turn - 1, 1_000), &message("stale")).await;
                    assert!(matches!(stale, Err(EventLogError::Stale { .. })), "{stale:?}");
                }
            }
            Step::Repeat => {
                if let Some(last) = written.checked_sub(1) {
                    append(&log, &all[last]).await;
                }
            }
            Step::Read(cut) => {
                let last = written.checked_sub(1).map(|last| &all[last]);
                read_once(&log, &mut at, &mut got, *cut, last).await;
            }
        }
    }
    let last = written.checked_sub(1).map(|last| &all[last]);
    while last.is_some_and(|last| at < last.position) {
        read_once(&log, &mut at, &mut got, usize::MAX, last).await;
    }
    assert_eq!(whole(&got), whole(&all[..written]));
    let in_order = got.windows(2).all(|pair| pair[0].position < pair[1].position);
    assert!(in_order, "deltas too are in order, and none comes twice");
    assert!(got.iter().all(|entry| all.contains(entry)), "an event of an old turn");
}

/// Reads one batch unless there is nothing to read, and takes `cut` of its entries.
async fn read_once(
    log: &MemoryLog,
    at: &mut Position,
    got: &mut Vec<LogEntry>,
    cut: usize,
    last: Option<&LogEntry>,
) {
    if last.is_none_or(|last| last.position <= *at) {
        return;
    }
    let batch = log.tail(SESSION, *at).await.unwrap();
    assert!(!batch.has_gap);
    for entry in batch.entries.into_iter().take(cut) {
        *at = entry.position;
        got.push(entry);
    }
}
