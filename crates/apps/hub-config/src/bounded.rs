//! Reads files with a time limit: a file system that does not answer (a network that is down) must not block the rest.

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

/// Reading of a file, on a thread of its own.
pub(crate) struct Reading<T, E = io::Error> {
    path: Arc<PathBuf>,
    /// `None` where an earlier thread still waits for this file, or no thread could be started.
    result: Option<Receiver<Result<T, E>>>,
    deadline: Instant,
}

impl<T: Send + 'static, E: From<io::Error> + Send + 'static> Reading<T, E> {
    /// Starts to read a file, if no thread waits for it already.
    pub(crate) fn start(path: &Path, read: impl FnOnce(&Path) -> Result<T, E> + Send + 'static) -> Self {
        let path = Arc::new(path.to_owned());
        let deadline = Instant::now() + LIMIT;
        let is_stuck = {
            let stuck = stuck();
            stuck.contains(&*path) || stuck.len() >= MAX_STUCK
        };
        if is_stuck {
            return Self { path, result: None, deadline };
        }
        let (sender, receiver) = sync_channel(1);
        let (file, ended) = (Arc::clone(&path), Ended(Arc::clone(&path)));
        let reading = move || {
            let _ended = ended;
            #[cfg(test)]
            tests::pass(&file);
            // The caller may have stopped waiting.
            let _ = sender.try_send(read(&file));
        };
        let thread = thread::Builder::new().name("mcp-file".to_owned()).spawn(reading);
        Self { path, result: thread.ok().map(|_| receiver), deadline }
    }

    /// Waits for the result.
    ///
    /// # Errors
    ///
    /// That of reading, or [`io::ErrorKind::TimedOut`] if the file can't be read in time.
    pub(crate) fn finish(self) -> Result<T, E> {
        let late = || E::from(io::Error::new(io::ErrorKind::TimedOut, "its file system does not answer"));
        let receiver = self.result.ok_or_else(late)?;
        match receiver.recv_timeout(self.deadline.saturating_duration_since(Instant::now())) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("it could not be read").into());
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        // Under the lock that the end of the thread takes: it has either sent its result by now, or will remove this.
        let mut stuck = stuck();
        if let Ok(result) = receiver.try_recv() {
            return result;
        }
        stuck.insert((*self.path).clone());
        Err(late())
    }
}

/// The end of a thread.
struct Ended(Arc<PathBuf>);

impl Drop for Ended {
    fn drop(&mut self) {
        stuck().remove(&*self.0);
    }
}

fn stuck() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    STUCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The files that threads wait for which nobody waits for: each has one thread, until its file system answers.
static STUCK: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// So many threads may wait; no other file is read then.
const MAX_STUCK: usize = 64;
/// How long a file may take to be read.
const LIMIT: Duration = Duration::from_secs(2);

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Condvar;

    use super::*;
    use crate::{Configuration, ProblemKind, Sources};

    static HELD: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    static RELEASED: Condvar = Condvar::new();

    /// Makes a file one of a file system that does not answer, until this is dropped.
    pub(crate) struct Hang(PathBuf);

    impl Hang {
        pub(crate) fn on(path: &Path) -> Self {
            HELD.lock().unwrap().insert(path.to_owned());
            Self(path.to_owned())
        }
    }

    impl Drop for Hang {
        fn drop(&mut self) {
            HELD.lock().unwrap().remove(&self.0);
            RELEASED.notify_all();
        }
    }

    pub(super) fn pass(path: &Path) {
        let held = HELD.lock().unwrap();
        drop(RELEASED.wait_while(held, |held| held.contains(path)).unwrap());
    }

    #[test]
    fn a_file_that_does_not_answer_holds_back_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let server = |name: &str| format!("{{\"servers\": {{\"{name}\": {{\"command\": \"x\"}}}}}}");
        let (project, global) = (folder.path().join(".mcp.json"), folder.path().join("user.json"));
        std::fs::write(&project, server("a")).unwrap();
        std::fs::write(&global, server("b")).unwrap();
        let names = |configuration: &Configuration| -> Vec<_> {
            configuration.servers.iter().map(|server| server.name.to_string()).collect()
        };
        let vscode = folder.path().join(".vscode/mcp.json");
        let hangs = [Hang::on(&project), Hang::on(&vscode)];
        let mut sources = Sources::new().project(folder.path()).global(&global);
        let start = Instant::now();
        let read = sources.read();
        assert!(start.elapsed() < LIMIT * 2, "both are waited for at the same time");
        assert_eq!(names(&read), ["b"]);
        let silent = read.problems.iter().filter(|problem| problem.kind == ProblemKind::Unresponsive);
        assert_eq!(silent.count(), 2);
        drop(hangs);
        while stuck().iter().any(|path| path.starts_with(folder.path())) {
            thread::yield_now();
        }
        assert_eq!(names(&sources.read()), ["a", "b"]);
        // What it had is kept.
        let _hang = Hang::on(&project);
        assert_eq!(names(&sources.read()), ["a", "b"]);
    }

    #[test]
    fn a_stuck_file_has_one_thread_and_is_read_again_when_it_answers() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "x").unwrap();
        let read = || Reading::<_, io::Error>::start(&file, |path| std::fs::read(path)).finish();
        let hang = Hang::on(&file);
        let start = Instant::now();
        assert_eq!(read().unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(start.elapsed() >= LIMIT);
        let again = Instant::now();
        assert_eq!(read().unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(again.elapsed() < LIMIT / 2, "it is not waited for a second time");
        drop(hang);
        while stuck().contains(&file) {
            thread::yield_now();
        }
        assert_eq!(read().unwrap(), b"x");
    }
}
