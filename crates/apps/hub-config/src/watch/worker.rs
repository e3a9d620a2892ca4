//! The thread that watches: it follows files as they come, go and move, and tells what has changed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::Settings;
use super::debounce::Debounce;
use super::folders::Folders;
use super::route::Route;
use super::shared::{Interests, Shared, Warnings, Work};
use super::stamp::{self, Stamp};
use super::tree::MAX_FOLDERS;

/// The thread that watches.
pub(super) struct Worker {
    shared: Arc<Shared>,
    settle: watch::Sender<u64>,
    poll: Duration,
    folders: Folders,
    files: BTreeMap<PathBuf, File>,
    debounce: Debounce,
    /// Files that moved while we followed them.
    unsettled: BTreeSet<PathBuf>,
    next_poll: Instant,
    warnings: Warnings,
}

/// A file that is watched.
#[derive(Default)]
struct File {
    route: Route,
    /// What it was like when it was told last.
    stamp: Stamp,
}

impl Worker {
    pub(super) fn new(settings: Settings, shared: Arc<Shared>, settle: watch::Sender<u64>) -> Self {
        Self {
            folders: Folders::new(settings, Arc::clone(&shared)),
            shared,
            settle,
            poll: settings.poll,
            files: BTreeMap::new(),
            debounce: Debounce::new(settings.quiet, settings.at_most),
            unsettled: BTreeSet::new(),
            next_poll: Instant::now(),
            warnings: Warnings::default(),
        }
    }

    /// Works until it is stopped; `busy` has the time since which it does, and nothing while it waits.
    pub(super) fn run(mut self, busy: &watch::Sender<Option<Instant>>) {
        let mut gather = Instant::now();
        loop {
            busy.send_replace(None);
            let work = self.shared.wait(gather, self.next());
            if work.stop {
                return;
            }
            let now = Instant::now();
            busy.send_replace(Some(now));
            self.work(work, now);
            self.look(now);
            self.tell(now);
            // What is written all the time is looked at now and then, not all the time: the less, the more there is of it.
            gather = (now + GATHER).max(Instant::now() + now.elapsed() * REST);
        }
    }

    /// When there is something to do though nothing happens.
    fn next(&self) -> Option<Instant> {
        let poll = self.folders.is_polling().then_some(self.next_poll);
        let again = (!self.unsettled.is_empty()).then(Instant::now);
        [self.debounce.next(), poll, again].into_iter().flatten().min()
    }

    fn work(&mut self, work: Work, now: Instant) {
        let mut stale = std::mem::take(&mut self.unsettled);
        for (paths, is_certain) in [(work.touched, true), (work.doubtful, false)] {
            for path in paths.into_iter().filter(|path| self.files.contains_key(path)) {
                self.debounce.touch(path.clone(), is_certain, now);
                stale.insert(path);
            }
        }
        work.lost.iter().for_each(|folder| self.folders.lose(folder));
        if work.everything {
            self.folders.lose_all();
            stale.extend(self.files.keys().cloned());
        }
        let Some((number, wanted)) = work.wanted else { return self.settle(stale, now) };
        self.files.retain(|path, _| wanted.contains(path));
        self.debounce.retain(&wanted);
        self.shared.forget(&wanted);
        stale.retain(|path| wanted.contains(path));
        let new: Vec<_> = wanted.into_iter().filter(|path| !self.files.contains_key(path)).collect();
        for path in &new {
            self.files.insert(path.clone(), File::default());
        }
        self.settle(stale.into_iter().chain(new.iter().cloned()).collect(), now);
        for path in new {
            if let Some(file) = self.files.get_mut(&path) {
                file.stamp = file.look(&path);
            }
        }
        self.settle.send_replace(number);
    }

    /// Follows files to where they are now, until nothing moves any more.
    fn settle(&mut self, mut stale: BTreeSet<PathBuf>, now: Instant) {
        for _ in 0..ROUNDS {
            self.route(&stale);
            let needed = self.needed();
            // Before the watches, so that no event comes that nobody is interested in yet.
            self.shared.set_interests(self.interests());
            let new = self.folders.set(&needed);
            stale = self.files_in(&new);
            // Something may have happened in there before we watched.
            for path in &stale {
                self.debounce.touch(path.clone(), false, now);
            }
            if stale.is_empty() {
                break;
            }
        }
        self.unsettled = stale;
        self.warn();
    }

