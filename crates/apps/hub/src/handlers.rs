//! The program's handlers for requests and notifications of servers.
#![expect(deprecated, reason = "MCP deprecates sampling, roots and logging, and servers still use them")]

use std::{borrow::Cow, fmt, pin::Pin, sync::Arc};

use agentwire_net::head;
use futures_util::{FutureExt as _, TryFutureExt as _};
use rmcp::model::{
    CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams, ElicitResult, ErrorCode, ErrorData,
    LoggingLevel, Root,
};
use serde_json::Value;
use tokio::sync::{broadcast, watch};

use crate::{ServerName, size::size};

/// The program's handlers for requests and notifications of servers.
///
/// The hub announces only the capabilities with a handler, and declines all other requests. The panic of a handler declines
/// its request.
/// If a server cancels a request, or its connection ends, the future of the handler is dropped.
/// Handlers run concurrently, even for requests of one server.
///
/// ```
/// use agentwire_hub::ClientHandlers;
/// use rmcp::model::{ElicitResult, ElicitationAction};
///
/// let handlers = ClientHandlers::new().elicitation(async |question| {
///     println!("{} asks: {:?}", question.server, question.request);
///     ElicitResult::new(ElicitationAction::Decline)
/// });
/// ```
#[derive(Clone, Default)]
pub struct ClientHandlers {
    pub(crate) elicitation: Option<ElicitHandler>,
    pub(crate) takes_urls: bool,
    pub(crate) sampling: Option<SamplingHandler>,
    pub(crate) roots: Option<Arc<ListRoots>>,
    pub(crate) log: Option<Arc<LogHandler>>,
    pub(crate) updated: Option<Arc<UpdateHandler>>,
    pub(crate) asks_callers: bool,
    pub(crate) feed: Feed<LogMessage>,
    pub(crate) updates: Feed<Update>,
    pub(crate) client_roots: ClientRoots,
}

impl ClientHandlers {
    /// Creates a set without handlers, which declines all requests.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the handler for questions to the user, in a form (`elicitation/create`).
    ///
    /// The answer is sent unchanged: a handler that shows a form fills in the defaults of the schema. A server may have 64
    /// open questions; a further one is dismissed (`cancel`).
    pub fn elicitation<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(Elicitation) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ElicitResult> + Send + 'static,
    {
        self.elicitation = Some(Arc::new(move |question| Box::pin(handler(question).map(Ok))));
        self
    }

    /// Also passes requests to open a page to the [elicitation handler](Self::elicitation).
    pub fn elicitation_urls(mut self) -> Self {
        self.takes_urls = true;
        self
    }

    /// Sets the handler for requests for a message of a model (`sampling/createMessage`).
    ///
    /// An error is sent to the server as the reason of the refusal.
    pub fn sampling<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(Sampling) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<CreateMessageResult, String>> + Send + 'static,
    {
        self.sampling = Some(Arc::new(move |question| Box::pin(handler(question).map_err(refused))));
        self
    }

    /// Passes requests without a handler to the client of a [`Gateway`](crate::Gateway) that calls the server, if that client
    /// supports them: forms and pages to open (with the server's name before the text), and sampling.
    /// All servers get the roots of all clients together.
    ///
    /// Over streamable HTTP, and in versions without a handshake, a request of a server belongs to a call. Other servers do
    /// not relate their requests to calls: the request then goes to the client with the most recent call, among the clients
    /// that support it. It is declined if no client supports it, and when the calls of the client have ended.
    pub fn ask_callers(mut self) -> Self {
        self.asks_callers = true;
        self
    }

    /// Sets the handler that lists the folders for a server (`roots/list`). It must not block.
    ///
    /// After [`Hub::roots_changed`](crate::Hub::roots_changed) the servers request the list again.
    pub fn roots(mut self, handler: impl Fn(&ServerName) -> Vec<Root> + Send + Sync + 'static) -> Self {
        self.roots = Some(Arc::new(handler));
        self
    }

    /// Sets the handler for log messages of servers (`notifications/message`). Large messages are cut. It must not
    /// block, since nothing of the server is received meanwhile.
    pub fn log(mut self, handler: impl Fn(&LogMessage) + Send + Sync + 'static) -> Self {
        self.log = Some(Arc::new(handler));
        self
    }

    /// Sets the handler for changed resources of servers (`notifications/resources/updated`). It gets the URI. It must not
    /// block, since nothing of the server is received meanwhile.
    pub fn resource_updated(mut self, handler: impl Fn(&ServerName, &str) + Send + Sync + 'static) -> Self {
        self.updated = Some(Arc::new(handler));
        self
    }
}

impl fmt::Debug for ClientHandlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientHandlers")
            .field("elicitation", &self.elicitation.is_some())
            .field("sampling", &self.sampling.is_some())
            .field("roots", &self.roots.is_some())
            .field("log", &self.log.is_some())
            .field("resource_updated", &self.updated.is_some())
            .field("ask_callers", &self.asks_callers)
            .finish_non_exhaustive()
    }
}

