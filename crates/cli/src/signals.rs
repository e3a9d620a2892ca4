//! The signals that end a program that serves.

use tokio::signal::unix::{SignalKind, signal};

use crate::failure::Failure;

/// Waits for SIGINT (Ctrl-C), SIGTERM or SIGHUP, and returns its name.
///
/// # Errors
///
/// If the system allows no handler.
pub(crate) async fn ending() -> Result<&'static str, Failure> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(tokio::select! {
        _ = interrupt.recv() => "SIGINT",
        _ = terminate.recv() => "SIGTERM",
        _ = hang_up.recv() => "SIGHUP",
    })
}
