//! One bell per child that wakes threads blocked in `poll`: the child is gone, stop waiting for its pipes.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::atomic::{AtomicBool, Ordering},
};
#[cfg(not(target_os = "linux"))]
use std::{
    io::PipeWriter,
    sync::{Mutex, PoisonError},
};

use super::drain::Over;

pub(super) struct Alarm {
    rung: AtomicBool,
    /// Readable for ever, once rung.
    bell: OwnedFd,
    /// Dropping it rings the bell. Linux does with one descriptor instead of two.
    #[cfg(not(target_os = "linux"))]
    clapper: Mutex<Option<PipeWriter>>,
}

impl Alarm {
    #[cfg(target_os = "linux")]
    pub(super) fn new() -> io::Result<Self> {
        use rustix::event::{EventfdFlags, eventfd};
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { rung: AtomicBool::new(false), bell })
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn new() -> io::Result<Self> {
        let (bell, clapper) = io::pipe()?;
        Ok(Self { rung: AtomicBool::new(false), bell: bell.into(), clapper: Mutex::new(Some(clapper)) })
    }

    pub(super) fn ring(&self) {
        self.rung.store(true, Ordering::Release);
        #[cfg(target_os = "linux")]
        {
            // Writing 1 to a counter that is far from its limit cannot fail.
            let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
        }
        #[cfg(not(target_os = "linux"))]
        self.clapper.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    pub(super) fn has_rung(&self) -> bool {
        self.rung.load(Ordering::Acquire)
    }
}

impl Over for Alarm {
    fn is_over(&self) -> bool {
        self.has_rung()
    }
}

impl AsFd for Alarm {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}
