//! What a server is to the bridge: JSON-RPC text in, JSON-RPC text out.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use agentwire_control::Control;
use agentwire_protocol::RawJson;
use tokio::sync::mpsc;

use crate::{check::Schemas, rpc};

/// An MCP server that can be opened for any number of sessions.
///
/// `RmcpServer` and `Server` implement it; a small server may do so by hand.
pub trait McpService: Send + Sync + 'static {
    /// Opens an instance for one session.
    ///
    /// Called within a tokio runtime, before the handshake or at the first message for the server, and again at an
    /// `initialize` that comes after an instance has ended.
    /// An instance that was asked for its manifest before the handshake gets another `initialize` from a CLI that uses none.
    fn open(&self, outbox: Outbox) -> Box<dyn ServerInstance>;
}

/// An instance of a server, in one session. Dropping it ends it.
pub trait ServerInstance: Send + Sync + 'static {
    /// Takes one message of the CLI's, a valid JSON-RPC 2.0 object: a request, a notification, or a response to a request
    /// that went through the [`Outbox`].
    ///
    /// Called in the order of the messages, but for `tools/call`, whose input is checked first: do what depends on the
    /// order before you return the future.
    ///
    /// # Cancellation
    ///
    /// The future is dropped when the CLI gives the request up, and when the session ends.
    /// `notifications/cancelled` comes as a message too.
    fn handle(&self, message: RawJson) -> ResponseFuture;

    /// Whether the instance has ended by itself: then it gets no more messages, and all open requests an error.
    ///
    /// Asked at each message, and after each answer.
    fn has_ended(&self) -> bool {
        false
    }
}

/// The answer to a message in the making: a JSON-RPC response to a request, `None` to anything else.
///
/// A panic becomes an error response, and so does `None` where there should be a response.
pub type ResponseFuture = Pin<Box<dyn Future<Output = Option<RawJson>> + Send>>;

/// Takes messages of a server to the CLI: notifications and requests.
#[derive(Clone)]
pub struct Outbox {
    messages: mpsc::Sender<RawJson>,
    /// How many messages were taken so far.
    taken: Arc<AtomicU64>,
    schemas: Arc<Schemas>,
    control: Control,
}

impl Outbox {
    pub(crate) fn new(
        messages: mpsc::Sender<RawJson>,
        taken: Arc<AtomicU64>,
        schemas: Arc<Schemas>,
        control: Control,
    ) -> Self {
        Self { messages, taken, schemas, control }
    }

    /// Sends one JSON-RPC message to the CLI; messages go out in the order of the calls.
    ///
    /// What was sent before a request was answered is written before the answer.
    /// Waits while more than a few dozen wait, and until the CLI has shaken hands.
    /// A response to a request comes through [`ServerInstance::handle`]; so does an error where the CLI can't be reached.
    ///
    /// # Cancellation
    ///
    /// Dropping the future before it has finished sends nothing.
    ///
    /// # Errors
    ///
    /// When the session has ended.
    pub async fn send(&self, message: RawJson) -> Result<(), OutboxClosed> {
        if rpc::method(&message).as_deref() == Some("notifications/tools/list_changed") {
            self.schemas.forget();
        }
        self.messages.send(message).await.map_err(|_| OutboxClosed)?;
        self.taken.fetch_add(1, Ordering::Release);
        Ok(())
    }

    /// The session that the CLI runs: calls from inside a tool work.
    ///
    /// A call that is made before the handshake waits for it.
    pub fn control(&self) -> &Control {
        &self.control
    }
}

impl fmt::Debug for Outbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outbox").finish_non_exhaustive()
    }
}

/// The session has ended: nothing can be sent to the CLI any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the session has ended")]
#[non_exhaustive]
pub struct OutboxClosed;
