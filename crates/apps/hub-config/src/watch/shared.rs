//! What the threads tell one another: sets that can only grow as far as there are files.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use notify::event::{EventKind, ModifyKind};
use tokio::sync::Notify;

use super::tree::is_skipped;

/// What the operating system, the worker and the reader know of one another.
#[derive(Default)]
pub(super) struct Shared {
    state: Mutex<State>,
    /// There is something for the worker.
    work: Condvar,
    /// There is something for the reader.
    told: Notify,
}

#[derive(Default)]
struct State {
    interests: Interests,
    work: Work,
    changed: BTreeSet<PathBuf>,
    warnings: Warnings,
    number: u64,
}

/// Why changes may be noticed late, or never.
pub(super) type Warnings = Arc<[Arc<str>]>;

/// Whom an event is for.
#[derive(Default)]
pub(super) struct Interests {
    /// What leads to a file, links and folders and itself, and the files that it leads to.
    pub(super) steps: HashMap<PathBuf, BTreeSet<PathBuf>>,
    /// The files' own last steps.
    pub(super) ends: HashMap<PathBuf, BTreeSet<PathBuf>>,
    /// The folders that are watched with what is in them.
    pub(super) insides: HashMap<PathBuf, BTreeSet<PathBuf>>,
}

/// What the worker is to do.
#[derive(Default)]
pub(super) struct Work {
    /// What to watch from now on, and the number of this wish.
    pub(super) wanted: Option<(u64, BTreeSet<PathBuf>)>,
    /// The files that were changed.
    pub(super) touched: BTreeSet<PathBuf>,
    /// The files that may have been changed, or may be somewhere else now.
    pub(super) doubtful: BTreeSet<PathBuf>,
    /// The folders that may be others now under the same name, with those inside.
    pub(super) lost: BTreeSet<PathBuf>,
    /// The operating system has lost count.
    pub(super) everything: bool,
    pub(super) stop: bool,
}

impl Work {
    fn is_urgent(&self) -> bool {
        self.stop || self.wanted.is_some()
    }

    fn is_empty(&self) -> bool {
        let sets = [&self.touched, &self.doubtful, &self.lost];
        !self.is_urgent() && !self.everything && sets.iter().all(|set| set.is_empty())
    }
}

impl Shared {
    /// New paths to watch; gives the number of the wish.
    pub(super) fn want(&self, paths: BTreeSet<PathBuf>) -> u64 {
        let mut state = self.state();
        state.number += 1;
        let number = state.number;
        state.work.wanted = Some((number, paths));
        self.work.notify_one();
        number
    }

    pub(super) fn stop(&self) {
        self.state().work.stop = true;
        self.work.notify_one();
    }

    /// Work, or none when the time has come; events are left to gather until then, unless something cannot wait.
    pub(super) fn wait(&self, gather: Instant, until: Option<Instant>) -> Work {
        let mut state = self.state();
        loop {
            let now = Instant::now();
            let is_late = until.is_some_and(|until| until <= now);
            if state.work.is_urgent() || now >= gather && (is_late || !state.work.is_empty()) {
                return std::mem::take(&mut state.work);
            }
            let next = if state.work.is_empty() { until } else { Some(gather) };
            let next = next.map(|next| next.max(gather));
            state = match next {
                None => self.work.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(next) => {
                    let waited = self.work.wait_timeout(state, next.saturating_duration_since(now));
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// From now on events are for these.
    pub(super) fn set_interests(&self, interests: Interests) {
        self.state().interests = interests;
    }

    /// An event of the operating system.
    pub(super) fn handle(&self, event: notify::Result<notify::Event>) {
        let state = &mut *self.state();
        match event {
            Ok(event) if event.need_rescan() => state.work.everything = true,
            Ok(event) if event.kind.is_access() => return,
            Ok(event) => event.paths.iter().for_each(|path| state.sort(path, event.kind)),
            Err(_) => state.work.everything = true,
        }
        if !state.work.is_empty() {
            self.work.notify_one();
        }
    }

    /// These have changed.
    pub(super) fn tell(&self, changed: BTreeSet<PathBuf>) {
        self.state().changed.extend(changed);
        self.told.notify_one();
    }

    pub(super) fn set_warnings(&self, warnings: Warnings) {
        self.state().warnings = warnings;
    }

    pub(super) fn warnings(&self) -> Warnings {
        Arc::clone(&self.state().warnings)
    }

    /// The number of the last wish.
    pub(super) fn number(&self) -> u64 {
        self.state().number
    }

    pub(super) async fn changed(&self) -> BTreeSet<PathBuf> {
        loop {
            let changed = std::mem::take(&mut self.state().changed);
            if !changed.is_empty() {
                return changed;
            }
            self.told.notified().await;
        }
    }

    /// Nobody is told any more of what is watched no more.
    pub(super) fn forget(&self, still: &BTreeSet<PathBuf>) {
        self.state().changed.retain(|path| still.contains(path));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn sort(&mut self, path: &Path, kind: EventKind) {
        let (interests, work) = (&self.interests, &mut self.work);
        let is_of_contents = !matches!(kind, EventKind::Modify(ModifyKind::Metadata(_)));
        let is_meant = !path.file_name().is_some_and(is_skipped);
        let folder = path.parent().filter(|_| is_meant).and_then(|folder| interests.insides.get(folder));
        for files in interests.ends.get(path).into_iter().chain(folder) {
            let work = if is_of_contents { &mut work.touched } else { &mut work.doubtful };
            work.extend(files.iter().cloned());
        }
        let Some(files) = interests.steps.get(path) else { return };
        work.doubtful.extend(files.iter().cloned());
        // A folder that moves takes those inside with it, which may all be watched under the names that they had.
        if is_of_contents {
            work.lost.insert(path.to_owned());
        }
    }
}
