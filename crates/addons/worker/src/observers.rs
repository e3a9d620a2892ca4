//! The observers of a session's turns: the callbacks, and the event log.

use std::{sync::Arc, time::Duration};

use agentwire::{Incoming, Message, codec::Line, protocol::RawJson};
use agentwire_eventlog::{LogEvent, LogEventKind, Position};
use agentwire_net::error_chain;
use serde::Serialize;
use tokio::time::Instant;

use crate::{
    config::WorkerConfig,
    outcome::TurnReport,
    panics::caught,
    turn::{Fence, Question, SessionName, TurnInput},
};

pub(crate) struct Observers {
    config: Arc<WorkerConfig>,
    /// The session's name in the event log.
    name: String,
    fence: Option<Fence>,
    /// The number of the last event of the turn.
    sequence: u64,
    /// How many events of the turn, without deltas, the log has not stored.
    missing: u64,
    /// When a failed log is called again. Until then, its failures can't delay the turn.
    retry_at: Option<Instant>,
}

impl Observers {
    pub(crate) fn new(config: Arc<WorkerConfig>, name: &SessionName) -> Self {
        Self { config, name: name.to_string(), fence: None, sequence: 0, missing: 0, retry_at: None }
    }

    pub(crate) async fn started(&mut self, fence: &Fence, input: &TurnInput) {
        self.fence = Some(fence.clone());
        (self.sequence, self.missing, self.retry_at) = (0, 0, None);
        self.append(LogEventKind::Start, || encode(input)).await;
    }

    pub(crate) async fn message(&mut self, incoming: &Incoming) {
        if let Some(fence) = &self.fence {
            (self.config.on_message)(fence, incoming);
        }
        match incoming {
            Incoming::Message(Message::StreamEvent(_), line) => self.line(LogEventKind::Delta, line).await,
            Incoming::Message(_, line) | Incoming::Undecodable(_, line) => {
                self.line(LogEventKind::Message, line).await;
            }
            // Other lines are not messages.
            _ => {}
        }
    }

    pub(crate) async fn question(&mut self, question: &Question) {
        if let Some(fence) = &self.fence {
            (self.config.on_question)(fence, question);
        }
        self.append(LogEventKind::Question, || encode(question)).await;
    }

    pub(crate) async fn ended(&mut self, end: TurnReport) {
        self.retry_at = None;
        let missing = self.missing;
        // Without the callback, the engine would wait for ever.
        let _ =
            caught("the event log", self.append(LogEventKind::End, || encode(&End { end: &end, missing })))
                .await;
        self.fence = None;
        (self.config.on_end)(end).await;
    }

    async fn line(&mut self, kind: LogEventKind, line: &Line) {
        let text =
            || RawJson::parse(String::from_utf8_lossy(line.as_bytes())).map_err(|error| error.to_string());
        self.append(kind, text).await;
    }

    /// Appends an event. If the log fails, the turn goes on without it.
    async fn append(&mut self, kind: LogEventKind, data: impl FnOnce() -> Result<RawJson, String>) {
        let (Some(log), Some(fence)) = (&self.config.events, &self.fence) else { return };
        let weight = u64::from(kind != LogEventKind::Delta);
        if self.retry_at.is_some_and(|at| Instant::now() < at) {
            self.missing += weight;
            return;
        }
        let data = match data() {
            Ok(data) => data,
            Err(why) => {
                // The log has not failed, so the next events need not wait.
                tracing::warn!(session = %self.name, epoch = fence.epoch, "the event log gets no event of a malformed line: {why}");
                self.missing += weight;
                return;
            }
        };
        self.sequence += 1;
        let at = Position::new(fence.epoch, self.sequence);
        let stored = log.append(&self.name, at, &LogEvent::new(kind, data)).await;
        if let Err(error) = stored {
            tracing::warn!(session = %self.name, epoch = fence.epoch, "the turn goes on without the event log: {}", error_chain(&error));
            self.missing += weight;
            self.retry_at = Some(Instant::now() + PAUSE);
        }
    }
}

