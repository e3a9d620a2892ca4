//! The work of the thread: paths to watch, and events of the operating system.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use notify::event::{EventKind, ModifyKind};
use tokio::sync::oneshot;

/// The queue of the thread, bounded by [`MAX_MOVED`].
#[derive(Default)]
pub(super) struct Inbox {
    work: Mutex<Work>,
    arrived: Condvar,
}

#[derive(Default)]
pub(super) struct Work {
    /// The paths to watch, if they are replaced.
    pub(super) wanted: Option<Wanted>,
    /// How often they were replaced.
    pub(super) number: u64,
    /// Whether anything has changed in the watched folders.
    pub(super) is_changed: bool,
    /// The paths that were created, removed or renamed. The watches of folders there may be gone.
    pub(super) moved: BTreeSet<PathBuf>,
    /// Events were lost, so all watches may be gone.
    pub(super) lost_events: bool,
    pub(super) stop: bool,
}

/// A set of paths to watch.
pub(super) struct Wanted {
    pub(super) paths: BTreeSet<PathBuf>,
    /// Notified when the set is in force.
    pub(super) in_force: oneshot::Sender<()>,
}

impl Inbox {
    /// Replaces the paths to watch.
    pub(super) fn want(&self, wanted: Wanted) {
        let mut work = self.work();
        work.number += 1;
        work.wanted = Some(wanted);
        self.arrived.notify_one();
    }

    /// Returns how often the paths were replaced.
    pub(super) fn number(&self) -> u64 {
        self.work().number
    }

    pub(super) fn stop(&self) {
        self.work().stop = true;
        self.arrived.notify_one();
    }

    /// Adds an event of the operating system.
    pub(super) fn add(&self, event: notify::Result<notify::Event>) {
        let mut work = self.work();
        match event {
            Ok(event) if event.kind.is_access() && !event.need_rescan() => return,
            Ok(event) if !event.need_rescan() && work.moved.len() < MAX_MOVED => {
                if !matches!(event.kind, EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_))) {
                    work.moved.extend(event.paths);
                }
            }
            Ok(_) | Err(_) => work.lost_events = true,
        }
        work.is_changed = true;
        self.arrived.notify_one();
    }

    /// Waits for work or for the deadline. Events are collected until `gather`; a new set of paths is urgent.
    pub(super) fn wait(&self, gather: Instant, deadline: Option<Instant>) -> Work {
        let mut work = self.work();
        loop {
            let now = Instant::now();
            let next = match &*work {
                Work { stop: true, .. } | Work { wanted: Some(_), .. } => Some(now),
                Work { is_changed: true, .. } => Some(gather),
                _ => deadline.map(|deadline| deadline.max(gather)),
            };
            if next.is_some_and(|next| next <= now) {
                let number = work.number;
                return std::mem::replace(&mut *work, Work { number, ..Work::default() });
            }
            let limit = next.map_or(Duration::MAX, |next| next - now);
            work = self.arrived.wait_timeout(work, limit).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// With more moved paths, all folders are watched again instead.
const MAX_MOVED: usize = 4096;
