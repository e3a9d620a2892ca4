//! The thread that watches. Events only wake it: it then compares the state of all files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::folders::Folders;
use super::inbox::{Inbox, Wanted, Work};
use super::look::{Look, MAX_FOLDERS};
use super::{Settings, Status};

pub(super) struct Worker {
    settings: Settings,
    inbox: Arc<Inbox>,
    status: Arc<watch::Sender<Status>>,
    folders: Folders,
    files: BTreeMap<PathBuf, File>,
    /// Whether the last look missed no change.
    is_settled: bool,
    last_look: Instant,
}

#[derive(Default)]
struct File {
    /// The stamp of the last look; `None` before the first look.
    stamp: Option<Option<u64>>,
    /// A change that is not reported yet.
    change: Option<Change>,
}

/// The times of the first and the last event of a change.
#[derive(Clone, Copy)]
struct Change {
    first: Instant,
    last: Instant,
}

impl Worker {
    pub(super) fn new(settings: Settings, inbox: Arc<Inbox>, status: Arc<watch::Sender<Status>>) -> Self {
        let folders = Folders::new(settings, Arc::clone(&inbox));
        let last_look = Instant::now();
        Self { settings, inbox, status, folders, files: BTreeMap::new(), is_settled: true, last_look }
    }

    /// Works until the inbox is stopped.
    pub(super) fn run(mut self) {
        let mut gather = Instant::now();
        loop {
            self.status.send_modify(|status| status.busy = None);
            let work = self.inbox.wait(gather, self.deadline());
            if work.stop {
                return;
            }
            let now = Instant::now();
            self.status.send_modify(|status| status.busy = Some(now));
            self.handle(work, now);
            self.report(now);
            // A folder that is written to all the time must not keep the thread busy.
            gather = (now + GATHER).max(Instant::now() + now.elapsed() * REST);
        }
    }

    /// Returns when there is something to do without an event.
    fn deadline(&self) -> Option<Instant> {
        let changes = self.files.values().filter_map(|file| Some(file.change?.due(&self.settings))).min();
        let poll = self.folders.polled().map(|_| self.last_look + self.settings.poll);
        let again = (!self.is_settled).then_some(self.last_look);
        [changes, poll, again].into_iter().flatten().min()
    }

    fn handle(&mut self, work: Work, now: Instant) {
        if work.lost_events {
            self.folders.clear();
        }
        work.moved.iter().for_each(|path| self.folders.lose(path));
        if let Some(Wanted { paths, .. }) = &work.wanted {
            self.files.retain(|path, _| paths.contains(path));
            self.status.send_modify(|status| status.changed.retain(|path| paths.contains(path)));
            for path in paths {
                self.files.entry(path.clone()).or_default();
            }
        }
        self.is_settled = (0..ROUNDS).any(|_| self.look(now));
        self.last_look = now;
        if let Some(Wanted { paths, in_force }) = work.wanted {
            self.status.send_modify(|status| {
                status.in_force = work.number;
                // A caller that has stopped waiting may have read the files before they were watched. It is notified under
                // the lock, so that it sees the set in force.
                if in_force.send(()).is_err() {
                    status.changed.extend(paths);
                }
            });
        }
    }

    /// Looks at all files and watches their folders. Returns whether all folders were watched before the look, which
    /// then missed no change.
    fn look(&mut self, now: Instant) -> bool {
        let (mut inside, mut needed, mut cut) = (0, BTreeSet::new(), None);
        for (path, file) in &mut self.files {
            // All watched folders share one limit.
            let look = Look::at(path, MAX_FOLDERS.saturating_sub(inside));
            if file.stamp.replace(look.stamp).is_some_and(|stamp| stamp != look.stamp) {
                file.touch(now);
            }
            inside += look.inside;
            needed.extend(look.folders);
            if look.is_cut {
                cut.get_or_insert_with(|| cut_warning(path));
            }
        }
        let is_settled = self.folders.set(&needed);
        self.warn(cut);
        is_settled
    }

    fn report(&mut self, now: Instant) {
        let mut due = Vec::new();
        for (path, file) in &mut self.files {
            if file.change.take_if(|change| change.due(&self.settings) <= now).is_some() {
                due.push(path.clone());
            }
        }
        if !due.is_empty() {
            self.status.send_modify(|status| status.changed.extend(due));
        }
    }

    /// Reports files that are not watched as they should be.
    fn warn(&self, cut: Option<String>) {
        let polled = self.folders.polled().map(|(folder, why)| {
            format!("files in {} are polled every {:?}: {why}", folder.display(), self.settings.poll)
        });
        let warnings: Vec<Arc<str>> = polled.into_iter().chain(cut).map(Arc::from).collect();
        self.status.send_if_modified(|status| {
            let is_new = warnings != status.warnings;
            for warning in warnings.iter().filter(|warning| !status.warnings.contains(warning)) {
                tracing::warn!("{warning}");
            }
            status.warnings = warnings;
            is_new
        });
    }
}

impl File {
    fn touch(&mut self, now: Instant) {
        self.change.get_or_insert(Change { first: now, last: now }).last = now;
    }
}

impl Change {
    fn due(&self, settings: &Settings) -> Instant {
        (self.last + settings.quiet).min(self.first + settings.at_most)
    }
}

fn cut_warning(path: &Path) -> String {
    format!(
        "not everything in {} is watched: it has too many folders or files; at most {MAX_FOLDERS} folders are watched in \
         all",
        path.display()
    )
}

/// How long events are collected.
const GATHER: Duration = Duration::from_millis(20);
/// How long the thread rests after a look, as a multiple of the time that the look took.
const REST: u32 = 4;
/// The maximum number of looks in a row.
const ROUNDS: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_due_after_a_quiet_time_or_at_the_limit() {
        let start = Instant::now();
        let at = |millis: u64| start + Duration::from_millis(millis);
        let settings = Settings::quiet(Duration::from_millis(500));
        let (mut busy, mut calm) = (File::default(), File::default());
        let due = |file: &File| file.change.map(|change| change.due(&settings));
        assert_eq!(due(&busy), None);
        for millis in (0..=1900).step_by(100) {
            busy.touch(at(millis));
            assert!(due(&busy) > Some(at(millis)));
        }
        calm.touch(at(1200));
        assert_eq!(due(&calm), Some(at(1700)));
        assert_eq!(due(&busy), Some(at(2000)));
        let settings = Settings::quiet(Duration::MAX);
        assert!(calm.change.unwrap().due(&settings) > at(1_000_000));
    }
}
