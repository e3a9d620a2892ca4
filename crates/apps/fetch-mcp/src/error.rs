//! Errors of the server and of calls.

use std::fmt::Display;
use std::time::Duration;

use agentwire_net::{error_chain, excerpt};

/// Why a [`FetchServer`](crate::FetchServer) can't be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The HTTP client can't be built; the user agent may contain a character that is invalid in headers.
    #[error("the HTTP client can't be built")]
    Client(#[source] reqwest::Error),
}

/// An error of a call; the model reads it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error("`{0}` is not a URL: give one with its scheme, such as https://example.com/")]
    NotAUrl(String),
    #[error("the scheme `{0}` is not fetched: only http and https are")]
    Scheme(String),
    #[error("a URL with a user name or a password is not fetched")]
    Credentials,
    #[error("{0}")]
    Host(UnusableHost),
    #[error("{cause} (redirected from {from})")]
    Redirected { from: String, cause: Box<Self> },
    #[error("more than {0} redirects")]
    Redirects(usize),
    #[error("the redirect to `{}` leads to no URL", excerpt(.0))]
    Location(String),
    #[error("the redirect leads to a URL of {0} bytes; the limit is {1}")]
    LongLocation(usize, usize),
    #[error("the body is larger than {0} bytes")]
    TooLarge(usize),
    #[error("the content is `{}`, which is neither text nor HTML", excerpt(.0))]
    Binary(String),
    #[error("the body is encoded as `{}`, which was not asked for and can't be read", excerpt(.0))]
    Encoding(String),
    #[error("not finished within {}", seconds(.0))]
    TimedOut(Duration),
    #[error("no connection within half of the time limit")]
    Unconnected,
    #[error("the page could not be converted")]
    Unconverted,
    #[error(
        "HTTP {status} from {url}{}{}",
        .retry_after.as_ref().map(|time| format!(" (Retry-After: {})", excerpt(time))).unwrap_or_default(),
        .body.as_ref().map(|body| format!("\n\n{body}")).unwrap_or_default()
    )]
    Status { status: reqwest::StatusCode, url: String, retry_after: Option<String>, body: Option<String> },
    #[error("{}", error_chain(.0))]
    Http(reqwest::Error),
}

/// A host without addresses, or with one that is not public, as a sentence.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UnusableHost(pub(crate) String);

impl UnusableHost {
    pub(crate) fn not_public(host: &str, address: impl Display) -> Self {
        Self(format!("`{host}` is {address}, which is not a public address"))
    }
}

impl From<reqwest::Error> for FetchError {
    /// Finds the resolver's error among the causes.
    fn from(error: reqwest::Error) -> Self {
        if error.is_connect() && error.is_timeout() {
            return Self::Unconnected;
        }
        let mut below: Option<&(dyn std::error::Error + 'static)> = Some(&error);
        while let Some(cause) = below {
            if let Some(host) = cause.downcast_ref::<UnusableHost>() {
                return Self::Host(host.clone());
            }
            below = cause.source();
        }
        Self::Http(error)
    }
}

fn seconds(limit: &Duration) -> String {
    format!("{} s", limit.as_secs_f64())
}
