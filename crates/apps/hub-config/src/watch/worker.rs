//! The thread that watches.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::folders::Folders;
use super::inbox::{Inbox, Work};
use super::look::{Look, MAX_FOLDERS};
use super::{Settings, Status};

pub(super) struct Worker {
    settings: Settings,
    inbox: Arc<Inbox>,
    status: Arc<watch::Sender<Status>>,
    folders: Folders,
    files: BTreeMap<PathBuf, File>,
    /// Files that still moved when the last round ended.
    unsettled: BTreeSet<PathBuf>,
    next_poll: Instant,
}

#[derive(Default)]
struct File {
    look: Look,
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
        let (files, unsettled) = (BTreeMap::new(), BTreeSet::new());
        Self { settings, inbox, status, folders, files, unsettled, next_poll: Instant::now() }
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
        let poll = self.folders.is_polling().then_some(self.next_poll);
        let again = (!self.unsettled.is_empty()).then(Instant::now);
        [changes, poll, again].into_iter().flatten().min()
    }

    fn handle(&mut self, work: Work, now: Instant) {
        let mut stale = std::mem::take(&mut self.unsettled);
        for (event, is_content) in work.events {
            self.apply(&event, is_content, now, &mut stale);
        }
        if work.everything {
            self.folders.set(&BTreeSet::new());
            stale.extend(self.files.keys().cloned());
        }
        if self.folders.is_polling() && now >= self.next_poll {
            self.next_poll = now + self.settings.poll;
            let polled = self.files.iter().filter(|(_, file)| self.folders.polls(&file.look.folders));
            stale.extend(polled.map(|(path, _)| path.clone()));
        }
        let mut new = BTreeSet::new();
        if let Some(wanted) = &work.wanted {
            self.files.retain(|path, _| wanted.contains(path));
            self.status.send_modify(|status| status.changed.retain(|path| wanted.contains(path)));
            new = wanted.iter().filter(|path| !self.files.contains_key(*path)).cloned().collect();
            self.files.extend(new.iter().map(|path| (path.clone(), File::default())));
            stale.extend(new.iter().cloned());
        }
        self.settle(stale, &new, now);
        self.warn();
        if work.wanted.is_some() {
            self.status.send_modify(|status| status.settled = work.number);
        }
    }

    /// Applies an event to the files that it concerns, and adds them to `stale`.
    fn apply(&mut self, event: &Path, is_content: bool, now: Instant, stale: &mut BTreeSet<PathBuf>) {
        let mut is_step = false;
        for (path, file) in &mut self.files {
            let is_in = file.look.contains(event);
            let leads_to = file.look.steps.contains(event);
            if is_in || leads_to {
                stale.insert(path.clone());
            }
            if is_in && is_content {
                file.touch(now);
            }
            is_step |= leads_to;
        }
        // The path may be another folder now. `notify` has dropped the watches in the old one without an event.
        if is_step && is_content {
            self.folders.lose(event);
        }
    }

    /// Looks at files and watches their folders until nothing moves any more. `new` files have no change to report.
    fn settle(&mut self, mut stale: BTreeSet<PathBuf>, new: &BTreeSet<PathBuf>, now: Instant) {
        for _ in 0..ROUNDS {
            // All watched folders share one limit.
            let mut inside: usize = self.files.values().map(|file| file.look.inside.len()).sum();
            for path in &stale {
                let Some(file) = self.files.get_mut(path) else { continue };
                inside -= file.look.inside.len();
                let look = Look::at(path, MAX_FOLDERS.saturating_sub(inside));
                inside += look.inside.len();
                if look.stamp != file.look.stamp && !new.contains(path) {
                    file.touch(now);
                }
                file.look = look;
            }
            let needed = self.files.values().flat_map(|file| file.look.folders.iter().cloned()).collect();
            let unseen = self.folders.set(&needed);
            // Their files may have changed before they were watched.
            let is_unseen = |file: &File| !file.look.folders.is_disjoint(&unseen);
            stale =
                self.files.iter().filter(|(_, file)| is_unseen(file)).map(|(path, _)| path.clone()).collect();
            if stale.is_empty() {
                break;
            }
        }
        self.unsettled = stale;
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
    fn warn(&mut self) {
        let cut = self.files.iter().find(|(_, file)| file.look.is_cut).map(|(path, _)| cut(path));
        let warnings: Arc<[_]> = self.folders.warning().into_iter().chain(cut).map(Arc::from).collect();
        let before = Arc::clone(&self.status.borrow().warnings);
        if warnings == before {
            return;
        }
        for warning in warnings.iter().filter(|warning| !before.contains(warning)) {
            tracing::warn!("{warning}");
        }
        // If no file was polled before, the time of the next poll has long passed.
        self.next_poll = self.next_poll.max(Instant::now() + self.settings.poll);
        self.status.send_modify(|status| status.warnings = warnings);
    }
}

impl Drop for Worker {
    /// After a panic of the thread no caller waits for it.
    fn drop(&mut self) {
        self.status.send_modify(|status| (status.settled, status.busy) = (u64::MAX, None));
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

fn cut(path: &Path) -> String {
    format!(
        "not all that is in {} is watched: there are too many folders or files in it, of which {MAX_FOLDERS} folders are \
         watched in all",
        path.display()
    )
}

/// How long events are collected.
const GATHER: Duration = Duration::from_millis(20);
/// How many times as long as the last look the thread then rests.
const REST: u32 = 4;
/// How often files are looked at in a row.
const ROUNDS: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_due_after_quiet_but_at_last_after_a_limit() {
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
    }
}
