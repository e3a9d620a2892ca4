//! The work of the thread: paths to watch, and events of the operating system.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use notify::event::{EventKind, ModifyKind};

/// The queue of the thread, bounded by [`MAX_EVENTS`].
#[derive(Default)]
pub(super) struct Inbox {
    work: Mutex<Work>,
    arrived: Condvar,
}

#[derive(Default)]
pub(super) struct Work {
    /// The paths to watch, if they are replaced.
    pub(super) wanted: Option<BTreeSet<PathBuf>>,
    /// How often they were replaced.
    pub(super) number: u64,
    /// The paths of events, and whether the content changed, and not only metadata.
    pub(super) events: BTreeMap<PathBuf, bool>,
    /// Events were lost, so everything may have changed.
    pub(super) everything: bool,
    pub(super) stop: bool,
}

impl Inbox {
    /// Replaces the paths to watch.
    pub(super) fn want(&self, paths: BTreeSet<PathBuf>) {
        let mut work = self.work();
        work.number += 1;
        work.wanted = Some(paths);
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
            Ok(event) if event.need_rescan() => work.everything = true,
            Ok(event) if event.kind.is_access() => return,
            Ok(event) if work.events.len() < MAX_EVENTS => {
                let is_content = !matches!(event.kind, EventKind::Modify(ModifyKind::Metadata(_)));
                for path in event.paths {
                    *work.events.entry(path).or_default() |= is_content;
                }
            }
            Ok(_) | Err(_) => work.everything = true,
        }
        self.arrived.notify_one();
    }

    /// Waits for work or for the deadline. Events are collected until `gather`; a new set of paths is urgent.
    pub(super) fn wait(&self, gather: Instant, deadline: Option<Instant>) -> Work {
        let mut work = self.work();
        loop {
            let now = Instant::now();
            let next = match &*work {
                Work { stop: true, .. } | Work { wanted: Some(_), .. } => Some(now),
                work if work.everything || !work.events.is_empty() => Some(gather),
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

/// After this many paths of events, all files are looked at instead.
const MAX_EVENTS: usize = 4096;
