//! Work that may block a thread of a blocking session's runtime.

use std::cell::Cell;

use tokio::{
    runtime::{Handle, RuntimeFlavor},
    task::block_in_place,
};

/// Marks this thread as one of a session's runtime.
pub fn mark_thread() {
    OURS.set(true);
}

/// Runs work that may block. On the only thread of a session's runtime, another thread runs the session meanwhile.
pub fn in_place<T>(work: impl FnOnce() -> T) -> T {
    // A callback may run a runtime of its own, on which `block_in_place` may panic.
    let is_multi_thread = |runtime: Handle| runtime.runtime_flavor() == RuntimeFlavor::MultiThread;
    if OURS.get() && Handle::try_current().is_ok_and(is_multi_thread) { block_in_place(work) } else { work() }
}

thread_local! {
    /// Whether this thread belongs to a session's runtime.
    static OURS: Cell<bool> = const { Cell::new(false) };
}
