//! A log in memory.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    pin::pin,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

use crate::{
    entry::{BATCH, LogBatch, LogEntry, LogEvent, LogEventKind},
    log::{EventLog, EventLogError, LogFuture},
    position::Position,
};

/// A log in the memory of this process.
///
/// By default it keeps 1,000 sessions, and 8 MiB of each. A further session replaces the one whose last append is the
/// oldest.
pub struct MemoryLog {
    bytes: u64,
    sessions: usize,
    state: Mutex<State>,
    appended: Notify,
}

impl MemoryLog {
    /// Creates an empty log.
    pub fn new() -> Self {
        Self { bytes: BYTES, sessions: SESSIONS, state: Mutex::default(), appended: Notify::new() }
    }

    /// Sets how many bytes of a session are kept. The oldest entries are deleted first.
    #[must_use]
    pub fn bytes(mut self, bytes: u64) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets how many sessions are kept.
    #[must_use]
    pub fn sessions(mut self, sessions: usize) -> Self {
        self.sessions = sessions;
        self
    }

    fn add(&self, session: &str, at: Position, event: &LogEvent) -> Result<(), EventLogError> {
        let mut state = self.state();
        state.appends += 1;
        let appends = state.appends;
        if !state.sessions.contains_key(session) {
            state.evict(self.sessions);
        }
        let log = state.sessions.entry(session.into()).or_default();
        if at.turn < log.last.turn {
            return Err(EventLogError::Stale { session: session.into(), turn: at.turn, last: log.last.turn });
        }
        if at > log.last {
            log.appended = appends;
            log.push(LogEntry::new(at, event.clone()), self.bytes);
            drop(state);
            self.appended.notify_waiters();
        }
        Ok(())
    }

    fn read(&self, session: &str, after: Position) -> Option<LogBatch> {
        self.state().sessions.get(session)?.read(after)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventLog for MemoryLog {
    fn append<'a>(&'a self, session: &'a str, at: Position, event: &'a LogEvent) -> LogFuture<'a, ()> {
        Box::pin(async move { self.add(session, at, event) })
    }

    fn tail<'a>(&'a self, session: &'a str, after: Position) -> LogFuture<'a, LogBatch> {
        Box::pin(async move {
            loop {
                let mut appended = pin!(self.appended.notified());
                // An append between the read and the wait must wake this reader.
                appended.as_mut().enable();
                if let Some(batch) = self.read(session, after) {
                    return Ok(batch);
                }
                appended.await;
            }
        })
    }
}

impl Default for MemoryLog {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryLog").field("sessions", &self.state().sessions.len()).finish_non_exhaustive()
    }
}

#[derive(Default)]
struct State {
    sessions: HashMap<Box<str>, Session>,
    /// The number of appends so far, which orders the sessions by their last append.
    appends: u64,
}

impl State {
    /// Makes room for a session.
    fn evict(&mut self, limit: usize) {
        while self.sessions.len() >= limit.max(1) {
            let oldest = self.sessions.iter().min_by_key(|(_, session)| session.appended);
            let Some(name) = oldest.map(|(name, _)| name.clone()) else { return };
            self.sessions.remove(&name);
        }
    }
}

#[derive(Default)]
struct Session {
    entries: VecDeque<LogEntry>,
    bytes: u64,
    last: Position,
    /// The last entry other than a delta that was deleted because of the limit.
    lost: Position,
    appended: u64,
}

impl Session {
    fn push(&mut self, entry: LogEntry, limit: u64) {
        if entry.event.kind.deletes_deltas() {
            self.entries.retain(|entry| entry.event.kind != LogEventKind::Delta);
            self.bytes = self.entries.iter().map(|entry| entry.event.weight()).sum();
        }
        self.last = entry.position;
        self.bytes += entry.event.weight();
        self.entries.push_back(entry);
        while self.bytes > limit
            && let Some(first) = self.entries.pop_front()
        {
            self.bytes -= first.event.weight();
            if first.event.kind != LogEventKind::Delta {
                self.lost = first.position;
            }
        }
    }

    fn read(&self, after: Position) -> Option<LogBatch> {
        let first = self.entries.partition_point(|entry| entry.position <= after);
        LogBatch::after(after, self.lost, self.entries.iter().skip(first).take(BATCH).cloned().collect())
    }
}

const BYTES: u64 = 8 * 1024 * 1024;
const SESSIONS: usize = 1000;
