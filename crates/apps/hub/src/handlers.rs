//! What the program does for servers that ask it for something.
#![expect(
    deprecated,
    reason = "sampling, roots and logging are on their way out of MCP, and servers still use them"
)]

use std::{fmt, pin::Pin, sync::Arc};

use rmcp::model::{
    CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams, ElicitResult, LoggingLevel, Root,
};
use serde_json::Value;
use tokio::sync::{broadcast, watch};

use crate::ServerName;

/// What the program does for servers that ask it for something.
///
/// A server is told that it may ask for what there is a handler for, and no more; what it asks for all the same is
/// declined.
/// A handler that panics has declined.
/// When a server takes a question back, or its connection ends, the future of the handler is dropped.
/// Questions of different servers, and of one, are answered at the same time.
///
/// ```
/// use agentwire_hub::Handlers;
/// use rmcp::model::{ElicitResult, ElicitationAction};
///
/// let handlers = Handlers::new().elicitation(async |question| {
///     println!("{} asks: {:?}", question.server, question.request);
///     ElicitResult::new(ElicitationAction::Decline)
/// });
/// ```
#[derive(Clone, Default)]
pub struct Handlers {
    pub(crate) elicitation: Option<Handler<Elicitation, ElicitResult>>,
    pub(crate) takes_urls: bool,
    pub(crate) sampling: Option<Handler<Sampling, Result<CreateMessageResult, String>>>,
    pub(crate) roots: Option<Arc<ListRoots>>,
    pub(crate) log: Option<Arc<HearLog>>,
    pub(crate) updated: Option<Arc<HearUpdate>>,
    pub(crate) asks_callers: bool,
    pub(crate) feed: Feed<LogMessage>,
    pub(crate) updates: Feed<Update>,
    pub(crate) client_roots: ClientRoots,
}

impl Handlers {
    /// No handler: everything is declined.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers what servers want to know from the user (`elicitation/create`), in a form.
    ///
    /// The answer is passed on as it is: a handler that shows a form fills in the defaults of its schema itself.
    pub fn elicitation<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(Elicitation) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ElicitResult> + Send + 'static,
    {
        self.elicitation = Some(Arc::new(move |question| Box::pin(handler(question))));
        self
    }

    /// Lets servers ask the [elicitation handler](Self::elicitation) to have the user open a page, too.
    pub fn elicitation_urls(mut self) -> Self {
        self.takes_urls = true;
        self
    }

    /// Answers what servers want a model to say (`sampling/createMessage`).
    ///
    /// The reason of a refusal is told to the server.
    pub fn sampling<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(Sampling) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<CreateMessageResult, String>> + Send + 'static,
    {
        self.sampling = Some(Arc::new(move |question| Box::pin(handler(question))));
        self
    }

    /// Passes questions that no handler is there for to the client of a [`Gateway`](crate::Gateway) that calls the server,
    /// if that client can answer them: forms and pages to open (with the server's name before the text), and sampling.
    /// Roots of all clients are passed to all servers, together.
    ///
    /// A server that is reached over streamable HTTP, or speaks a version without a handshake, says which call a question
    /// belongs to. Other servers do not: then the client is asked whose call of the server began last, of those that can
    /// answer. The question is declined when no client can answer it, and when the calls of the client have ended.
    pub fn ask_callers(mut self) -> Self {
        self.asks_callers = true;
        self
    }

    /// Says in which folders a server is to work (`roots/list`). It must not block.
    ///
    /// [`Hub::roots_changed`](crate::Hub::roots_changed) has the servers ask again.
    pub fn roots(mut self, handler: impl Fn(&ServerName) -> Vec<Root> + Send + Sync + 'static) -> Self {
        self.roots = Some(Arc::new(handler));
        self
    }

    /// Hears what servers log (`notifications/message`), of which a message that is too large is cut. It must not block.
    pub fn log(mut self, handler: impl Fn(&LogMessage) + Send + Sync + 'static) -> Self {
        self.log = Some(Arc::new(handler));
        self
    }

