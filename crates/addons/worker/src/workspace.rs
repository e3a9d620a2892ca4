//! The files of sessions.

use std::{
    error::Error,
    io,
    path::{Path, PathBuf},
    pin::Pin,
    process::Stdio,
    time::Duration,
};

use tokio::{fs, process::Command, time::timeout};

use crate::{secrets::is_name, turn::SessionName};

/// The files of sessions: a working folder on this machine, and revisions that any worker can check out.
///
/// A worker calls it for one session at a time, and never while a process of the session lives, but for
/// [`snapshot`](Self::snapshot) after a turn.
pub trait Workspace: Send + Sync {
    /// Returns the working folder of a session, with the files of this revision, or of the newest one.
    ///
    /// # Errors
    ///
    /// If the folder can't be created, or the revision is unknown.
    fn checkout<'a>(
        &'a self,
        session: &'a SessionName,
        revision: Option<&'a str>,
    ) -> WorkspaceFuture<'a, PathBuf>;

    /// Stores the files, and returns their revision; `None` if the workspace has no revisions.
    ///
    /// # Errors
    ///
    /// If the files can't be stored.
    fn snapshot<'a>(&'a self, session: &'a SessionName) -> WorkspaceFuture<'a, Option<String>>;
}

/// The future of a [`Workspace`].
pub type WorkspaceFuture<'a, T> =
    Pin<Box<dyn Future<Output = Result<T, Box<dyn Error + Send + Sync>>> + Send + 'a>>;

/// Folders without revisions, `ROOT/TENANT/SESSION`. Workers on several machines need a shared file system.
#[derive(Clone, Debug)]
pub struct FolderWorkspace {
    root: PathBuf,
}

impl FolderWorkspace {
    /// Returns a workspace in this folder.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    async fn folder(&self, session: &SessionName) -> Result<PathBuf, Box<dyn Error + Send + Sync>> {
        if !is_name(&session.tenant) || !is_name(&session.session) {
            return Err(format!("`{session}` is not the name of a session").into());
        }
        let folder = self.root.join(&*session.tenant).join(&*session.session);
        fs::create_dir_all(&folder)
            .await
            .map_err(|error| format!("can't create {}: {error}", folder.display()))?;
        Ok(folder)
    }
}

impl Workspace for FolderWorkspace {
    fn checkout<'a>(
        &'a self,
        session: &'a SessionName,
        revision: Option<&'a str>,
    ) -> WorkspaceFuture<'a, PathBuf> {
        Box::pin(async move {
            match revision {
                Some(revision) => Err(format!("a folder has no revision `{revision}`").into()),
                None => self.folder(session).await,
            }
        })
    }

    fn snapshot<'a>(&'a self, _session: &'a SessionName) -> WorkspaceFuture<'a, Option<String>> {
        Box::pin(async { Ok(None) })
    }
}

/// A git repository with a ref for each session, `refs/agentwire/TENANT/SESSION`.
///
/// Working folders are clones in a folder of this machine; a snapshot commits all files that git does not ignore, and
/// pushes the commit. Files that can't be committed stay in the folder. Of a repository within the folder, git stores
/// only a link to its commit.
///
/// Git obeys the configuration of the folder, such as filters of `.git/config`: a tool that can write there can run commands
/// with the rights of the worker. Where tools have fewer rights, as in a sandbox, deny them the folder `.git`.
///
/// The program `git` must be installed. Each of its commands may take ten minutes.
#[derive(Clone, Debug)]
pub struct GitWorkspace {
    folders: FolderWorkspace,
    repository: String,
}

impl GitWorkspace {
    /// Returns a workspace of this repository, a URL or a path, with working folders in `root`.
    ///
    /// A session without a ref starts with the repository's default branch.
    pub fn new(repository: impl Into<String>, root: impl Into<PathBuf>) -> Self {
        Self { folders: FolderWorkspace::new(root), repository: repository.into() }
    }

