//! Ends a child whose handle was dropped: end of input, grace, SIGTERM, grace, SIGKILL, without any runtime.

use std::{sync::Arc, thread};

use super::{
    grace::deadline,
    input::{Input, Unsent},
    running::Running,
};
use crate::transport::Signal;

/// Begins the end and returns at once. The watching thread reaps.
pub(super) fn begin(running: &Arc<Running>) {
    let unsent = running.input.take();
    if running.ended.value().is_some() {
        return;
    }
    let closing = Arc::clone(running);
    let thread = thread::Builder::new()
        .name("aw-close".into())
        .stack_size(STACK)
        .spawn(move || close(&closing, unsent));
    if thread.is_err() {
        // No thread means no way to wait: the child must not be left behind.
        signal(running, Signal::Kill);
    }
}

/// Ends the input of a child whose sink was dropped. Returns at once, also when a chunk is half written.
pub(super) fn end_input(input: &Input, running: &Arc<Running>) {
    let Some(unsent) = input.take() else { return };
    let wait = running.grace().after_input;
    // Without a thread the rest of the chunk is lost, and the input ended all the same.
    let _ = thread::Builder::new()
        .name("aw-close".into())
        .stack_size(STACK)
        .spawn(move || unsent.write_until(deadline(wait)));
}

fn close(running: &Running, unsent: Option<Unsent>) {
    let grace = deadline(running.grace().after_input);
    if let Some(unsent) = unsent {
        unsent.write_until(grace);
    }
    if running.ended.wait_until(grace).is_some() {
        return;
    }
    signal(running, Signal::Term);
    if running.ended.wait_until(deadline(running.grace().after_terminate)).is_none() {
        signal(running, Signal::Kill);
    }
}

fn signal(running: &Running, how: Signal) {
    // Refused only where the child changed its user; there is nobody left to tell.
    let _ = running.group.signal(how);
}

/// These threads wait and write, no more.
pub(super) const STACK: usize = 256 * 1024;
