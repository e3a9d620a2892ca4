//! A file for tokens that only its owner may read.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    iter,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    time::Duration,
};

use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::{StoreError, StoreFuture, TokenLock, TokenStore};

/// A JSON file with tokens by server URL.
///
/// The file is created with mode 0600 and replaced atomically. A file that other users can read is refused.
/// Several processes may share it: two empty files beside it, `….lock` and `….refresh`, serve as locks.
/// If the path is a link, its target is the file. The target's folder must exist.
#[derive(Clone, Debug)]
pub struct TokenFile {
    path: PathBuf,
}

impl TokenFile {
    /// Creates a store for a file that need not exist. Saving creates its folder.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Changes the content of the file under the lock.
    fn change(
        &self,
        change: impl FnOnce(&mut Entries) + Send + 'static,
    ) -> impl Future<Output = Result<(), StoreError>> + Send + 'static {
        let path = self.path.clone();
        async move {
            let path = target(path).await?;
            let turn = turn(&path, "lock").await?;
            blocking(move || {
                let _turn = turn;
                let mut entries = read(&path)?;
                change(&mut entries);
                write(&path, &entries)
            })
            .await
        }
    }
}

type Entries = BTreeMap<String, Value>;

impl TokenStore for TokenFile {
    fn load<'a>(&'a self, server: &'a str) -> StoreFuture<'a, Option<String>> {
        let (path, server) = (self.path.clone(), server.to_owned());
        Box::pin(blocking(move || Ok(read(&path)?.get(&server).map(Value::to_string))))
    }

    fn save<'a>(&'a self, server: &'a str, secret: &'a str) -> StoreFuture<'a, ()> {
        let server = server.to_owned();
        let secret = serde_json::from_str(secret);
        Box::pin(async move {
            let secret: Value = secret?;
            self.change(move |entries| drop(entries.insert(server, secret))).await
        })
    }

    fn remove<'a>(&'a self, server: &'a str) -> StoreFuture<'a, ()> {
        let server = server.to_owned();
        Box::pin(self.change(move |entries| drop(entries.remove(&server))))
    }

    fn lock<'a>(&'a self, _: &'a str) -> StoreFuture<'a, TokenLock> {
        let path = self.path.clone();
        Box::pin(async move { Ok(TokenLock::new(turn(&target(path).await?, "refresh").await?)) })
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, StoreError> {
    Ok(tokio::task::spawn_blocking(work).await??)
}

fn read(path: &Path) -> io::Result<Entries> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Entries::new()),
        Err(error) => return Err(file_error(path, &format!("cannot be read: {error}"))),
    };
    check_private(path, &file)?;
    let mut text = String::new();
    let read = file.take(LARGEST + 1).read_to_string(&mut text);
    read.map_err(|error| file_error(path, &format!("cannot be read: {error}")))?;
    if text.len() as u64 > LARGEST {
        return Err(file_error(path, "is larger than any such file"));
    }
    // Omit the parser's error: it may quote the content.
    serde_json::from_str(&text).map_err(|_| file_error(path, "is broken: remove it, and authorize again"))
}

/// Replaces the file atomically.
fn write(path: &Path, entries: &Entries) -> io::Result<()> {
    let text = serde_json::to_vec_pretty(entries)?;
    let replace = || -> io::Result<()> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        // Its mode is 0600.
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&text)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        // The file is replaced even if its folder can't be synced.
        _ = File::open(folder).and_then(|folder| folder.sync_all());
        Ok(())
    };
    replace().map_err(|error| file_error(path, &format!("cannot be written: {error}")))
}

