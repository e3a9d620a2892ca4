//! The reason why a connection over HTTP has ended.

use std::{
    error::Error,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use agentwire_net::{error_chain, head};
use tokio::{
    sync::{Notify, watch},
    time::{Instant, timeout_at},
};

/// Why a connection over HTTP could not be opened, or ended. The texts contain neither request headers, nor tokens, nor the
/// query of a URL.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DisconnectReason {
    /// The connection is not retried before an authorization.
    #[error("the server requires an authorization")]
    Unauthorized {
        /// The challenge of the server (`WWW-Authenticate`).
        challenge: Option<Arc<str>>,
    },
    /// The configuration is unusable, so a retry is pointless.
    #[error("{0}")]
    Unusable(Arc<str>),
    /// The server can't be reached, or the session has expired. A new connection may succeed.
    #[error("{0}")]
    Lost(Arc<str>),
}

impl DisconnectReason {
    pub(crate) fn lost(why: impl AsRef<str>) -> Self {
        Self::Lost(head(why.as_ref(), LONGEST).into())
    }

    pub(crate) fn unusable(why: impl AsRef<str>) -> Self {
        Self::Unusable(head(why.as_ref(), LONGEST).into())
    }
}

/// The error of a message that was not delivered. Until it is dropped, the end of the connection is delayed, up to a limit.
#[derive(Debug, thiserror::Error)]
#[error("{source}")]
pub struct Unread<E> {
    pub(crate) source: E,
    _unread: watch::Receiver<()>,
}

/// The state of one connection besides its messages. The transport writes it, and the connection reads it.
#[derive(Debug)]
pub struct Link {
    ended: watch::Sender<Option<DisconnectReason>>,
    /// Has a receiver for each message that is being sent, and for each error that is not read yet.
    unread: watch::Sender<()>,
    /// When the connection is over even if errors are not read. Set when it has ended.
    limit: OnceLock<Instant>,
    errors: Mutex<RequestErrors>,
    /// The number of handshakes. Each one after the first begins another session.
    handshakes: watch::Sender<u64>,
    /// Notified when lists may have changed without a notification.
    missed: Notify,
}

/// The last errors of single requests.
#[derive(Debug, Default)]
struct RequestErrors {
    challenge: Option<Arc<str>>,
    failure: Option<Arc<str>>,
}

impl Link {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            ended: watch::Sender::new(None),
            unread: watch::Sender::new(()),
            limit: OnceLock::new(),
            errors: Mutex::default(),
            handshakes: watch::Sender::new(0),
            missed: Notify::new(),
        })
    }

    /// Ends the connection. Later reasons are consequences of the first one and are ignored.
    pub(crate) fn end(&self, why: DisconnectReason) {
        self.ended.send_if_modified(|ended| {
            let first = ended.is_none();
            if first {
                *ended = Some(why);
            }
            first
        });
    }

    /// Sends a message. Its error delays the [end](Self::over) of the connection.
    pub(crate) fn sending<E, F>(&self, send: F) -> impl Future<Output = Result<(), Unread<E>>> + use<E, F>
    where
        F: Future<Output = Result<(), E>>,
    {
        let unread = self.unread.subscribe();
        async move { send.await.map_err(|source| Unread { source, _unread: unread }) }
    }

    /// Waits until the connection has ended and, up to a limit, until the errors of its messages are read: at its end,
    /// `rmcp` drops them, and the caller would not learn that the server has executed nothing.
    pub(crate) async fn over(&self) {
        // The sender is in `self`.
        let _ = self.ended.subscribe().wait_for(Option::is_some).await;
        let limit = *self.limit.get_or_init(|| Instant::now() + UNREAD);
        let _ = timeout_at(limit, self.unread.closed()).await;
    }

    /// Counts a handshake.
    pub(crate) fn shook_hands(&self) {
        self.handshakes.send_modify(|count| *count += 1);
        // The server may have restarted with other lists.
        if *self.handshakes.borrow() > 1 {
            self.note_missed();
        }
    }

    /// Notes that lists may have changed without a notification.
    pub(crate) fn note_missed(&self) {
        self.missed.notify_one();
    }

    /// Waits until lists may have changed without a notification. Cancel-safe.
    pub(crate) async fn missed(&self) {
        self.missed.notified().await;
    }

    /// Returns the number of handshakes, to follow it: each one after the first has replaced an expired session.
    pub fn handshakes(&self) -> watch::Receiver<u64> {
        self.handshakes.subscribe()
    }

    /// Notes a challenge to a single request. The connection continues.
    pub(crate) fn challenged(&self, challenge: &str) {
        self.errors().challenge = Some(head(challenge, LONGEST).into());
    }

    /// Notes a failed request. The connection continues.
    pub(crate) fn failed(&self, error: &dyn Error) {
        self.errors().failure = Some(head(&error_chain(error), LONGEST).into());
    }

    /// Returns the last challenge of any request, for an authorization.
    pub fn challenge(&self) -> Option<Arc<str>> {
        match self.ended() {
            Some(DisconnectReason::Unauthorized { challenge: Some(challenge) }) => Some(challenge),
            _ => self.errors().challenge.clone(),
        }
    }

    /// Returns why the connection has ended, or `None` if it is open or the reason is unknown.
    pub fn ended(&self) -> Option<DisconnectReason> {
        self.ended.borrow().clone()
    }

    /// Returns why a connection could not be opened, if known. A request that was refused for a missing scope needs an
    /// authorization.
    pub fn unopened(&self) -> Option<DisconnectReason> {
        self.ended().or_else(|| {
            let errors = self.errors();
            match (&errors.challenge, &errors.failure) {
                (Some(challenge), _) => {
                    Some(DisconnectReason::Unauthorized { challenge: Some(Arc::clone(challenge)) })
                }
                (None, Some(failure)) => Some(DisconnectReason::Lost(Arc::clone(failure))),
                (None, None) => None,
            }
        })
    }

    fn errors(&self) -> MutexGuard<'_, RequestErrors> {
        self.errors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The maximum length of an error text: a server may send a whole page.
const LONGEST: usize = 1_000;
/// How long the end of a connection is delayed for errors that are not read: a message may be sent for as long as its call
/// runs. Longer than the pause before a second attempt.
const UNREAD: Duration = Duration::from_millis(1500);

#[cfg(test)]
mod tests {
    use std::io;

    use super::{DisconnectReason, Link};

    #[test]
    fn first_reason_is_kept() {
        let link = Link::new();
        link.end(DisconnectReason::lost("cut"));
        link.end(DisconnectReason::Unauthorized { challenge: None });
        assert_eq!(link.ended(), Some(DisconnectReason::lost("cut")));
    }

    #[test]
    fn handshake_that_failed_for_a_missing_scope_needs_an_authorization() {
        let link = Link::new();
        assert_eq!(link.unopened(), None);
        link.failed(&io::Error::other("HTTP 500"));
        assert_eq!(link.unopened(), Some(DisconnectReason::lost("HTTP 500")));
        link.challenged("Bearer scope=\"a\"");
        assert_eq!(
            link.unopened(),
            Some(DisconnectReason::Unauthorized { challenge: Some("Bearer scope=\"a\"".into()) })
        );
        assert_eq!(link.ended(), None, "an open connection continues");
        link.end(DisconnectReason::lost("gone"));
        assert_eq!(link.unopened(), Some(DisconnectReason::lost("gone")));
        assert_eq!(link.challenge().as_deref(), Some("Bearer scope=\"a\""));
    }
}
