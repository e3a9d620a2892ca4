//! Blocking control requests.

use std::{future::Future, sync::Arc};

use agentwire_protocol::control::ControlCall;

use super::runtime::Runtime;
use crate::Error;

/// A handle for control requests. It can be cloned and used from any thread at any time, including callbacks.
#[derive(Clone, Debug)]
pub struct ControlHandle {
    control: agentwire_control::Control,
    runtime: Arc<Runtime>,
}

impl ControlHandle {
    pub(super) fn new(control: &agentwire_control::Control, runtime: &Arc<Runtime>) -> Self {
        Self { control: control.clone(), runtime: Arc::clone(runtime) }
    }

    /// Sends a control request and waits for the reply within the session's call limit.
    ///
    /// # Errors
    ///
    /// As [`Control::call`](agentwire_control::Control::call); [`Error::Ended`] or [`Error::NotLoggedIn`] if the
    /// session has ended.
    pub fn call<C: ControlCall + Sync>(&self, call: &C) -> Result<C::Reply, Error> {
        Ok(self.wait(self.control.call(call))?)
    }

    /// Returns the async handle with a method for each request; pass its futures to [`wait`](Self::wait).
    pub fn requests(&self) -> &agentwire_control::Control {
        &self.control
    }

    /// Blocks this thread until a future of this session is ready.
    ///
    /// To interrupt a turn after a minute, while another thread reads it:
    ///
    /// ```no_run
    /// use std::{
    ///     sync::mpsc::{self, RecvTimeoutError},
    ///     thread,
    ///     time::Duration,
    /// };
    ///
    /// # fn example(session: &mut agentwire::blocking::Session) -> Result<(), agentwire::Error> {
    /// let control = session.control();
    /// let turn = session.ask("Count to a million.")?;
    /// let (ended, has_ended) = mpsc::channel::<()>();
    /// thread::spawn(move || {
    ///     // A disconnected channel means that the turn has ended. An interrupt would end the next one.
    ///     if has_ended.recv_timeout(Duration::from_secs(60)) == Err(RecvTimeoutError::Timeout) {
    ///         control.wait(control.requests().interrupt()).ok();
    ///     }
    /// });
    /// println!("{:?}", turn.text());
    /// drop(ended);
    /// # Ok(())
    /// # }
    /// ```
    pub fn wait<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }
}
