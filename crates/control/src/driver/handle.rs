//! The handle that sends requests and prompts to the CLI.

mod files;
mod listings;
mod mcp;
mod mode;
mod session;
mod settings;
mod tasks;

use std::{sync::Arc, time::Duration};

use agentwire_codec::Line;
use agentwire_protocol::{ControlCall, RawJson, RequestId};
use tokio::sync::oneshot;

use super::Shared;
use crate::{ControlError, Ignored, Router, SessionExit};

/// Declares a method for each request: `fn name(arguments) -> Reply = &request;`.
macro_rules! calls {
    ($($(#[$meta:meta])* fn $name:ident($($argument:ident: $type:ty),*) -> $reply:ty = $request:expr;)+) => {
        impl Control {
            $(
                $(#[$meta])*
                ///
                /// # Errors
                ///
                /// See [`ControlError`](crate::ControlError).
                pub async fn $name(&self, $($argument: $type),*) -> Result<$reply, $crate::ControlError> {
                    self.call($request).await.map(Into::into)
                }
            )+
        }
    };
}
use calls;

/// Returns the request with an optional field set.
fn with<R>(mut request: R, set: impl FnOnce(&mut R)) -> R {
    set(&mut request);
    request
}

/// A handle to a session, for calls and prompts from any task at any time: before the first turn, during one, or inside a
/// callback.
///
/// Cloning is cheap. The session ends when all `Control`s and the [`Messages`](crate::Messages) are dropped: see
/// [`Driver`](crate::Driver).
///
/// Each request that this version knows has a method, named as on the wire without `get_`; `initialize` is
/// [`reinitialize`](Self::reinitialize), and `mcp_message` is [`send_mcp_message`](Self::send_mcp_message).
/// Methods take the required fields of a request, or the request itself, a struct of [`agentwire_protocol::control`], if it
/// has optional ones.
/// Other requests go through [`call`](Self::call) with a type of your own, or [`call_raw`](Self::call_raw).
///
/// Each method has the time limit, the cancel safety and the errors of [`call`](Self::call). The limit is the session's
/// ([`Config::call_limit`](crate::Config::call_limit)), unless [`within`](Self::within) sets another.
#[derive(Clone)]
pub struct Control {
    pub(super) handle: Arc<Handle>,
    /// The time limit of this handle's calls; `None` for the session's.
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
        self.limit.unwrap_or(self.shared().config.call_limit)
    }

    /// Returns a handle of the same session with this time limit for calls and for sending.
    #[must_use]
    pub fn within(&self, limit: Duration) -> Self {
        Self { handle: Arc::clone(&self.handle), limit: Some(limit) }
    }

    /// Sends a request and waits for its reply within the handle's time limit, which counts from now.
    ///
    /// The request does not wait for room in the write buffer, but earlier lines are written first.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request: the CLI gets a cancellation, and a late reply is ignored.
    ///
    /// # Errors
    ///
    /// See [`ControlError`]. Every call ends, regardless of what the CLI does.
    pub async fn call<C: ControlCall + Sync>(&self, call: &C) -> Result<C::Reply, ControlError> {
        let raw = self.call_unread(call).await?;
        raw.decode().map_err(|source| ControlError::BadReply {
            subtype: C::SUBTYPE.into(),
            line: Some(Line::from(raw.as_str()).into()),
            source,
        })
    }

    /// Like [`call`](Self::call), and returns the raw reply, to be decoded later or in part.
    ///
    /// # Errors
    ///
    /// See [`call`](Self::call). [`ControlError::BadReply`] only if the reply's frame can't be read.
    pub async fn call_unread<C: ControlCall + Sync>(&self, call: &C) -> Result<RawJson, ControlError> {
        let limit = self.limit();
        self.ask(C::SUBTYPE, |router, now| router.call(now, limit, call)).await
    }

    /// Sends a raw request, an object with this `subtype`, and returns the raw reply.
    ///
    /// # Errors
    ///
    /// See [`call`](Self::call). [`ControlError::Encode`] also if `request` is not an object with this `subtype`.
    pub async fn call_raw(&self, subtype: &str, request: &RawJson) -> Result<RawJson, ControlError> {
        let limit = self.limit();
        self.ask(subtype, |router, now| router.call_raw(now, limit, subtype, request)).await
    }

    /// Returns whether every prompt has its result and the CLI is not known to be busy, neither in a turn nor in the
    /// background.
    ///
    /// Reflects all output read from the CLI, which may be ahead of [`Messages`](crate::Messages).
    pub fn is_idle(&self) -> bool {
        self.shared().read_router(Router::is_idle)
    }

    /// Returns whether a prompt or a line was sent, or the CLI started a turn on its own.
    ///
    /// Otherwise there is no conversation that the CLI could lose at its end.
    pub fn was_given_work(&self) -> bool {
        self.shared().read_router(Router::was_given_work)
    }

    /// Waits until the session has ended, and returns how.
    ///
    /// Does not read: unread messages past their limit delay the end.
    ///
    /// # Cancel safety
    ///
    /// Cancel-safe: dropping the future has no effect.
    pub async fn ended(&self) -> Arc<SessionExit> {
        self.shared().ended().await
    }

    /// Returns the counts of frames that were ignored because they match nothing.
    pub fn ignored(&self) -> Ignored {
        self.shared().read_router(Router::ignored)
    }

    /// Ends the CLI's input after all queued lines.
    ///
    /// The CLI's open requests are refused first, and their callbacks are cancelled. Later requests start no callback.
    /// In a session without [guards](crate::Responder::guards), the input ends at once, and later requests are shown as
    /// [`Incoming::Unhandled`](agentwire_codec::Incoming::Unhandled).
    /// With guards, the input ends when the CLI is idle, no prompt is open and no task runs in the background, and later
    /// requests are refused.
    /// A CLI that does not exit then is not terminated.
    pub fn end_input(&self) {
        self.shared().end_input();
    }

    async fn ask(
        &self,
        subtype: &str,
        call: impl FnOnce(&mut Router, Duration) -> RequestId,
    ) -> Result<RawJson, ControlError> {
        let shared = self.shared();
        let (sender, reply) = oneshot::channel();
        let id = shared.start_call(sender, |router| call(router, shared.now()));
        let mut guard = CancelOnDrop { shared, id: Some(id) };
        let reply = reply.await;
        guard.id = None;
        reply.unwrap_or_else(|_| Err(shared.closed(subtype)))
    }
}

/// The handle that every [`Control`] and the [`Messages`](crate::Messages) share: the session ends with the last one.
pub(crate) struct Handle(pub(super) Arc<Shared>);

impl Handle {
    pub(crate) fn shared(&self) -> &Shared {
        &self.0
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

agentwire_transport::debug_by_name!(Control { limit });

/// Cancels a call when its future is dropped.
struct CancelOnDrop<'a> {
    shared: &'a Shared,
    id: Option<RequestId>,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            self.shared.with_router(|router| router.cancel(&id));
        }
    }
}
