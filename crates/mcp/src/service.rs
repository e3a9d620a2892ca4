//! The interface between the bridge and a server: JSON-RPC text in, JSON-RPC text out.

use std::{
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
/// [`Server`](crate::Server) and `RmcpServer` implement it; implement it yourself for anything else that speaks JSON-RPC.
pub trait McpService: Send + Sync + 'static {
    /// Opens an instance for one session.
    ///
    /// Called within a tokio runtime, before the handshake or at the first message for the server, and again at an
    /// `initialize` after an instance has ended.
    /// An instance that has made a manifest gets a second `initialize` from a CLI that does not use manifests.
    fn open(&self, outbox: Outbox) -> Box<dyn ServerInstance>;
}

/// An instance of a server in one session, which ends when it is dropped.
pub trait ServerInstance: Send + Sync + 'static {
    /// Handles one message of the CLI, a valid JSON-RPC 2.0 object: a request, a notification, or a response to a request
    /// that went through the [`Outbox`].
    ///
    /// Called in the order of the messages, except `tools/call`, whose input is checked first. Do the work that depends on
    /// the order before you return the future.
    ///
    /// # Cancel safety
    ///
    /// The future is dropped when the CLI cancels the request, when it connects again with a new `initialize`, and when
    /// the session ends. Only a cancellation arrives as a message too (`notifications/cancelled`).
    fn handle(&self, message: RawJson) -> ResponseFuture;

    /// Returns whether the instance has ended on its own: it gets no more messages, and all its open requests fail.
    ///
    /// Called at each message and after each answer.
    fn has_ended(&self) -> bool {
        false
    }
}

/// The future of a response: a JSON-RPC response to a request, `None` for any other message.
///
/// A panic becomes an error response, and so does `None` for a request.
pub type ResponseFuture = Pin<Box<dyn Future<Output = Option<RawJson>> + Send>>;

/// A server's way to send the CLI notifications and requests.
#[derive(Clone)]
pub struct Outbox {
    messages: mpsc::Sender<RawJson>,
    /// The number of messages sent so far.
    sent: Arc<AtomicU64>,
    schemas: Arc<Schemas>,
    control: Control,
}

impl Outbox {
    pub(crate) fn new(
        messages: mpsc::Sender<RawJson>,
        sent: Arc<AtomicU64>,
        schemas: Arc<Schemas>,
        control: Control,
    ) -> Self {
        Self { messages, sent, schemas, control }
    }

    /// Sends one JSON-RPC message to the CLI; messages are written in the order of the calls.
    ///
    /// A message that is sent before a request is answered is written before the answer.
    /// Waits while a few dozen messages are queued; none is written before the handshake.
    /// The response to a request arrives at [`ServerInstance::handle`], and so does an error if the CLI can't be reached.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it is ready has sent nothing.
    ///
    /// # Errors
    ///
    /// If the session has ended.
    pub async fn send(&self, message: RawJson) -> Result<(), OutboxClosed> {
        if rpc::method(&message).as_deref() == Some("notifications/tools/list_changed") {
            self.schemas.forget();
        }
        let permit = self.messages.reserve().await.map_err(|_| OutboxClosed)?;
        // Count before sending: otherwise the forwarder may count this message first, and the answer of another tool
        // would take it for a message of that tool.
        self.sent.fetch_add(1, Ordering::Release);
        permit.send(message);
        Ok(())
    }

    /// Returns the session's handle: calls from inside a tool work.
    ///
    /// A call before the handshake waits for it.
    pub fn control(&self) -> &Control {
        &self.control
    }
}

agentwire_control::debug_by_name!(Outbox);

/// The session has ended, so that no message can be sent to the CLI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the session has ended")]
#[non_exhaustive]
pub struct OutboxClosed;

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicU64, Ordering},
        },
        task::{Context, Wake, Waker},
    };

    use agentwire_control::{Config, NoResponder, connect};
    use agentwire_protocol::RawJson;
    use agentwire_transport::{Transport, memory};
    use tokio::sync::mpsc;

    use super::Outbox;

    /// Records how many messages are counted when the receiver is woken.
    #[derive(Default)]
    struct CountAtWakeUp {
        sent: Arc<AtomicU64>,
        counted: AtomicU64,
    }

    impl Wake for CountAtWakeUp {
        fn wake(self: Arc<Self>) {
            self.counted.store(self.sent.load(Ordering::Acquire), Ordering::Relaxed);
        }
    }

    /// Otherwise the forwarder could count the message of another tool first, and that tool's answer would overtake it.
    #[tokio::test]
    async fn a_message_is_counted_before_the_forwarder_gets_it() {
        let (transport, _peer) = memory(1 << 16);
        let link = transport.open().await.unwrap();
        let control = connect(link, Arc::new(NoResponder::default()), Config::default()).control;
        let (messages, mut to_forward) = mpsc::channel(1);
        let wake_up = Arc::new(CountAtWakeUp::default());
        let outbox = Outbox::new(messages, Arc::clone(&wake_up.sent), Arc::default(), control);
        let waker = Waker::from(Arc::clone(&wake_up));
        assert!(to_forward.poll_recv(&mut Context::from_waker(&waker)).is_pending());
        outbox.send(RawJson::empty_object()).await.unwrap();
        assert_eq!(wake_up.counted.load(Ordering::Relaxed), 1);
    }
}