/// The roots of the clients of gateways, with notifications of changes. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClientRoots(watch::Sender<RootsOf>);

impl ClientRoots {
    /// Returns the roots of all clients, without duplicates.
    pub(crate) fn all(&self) -> Vec<Root> {
        let mut all: Vec<Root> = Vec::new();
        for root in self.0.borrow().iter().flat_map(|(_, roots)| roots) {
            if all.iter().all(|other| other.uri != root.uri) {
                all.push(root.clone());
            }
        }
        all
    }

    /// Sets the roots of a client. An empty list removes the client.
    pub(crate) fn set(&self, client: usize, mut roots: Vec<Root>) {
        roots.truncate(MAX_ROOTS);
        self.0.send_if_modified(|all| {
            let index = all.iter().position(|(id, _)| *id == client);
            let before = index.map(|index| all.remove(index).1).unwrap_or_default();
            let is_change = before != roots;
            if !roots.is_empty() {
                all.push((client, roots));
            }
            is_change
        });
    }

    /// Notifies all servers that roots have changed.
    pub(crate) fn changed(&self) {
        self.0.send_modify(|_| {});
    }

    /// Returns a receiver of changes from now on.
    pub(crate) fn follow(&self) -> RootChanges {
        self.0.subscribe()
    }
}

/// The roots of each client, by its number.
pub(crate) type RootsOf = Vec<(usize, Vec<Root>)>;

pub(crate) type RootChanges = watch::Receiver<RootsOf>;

/// The maximum number of roots of one client.
const MAX_ROOTS: usize = 1000;

/// A channel for notifications of servers, to all receivers. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Feed<T>(broadcast::Sender<T>);

impl<T: Clone> Feed<T> {
    pub(crate) fn send(&self, message: &T) {
        if self.0.receiver_count() > 0 {
            // An error means that the last receiver was dropped meanwhile.
            let _ = self.0.send(message.clone());
        }
    }

    pub(crate) fn listen(&self) -> broadcast::Receiver<T> {
        self.0.subscribe()
    }
}

impl<T: Clone> Default for Feed<T> {
    fn default() -> Self {
        Self(broadcast::Sender::new(CAPACITY))
    }
}

/// The number of messages that wait for the slowest receiver.
const CAPACITY: usize = 256;

/// A changed resource of a server.
#[derive(Clone, Debug)]
pub(crate) struct Update {
    pub(crate) server: ServerName,
    pub(crate) uri: Arc<str>,
}

/// A question of a server to the user.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Elicitation {
    /// The server.
    pub server: ServerName,
    /// The question: a form, or a page to open.
    pub request: ElicitRequestParams,
}

/// A request of a server for a message of a model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sampling {
    /// The server.
    pub server: ServerName,
    /// The conversation and the parameters for the model.
    pub request: CreateMessageRequestParams,
}

/// A log message of a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LogMessage {
    /// The server.
    pub server: ServerName,
    /// The severity.
    pub level: LoggingLevel,
    /// The name of the logger in the server, cut to 200 bytes.
    pub logger: Option<String>,
    /// The content, often text. If its JSON is larger than 4 KiB, this is a text with the beginning.
    pub data: Value,
}

impl LogMessage {
    /// Limits the size of the message.
    pub(crate) fn bounded(mut self) -> Self {
        if let Some(logger) = &mut self.logger {
            logger.truncate(head(logger, MAX_LOGGER).len());
            logger.shrink_to_fit();
        }
        if size(&self.data) > MAX_LOG_DATA {
            let text = match &self.data {
                Value::String(text) => Cow::Borrowed(text),
                data => Cow::Owned(data.to_string()),
            };
            self.data = Value::String(format!("{}…", head(&text, MAX_LOG_DATA)));
        }
        self
    }
}

const MAX_LOGGER: usize = 200;
const MAX_LOG_DATA: usize = 4096;

/// Returns the error for a sampling request that is refused, with the code that MCP specifies for it.
pub(crate) fn refused(why: impl Into<Cow<'static, str>>) -> ErrorData {
    ErrorData::new(ErrorCode(-1), why, None)
}

pub(crate) type Handler<Q, A> = Arc<dyn Fn(Q) -> Pin<Box<dyn Future<Output = A> + Send>> + Send + Sync>;
pub(crate) type ElicitHandler = Handler<Elicitation, Result<ElicitResult, ErrorData>>;
pub(crate) type SamplingHandler = Handler<Sampling, Result<CreateMessageResult, ErrorData>>;
type ListRoots = dyn Fn(&ServerName) -> Vec<Root> + Send + Sync;
type LogHandler = dyn Fn(&LogMessage) + Send + Sync;
type UpdateHandler = dyn Fn(&ServerName, &str) + Send + Sync;