    /// Clones the repository to a folder, which must be empty.
    async fn clone_to(&self, folder: &Path) -> Result<(), Box<dyn Error + Send + Sync>> {
        // A clone that was killed is no repository. No session has a name that starts with a dot.
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let clone = folder.with_file_name(format!(".{name}.clone"));
        remove(fs::remove_dir_all(&clone).await)?;
        fs::create_dir(&clone).await?;
        git(&clone, &["clone", "--quiet", "--", &self.repository, "."]).await?;
        fs::remove_dir(folder)
            .await
            .map_err(|error| format!("{} is not empty: {error}", folder.display()))?;
        fs::rename(clone, folder).await?;
        Ok(())
    }
}

impl Workspace for GitWorkspace {
    fn checkout<'a>(
        &'a self,
        session: &'a SessionName,
        revision: Option<&'a str>,
    ) -> WorkspaceFuture<'a, PathBuf> {
        Box::pin(async move {
            // Git refuses such a ref only at the push, after the turn.
            if session.tenant.contains("..") || session.tenant.ends_with(".lock") {
                return Err(format!("the tenant `{}` can't be part of a git ref", session.tenant).into());
            }
            let folder = self.folders.folder(session).await?;
            if !fs::try_exists(folder.join(".git")).await? {
                self.clone_to(&folder).await?;
            }
            let reference = reference(session);
            for lock in ["index", "HEAD", "packed-refs", &reference].map(|name| format!(".git/{name}.lock")) {
                // A command that was killed leaves its lock, and none runs now.
                remove(fs::remove_file(folder.join(lock)).await)?;
            }
            let known = git(&folder, &["ls-remote", "origin", &reference]).await?;
            if !known.is_empty() {
                git(&folder, &["fetch", "--quiet", "origin", &format!("+{reference}:{reference}")]).await?;
            }
            // A snapshot that could not be pushed continues the newest revision.
            let is_ahead = git(&folder, &["merge-base", "--is-ancestor", &reference, "HEAD"]).await.is_ok();
            let newest = if known.is_empty() || is_ahead { "HEAD" } else { &reference };
            let commit = format!("{}^{{commit}}", revision.unwrap_or(newest));
            let commit = git(&folder, &["rev-parse", "--verify", "--end-of-options", &commit]).await?;
            let is_stored = !fs::try_exists(folder.join(UNSTORED)).await?;
            if is_stored || commit != git(&folder, &["rev-parse", "HEAD"]).await? {
                git(&folder, &["checkout", "--quiet", "--force", "--detach", &commit]).await?;
                // Files of a turn that was cut belong to no revision.
                git(&folder, &["clean", "--quiet", "-ffd"]).await?;
            }
            Ok(folder)
        })
    }

    fn snapshot<'a>(&'a self, session: &'a SessionName) -> WorkspaceFuture<'a, Option<String>> {
        Box::pin(async move {
            let folder = self.folders.folder(session).await?;
            // A tool may have put a link here.
            remove(fs::remove_file(folder.join(UNSTORED)).await)?;
            fs::OpenOptions::new().write(true).create_new(true).open(folder.join(UNSTORED)).await?;
            // What can't be added must not keep the other files from a revision.
            let added = git(&folder, &["add", "--all", "--ignore-errors"]).await;
            if !git(&folder, &["diff", "--cached", "--name-only"]).await?.is_empty() {
                git(&folder, &["commit", "--quiet", "--no-verify", "--no-gpg-sign", "-m", "Turn"]).await?;
            }
            if added.is_ok() {
                remove(fs::remove_file(folder.join(UNSTORED)).await)?;
            }
            git(&folder, &["push", "--quiet", "--force", "origin", &format!("HEAD:{}", reference(session))])
                .await?;
            added?;
            Ok(Some(git(&folder, &["rev-parse", "HEAD"]).await?))
        })
    }
}

/// Marks a folder with files of a turn that are not committed. Checkouts of the same commit keep them.
const UNSTORED: &str = ".git/agentwire-unstored";