    /// Follows each of these; all folders that are watched with what is in them share what there may be of that.
    fn route(&mut self, stale: &BTreeSet<PathBuf>) {
        let mut inside: usize = self.files.values().map(|file| file.route.inside.folders.len()).sum();
        for path in stale {
            if let Some(file) = self.files.get_mut(path) {
                inside -= file.route.inside.folders.len();
                file.route = Route::to(path, MAX_FOLDERS.saturating_sub(inside));
                inside += file.route.inside.folders.len();
            }
        }
    }

    /// Looks at the files that cannot be watched.
    fn look(&mut self, now: Instant) {
        if !self.folders.is_polling() || now < self.next_poll {
            return;
        }
        self.next_poll = now + self.poll;
        let polled = self.files.iter().filter(|(_, file)| self.folders.polls(&file.route.folders));
        let polled: BTreeSet<_> = polled.map(|(path, _)| path.clone()).collect();
        // Perhaps they can be watched by now, and there may be other folders in them.
        self.settle(polled.clone(), now);
        for path in polled {
            let Some(file) = self.files.get_mut(&path) else { continue };
            let stamp = file.look(&path);
            if file.stamp != stamp {
                file.stamp = stamp;
                self.debounce.touch(path, true, now);
            }
        }
    }

    fn tell(&mut self, now: Instant) {
        let mut changed = BTreeSet::new();
        for (path, is_certain) in self.debounce.due(now) {
            let Some(file) = self.files.get_mut(&path) else { continue };
            let stamp = file.look(&path);
            if is_certain || file.stamp != stamp {
                file.stamp = stamp;
                changed.insert(path);
            }
        }
        if !changed.is_empty() {
            self.shared.tell(changed);
        }
    }

    /// Says what is not watched as it should be.
    fn warn(&mut self) {
        let cut = self.files.iter().find(|(_, file)| file.route.inside.is_cut).map(|(path, _)| cut(path));
        let warnings: Warnings = self.folders.why_polled().into_iter().chain(cut).map(Arc::from).collect();
        if warnings == self.warnings {
            return;
        }
        for why in warnings.iter().filter(|why| !self.warnings.contains(why)) {
            tracing::warn!("{why}");
        }
        // If there was nothing to be looked at before, that time is long over.
        self.next_poll = self.next_poll.max(Instant::now() + self.poll);
        self.warnings = Arc::clone(&warnings);
        self.shared.set_warnings(warnings);
    }

    fn needed(&self) -> BTreeSet<PathBuf> {
        self.files.values().flat_map(|file| file.route.folders.iter().cloned()).collect()
    }

    fn interests(&self) -> Interests {
        let mut interests = Interests::default();
        for (path, File { route, .. }) in &self.files {
            for step in &route.steps {
                interests.steps.entry(step.clone()).or_default().insert(path.clone());
            }
            for end in route.end.iter().chain(&route.inside.folders) {
                interests.ends.entry(end.clone()).or_default().insert(path.clone());
            }
            for folder in &route.inside.folders {
                interests.insides.entry(folder.clone()).or_default().insert(path.clone());
            }
        }
        interests
    }

    fn files_in(&self, folders: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
        let is_in = |file: &File| file.route.folders.iter().any(|folder| folders.contains(Path::new(folder)));
        self.files.iter().filter(|(_, file)| is_in(file)).map(|(path, _)| path.clone()).collect()
    }
}

impl File {
    fn look(&self, path: &Path) -> Stamp {
        stamp::of(path, &self.route.inside.folders)
    }
}

fn cut(path: &Path) -> String {
    format!(
        "not all that is in {} is watched: there are too many folders or files in it, of which {MAX_FOLDERS} folders are \
         watched in all",
        path.display()
    )
}

/// How long events are left to gather.
const GATHER: Duration = Duration::from_millis(20);
/// How many times as long as the last look took.
const REST: u32 = 4;
/// How often files are followed before other things have their turn.
const ROUNDS: usize = 8;