/// Returns the file to lock and to replace: the target, if the path is a link. Creates the folder unless the path is a
/// link: the link's target may be on an encrypted volume that is not mounted yet.
async fn target(path: PathBuf) -> Result<PathBuf, StoreError> {
    blocking(move || {
        let next = |path: &PathBuf| Some(path.parent()?.join(fs::read_link(path).ok()?));
        let target = iter::successors(Some(path.clone()), next).take(LINKS + 1).last().unwrap_or_default();
        if let Some(folder) = target.parent().filter(|_| target == path) {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        Ok(target)
    })
    .await
}

/// Waits for a lock beside the file, which is held until the returned file is closed.
async fn turn(path: &Path, ending: &str) -> Result<File, StoreError> {
    let lock = beside(path, ending);
    let opened = lock.clone();
    let file = blocking(move || {
        let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&opened);
        file.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", opened.display())))
    })
    .await?;
    let started = Instant::now();
    // A blocking call could not be cancelled: the runtime would wait for it at shutdown.
    while let Err(error) = flock(&file, FlockOperation::NonBlockingLockExclusive) {
        match error {
            Errno::WOULDBLOCK if started.elapsed() < LOCKED => sleep(RETRY).await,
            Errno::WOULDBLOCK => {
                return Err(format!("another process holds the lock {}", lock.display()).into());
            }
            Errno::INTR => {}
            error => return Err(error.into()),
        }
    }
    Ok(file)
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

fn check_private(path: &Path, file: &File) -> io::Result<()> {
    let mode = file.metadata()?.permissions().mode();
    if mode & 0o077 != 0 {
        let why = format!("can be read by others (mode {:o}): it needs mode 600", mode & 0o777);
        return Err(file_error(path, &why));
    }
    Ok(())
}

fn file_error(path: &Path, why: &str) -> io::Error {
    io::Error::other(format!("the file of tokens {} {why}", path.display()))
}

const LARGEST: u64 = 4 * 1024 * 1024;
/// How long to wait for a lock. Renewals for other servers, of up to 30 seconds each, may come first.
const LOCKED: Duration = Duration::from_secs(300);
const RETRY: Duration = Duration::from_millis(20);
/// The most links in a row that are followed, as on Linux.
const LINKS: usize = 40;

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::unix::fs::{PermissionsExt as _, symlink},
    };

    use super::{TokenFile, TokenStore};

    #[tokio::test]
    async fn saved_tokens_are_loaded_and_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/tokens.json");
        let file = TokenFile::new(&path);
        assert_eq!(file.load("https://a/").await.unwrap(), None);
        file.save("https://a/", r#"{"x":1}"#).await.unwrap();
        file.save("https://b/", r#"{"x":2}"#).await.unwrap();
        file.save("https://a/", r#"{"x":3}"#).await.unwrap();
        let again = TokenFile::new(&path);
        assert_eq!(again.load("https://a/").await.unwrap().as_deref(), Some(r#"{"x":3}"#));
        again.remove("https://a/").await.unwrap();
        assert_eq!(file.load("https://a/").await.unwrap(), None);
        assert_eq!(file.load("https://b/").await.unwrap().as_deref(), Some(r#"{"x":2}"#));
        let mut names: Vec<_> =
            fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["tokens.json", "tokens.json.lock"], "nothing else is left");
    }

    #[tokio::test]
    async fn file_readable_by_others_is_neither_read_nor_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let file = TokenFile::new(&path);
        file.save("https://a/", "1").await.unwrap();
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(), 0o600);
        for open in [0o640, 0o604, 0o620] {
            fs::set_permissions(&path, fs::Permissions::from_mode(open)).unwrap();
            let why = file.load("https://a/").await.unwrap_err().to_string();
            let path = path.display();
            assert_eq!(
                why,
                format!("the file of tokens {path} can be read by others (mode {open:o}): it needs mode 600")
            );
            file.save("https://a/", "2").await.unwrap_err();
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(file.load("https://a/").await.unwrap().as_deref(), Some("1"));
    }

    #[tokio::test]
    async fn target_of_a_link_is_replaced_and_the_link_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (path, volume) = (folder.path().join("tokens.json"), folder.path().join("volume"));
        symlink("volume/tokens.json", &path).unwrap();
        let file = TokenFile::new(&path);
        file.save("https://a/", "1").await.unwrap_err();
        assert!(path.is_symlink(), "nothing is written beside a volume that is missing");
        fs::create_dir(&volume).unwrap();
        file.save("https://a/", "2").await.unwrap();
        assert!(path.is_symlink());
        let target = TokenFile::new(volume.join("tokens.json"));
        assert_eq!(target.load("https://a/").await.unwrap().as_deref(), Some("2"));
    }

    #[tokio::test(start_paused = true)]
    async fn link_and_target_have_the_same_locks() {
        let folder = tempfile::tempdir().unwrap();
        let (link, path) = (folder.path().join("link.json"), folder.path().join("tokens.json"));
        symlink(&path, &link).unwrap();
        let by_link = TokenFile::new(&link);
        by_link.save("https://a/", "1").await.unwrap();
        let _held = by_link.lock("https://a/").await.unwrap();
        let why = TokenFile::new(&path).lock("https://a/").await.err().unwrap().to_string();
        assert!(why.ends_with("tokens.json.refresh"), "{why}");
        let mut names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["link.json", "tokens.json", "tokens.json.lock", "tokens.json.refresh"]);
    }

    #[tokio::test]
    async fn link_to_itself_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        symlink("tokens.json", &path).unwrap();
        TokenFile::new(&path).save("https://a/", "1").await.unwrap_err();
        assert!(path.is_symlink());
    }

    #[tokio::test]
    async fn broken_file_is_reported_without_its_text_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let file = TokenFile::new(&path);
        file.save("https://a/", "1").await.unwrap();
        fs::write(&path, "secret").unwrap();
        let why = file.load("https://a/").await.unwrap_err().to_string();
        let expected =
            format!("the file of tokens {} is broken: remove it, and authorize again", path.display());
        assert_eq!(why, expected);
        file.save("https://a/", "2").await.unwrap_err();
        assert_eq!(fs::read_to_string(&path).unwrap(), "secret");
    }

    #[tokio::test]
    async fn concurrent_writers_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let saves = (0..20).map(|n| {
            let file = TokenFile::new(&path);
            tokio::spawn(async move { file.save(&format!("https://{n}/"), "1").await.unwrap() })
        });
        for save in saves.collect::<Vec<_>>() {
            save.await.unwrap();
        }
        for n in 0..20 {
            let entries = TokenFile::new(&path).load(&format!("https://{n}/")).await.unwrap();
            assert_eq!(entries.as_deref(), Some("1"));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn lock_blocks_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let held = TokenFile::new(&path).lock("https://a/").await.unwrap();
        let other = TokenFile::new(&path);
        let mut waiting = tokio::spawn(async move { other.lock("https://a/").await.map(drop).unwrap() });
        tokio::time::timeout(std::time::Duration::from_secs(1), &mut waiting).await.unwrap_err();
        // A save takes another lock.
        TokenFile::new(&path).save("https://a/", "1").await.unwrap();
        drop(held);
        waiting.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn lock_of_a_stopped_process_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = TokenFile::new(folder.path().join("tokens.json"));
        let _held = file.lock("https://a/").await.unwrap();
        let why = file.lock("https://a/").await.err().unwrap().to_string();
        assert!(why.starts_with("another process holds the lock ") && why.ends_with("tokens.json.refresh"));
    }
}
