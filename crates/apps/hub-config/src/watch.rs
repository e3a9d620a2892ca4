//! Reports changed files, regardless of how a program changes them.

mod folders;
mod inbox;
mod look;
mod worker;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fmt, io};

use notify::Watcher;
use tokio::sync::{oneshot, watch};
use tokio::time::{sleep_until, timeout};

use inbox::{Inbox, Wanted};
use worker::Worker;

use crate::variables::absolute;

/// A watcher of files, which need not exist yet: it watches their parent folders, or the nearest ones that exist.
///
/// A watched folder includes the folders in it up to a limit, except folders that only programs write to (`.git`,
/// `node_modules`, `__pycache__`), and except configuration files.
///
/// A thread does the work and ends when this value is dropped.
/// The thread stores *that* a file changed and not how, so memory is bounded while no caller waits.
pub struct Watch {
    inbox: Arc<Inbox>,
    status: Arc<watch::Sender<Status>>,
    patience: Duration,
}

/// What the thread reports.
#[derive(Default)]
struct Status {
    /// The number of the last [`Watch::set`] that is in force.
    in_force: u64,
    /// Since when the thread works; `None` while it waits.
    busy: Option<Instant>,
    changed: BTreeSet<PathBuf>,
    warnings: Vec<Arc<str>>,
}

/// Times and limits of a [`Watch`].
#[derive(Clone, Copy)]
pub struct Settings {
    /// A change is reported when the file has not changed again for this time.
    quiet: Duration,
    /// A change is reported after this time even if the file still changes.
    at_most: Duration,
    /// The interval at which files that cannot be watched are polled.
    pub poll: Duration,
    /// How long to wait until files are watched before going on without.
    pub patience: Duration,
    native: fn(Handler) -> notify::Result<Native>,
    remote: fn(&Path) -> Option<String>,
}

/// Receives the events of the operating system.
type Handler = Box<dyn Fn(notify::Result<notify::Event>) + Send>;
/// The watcher of the operating system.
type Native = Box<dyn Watcher + Send>;

impl Watch {
    /// Starts the thread, with no file to watch.
    ///
    /// # Errors
    ///
    /// If the thread can't be started.
    pub fn new(settings: Settings) -> io::Result<Self> {
        let (inbox, status) = (Arc::<Inbox>::default(), Arc::<watch::Sender<Status>>::default());
        let worker = Worker::new(settings, Arc::clone(&inbox), Arc::clone(&status));
        std::thread::Builder::new().name(THREAD.into()).spawn(move || worker.run())?;
        Ok(Self { inbox, status, patience: settings.patience })
    }

    /// Replaces the set of watched files. Files that stay in the set are watched without a gap.
    ///
    /// When this returns, all later changes are reported: a caller that reads the files then misses none.
    /// If an unresponsive file system blocks the thread, this returns early with a warning, and all files are reported
    /// as changed when they are watched.
    ///
    /// # Cancel safety
    ///
    /// The set is replaced even if the future is dropped.
    pub async fn set(&self, paths: impl IntoIterator<Item = PathBuf>) {
        let paths = paths.into_iter().map(absolute).collect();
        // An unresponsive file system delays the caller only once.
        let patience = if self.is_late() { Duration::ZERO } else { self.patience };
        let (in_force, reported) = oneshot::channel();
        self.inbox.want(Wanted { paths, in_force });
        _ = timeout(patience, reported).await;
    }

    /// Returns the files that have changed, appeared or vanished since the last call. Waits for the first one.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses no change.
    pub async fn changed(&self) -> BTreeSet<PathBuf> {
        let mut news = self.status.subscribe();
        loop {
            let mut changed = BTreeSet::new();
            self.status.send_if_modified(|status| {
                changed = std::mem::take(&mut status.changed);
                false
            });
            if !changed.is_empty() {
                return changed;
            }
            // The sender is in `self`, so it can't be gone.
            _ = news.changed().await;
        }
    }

    /// Waits until an unresponsive file system blocks the thread, so that no change is reported.
    pub async fn stalled(&self) {
        let mut news = self.status.subscribe();
        loop {
            let since = news.borrow_and_update().busy;
            let blocked = async {
                match since {
                    Some(since) => sleep_until((since + self.patience).into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                _ = news.changed() => {}
                () = blocked => return,
            }
        }
    }

    /// Returns the reasons why changes may be noticed late (files are polled) or never.
    pub fn warnings(&self) -> Vec<Arc<str>> {
        let late = self.is_late().then(|| LATE.into());
        self.status.borrow().warnings.iter().cloned().chain(late).collect()
    }

    /// Returns whether the last set is not in force yet.
    fn is_late(&self) -> bool {
        self.status.borrow().in_force < self.inbox.number()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.inbox.stop();
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}

impl Settings {
    /// Sets the quiet time before a report, at most a day; four times as long if the file keeps changing.
    pub fn quiet(quiet: Duration) -> Self {
        let quiet = quiet.min(MAX_QUIET);
        Self { quiet, at_most: quiet.saturating_mul(4), ..Self::default() }
    }
}

#[doc(hidden)]
impl Settings {
    /// Behaves as if the operating system had no watches left.
    pub fn unwatchable() -> Self {
        Self { native: |_| Err(notify::Error::new(notify::ErrorKind::MaxFilesWatch)), ..Self::default() }
    }

    /// Simulates a file system that does not answer: `answer` is called for each folder, and may block.
    pub fn hanging(answer: fn(&Path) -> Option<String>) -> Self {
        let time = Duration::from_millis;
        Self {
            remote: answer,
            patience: time(40),
            quiet: time(40),
            at_most: time(200),
            poll: time(20),
            ..Self::default()
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("quiet", &self.quiet).finish_non_exhaustive()
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            quiet: Duration::from_millis(500),
            at_most: Duration::from_secs(2),
            poll: POLL,
            patience: PATIENCE,
            native,
            remote: folders::remote,
        }
    }
}

fn native(handler: Handler) -> notify::Result<Native> {
    Ok(Box::new(notify::recommended_watcher(handler)?))
}

const MAX_QUIET: Duration = Duration::from_secs(24 * 3600);
const POLL: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_secs(5);
const LATE: &str = "some files are not watched yet: a file system does not answer";
const THREAD: &str = "agentwire-watch";

#[cfg(test)]
mod tests;