/// Returns success if the file or folder is gone.
fn remove(removed: io::Result<()>) -> io::Result<()> {
    removed.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

fn reference(session: &SessionName) -> String {
    format!("refs/agentwire/{session}")
}

/// Runs git in a folder, and returns its output. Hooks do not run; other commands in the configuration of the folder do.
async fn git(folder: &Path, arguments: &[&str]) -> Result<String, Box<dyn Error + Send + Sync>> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"])
        .args(["-c", "user.name=agentwire", "-c", "user.email=agentwire@localhost"])
        .args(arguments)
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let command = arguments.iter().find(|argument| !argument.starts_with('-')).unwrap_or(&"");
    let output = timeout(LIMIT, output)
        .await
        .map_err(|_| format!("git {command}: not finished after {LIMIT:?}"))?
        .map_err(|error| format!("can't run git: {error}"))?;
    if !output.status.success() {
        return Err(format!("git {command}: {}", String::from_utf8_lossy(&output.stderr).trim()).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// How long a command of git may take. Without a limit, a server that does not answer would hold the turn forever.
const LIMIT: Duration = Duration::from_secs(600);

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> SessionName {
        SessionName::new("tenant", "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11")
    }

    #[tokio::test]
    async fn name_that_leaves_the_root_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let folders = FolderWorkspace::new(root.path());
        for (tenant, id) in [("..", "a"), ("a/b", "a"), ("a", "../b"), ("", "a")] {
            assert!(folders.checkout(&SessionName::new(tenant, id), None).await.is_err(), "{tenant}/{id}");
        }
        assert!(folders.checkout(&session(), None).await.unwrap().starts_with(root.path()));
    }

    #[tokio::test]
    async fn files_reach_another_machine_through_git() {
        let root = tempfile::tempdir().unwrap();
        let repository = root.path().join("repository.git");
        std::fs::create_dir(&repository).unwrap();
        git(&repository, &["init", "--quiet", "--bare"]).await.unwrap();
        let seed = GitWorkspace::new(repository.display().to_string(), root.path().join("seed"));
        let folder = seed.folders.folder(&session()).await.unwrap();
        git(&folder, &["init", "--quiet"]).await.unwrap();
        git(&folder, &["remote", "add", "origin", &repository.display().to_string()]).await.unwrap();
        std::fs::write(folder.join("a.txt"), "one").unwrap();
        let first = seed.snapshot(&session()).await.unwrap().unwrap();
        std::fs::write(folder.join("a.txt"), "two").unwrap();
        let second = seed.snapshot(&session()).await.unwrap().unwrap();
        assert_ne!(first, second);

        let other = GitWorkspace::new(repository.display().to_string(), root.path().join("other"));
        let folder = other.checkout(&session(), None).await.unwrap();
        assert_eq!(std::fs::read_to_string(folder.join("a.txt")).unwrap(), "two");
        std::fs::write(folder.join("half.txt"), "of a turn that crashed").unwrap();
        let folder = other.checkout(&session(), Some(&first)).await.unwrap();
        assert_eq!(std::fs::read_to_string(folder.join("a.txt")).unwrap(), "one");
        assert!(!folder.join("half.txt").exists());
        assert!(other.checkout(&session(), Some("--help")).await.is_err());

        let away = root.path().join("away.git");
        std::fs::rename(&repository, &away).unwrap();
        let folder = seed.folders.folder(&session()).await.unwrap();
        std::fs::write(folder.join("a.txt"), "three").unwrap();
        assert!(seed.snapshot(&session()).await.is_err(), "there is no repository to push to");
        std::fs::rename(&away, &repository).unwrap();
        let folder = seed.checkout(&session(), None).await.unwrap();
        assert_eq!(std::fs::read_to_string(folder.join("a.txt")).unwrap(), "three", "the snapshot is kept");
    }

    /// Returns a repository with one file, and a workspace of it whose session has a working folder.
    async fn cloned(root: &Path) -> (GitWorkspace, PathBuf) {
        let repository = root.join("repository");
        std::fs::create_dir(&repository).unwrap();
        commit(&repository).await;
        let workspace = GitWorkspace::new(repository.display().to_string(), root.join("folders"));
        let folder = workspace.checkout(&session(), None).await.unwrap();
        (workspace, folder)
    }

    /// Creates a repository with one file.
    async fn commit(folder: &Path) {
        git(folder, &["init", "--quiet"]).await.unwrap();
        std::fs::write(folder.join("seed.txt"), "seed").unwrap();
        git(folder, &["add", "--all"]).await.unwrap();
        git(folder, &["commit", "--quiet", "-m", "Seed"]).await.unwrap();
    }

    #[tokio::test]
    async fn tenant_that_git_does_not_take_is_refused_before_the_turn() {
        let root = tempfile::tempdir().unwrap();
        let (workspace, _) = cloned(root.path()).await;
        for tenant in ["acme..eu", "acme.lock"] {
            let session = SessionName::new(tenant, session().session);
            let error = workspace.checkout(&session, None).await.unwrap_err().to_string();
            assert!(error.contains(tenant), "{error}");
        }
    }

    #[tokio::test]
    async fn failed_commit_is_named() {
        let root = tempfile::tempdir().unwrap();
        let (workspace, folder) = cloned(root.path()).await;
        std::fs::write(folder.join("a.txt"), "one").unwrap();
        std::fs::write(folder.join(".git/HEAD.lock"), "").unwrap();
        let error = workspace.snapshot(&session()).await.unwrap_err().to_string();
        assert!(error.starts_with("git commit: "), "{error}");
    }

    #[tokio::test]
    async fn files_that_cannot_be_committed_stay() {
        let root = tempfile::tempdir().unwrap();
        let (workspace, folder) = cloned(root.path()).await;
        let nested = folder.join("nested");
        std::fs::create_dir(&nested).unwrap();
        git(&nested, &["init", "--quiet"]).await.unwrap();
        std::fs::write(nested.join("inner.txt"), "inner").unwrap();
        std::fs::write(folder.join("outer.txt"), "outer").unwrap();
        let error = workspace.snapshot(&session()).await.unwrap_err().to_string();
        assert!(error.contains("nested"), "{error}");
        workspace.checkout(&session(), None).await.unwrap();
        assert!(nested.join("inner.txt").exists() && folder.join("outer.txt").exists());

        let other = GitWorkspace::new(workspace.repository.as_str(), root.path().join("other"));
        let elsewhere = other.checkout(&session(), None).await.unwrap();
        assert!(elsewhere.join("outer.txt").exists(), "other files are in the revision");

        commit(&nested).await;
        assert!(workspace.snapshot(&session()).await.unwrap().is_some());
        std::fs::write(nested.join("inner.txt"), "changed").unwrap();
        assert!(workspace.snapshot(&session()).await.unwrap().is_some(), "the link has not changed");
        std::fs::write(folder.join("half.txt"), "of a turn that crashed").unwrap();
        workspace.checkout(&session(), None).await.unwrap();
        assert!(nested.join("inner.txt").exists() && !folder.join("half.txt").exists());
    }

    #[tokio::test]
    async fn killed_commands_leave_a_usable_folder() {
        let root = tempfile::tempdir().unwrap();
        let half = root.path().join("folders/tenant").join(format!(".{}.clone", session().session));
        std::fs::create_dir_all(half.join(".git")).unwrap();
        let (workspace, folder) = cloned(root.path()).await;
        assert!(folder.join("seed.txt").exists() && !half.exists());
        workspace.snapshot(&session()).await.unwrap();
        let own = folder.join(".git").join(format!("{}.lock", reference(&session())));
        for lock in [folder.join(".git/index.lock"), folder.join(".git/HEAD.lock"), own] {
            std::fs::create_dir_all(lock.parent().unwrap()).unwrap();
            std::fs::write(lock, "").unwrap();
        }
        std::fs::remove_file(folder.join("seed.txt")).unwrap();
        workspace.checkout(&session(), None).await.unwrap();
        assert!(folder.join("seed.txt").exists());
        let error = workspace.checkout(&session(), Some("missing")).await.unwrap_err().to_string();
        assert!(error.starts_with("git rev-parse: fatal"), "{error}");
    }

    #[tokio::test(start_paused = true)]
    async fn command_that_hangs_is_given_up() {
        let root = tempfile::tempdir().unwrap();
        let hang = ["-c", "protocol.ext.allow=always", "ls-remote", "ext::sleep 5"];
        let error = git(root.path(), &hang).await.unwrap_err().to_string();
        assert!(error.ends_with("not finished after 600s"), "{error}");
    }
}
