//! Why a connection over HTTP is not there: told by whoever notices first, and asked by the connection.

use std::{
    error::Error,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::watch;

/// Why a connection over HTTP could not be opened, or ended. No text in it holds a header or the query of an address.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum Ended {
    /// Nothing is tried again before there is an authorization.
    #[error("the server wants an authorization")]
    Unauthorized {
        /// What the server said (`WWW-Authenticate`).
        challenge: Option<Arc<str>>,
    },
    /// What was configured cannot be used: trying again does not help.
    #[error("{0}")]
    Unusable(Arc<str>),
    /// The server cannot be reached, or is gone, or has forgotten the session: a new connection may succeed.
    #[error("{0}")]
    Lost(Arc<str>),
}

impl Ended {
    pub(crate) fn lost(why: impl AsRef<str>) -> Self {
        Self::Lost(cut(why.as_ref()).into())
    }

    pub(crate) fn unusable(why: impl AsRef<str>) -> Self {
        Self::Unusable(cut(why.as_ref()).into())
    }
}

/// What is known of one connection beyond its messages. The transport writes it, the connection reads it.
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

    /// Ends the connection. The first cause stands: those that follow are its consequences.
    pub(crate) fn end(&self, why: Ended) {
        self.ended.send_if_modified(|ended| {
            let first = ended.is_none();
            if first {
                *ended = Some(why);
            }
            first
        });
    }

    /// To be told when the connection ends.
    pub(crate) fn watch(&self) -> watch::Receiver<Option<Ended>> {
        self.ended.subscribe()
    }

    /// A challenge that concerns one request only: the connection goes on.
    pub(crate) fn challenged(&self, challenge: &str) {
        self.seen().challenge = Some(cut(challenge).into());
    }

    /// A request failed, and the connection goes on.
    pub(crate) fn failed(&self, error: &dyn Error) {
        self.seen().failure = Some(chain(error).into());
    }

    /// The last challenge, of whatever request: what an authorization starts from.
    pub(crate) fn challenge(&self) -> Option<Arc<str>> {
        match self.ended() {
            Some(Ended::Unauthorized { challenge: Some(challenge) }) => Some(challenge),
            _ => self.seen().challenge.clone(),
        }
    }

    /// Why a connection has ended; `None` where it has not, or the transport does not know.
    pub(crate) fn ended(&self) -> Option<Ended> {
        self.ended.borrow().clone()
    }

    /// Why a connection could not be opened, as far as the transport knows: where a request was refused for want of
    /// scope, an authorization is what it takes.
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

/// An error with its causes, each once, and never longer than is useful.
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
    cut(&text).to_owned()
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// What a server says of an error may be a whole page.
const LONGEST: usize = 1_000;

#[cfg(test)]
mod tests {
    use std::io;

    use super::{Ended, LONGEST, Link, chain};

    #[test]
    fn the_first_cause_stands() {
        let link = Link::new();
        link.end(Ended::lost("cut"));
        link.end(Ended::Unauthorized { challenge: None });
        assert_eq!(link.ended(), Some(Ended::lost("cut")));
    }

    #[test]
    fn a_handshake_that_failed_for_want_of_scope_wants_an_authorization() {
        let link = Link::new();
        assert_eq!(link.unopened(), None);
        link.failed(&io::Error::other("HTTP 500"));
        assert_eq!(link.unopened(), Some(Ended::lost("HTTP 500")));
        link.challenged("Bearer scope=\"a\"");
        assert_eq!(
            link.unopened(),
            Some(Ended::Unauthorized { challenge: Some("Bearer scope=\"a\"".into()) })
        );
        assert_eq!(link.ended(), None, "one that stands goes on");
        link.end(Ended::lost("gone"));
        assert_eq!(link.unopened(), Some(Ended::lost("gone")));
        assert_eq!(link.challenge().as_deref(), Some("Bearer scope=\"a\""));
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        let long = "ä".repeat(LONGEST);
        assert_eq!(chain(&io::Error::other(long)).chars().count(), LONGEST / 2);
    }
}
