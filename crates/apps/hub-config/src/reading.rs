//! Reads files with a time limit: an unresponsive file system must not block the reading of other files.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, ErrorKind, Read as _},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{ProblemKind, TextPosition, syntax::Lines};

/// A reading of a text, with the reason if the file is not read.
pub(super) type TextReading = Reading<Result<Vec<u8>, ProblemKind>>;
/// The reason why a file can't be read, and the position in it.
type Unread = (ProblemKind, Option<TextPosition>);

/// A reading of a file on its own thread.
pub(crate) struct Reading<T> {
    path: Arc<PathBuf>,
    /// The error if an earlier thread is still stuck on this file, or no thread could be started.
    result: io::Result<Receiver<io::Result<T>>>,
    deadline: Instant,
}

impl<T: Send + 'static> Reading<T> {
    /// Starts to read a file, unless a thread is stuck on it already.
    pub(crate) fn start(path: &Path, read: impl FnOnce(&Path) -> io::Result<T> + Send + 'static) -> Self {
        let path = Arc::new(path.to_owned());
        let deadline = Instant::now() + LIMIT;
        let is_stuck = {
            let stuck = stuck();
            stuck.contains(&*path) || stuck.len() >= MAX_STUCK
        };
        if is_stuck {
            return Self { path, result: Err(late()), deadline };
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
        Self { path, result: thread.map(|_| receiver), deadline }
    }

    /// Waits for the result, until the time limit ([`ErrorKind::TimedOut`]).
    pub(crate) fn finish(self) -> io::Result<T> {
        let receiver = self.result?;
        match receiver.recv_timeout(self.deadline.saturating_duration_since(Instant::now())) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("it could not be read"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        // Under the lock that the thread takes at its end: it has sent its result, or it will remove this entry.
        let mut stuck = stuck();
        if let Ok(result) = receiver.try_recv() {
            return result;
        }
        stuck.insert((*self.path).clone());
        Err(late())
    }
}

fn late() -> io::Error {
    io::Error::new(ErrorKind::TimedOut, "its file system does not answer")
}

/// Reads the text of a small file without a byte order mark; returns `None` if there is no file.
pub(super) fn read_text(file: &Path, limit: u64) -> Result<Option<String>, Unread> {
    finish_text(start_text(file, limit))
}

/// Starts to read the text of a file.
pub(super) fn start_text(file: &Path, limit: u64) -> TextReading {
    Reading::start(file, move |file| bytes(file, limit))
}

/// Waits for the text of a file.
pub(super) fn finish_text(reading: TextReading) -> Result<Option<String>, Unread> {
    let bytes = match reading.finish() {
        Ok(bytes) => bytes.map_err(|kind| (kind, None))?,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) if error.kind() == ErrorKind::TimedOut => return Err((ProblemKind::Unresponsive, None)),
        Err(error) => return Err((ProblemKind::Unreadable(error.to_string()), None)),
    };
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).map(<[u8]>::to_vec).unwrap_or(bytes);
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
        (ProblemKind::NotUtf8, Some(Lines::new(&text).position(valid)))
    })
}

/// Returns whether there is no file, or no folder for it.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Reads a regular file only: opening a pipe would block until another program writes to it.
pub(crate) fn bytes(file: &Path, limit: u64) -> io::Result<Result<Vec<u8>, ProblemKind>> {
    if !fs::metadata(file)?.is_file() {
        return Ok(Err(ProblemKind::NotAFile));
    }
    let mut bytes = Vec::new();
    File::open(file)?.take(limit + 1).read_to_end(&mut bytes)?;
    Ok(if bytes.len() as u64 > limit { Err(ProblemKind::TooLarge { limit }) } else { Ok(bytes) })
}

/// Makes a file unresponsive while the guard lives, for tests.
#[doc(hidden)]
pub fn unresponsive(file: &Path) -> impl Drop + Send {
    let file = Arc::new(file.to_owned());
    stuck().insert((*file).clone());
    Ended(file)
}

/// Removes the entry of a stuck thread when that thread ends.
struct Ended(Arc<PathBuf>);

impl Drop for Ended {
    fn drop(&mut self) {
        stuck().remove(&*self.0);
    }
}

fn stuck() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    STUCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Files with a thread that did not end in time. No second thread is started for such a file.
static STUCK: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// The limit of stuck threads; no other file is read beyond it.
const MAX_STUCK: usize = 64;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// The time limit of a reading.
const LIMIT: Duration = Duration::from_secs(2);

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Condvar;

    use super::*;
    use crate::{Configuration, ProblemKind, Sources};

    static HELD: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    static RELEASED: Condvar = Condvar::new();

    /// Makes reads of a file block until this is dropped.
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
    fn an_unresponsive_file_does_not_delay_others() {
        let folder = tempfile::tempdir().unwrap();
        let server = |name: &str| format!("{{\"servers\": {{\"{name}\": {{\"command\": \"x\"}}}}}}");
        let (project, global) = (folder.path().join(".mcp.json"), folder.path().join("user.json"));
        fs::write(&project, server("a")).unwrap();
        fs::write(&global, server("b")).unwrap();
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
        // Its last servers are kept.
        let _hang = Hang::on(&project);
        assert_eq!(names(&sources.read()), ["a", "b"]);
    }

    #[test]
    fn an_unresponsive_project_folder_does_not_delay_the_files_of_the_user() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let servers = |name: &str| format!(r#""mcpServers": {{"{name}": {{"command": "x"}}}}"#);
        let text = format!(r#"{{"projects": {{{root:?}: {{{}}}}}, {}}}"#, servers("local"), servers("user"));
        fs::write(root.join(".claude.json"), text).unwrap();
        let mut sources = Sources::new().project(&root).global(root.join(".claude.json"));
        let mut names =
            || -> Vec<_> { sources.read().servers.iter().map(|server| server.name.to_string()).collect() };
        let start = Instant::now();
        let hang = Hang::on(&root);
        assert_eq!(names(), ["user"]);
        assert!(start.elapsed() < LIMIT * 2);
        drop(hang);
        while stuck().contains(&root) {
            thread::yield_now();
        }
        assert_eq!(names(), ["local", "user"]);
        // The key is kept, so its servers are not ended.
        let _hang = Hang::on(&root);
        assert_eq!(names(), ["local", "user"]);
    }

    #[test]
    fn file_without_a_thread_is_reported_with_the_cause() {
        let result = Err(io::Error::other("no more threads"));
        let reading = Reading { path: Arc::default(), result, deadline: Instant::now() };
        let unreadable = ProblemKind::Unreadable("no more threads".to_owned());
        assert_eq!(finish_text(reading), Err((unreadable, None)));
    }

    #[test]
    fn a_stuck_file_has_one_thread_and_is_read_again_when_it_answers() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "x").unwrap();
        let read = || Reading::start(&file, |path| fs::read(path)).finish();
        let hang = Hang::on(&file);
        let start = Instant::now();
        assert_eq!(read().unwrap_err().kind(), ErrorKind::TimedOut);
        assert!(start.elapsed() >= LIMIT);
        let again = Instant::now();
        assert_eq!(read().unwrap_err().kind(), ErrorKind::TimedOut);
        assert!(again.elapsed() < LIMIT / 2, "it is not waited for a second time");
        drop(hang);
        while stuck().contains(&file) {
            thread::yield_now();
        }
        assert_eq!(read().unwrap(), b"x");
    }
}