    /// Hears which resource of a server has changed (`notifications/resources/updated`), by its URI. It must not block.
    pub fn resource_updated(mut self, handler: impl Fn(&ServerName, &str) + Send + Sync + 'static) -> Self {
        self.updated = Some(Arc::new(handler));
        self
    }
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handlers")
            .field("elicitation", &self.elicitation.is_some())
            .field("sampling", &self.sampling.is_some())
            .field("roots", &self.roots.is_some())
            .field("log", &self.log.is_some())
            .field("resource_updated", &self.updated.is_some())
            .field("ask_callers", &self.asks_callers)
            .finish_non_exhaustive()
    }
}

/// The roots of the clients of gateways, and the news that roots have changed. A clone is the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClientRoots(Arc<watch::Sender<RootsOf>>);

impl ClientRoots {
    /// The roots of all clients, each once.
    pub(crate) fn all(&self) -> Vec<Root> {
        let mut all: Vec<Root> = Vec::new();
        for root in self.0.borrow().iter().flat_map(|(_, roots)| roots) {
            if all.iter().all(|other| other.uri != root.uri) {
                all.push(root.clone());
            }
        }
        all
    }

    /// Sets the roots of a client; none removes it.
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

    /// Has all servers ask for the roots again.
    pub(crate) fn changed(&self) {
        self.0.send_modify(|_| {});
    }

    /// Sees each change from now on.
    pub(crate) fn follow(&self) -> RootChanges {
        RootChanges(self.0.subscribe())
    }
}

/// The roots of each client, by its number.
type RootsOf = Vec<(usize, Vec<Root>)>;

/// Sees when roots change.
#[derive(Debug)]
pub(crate) struct RootChanges(watch::Receiver<RootsOf>);

impl RootChanges {
    /// Waits for the next change. Returns `false` where there will be none. Cancel-safe.
    pub(crate) async fn next(&mut self) -> bool {
        self.0.changed().await.is_ok()
    }
}

/// So many roots of one client are passed on.
const MAX_ROOTS: usize = 1000;

/// What the servers of a hub report, for all who listen.
#[derive(Clone, Debug)]
pub(crate) struct Feed<T>(broadcast::Sender<T>);

impl<T: Clone> Feed<T> {
    pub(crate) fn tell(&self, message: &T) {
        if self.0.receiver_count() > 0 {
            // Whoever has gone meanwhile does not hear it.
            let _ = self.0.send(message.clone());
        }
    }

    pub(crate) fn listen(&self) -> broadcast::Receiver<T> {
        self.0.subscribe()
    }
}

impl<T: Clone> Default for Feed<T> {
    fn default() -> Self {
        Self(broadcast::Sender::new(UNHEARD))
    }
}

/// So many messages wait for the slowest who listens.
const UNHEARD: usize = 256;

/// A resource of a server that has changed.
#[derive(Clone, Debug)]
pub(crate) struct Update {
    pub(crate) server: ServerName,
    pub(crate) uri: Arc<str>,
}

/// What a server wants to know from the user.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Elicitation {
    /// The server that asks.
    pub server: ServerName,
    /// What it asks: a form, or a page to be opened.
    pub request: ElicitRequestParams,
}

/// What a server wants a model to say.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sampling {
    /// The server that asks.
    pub server: ServerName,
    /// The conversation, and what the model is to know of it.
    pub request: CreateMessageRequestParams,
}

/// What a server has logged.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LogMessage {
    /// The server.
    pub server: ServerName,
    /// How much it matters, as the server sees it.
    pub level: LoggingLevel,
    /// The part of the server that says it, up to 200 bytes of its name.
    pub logger: Option<String>,
    /// What it says: often text. Of more than 4 KiB as JSON there is the beginning, as text.
    pub data: Value,
}

pub(crate) type Handler<Q, A> = Arc<dyn Fn(Q) -> Pin<Box<dyn Future<Output = A> + Send>> + Send + Sync>;
type ListRoots = dyn Fn(&ServerName) -> Vec<Root> + Send + Sync;
type HearLog = dyn Fn(&LogMessage) + Send + Sync;
type HearUpdate = dyn Fn(&ServerName, &str) + Send + Sync;
