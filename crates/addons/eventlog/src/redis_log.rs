//! A log on Redis streams.

mod connections;
mod script;

use std::{fmt, time::Duration};

use agentwire_protocol::RawJson;
use redis::{Client, FromRedisValue, Pipeline, Value, pipe};

use crate::{
    entry::{BATCH, LogBatch, LogEntry, LogEvent, LogEventKind},
    log::{EventLog, EventLogError, LogFuture},
    position::Position,
};
use connections::Connections;

/// A log on Redis streams, one for each session.
///
/// The position of an event is the id of its entry, so the server itself refuses an event of an earlier turn. It keeps
/// 8 MiB of each session by default, and deletes a session seven days after the last append. Redis needs up to nine times
/// as much memory, since deleted deltas leave holes in a stream; a `stream-node-max-entries` of 4 makes that three times.
///
/// Each append and each waiting reader has its own connection. The writer of a turn waits for the server at most
/// two seconds, and as long again if its connection was lost.
/// Requires tokio and Redis 6.2 or a compatible server.
pub struct RedisLog {
    connections: Connections,
    prefix: Box<str>,
    bytes: u64,
    expiry: Duration,
    limit: Duration,
}

impl RedisLog {
    /// Creates a log on this server, with the prefix `agentwire`. It connects at the first call.
    pub fn new(client: Client) -> Self {
        Self {
            connections: Connections::new(client),
            prefix: "agentwire".into(),
            bytes: BYTES,
            expiry: EXPIRY,
            limit: LIMIT,
        }
    }

    /// Sets the prefix of all keys, so that one server can hold several logs.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<Box<str>>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Sets how many bytes of a session are kept. The oldest entries are deleted first.
    #[must_use]
    pub fn bytes(mut self, bytes: u64) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets how long after its last append a session is deleted. A turn of a lost worker must end earlier.
    #[must_use]
    pub fn expiry(mut self, expiry: Duration) -> Self {
        self.expiry = expiry;
        self
    }

    /// Sets the time limit for connecting and for each reply; the default is two seconds.
    /// A waiting reader that connects again has ten seconds more.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    async fn add(&self, session: &str, at: Position, event: &LogEvent) -> Result<(), EventLogError> {
        let commands = script::append(
            &self.key(session, "events"),
            &self.key(session, "state"),
            at,
            event,
            self.bytes,
            self.expiry,
        );
        let (reply,): (script::Reply,) = self.run(session, &commands, self.limit).await?;
        let Some(refusal) = script::refusal(reply) else { return Ok(()) };
        match refusal.last {
            Some(last) if last.turn > at.turn => {
                Err(EventLogError::Stale { session: session.into(), turn: at.turn, last: last.turn })
            }
            Some(last) if last >= at => Ok(()),
            _ => {
                // A server that has become a replica refuses all writes on its connections.
                self.connections.clear();
                Err(unavailable(session, refusal.error))
            }
        }
    }

    async fn read(&self, session: &str, after: Position) -> Result<LogBatch, EventLogError> {
        let (events, state) = (self.key(session, "events"), self.key(session, "state"));
        let mut read = pipe();
        read.cmd("EVAL").arg(script::READ).arg(2).arg(&events).arg(&state);
        read.arg(format!("({after}")).arg(BATCH);
        let mut wait = pipe();
        wait.cmd("XREAD").arg("COUNT").arg(1).arg("BLOCK").arg(BLOCK.as_millis() as u64);
        wait.arg("STREAMS").arg(&events).arg(after.to_string());
        loop {
            let ((stored, lost),): ((Vec<Stored>, Option<String>),) =
                self.run(session, &read, self.limit).await?;
            let (entries, lost) = decode(stored, lost).map_err(|cause| unavailable(session, cause))?;
            if let Some(batch) = LogBatch::after(after, lost, entries) {
                return Ok(batch);
            }
            let _: Value = self.run(session, &wait, BLOCK.saturating_add(self.limit)).await?;
        }
    }

    async fn run<T: FromRedisValue>(
        &self,
        session: &str,
        commands: &Pipeline,
        limit: Duration,
    ) -> Result<T, EventLogError> {
        self.connections.run(commands, limit).await.map_err(|fault| unavailable(session, fault))
    }

    /// Returns a key. The session is in braces, so that all of its keys are in one slot of a cluster.
    fn key(&self, session: &str, part: &str) -> String {
        format!("{}:{{{}}}:{part}", escape(&self.prefix), escape(session))
    }
}

impl EventLog for RedisLog {
    fn append<'a>(&'a self, session: &'a str, at: Position, event: &'a LogEvent) -> LogFuture<'a, ()> {
        Box::pin(self.add(session, at, event))
    }

    fn tail<'a>(&'a self, session: &'a str, after: Position) -> LogFuture<'a, LogBatch> {
        Box::pin(self.read(session, after))
    }
}

/// Writes the prefix, but not the connection's configuration.
impl fmt::Debug for RedisLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisLog").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

/// The id of an entry, and its two fields with their names.
type Stored = (String, (String, String, String, String));

type Cause = Box<dyn std::error::Error + Send + Sync>;

fn decode(stored: Vec<Stored>, lost: Option<String>) -> Result<(Vec<LogEntry>, Position), Cause> {
    let lost = lost.map_or(Ok(Position::START), |lost| lost.parse())?;
    Ok((stored.into_iter().map(entry).collect::<Result<_, _>>()?, lost))
}

fn entry((id, (_, kind, _, data)): Stored) -> Result<LogEntry, Cause> {
    let kind = LogEventKind::from_name(&kind)
        .ok_or_else(|| format!("the entry {id} has the unknown kind `{kind}`"))?;
    Ok(LogEntry::new(id.parse()?, LogEvent::new(kind, RawJson::parse(data)?)))
}

fn unavailable(session: &str, cause: impl Into<Cause>) -> EventLogError {
    EventLogError::Unavailable { session: session.into(), cause: cause.into() }
}

/// Escapes braces.
fn escape(text: &str) -> String {
    text.replace('%', "%25").replace('{', "%7B").replace('}', "%7D")
}

const BYTES: u64 = 8 * 1024 * 1024;
const EXPIRY: Duration = Duration::from_secs(7 * 24 * 60 * 60);
const LIMIT: Duration = Duration::from_secs(2);

/// How long the server blocks a reader before the reader asks again.
const BLOCK: Duration = Duration::from_secs(10);
