//! Tells which files have changed, whoever changed them and however.

mod debounce;
mod folders;
mod mounts;
mod route;
mod shared;
mod stamp;
mod tree;
mod worker;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fmt, io};

use notify::Watcher;
use shared::Shared;
use tokio::sync::watch;
use tokio::time::sleep_until;
use worker::Worker;

/// Watches files that may not be there yet: their folders, or the nearest one that is there.
/// A folder is watched with all that is in it: as many folders as there may be of them, but for those that only programs
/// write to (`.git`, `node_modules`, `__pycache__`), and for files of the configuration in them.
///
/// A thread does it, which ends with this value; nothing is watched any more then.
/// What happened to a file is collected as *that* it happened, so that nothing grows while nobody asks.
pub struct Watch {
    shared: Arc<Shared>,
    settled: watch::Receiver<u64>,
    /// Since when the thread works, while it does.
    busy: watch::Receiver<Option<Instant>>,
    patience: Duration,
}

/// How files are watched.
#[derive(Clone, Copy)]
pub struct Settings {
    /// A change is told when nothing more has happened to the file for so long.
    quiet: Duration,
    /// A change is told at the latest so long after it, though the file goes on changing.
    at_most: Duration,
    /// How often files are looked at that cannot be watched.
    pub poll: Duration,
    /// How long to wait until files are watched, before going on without.
    pub patience: Duration,
    native: fn(Handler) -> notify::Result<Native>,
    remote: fn(&Path) -> Option<String>,
}

/// What gets the events of the operating system.
type Handler = Box<dyn Fn(notify::Result<notify::Event>) + Send>;
/// The operating system's way to watch.
type Native = Box<dyn Watcher + Send>;

impl Watch {
    /// Begins, with nothing to watch.
    ///
    /// # Errors
    ///
    /// If there can be no thread.
    pub fn new(settings: Settings) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let (settle, settled) = watch::channel(0);
        let (work, busy) = watch::channel(None);
        let worker = Worker::new(settings, Arc::clone(&shared), settle);
        std::thread::Builder::new().name(THREAD.into()).spawn(move || worker.run(&work))?;
        Ok(Self { shared, settled, busy, patience: settings.patience })
    }

    /// Watches these and no others; what was watched already stays so without a gap.
    ///
    /// When this returns, all that happens to them from now on will be told, so that whoever reads them then misses nothing.
    /// Dropping the future takes nothing back.
    pub async fn set(&self, paths: impl IntoIterator<Item = PathBuf>) {
        let paths = paths.into_iter().map(|path| std::path::absolute(&path).unwrap_or(path));
        self.shared.want(paths.collect());
        self.settled().await;
    }

    /// The files that have changed, appeared or vanished since they were told last; waits for the first one.
    ///
    /// Dropping the future loses nothing.
    pub async fn changed(&self) -> BTreeSet<PathBuf> {
        self.shared.changed().await
    }

    /// Waits until all that was set is watched, where the future that set it was dropped before.
    pub async fn settled(&self) {
        let number = self.shared.number();
        // It is gone only after a panic of the thread; then nothing would be told any more, but what is to be done is done.
        let mut settled = self.settled.clone();
        _ = settled.wait_for(|settled| *settled >= number).await;
    }

    /// Waits until the thread is held up by a file system that does not answer: then no change is reported at all.
    pub async fn stalled(&self) {
        let mut busy = self.busy.clone();
        loop {
            let since = *busy.borrow_and_update();
            let held_up = async {
                match since {
                    Some(since) => sleep_until((since + self.patience).into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                changed = busy.changed() => if changed.is_err() {
                    // The thread has panicked; nothing is held up by a file system.
                    std::future::pending::<()>().await;
                },
                () = held_up => return,
            }
        }
    }

    /// Why changes may be noticed late, since files are looked at from time to time instead of being watched, or never.
    pub fn warnings(&self) -> Arc<[Arc<str>]> {
        self.shared.warnings()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.stop();
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}

impl Settings {
    /// With so much quiet before a change is told, and four times as much if there is none.
    pub fn quiet(quiet: Duration) -> Self {
        Self { quiet, at_most: quiet.saturating_mul(4), ..Self::default() }
    }
}

#[doc(hidden)]
impl Settings {
    /// As where there are no watches left.
    pub fn unwatchable() -> Self {
        Self { native: |_| Err(notify::Error::new(notify::ErrorKind::MaxFilesWatch)), ..Self::default() }
    }

    /// As where a file system does not answer: this is called for each folder.
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
            quiet: QUIET,
            at_most: AT_MOST,
            poll: POLL,
            patience: PATIENCE,
            native,
            remote: mounts::remote,
        }
    }
}

fn native(handler: Handler) -> notify::Result<Native> {
    Ok(Box::new(notify::recommended_watcher(handler)?))
}

const THREAD: &str = "agentwire-watch";
const QUIET: Duration = Duration::from_millis(500);
const AT_MOST: Duration = Duration::from_secs(2);
const POLL: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests;
