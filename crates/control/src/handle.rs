//! The handle by which any task asks the CLI.

mod files;
mod listings;
mod mcp;
mod mode;
mod session;
mod settings;
mod tasks;

use std::{fmt, sync::Arc, time::Duration};

use agentwire_codec::Line;
use agentwire_protocol::{
    RawJson, RequestId,
    control::{Ack, ControlCall},
};
use tokio::sync::oneshot;

use crate::{ControlError, Ignored, Router, driver::Shared};

/// Asks the CLI, from any task, at any time: before the first turn, in the middle of one, from inside a callback.
///
/// Cloning is cheap, and all clones are the same session's.
/// A session whose handles are all dropped is given up: see [`Driver`](crate::Driver).
///
/// Each request that this version knows has a method, by its name on the wire without `get_`; `initialize` is
/// [`reinitialize`](Self::reinitialize), and `mcp_message` is [`send_mcp_message`](Self::send_mcp_message).
/// Methods take what a request needs; where it can hold more, they take the request itself, a struct of
/// [`agentwire_protocol::control`].
/// Any other request goes through [`call`](Self::call), with a type of your own, or [`call_raw`](Self::call_raw).
///
/// Each method has the limit, the cancellation and the errors of [`call`](Self::call); the limit is the session's
/// ([`Config::call_limit`](crate::Config::call_limit)) or that of [`within`](Self::within).
#[derive(Clone)]
pub struct Control {
    handle: Arc<Handle>,
    /// The limit of this handle's calls, where it is not the session's.
    limit: Option<Duration>,
}

impl Control {
    pub(crate) fn new(handle: Arc<Handle>) -> Self {
        Self { handle, limit: None }
    }

    pub(crate) fn shared(&self) -> &Shared {
        self.handle.shared()
    }

    pub(crate) fn limit(&self) -> Duration {
        self.limit.unwrap_or(self.shared().config().call_limit)
    }

    /// Returns a handle of the same session with this limit for calls, and for waiting to send.
    #[must_use]
    pub fn within(&self, limit: Duration) -> Self {
        Self { handle: Arc::clone(&self.handle), limit: Some(limit) }
    }

    /// Asks, and waits for the reply within the handle's limit.
    ///
    /// # Cancellation
    ///
    /// Dropping the future takes the request back: the CLI is told, and a late reply is ignored.
    ///
    /// # Errors
    ///
    /// See [`ControlError`]. Every call ends, whatever the CLI does.
    pub async fn call<C: ControlCall + Sync>(&self, call: &C) -> Result<C::Reply, ControlError> {
        self.call_within(self.limit(), call).await
    }

    /// As [`call`](Self::call), with a limit of its own.
    ///
    /// The limit counts from now: the request waits for no room, but lines that were sent before it are written first.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    pub async fn call_within<C: ControlCall + Sync>(
        &self,
        limit: Duration,
        call: &C,
    ) -> Result<C::Reply, ControlError> {
        let raw = self.call_unread(limit, call).await?;
        raw.decode().map_err(|source| ControlError::BadReply {
            subtype: C::SUBTYPE.into(),
            line: Some(Line::from(raw.as_str())),
            source,
        })
    }

    /// As [`call_within`](Self::call_within), and gives the reply as it came: for who reads it later, or parts of it.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call), but for [`ControlError::BadReply`]: a reply of any shape is one.
    pub async fn call_unread<C: ControlCall + Sync>(
        &self,
        limit: Duration,
        call: &C,
    ) -> Result<RawJson, ControlError> {
        self.ask(C::SUBTYPE, |router, now| router.call(now, limit, call)).await
    }

    /// Asks with a request written by the caller, an object with its `subtype`, and gives the reply as it is.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    pub async fn call_raw(&self, subtype: &str, request: &RawJson) -> Result<RawJson, ControlError> {
        let limit = self.limit();
        self.ask(subtype, |router, now| router.call_raw(now, limit, subtype, request)).await
    }

    /// Whether no prompt waits for its result and the CLI is not known to be busy, in the background included.
    ///
    /// As of what was read from the CLI so far, which may be ahead of what [`Messages`](crate::Messages) has given out.
    pub fn is_idle(&self) -> bool {
        self.shared().is_idle()
    }

    /// Returns whether the CLI was given work so far: a prompt or a line was sent, or a turn has begun by itself.
    ///
    /// Without work there is no conversation that it could lose at its end.
    pub fn was_given_work(&self) -> bool {
        self.shared().look(Router::was_given_work)
    }

    /// How often something came that belongs to nothing, and was ignored, so far.
    pub fn ignored(&self) -> Ignored {
        self.shared().ignored()
    }

    /// Ends the CLI's input, after everything that was sent.
    ///
    /// Open requests of the CLI's are refused first and their callbacks cancelled, and requests that come later start no
    /// callback.
    /// Where the session has no [guards](crate::Responder::guards), the input ends at once, and later requests are shown as
    /// [`Incoming::Unhandled`](agentwire_codec::Incoming::Unhandled).
    /// Where it has some, the input ends when the CLI is idle and no prompt waits, and later requests are refused.
    pub fn end_input(&self) {
        self.shared().end_input();
    }

    /// As [`call`](Self::call), for a reply that says nothing but that it was done.
    async fn done<C: ControlCall<Reply = Ack> + Sync>(&self, call: &C) -> Result<(), ControlError> {
        self.call(call).await.map(|Ack { .. }| ())
    }

    async fn ask(
        &self,
        subtype: &str,
        call: impl FnOnce(&mut Router, Duration) -> RequestId,
    ) -> Result<RawJson, ControlError> {
        let shared = self.shared();
        let (id, reply) = shared.start_call(|router| call(router, shared.now()));
        let mut guard = CancelOnDrop { shared, id: Some(id) };
        let reply = reply.await;
        guard.id = None;
        reply.unwrap_or_else(|_| Err(shared.closed(subtype)))
    }
}

/// What every [`Control`] and the [`Messages`](crate::Messages) hold: the session is given up with the last.
pub(crate) struct Handle {
    shared: Arc<Shared>,
}

impl Handle {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.abandon();
    }
}

/// A request that is on its way, and where its reply will come.
pub(crate) type Started = (RequestId, oneshot::Receiver<Result<RawJson, ControlError>>);

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").field("limit", &self.limit).finish_non_exhaustive()
    }
}

/// Takes a request back when its future is dropped.
struct CancelOnDrop<'a> {
    shared: &'a Shared,
    id: Option<RequestId>,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            self.shared.cancel(&id);
        }
    }
}
