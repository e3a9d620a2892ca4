//! Ends a child after its handle was dropped, without a runtime: end of input, grace, SIGTERM, grace, SIGKILL.

use std::sync::Arc;

use super::{
    grace::deadline,
    input::Unsent,
    running::{Running, spawn_thread},
};
use crate::transport::Signal;

/// Ends the child on a thread, and returns at once. The watch thread reaps the child.
pub(super) fn close_in_background(running: &Arc<Running>) {
    let unsent = running.input.take();
    if running.ended.get().is_some() {
        return;
    }
    let closing = Arc::clone(running);
    if spawn_thread("aw-close", move || close(&closing, unsent)).is_err() {
        // No thread could be started to wait for the grace periods, so kill the child at once.
        running.group.signal_or_ignore(Signal::Kill);
    }
}

/// Ends the input of a child after its sink was dropped. Returns at once, even if a chunk is half written.
pub(super) fn end_input(running: &Running) {
    let Some(unsent) = running.input.take() else { return };
    let wait = running.grace().after_input;
    // Without a thread the rest of the chunk is lost, but the input still ends.
    let _ = spawn_thread("aw-close", move || unsent.write_until(deadline(wait)));
}

fn close(running: &Running, unsent: Option<Unsent>) {
    let grace = deadline(running.grace().after_input);
    if let Some(unsent) = unsent {
        unsent.write_until(grace);
    }
    if running.ended.wait_until(grace).is_some() {
        return;
    }
    running.group.signal_or_ignore(Signal::Term);
    if running.ended.wait_until(deadline(running.grace().after_terminate)).is_none() {
        running.group.signal_or_ignore(Signal::Kill);
    }
}