/// The data of the last event of a turn.
#[derive(Serialize)]
struct End<'a> {
    #[serde(flatten)]
    end: &'a TurnReport,
    /// How many events of the turn, without deltas, are missing in the log.
    missing: u64,
}

fn encode(value: &impl Serialize) -> Result<RawJson, String> {
    RawJson::encode(value).map_err(|error| error.to_string())
}

/// How long a failed log is skipped, except at the end of the turn.
const PAUSE: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use std::{
        future::{pending, ready},
        sync::Mutex,
    };

    use agentwire::{
        codec::{self, Line},
        sessions::FolderStore,
    };
    use agentwire_eventlog::{EventLog, EventLogError, LogBatch, LogFuture, MemoryLog};
    use tokio::time::advance;

    use super::*;
    use crate::outcome::Outcome;

    /// A log that is away, and records the events of all appends.
    #[derive(Default)]
    struct Away(Mutex<Vec<LogEvent>>);

    impl EventLog for Away {
        fn append<'a>(&'a self, session: &'a str, _: Position, event: &'a LogEvent) -> LogFuture<'a, ()> {
            self.0.lock().unwrap().push(event.clone());
            let error = EventLogError::Unavailable { session: session.into(), cause: "away".into() };
            Box::pin(ready(Err(error)))
        }

        fn tail<'a>(&'a self, _: &'a str, _: Position) -> LogFuture<'a, LogBatch> {
            Box::pin(pending())
        }
    }

    /// Starts a turn, and returns its observers and its fence.
    async fn started(log: Arc<dyn EventLog>) -> (Observers, Fence) {
        let config = WorkerConfig::new(Arc::new(FolderStore::at("unused")), "unused").events(log);
        let name = SessionName::new("tenant", "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11");
        let mut observers = Observers::new(Arc::new(config), &name);
        let fence = Fence { session: name, epoch: 1, boot: "boot".into(), number: 1 };
        let input = TurnInput::Prompt { id: "prompt".into(), text: "Go.".to_owned() };
        observers.started(&fence, &input).await;
        (observers, fence)
    }

    fn incoming(line: &str) -> Incoming {
        Incoming::decode(codec::Frame::new(Line::new(line.to_owned())))
    }

    #[tokio::test]
    async fn malformed_line_delays_no_other_frame() {
        let log = Arc::new(MemoryLog::new());
        let (mut observers, fence) = started(Arc::clone(&log) as _).await;
        for line in [r#"{"type":"assistant","#, r#"{"type":"new"}"#] {
            observers.message(&incoming(line)).await;
        }
        let batch = log.tail(&fence.session.to_string(), Position::START).await.unwrap();
        let kinds: Vec<_> = batch.entries.iter().map(|entry| entry.event.kind).collect();
        assert_eq!((kinds, observers.missing), (vec![LogEventKind::Start, LogEventKind::Message], 1));
    }

    #[tokio::test(start_paused = true)]
    async fn log_that_is_away_is_called_only_after_a_pause_and_at_the_end() {
        let log = Arc::new(Away::default());
        let (mut observers, fence) = started(Arc::clone(&log) as _).await;
        let message = incoming(r#"{"type":"new"}"#);
        for _ in 0..3 {
            observers.message(&message).await;
        }
        assert_eq!((log.0.lock().unwrap().len(), observers.missing), (1, 4));
        advance(PAUSE).await;
        observers.message(&message).await;
        assert_eq!((log.0.lock().unwrap().len(), observers.missing), (2, 5));
        let outcome = Outcome::Cancelled;
        observers.ended(TurnReport { fence, outcome, cost_usd: 0.0, revision: None, ticket: None }).await;
        let events = log.0.lock().unwrap();
        let end = events.last().unwrap();
        assert_eq!((events.len(), end.kind), (3, LogEventKind::End));
        assert!(end.data.as_str().contains(r#""missing":5"#), "{}", end.data.as_str());
    }
}
