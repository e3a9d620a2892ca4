//! The handle by which any task asks the CLI.

use std::{fmt, sync::Arc, time::Duration};

use agentwire_codec::EncodeError;
use agentwire_protocol::{RawJson, RequestId, control::ControlCall, message::UserInput};
use bytes::Bytes;
use tokio::sync::oneshot;

use crate::{ControlError, driver::Shared};

/// Asks the CLI, from any task, at any time: before the first turn, in the middle of one, from inside a callback.
///
/// Cloning is cheap, and all clones are the same session's.
#[derive(Clone)]
pub struct Control {
    shared: Arc<Shared>,
}

impl Control {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Asks, and waits for the reply within the session's usual limit.
    ///
    /// # Cancellation
    ///
    /// Dropping the future takes the request back: the CLI is told, and a late reply is ignored.
    ///
    /// # Errors
    ///
    /// See [`ControlError`]. Every call ends, whatever the CLI does.
    pub async fn call<C: ControlCall + Sync>(&self, call: &C) -> Result<C::Reply, ControlError> {
        self.call_within(self.shared.settings().call_limit, call).await
    }

    /// As [`call`](Self::call), with a limit of its own.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    pub async fn call_within<C: ControlCall + Sync>(
        &self,
        limit: Duration,
        call: &C,
    ) -> Result<C::Reply, ControlError> {
        self.shared.writable().await;
        let reply = self.shared.start_call(|router, now| router.call(now, limit, call));
        let raw = self.settle(reply, C::SUBTYPE).await?;
        raw.decode().map_err(|source| ControlError::BadReply {
            subtype: C::SUBTYPE.into(),
            line: None,
            source,
        })
    }

    /// Asks with a request written by the caller, an object with its `subtype`, and gives the reply as it is.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    pub async fn call_raw(&self, subtype: &str, request: &RawJson) -> Result<RawJson, ControlError> {
        let limit = self.shared.settings().call_limit;
        self.shared.writable().await;
        let reply = self.shared.start_call(|router, now| router.call_raw(now, limit, subtype, request));
        self.settle(reply, subtype).await
    }

    /// Sends a prompt; returns when it is on its way, in the order of the calls.
    ///
    /// Waits while too much waits to be written.
    ///
    /// # Cancellation
    ///
    /// Dropping the future before it has waited sends nothing.
    ///
    /// # Errors
    ///
    /// [`ControlError::Closed`] or [`ControlError::InputEnded`] where nothing can be sent any more, and
    /// [`ControlError::Encode`].
    pub async fn send(&self, input: &UserInput) -> Result<(), ControlError> {
        self.shared.writable().await;
        self.shared.send("user", |router| router.send_user(input))
    }

    /// Sends a line as it is, newline included.
    ///
    /// The CLI exits on a line that is no JSON: this is for frames of kinds that this version does not know.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub async fn send_line(&self, line: Bytes) -> Result<(), ControlError> {
        self.shared.writable().await;
        self.shared.send("line", |router| {
            router.send_line(line);
            Ok::<(), EncodeError>(())
        })
    }

    /// Ends the CLI's input, after everything that was sent. Answers to its requests can't be sent any more.
    pub fn end_input(&self) {
        self.shared.end_input();
    }

    async fn settle(&self, (id, reply): Started, subtype: &str) -> Result<RawJson, ControlError> {
        let mut guard = TakeBack { shared: &self.shared, id: Some(id) };
        let reply = reply.await;
        guard.id = None;
        reply.unwrap_or_else(|_| Err(self.shared.closed(subtype)))
    }
}

/// A request that is on its way, and where its reply will come.
pub(crate) type Started = (RequestId, oneshot::Receiver<Result<RawJson, ControlError>>);

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").finish_non_exhaustive()
    }
}

/// Takes a request back when its future is dropped.
struct TakeBack<'a> {
    shared: &'a Shared,
    id: Option<RequestId>,
}

impl Drop for TakeBack<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            self.shared.take_back(&id);
        }
    }
}
