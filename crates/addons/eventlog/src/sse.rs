//! The log over HTTP, as server-sent events.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::{
        IntoResponse, Response, Sse,
        sse::{Event, KeepAlive},
    },
    routing::get,
};
use futures_util::{Stream, StreamExt as _, stream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    entry::{LogBatch, LogEntry},
    log::EventLog,
    position::Position,
};

/// The router of `GET /sessions/{session}/events`, which streams a session's log as server-sent events.
///
/// A session's name with a slash is one segment of the path, such as `me%2F0b0e7a3e`. The response starts after the
/// header `Last-Event-ID`, which browsers send when they reconnect, or at the start of the log. Each event has
/// the name of its [`LogEventKind`](crate::LogEventKind), its position as the id, and its JSON as the data. The
/// event `gap` shows that events were deleted before the next one; the event `failed` has the error that ends the
/// response.
///
/// The router does not authenticate requests: add a layer that does.
#[derive(Clone)]
#[must_use = "settings do nothing without a router"]
pub struct Events {
    log: Arc<dyn EventLog>,
    heartbeat: Duration,
    readers: usize,
}

impl Events {
    /// Returns the settings for a log: a heartbeat every 15 seconds, and at most 256 readers at once.
    pub fn new(log: Arc<dyn EventLog>) -> Self {
        Self { log, heartbeat: Duration::from_secs(15), readers: 256 }
    }

    /// Sets after how long without an event a comment is sent, so that proxies keep the connection.
    pub fn heartbeat(mut self, heartbeat: Duration) -> Self {
        self.heartbeat = heartbeat;
        self
    }

    /// Sets how many readers may be connected at once. Others get the status 503.
    pub fn readers(mut self, readers: usize) -> Self {
        self.readers = readers;
        self
    }

    /// Returns the router.
    pub fn router(self) -> Router {
        let readers = Arc::new(Semaphore::new(self.readers.min(Semaphore::MAX_PERMITS)));
        let shared = Shared { log: self.log, heartbeat: self.heartbeat, readers };
        Router::new().route("/sessions/{session}/events", get(events)).with_state(shared)
    }
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events")
            .field("heartbeat", &self.heartbeat)
            .field("readers", &self.readers)
            .finish_non_exhaustive()
    }
}

#[derive(Clone)]
struct Shared {
    log: Arc<dyn EventLog>,
    heartbeat: Duration,
    readers: Arc<Semaphore>,
}

async fn events(State(shared): State<Shared>, Path(session): Path<String>, headers: HeaderMap) -> Response {
    let after = match headers.get("last-event-id").map(|id| id.to_str().unwrap_or("?").parse::<Position>()) {
        None => Position::START,
        Some(Ok(position)) => position,
        Some(Err(error)) => {
            return (StatusCode::BAD_REQUEST, format!("Last-Event-ID: {error}")).into_response();
        }
    };
    let Ok(permit) = shared.readers.try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many readers; try again later").into_response();
    };
    let reader = Reader { log: shared.log, session, after, failed: false, _permit: permit };
    let retry = stream::iter([Ok(Event::default().retry(RETRY))]);
    Sse::new(retry.chain(reader.events()))
        .keep_alive(KeepAlive::new().interval(shared.heartbeat.min(MAX_HEARTBEAT)))
        .into_response()
}

/// One response: it reads the next batch when the previous one is sent.
struct Reader {
    log: Arc<dyn EventLog>,
    session: String,
    after: Position,
    failed: bool,
    _permit: OwnedSemaphorePermit,
}

impl Reader {
    fn events(self) -> impl Stream<Item = Result<Event, Infallible>> {
        stream::unfold(self, |mut reader| async move {
            let events = reader.next().await?;
            Some((stream::iter(events.into_iter().map(Ok)), reader))
        })
        .flatten()
    }

    /// Returns the events of the next batch; `None` after a failure.
    async fn next(&mut self) -> Option<Vec<Event>> {
        if self.failed {
            return None;
        }
        match self.log.tail(&self.session, self.after).await {
            Ok(LogBatch { entries, has_gap }) => {
                self.after = entries.last().map_or(self.after, |entry| entry.position);
                let gap = has_gap.then(|| Event::default().event("gap").data("{}"));
                Some(gap.into_iter().chain(entries.iter().map(event)).collect())
            }
            Err(error) => {
                self.failed = true;
                // The causes may name addresses of servers, which are not for readers.
                Some(vec![Event::default().event("failed").data(error.to_string())])
            }
        }
    }
}

fn event(entry: &LogEntry) -> Event {
    let data = entry.event.data.as_str();
    // Line breaks of JSON are only between its tokens; in an event they would be separate lines of data.
    let data = if data.contains(['\r', '\n']) { &data.replace(['\r', '\n'], " ") } else { data };
    Event::default().event(entry.event.kind.name()).id(entry.position.to_string()).data(data)
}

/// How long a browser waits before it reconnects.
const RETRY: Duration = Duration::from_secs(1);
/// A heartbeat is a point in time, which must not overflow.
const MAX_HEARTBEAT: Duration = Duration::from_secs(365 * 24 * 3600);
