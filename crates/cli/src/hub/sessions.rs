//! The sessions of clients over HTTP, which end when no client uses them.
//!
//! `rmcp` counts messages in both directions: notifications keep the session of a client that is gone, and a client that
//! listens to a silent stream loses its session.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agentwire_hub::rmcp::transport::streamable_http_server::{
    SessionId, SessionManager as _, session::local::LocalSessionManager,
};
use axum::body::Body;
use axum::http::HeaderMap;
use futures_util::TryStreamExt as _;
use tokio::time::{Instant, sleep, timeout};

/// The sessions of clients, and when they were used.
pub(super) struct Sessions {
    pub(super) manager: Arc<LocalSessionManager>,
    uses: Mutex<HashMap<SessionId, SessionUse>>,
}

struct SessionUse {
    last: Instant,
    /// Each open request or stream has a clone.
    open: Arc<()>,
}

impl Sessions {
    pub(super) fn new() -> Self {
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = None;
        Self { manager: Arc::new(manager), uses: Mutex::default() }
    }

    /// Notes a request with these headers. Its session is in use until the result is dropped.
    pub(super) fn enter(&self, headers: &HeaderMap) -> Option<Arc<()>> {
        let id = headers.get(SESSION)?.to_str().ok()?;
        let mut uses = self.uses();
        let session = uses.entry(id.into()).or_insert_with(SessionUse::new);
        session.last = Instant::now();
        Some(Arc::clone(&session.open))
    }

    /// Ends each session that was not in use for [`IDLE_LIMIT`].
    pub(super) async fn end_unused(&self) -> Infallible {
        loop {
            sleep(INTERVAL).await;
            let present: HashSet<SessionId> = self.manager.sessions.read().await.keys().cloned().collect();
            for id in self.unused(&present) {
                // An error means that the session has ended. The limit is for a session that takes no messages.
                let _ = timeout(INTERVAL, self.manager.close_session(&id)).await;
            }
        }
    }

    /// Returns the sessions without use for [`IDLE_LIMIT`], and forgets the sessions that are not present.
    fn unused(&self, present: &HashSet<SessionId>) -> Vec<SessionId> {
        let mut uses = self.uses();
        // A session may have begun meanwhile.
        uses.retain(|id, session| present.contains(id) || session.is_open());
        let is_unused = |id: &&SessionId| {
            let session = uses.entry(SessionId::clone(id)).or_insert_with(SessionUse::new);
            if session.is_open() {
                session.last = Instant::now();
            }
            session.last.elapsed() >= IDLE_LIMIT
        };
        present.iter().filter(is_unused).cloned().collect()
    }

    fn uses(&self) -> MutexGuard<'_, HashMap<SessionId, SessionUse>> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionUse {
    fn new() -> Self {
        Self { last: Instant::now(), open: Arc::default() }
    }

    fn is_open(&self) -> bool {
        Arc::strong_count(&self.open) > 1
    }
}

/// Returns the body of an answer, which keeps the session in use until its end.
pub(super) fn held(body: Body, open: Option<Arc<()>>) -> Body {
    Body::from_stream(body.into_data_stream().inspect_ok(move |_| _ = &open))
}

/// The header with the id of a session.
const SESSION: &str = "mcp-session-id";
/// The time after which a session without a request and without an open stream ends.
const IDLE_LIMIT: Duration = Duration::from_secs(8 * 3600);
/// How often unused sessions are searched for.
const INTERVAL: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use std::future::pending;

    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn session_ends_when_no_client_has_used_it_for_a_while() {
        let sessions = Sessions::new();
        let mut ids = Vec::new();
        for _ in 0..3 {
            ids.push(sessions.manager.create_session().await.unwrap().0);
        }
        let headers = |id: &SessionId| {
            let id = HeaderValue::from_str(id).unwrap();
            HeaderMap::from_iter([(HeaderName::from_static(SESSION), id)])
        };
        let present = async || {
            let present = sessions.manager.sessions.read().await;
            ids.iter().map(|id| present.contains_key(id)).collect::<Vec<_>>()
        };
        let stream = held(Body::empty(), sessions.enter(&headers(&ids[0])));
        // The clock is paused: it passes while every task waits.
        let pass = async |time| assert!(timeout(time, pending::<()>()).await.is_err());
        let client = async {
            pass(IDLE_LIMIT - INTERVAL).await;
            assert!(sessions.enter(&headers(&ids[1])).is_some());
            pass(INTERVAL * 3).await;
            assert_eq!(present().await, [true, true, false]);
            pass(IDLE_LIMIT * 24).await;
            assert_eq!(present().await, [true, false, false]);
            drop(stream);
            pass(IDLE_LIMIT + INTERVAL * 3).await;
            assert_eq!(present().await, [false; 3]);
            assert!(sessions.uses().is_empty());
        };
        tokio::select! {
            () = client => {}
            never = sessions.end_unused() => match never {},
        }
    }
}
