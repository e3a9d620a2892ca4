//! Requests to Restate.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use agentwire_net::{error_chain, tls_config};
use reqwest::{
    Method, StatusCode,
    header::{ACCEPT, CONTENT_TYPE},
};
use serde::{Serialize, de::DeserializeOwned};

/// The ingress of Restate: the addresses of one node, or of each node of a cluster.
#[derive(Clone, Debug)]
pub struct Ingress {
    addresses: Arc<[Box<str>]>,
    /// The address that has answered last.
    current: Arc<AtomicUsize>,
    client: reqwest::Client,
}

/// An error of a request to Restate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IngressError {
    /// The HTTP client can't be set up.
    #[error("the HTTP client can't be set up: {why}")]
    Client {
        /// The cause.
        why: String,
    },
    /// An address is not an HTTP URL, or no address is given.
    #[error("{why}; an address is such as http://127.0.0.1:8080")]
    Address {
        /// The problem.
        why: String,
    },
    /// The request can't be sent to any node.
    #[error("the request can't be sent: {why}")]
    Request {
        /// The cause.
        why: String,
    },
    /// No node has answered. The request may be repeated.
    #[error("no node of Restate has answered, the last one with: {why}")]
    Unreachable {
        /// The answer of the last node.
        why: String,
    },
    /// Restate refuses the request.
    #[error("Restate refuses the request to {path} ({status}): {text}")]
    Refused {
        /// The path of the request.
        path: String,
        /// The HTTP status.
        status: u16,
        /// The reason.
        text: String,
    },
    /// The answer has another type.
    #[error("the answer of Restate to {path} can't be read: {source}")]
    Answer {
        /// The path of the request.
        path: String,
        /// The cause.
        source: serde_json::Error,
    },
}

impl Ingress {
    /// Returns a client for these addresses, such as `http://127.0.0.1:8080`.
    ///
    /// # Errors
    ///
    /// [`IngressError::Address`], and [`IngressError::Client`] if the machine's certificates can't be used.
    pub fn new<T: Into<Box<str>>>(addresses: impl IntoIterator<Item = T>) -> Result<Self, IngressError> {
        let without_slash = |address: T| -> Box<str> {
            let address: Box<str> = address.into();
            address.trim_end_matches('/').into()
        };
        let addresses: Arc<[Box<str>]> = addresses.into_iter().map(without_slash).collect();
        let unusable = addresses.iter().find(|address| !is_usable(address));
        if let Some(why) = unusable
            .map(|address| format!("`{address}` is not an HTTP URL"))
            .or_else(|| addresses.is_empty().then(|| "there is no address".to_owned()))
        {
            return Err(IngressError::Address { why });
        }
        Ok(Self {
            addresses,
            current: Arc::default(),
            client: reqwest::Client::builder()
                .tls_backend_preconfigured(tls_config())
                .connect_timeout(CONNECTING)
                .build()
                .map_err(|error| IngressError::Client { why: error_chain(&error) })?,
        })
    }

    /// Returns the HTTP client, to use it for other addresses too.
    pub(crate) fn client(&self) -> &reqwest::Client {
        &self.client
    }

    /// Sends a request to one node after the other, each within `limit`, until one has answered.
    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
        key: Option<&str>,
        limit: Duration,
    ) -> Result<T, IngressError> {
        self.ask(&Method::POST, path, encode(path, body)?.as_deref(), key, limit).await
    }

    async fn ask<T: DeserializeOwned>(
        &self,
        method: &Method,
        path: &str,
        body: Option<&str>,
        key: Option<&str>,
        limit: Duration,
    ) -> Result<T, IngressError> {
        let first = self.current.load(Ordering::Relaxed);
        let mut why = String::new();
        let addresses = self.addresses.iter().enumerate();
        for (at, address) in addresses.cycle().skip(first).take(self.addresses.len()) {
            let request = self.client.request(method.clone(), format!("{address}/{path}")).timeout(limit);
            let mut request = request.header(ACCEPT, "application/json");
            if let Some(key) = key {
                request = request.header("idempotency-key", key);
            }
            if let Some(body) = body {
                request = request.header(CONTENT_TYPE, "application/json").body(body.to_owned());
            }
            let answered = match request.send().await {
                Ok(response) => (response.status(), response.text().await),
                Err(error) => {
                    why = error_chain(&error);
                    continue;
                }
            };
            match answered {
                (status, Ok(text)) if status.is_success() => {
                    self.current.store(at, Ordering::Relaxed);
                    let text = if text.is_empty() { "null" } else { &text };
                    return serde_json::from_str(text)
                        .map_err(|source| IngressError::Answer { path: path.to_owned(), source });
                }
                (status, Ok(text)) if status.is_client_error() && !REPEATED.contains(&status) => {
                    return Err(IngressError::Refused {
                        path: path.to_owned(),
                        status: status.as_u16(),
                        text,
                    });
                }
                (status, Ok(text)) => why = format!("{status}: {text}"),
                (_, Err(error)) => why = error_chain(&error),
            }
        }
        Err(IngressError::Unreachable { why })
    }

    /// Sends a request until a node has answered.
    pub(crate) async fn insist<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
        key: Option<&str>,
        limit: Duration,
    ) -> Result<T, IngressError> {
        self.repeat(Method::POST, path, encode(path, body)?.as_deref(), key, limit).await
    }

    /// Waits for an outcome until a node has it.
    pub(crate) async fn wait<T: DeserializeOwned>(
        &self,
        path: &str,
        limit: Duration,
    ) -> Result<T, IngressError> {
        self.repeat(Method::GET, path, None, None, limit).await
    }

    /// Repeats a request until a node has answered. Each round may take twice as long as the one before: a slow link needs
    /// time for a large body.
    async fn repeat<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<&str>,
        key: Option<&str>,
        mut limit: Duration,
    ) -> Result<T, IngressError> {
        let mut pause = FIRST_PAUSE;
        loop {
            let sent = Instant::now();
            match self.ask(&method, path, body, key, limit).await {
                Err(IngressError::Unreachable { why }) => {
                    // A request that waits for a turn reaches its limit without a fault.
                    if method != Method::GET || sent.elapsed() < limit {
                        tracing::warn!("a request to Restate is repeated: {why}");
                    }
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LAST_PAUSE);
                    limit = (limit * 2).min(LONGEST);
                }
                answered => return answered,
            }
        }
    }
}

/// Returns the body of a request; `None` for a handler without input, which takes no body.
fn encode(path: &str, body: &impl Serialize) -> Result<Option<String>, IngressError> {
    let body = serde_json::to_string(body);
    let body = body.map_err(|source| IngressError::Answer { path: path.to_owned(), source })?;
    Ok(Some(body).filter(|body| body != "null"))
}

/// Returns whether a text is a URL of HTTP.
pub(crate) fn is_usable(address: &str) -> bool {
    reqwest::Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

/// Escapes a part of a path.
pub(crate) fn escaped(part: &str) -> String {
    let escape = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    part.bytes().map(escape).collect()
}

/// The statuses after which the same request may succeed.
const REPEATED: [StatusCode; 2] = [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS];

/// The longest limit of a request that is repeated.
const LONGEST: Duration = Duration::from_secs(600);

/// How long a machine that is gone delays a request to the next one.
const CONNECTING: Duration = Duration::from_secs(5);

pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(100);
pub(crate) const LAST_PAUSE: Duration = Duration::from_secs(2);
