//! The tokio runtime of a session.

use std::{io, panic::catch_unwind, time::Duration};

use agentwire_transport::TransportError;
use tokio::{runtime::Handle, time::sleep};

use crate::Error;

/// Returns the current runtime if its timer is enabled.
///
/// I/O is not checked here: a transport may not need it.
pub(super) fn current() -> Result<Handle, Error> {
    let failed = |action, source| Error::Start(TransportError::Io { action, source });
    let runtime = Handle::try_current()
        .map_err(|error| failed("finding the tokio runtime", io::Error::other(error)))?;
    // tokio offers no query for the timer. Without one this panics, as the session's task would.
    let timer = catch_unwind(|| drop(sleep(Duration::ZERO)));
    timer.map_err(|_| failed("using the timer of the tokio runtime", io::Error::other(DISABLED)))?;
    Ok(runtime)
}

const DISABLED: &str = "it is disabled; build the runtime with `enable_all`";
