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
use tokio::sync::broadcast;

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
    pub(crate) feed: Feed,
}

impl Handlers {
    /// No handler: everything is declined.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers what servers want to know from the user (`elicitation/create`), in a form.
    ///
    /// What an accepted form leaves out is filled in with the defaults of its schema.
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

    /// Has questions that no handler is there for go to who calls the server: the client of a [`Gateway`](crate::Gateway),
    /// where it has said that it can answer. That is, forms (with the server's name before what it asks) and sampling.
    ///
    /// A server does not say for which call it asks. So one client is asked, where all calls that are under way at the
    /// server are its own, and the question is declined otherwise, and when it has no call any more.
    pub fn ask_callers(mut self) -> Self {
        self.asks_callers = true;
        self
    }

    /// Says in which folders a server is to work (`roots/list`). It must not block.
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

/// What all servers of a hub log, for all who listen.
#[derive(Clone, Debug)]
pub(crate) struct Feed(broadcast::Sender<LogMessage>);

impl Feed {
    pub(crate) fn tell(&self, message: &LogMessage) {
        if self.0.receiver_count() > 0 {
            // Whoever has gone meanwhile does not hear it.
            let _ = self.0.send(message.clone());
        }
    }

    pub(crate) fn listen(&self) -> broadcast::Receiver<LogMessage> {
        self.0.subscribe()
    }
}

impl Default for Feed {
    fn default() -> Self {
        Self(broadcast::Sender::new(UNHEARD))
    }
}

/// So many messages wait for the slowest who listens.
const UNHEARD: usize = 256;

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
