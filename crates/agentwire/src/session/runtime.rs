//! The runtime that a session needs.

use std::{io, panic::catch_unwind, time::Duration};

use agentwire_transport::TransportError;
use tokio::{runtime::Handle, time::sleep};

use crate::Error;

/// Returns the runtime that this is called in, if it has a timer.
///
/// Whether it has I/O is for the transport to say, which may need none.
pub(super) fn current() -> Result<Handle, Error> {
    let failed = |action, source| Error::Start(TransportError::Io { action, source });
    let runtime = Handle::try_current()
        .map_err(|error| failed("finding the tokio runtime", io::Error::other(error)))?;
    // A runtime does not say whether it has a timer: without one, this panics, and the session's task would.
    let timer = catch_unwind(|| drop(sleep(Duration::ZERO)));
    timer.map_err(|_| failed("using the timer of the tokio runtime", io::Error::other(DISABLED)))?;
    Ok(runtime)
}

const DISABLED: &str = "it is disabled; build the runtime with `enable_all`";
