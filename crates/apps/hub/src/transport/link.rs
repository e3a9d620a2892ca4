//! The reason why a connection over HTTP has ended.

use std::{
    error::Error,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::watch;

use crate::excerpt::head;

/// Why a connection over HTTP could not be opened, or ended. The texts contain no headers and no query of a URL.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum Ended {
    /// The connection is not retried before an authorization.
    #[error("the server wants an authorization")]
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

impl Ended {
    pub(crate) fn lost(why: impl AsRef<str>) -> Self {
        Self::Lost(head(why.as_ref(), LONGEST).into())
    }

    pub(crate) fn unusable(why: impl AsRef<str>) -> Self {
        Self::Unusable(head(why.as_ref(), LONGEST).into())
    }
}

/// The state of one connection besides its messages. The transport writes it, and the connection reads it.
#[derive(Debug)]
pub(crate) struct Link {
    ended: watch::Sender<Option<Ended>>,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    challenge: Option<Arc<str>>,
    failure: Option<Arc<str>>,
}

impl Link {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { ended: watch::Sender::new(None), seen: Mutex::default() })
    }

    /// Ends the connection. Later reasons are consequences of the first one and are ignored.
    pub(crate) fn end(&self, why: Ended) {
        self.ended.send_if_modified(|ended| {
            let first = ended.is_none();
            if first {
                *ended = Some(why);
            }
            first
        });
    }

    /// Returns a receiver for the end of the connection.
    pub(crate) fn watch(&self) -> watch::Receiver<Option<Ended>> {
        self.ended.subscribe()
    }

    /// Notes a challenge to a single request. The connection continues.
    pub(crate) fn challenged(&self, challenge: &str) {
        self.seen().challenge = Some(head(challenge, LONGEST).into());
    }

    /// Notes a failed request. The connection continues.
    pub(crate) fn failed(&self, error: &dyn Error) {
        self.seen().failure = Some(chain(error).into());
    }

    /// Returns the last challenge of any request, for an authorization.
    pub(crate) fn challenge(&self) -> Option<Arc<str>> {
        match self.ended() {
            Some(Ended::Unauthorized { challenge: Some(challenge) }) => Some(challenge),
            _ => self.seen().challenge.clone(),
        }
    }

    /// Returns why the connection has ended, or `None` if it is open or the reason is unknown.
    pub(crate) fn ended(&self) -> Option<Ended> {
        self.ended.borrow().clone()
    }

    /// Returns why a connection could not be opened, if known. A request that was refused for a missing scope needs an
    /// authorization.
    pub(crate) fn unopened(&self) -> Option<Ended> {
        self.ended().or_else(|| {
            let seen = self.seen();
            match (&seen.challenge, &seen.failure) {
                (Some(challenge), _) => Some(Ended::Unauthorized { challenge: Some(Arc::clone(challenge)) }),
                (None, Some(failure)) => Some(Ended::Lost(Arc::clone(failure))),
                (None, None) => None,
            }
        })
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the text of an error with its causes, without repetitions and cut to a maximum length.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    head(&text, LONGEST).to_owned()
}

/// The maximum length of an error text: a server may send a whole page.
const LONGEST: usize = 1_000;

#[cfg(test)]
mod tests {
    use std::io;

    use super::{Ended, LONGEST, Link, chain};

    #[test]
    fn first_reason_is_kept() {
        let link = Link::new();
        link.end(Ended::lost("cut"));
        link.end(Ended::Unauthorized { challenge: None });
        assert_eq!(link.ended(), Some(Ended::lost("cut")));
    }

    #[test]
    fn handshake_that_failed_for_a_missing_scope_needs_an_authorization() {
        let link = Link::new();
        assert_eq!(link.unopened(), None);
        link.failed(&io::Error::other("HTTP 500"));
        assert_eq!(link.unopened(), Some(Ended::lost("HTTP 500")));
        link.challenged("Bearer scope=\"a\"");
        assert_eq!(
            link.unopened(),
            Some(Ended::Unauthorized { challenge: Some("Bearer scope=\"a\"".into()) })
        );
        assert_eq!(link.ended(), None, "an open connection continues");
        link.end(Ended::lost("gone"));
        assert_eq!(link.unopened(), Some(Ended::lost("gone")));
        assert_eq!(link.challenge().as_deref(), Some("Bearer scope=\"a\""));
    }

    #[test]
    fn text_is_cut_between_characters() {
        let long = "ä".repeat(LONGEST);
        assert_eq!(chain(&io::Error::other(long)).chars().count(), LONGEST / 2);
    }
}
