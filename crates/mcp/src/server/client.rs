//! The CLI as a client of one server: notifications, requests and their answers.

use std::{collections::HashMap, sync::Arc};

use agentwire_control::Lock;
use agentwire_protocol::RawJson;
use serde_json::Value;
use tokio::sync::oneshot;

use crate::{
    Outbox,
    rpc::{self, Response, RpcError},
};

/// The CLI as a client of one server.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) outbox: Outbox,
    requests: Lock<Requests>,
}

/// The requests that wait for an answer of the CLI.
#[derive(Debug, Default)]
struct Requests {
    sent: u64,
    /// Whether the session has ended, so that no answer can arrive.
    closed: bool,
    waiting: HashMap<u64, oneshot::Sender<Response<RawJson>>>,
}

/// A request that a server sent to the CLI has failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ServerRequestError {
    /// The CLI answered with a JSON-RPC error.
    #[error("the CLI refused the request with code {code}: {message}")]
    #[non_exhaustive]
    Refused {
        /// The code, such as -32601 for an unknown method.
        code: i64,
        /// The CLI's explanation.
        message: String,
    },
    /// The session ended before the answer.
    #[error("the session has ended")]
    Closed,
}

impl Client {
    pub(super) fn new(outbox: Outbox) -> Arc<Self> {
        Arc::new(Self { outbox, requests: Lock::default() })
    }

    pub(crate) async fn request(&self, method: &str, params: Value) -> Result<RawJson, ServerRequestError> {
        let (answered, answer) = oneshot::channel();
        let number = {
            let mut requests = self.requests.lock();
            if requests.closed {
                return Err(ServerRequestError::Closed);
            }
            requests.sent += 1;
            let number = requests.sent;
            requests.waiting.insert(number, answered);
            number
        };
        let _waiting = ForgetOnDrop { client: self, number };
        let request = rpc::request(&number.to_string(), method, params);
        self.outbox.send(request).await.map_err(|_| ServerRequestError::Closed)?;
        match answer.await.map_err(|_| ServerRequestError::Closed)? {
            Response { error: Some(RpcError { code, message }), .. } => {
                Err(ServerRequestError::Refused { code, message })
            }
            Response { result, .. } => Ok(result.unwrap_or_else(rpc::null)),
        }
    }

    /// Passes an answer of the CLI to the request that waits for it.
    pub(super) fn answer(&self, id: &RawJson, message: &RawJson) {
        let number = id.decode::<String>().ok().and_then(|id| id.parse().ok());
        let waiting = number.and_then(|number: u64| self.requests.lock().waiting.remove(&number));
        let answer = message.decode().unwrap_or_else(|error| {
            let why = format!("the answer can't be read: {error}");
            Response { result: None, error: Some(RpcError::new(rpc::INTERNAL_ERROR, why)) }
        });
        if waiting.is_none_or(|waiting| waiting.send(answer).is_err()) {
            tracing::debug!("the CLI answered a request of an MCP server that nothing waits for");
        }
    }

    /// Fails all requests, open and later ones, at the end of the session.
    pub(super) fn close(&self) {
        let mut requests = self.requests.lock();
        requests.closed = true;
        requests.waiting.clear();
    }
}

/// Forgets a request when its future is dropped.
struct ForgetOnDrop<'a> {
    client: &'a Client,
    number: u64,
}

impl Drop for ForgetOnDrop<'_> {
    fn drop(&mut self) {
        self.client.requests.lock().waiting.remove(&self.number);
    }
}
