//! Control requests that block.

use std::{fmt, future::Future, sync::Arc};

use agentwire_protocol::control::ControlCall;

use super::runtime::Runtime;
use crate::Error;

/// The handle for control requests: clonable, and usable from any thread at any time, callbacks included.
#[derive(Clone)]
pub struct Control {
    control: agentwire_control::Control,
    runtime: Arc<Runtime>,
}

impl Control {
    pub(super) fn new(control: agentwire_control::Control, runtime: Arc<Runtime>) -> Self {
        Self { control, runtime }
    }

    /// Asks, and waits for the reply within the session's usual limit.
    ///
    /// # Errors
    ///
    /// As [`Control::call`](agentwire_control::Control::call); a session that has ended is [`Error::Ended`].
    pub fn call<C: ControlCall + Sync>(&self, call: &C) -> Result<C::Reply, Error> {
        Ok(self.wait(self.control.call(call))?)
    }

    /// The handle with a method for each request, whose futures [`wait`](Self::wait) waits for.
    pub fn requests(&self) -> &agentwire_control::Control {
        &self.control
    }

    /// Waits for any future of this session, on this thread.
    ///
    /// ```no_run
    /// # fn example(control: &agentwire::blocking::Control) {
    /// let sent = control.wait(control.requests().send(&"And then?".into()));
    /// # }
    /// ```
    pub fn wait<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").finish_non_exhaustive()
    }
}
