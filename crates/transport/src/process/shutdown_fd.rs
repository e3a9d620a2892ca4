//! Stops all reading of the child's pipes: once signalled, a descriptor is readable and a future resolves.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use crate::once_event::{OnceEvent, Wait};

/// An event for threads that block in `poll` and for tasks, signalled once.
///
/// An eventfd on Linux, which takes one descriptor, and a pipe elsewhere.
pub(super) struct ShutdownFd {
    event: OnceEvent<()>,
    fd: OwnedFd,
    #[cfg(not(target_os = "linux"))]
    writer: OwnedFd,
}

impl ShutdownFd {
    #[cfg(target_os = "linux")]
    pub(super) fn new() -> io::Result<Self> {
        use rustix::event::{EventfdFlags, eventfd};
        let fd = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { event: OnceEvent::new(), fd })
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn new() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        Ok(Self { event: OnceEvent::new(), fd: reader.into(), writer: writer.into() })
    }

    /// Makes the descriptor readable, permanently: nothing reads from it.
    pub(super) fn signal(&self) {
        if self.is_signalled() {
            return;
        }
        self.event.set(());
        #[cfg(target_os = "linux")]
        let writer = &self.fd;
        #[cfg(not(target_os = "linux"))]
        let writer = &self.writer;
        // Cannot fail: the counter of an eventfd is far from its limit, and a pipe that nothing was written to has room.
        let _ = rustix::io::write(writer, &1_u64.to_ne_bytes());
    }

    pub(super) fn is_signalled(&self) -> bool {
        self.event.get().is_some()
    }

    /// Waits for the signal in a task.
    pub(super) fn wait(&self) -> Wait<'_, ()> {
        self.event.wait()
    }
}

impl AsFd for ShutdownFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
