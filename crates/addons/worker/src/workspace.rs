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

use crate::{
    secrets::{NAME, is_name},
    turn::SessionName,
};

/// The files of sessions: a working directory on this machine, and revisions that any worker can check out.
///
/// A worker makes one call at a time for each session. While a process of the session lives, it calls only
/// [`snapshot`](Self::snapshot), after a turn.
pub trait Workspace: Send + Sync {
    /// Returns the working directory of a session, with the files of this revision, or of the newest one.
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
        let names = [("tenant", &*session.tenant), ("session id", session.session.as_str())];
        if let Some((part, name)) = names.into_iter().find(|(_, name)| !is_name(name)) {
            return Err(format!("the {part} `{name}` {NAME}").into());
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
/// Working directories are clones in a folder of this machine; a snapshot commits all files that git does not ignore, and
/// pushes the commit. Files that can't be committed stay in the folder. Of a repository within the folder, git stores
/// only a link to its commit.
///
/// Git obeys the configuration of the folder and of repositories within it, such as filters of `.git/config`: a tool that can
/// write there can run commands with the rights of the worker. Where tools have fewer rights, as in a sandbox, deny them
/// the name `.git` in all folders.
///
/// The program `git` must be installed. Each of its commands may take ten minutes.
#[derive(Clone, Debug)]
pub struct GitWorkspace {
    folders: FolderWorkspace,
    repository: String,
}

impl GitWorkspace {
    /// Returns a workspace of this repository, a URL or a path, with working directories in `root`.
    ///
    /// A session without a ref starts with the repository's default branch.
    /// A password or token in the URL is stored in `.git/config` of each folder, where tools can read it: use a credential
    /// helper or a key of ssh instead.
    pub fn new(repository: impl Into<String>, root: impl Into<PathBuf>) -> Self {
        Self { folders: FolderWorkspace::new(root), repository: repository.into() }
    }

    /// Clones the repository to a folder, which must be empty.
    async fn clone_to(&self, folder: &Path) -> Result<(), Box<dyn Error + Send + Sync>> {
        // A killed clone leaves an incomplete repository, so the clone is made beside the folder. No session has a name
        // that starts with a dot.
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
                // A killed command leaves its lock, and no command runs now.
                remove(fs::remove_file(folder.join(lock)).await)?;
            }
            let known = git(&folder, &["ls-remote", "origin", &reference]).await?;
            if !known.is_empty() {
                // A submodule that can't be fetched must not prevent the checkout of other files.
                let of_session = format!("+{reference}:{reference}");
                git(&folder, &["fetch", "--quiet", "--no-recurse-submodules", "origin", &of_session]).await?;
            }
            // A snapshot that could not be pushed continues the newest revision.
            let is_ahead = git(&folder, &["merge-base", "--is-ancestor", &reference, "HEAD"]).await.is_ok();
            let newest = if known.is_empty() || is_ahead { "HEAD" } else { &reference };
            let commit = format!("{}^{{commit}}", revision.unwrap_or(newest));
            let commit = git(&folder, &["rev-parse", "--verify", "--end-of-options", &commit]).await?;
            // A tool may have put a link here.
            let is_stored = match fs::symlink_metadata(folder.join(UNSTORED)).await {
                Ok(_) => false,
                Err(error) if error.kind() == io::ErrorKind::NotFound => true,
                Err(error) => return Err(error.into()),
            };
            if is_stored || commit != git(&folder, &["rev-parse", "HEAD"]).await? {
                git(&folder, &["checkout", "--quiet", "--force", "--detach", &commit]).await?;
                // Files of a turn that was cut belong to no revision.
                git(&folder, &["clean", "--quiet", "-ffd"]).await?;
            }
            // The snapshot tries again: the turn may free a full disk.
            let _ = mark(&folder.join(RUNNING)).await;
            Ok(folder)
        })
    }

    fn snapshot<'a>(&'a self, session: &'a SessionName) -> WorkspaceFuture<'a, Option<String>> {
        Box::pin(async move {
            let folder = self.folders.folder(session).await?;
            // A disk may be full by now; a rename needs no room.
            if fs::rename(folder.join(RUNNING), folder.join(UNSTORED)).await.is_err() {
                mark(&folder.join(UNSTORED)).await?;
            }
            // A file that can't be added must not keep the others out of the revision.
            let added = git(&folder, &["add", "--all", "--ignore-errors"]).await;
            if !git(&folder, &["diff", "--cached", "--name-only"]).await?.is_empty() {
                git(&folder, &["commit", "--quiet", "--no-verify", "--no-gpg-sign", "-m", "Turn"]).await?;
            }
            if added.is_ok() {
                fs::rename(folder.join(UNSTORED), folder.join(RUNNING)).await?;
            }
            git(&folder, &["push", "--quiet", "--force", "origin", &format!("HEAD:{}", reference(session))])
                .await?;
            added?;
            Ok(Some(git(&folder, &["rev-parse", "HEAD"]).await?))
        })
    }
}

/// Marks a folder with files of an ended turn that are not committed. Checkouts of the same commit keep them.
const UNSTORED: &str = ".git/agentwire-unstored";
/// The file that becomes [`UNSTORED`] at the end of a turn.
const RUNNING: &str = ".git/agentwire-running";

/// Creates an empty file. Anything in its place remains and is a mark too: a full disk may have no room for a new file.
async fn mark(file: &Path) -> io::Result<()> {
    match fs::OpenOptions::new().write(true).create_new(true).open(file).await {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Returns success if the file or folder is gone.
fn remove(removed: io::Result<()>) -> io::Result<()> {
    removed.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

fn reference(session: &SessionName) -> String {
    format!("refs/agentwire/{session}")
}

/// Runs git in a folder, and returns its output. Hooks do not run; other commands in the configuration of the folder do.
async fn git(folder: &Path, arguments: &[&str]) -> Result<String, Box<dyn Error + Send + Sync>> {
    let output = command(folder, arguments).output();
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

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(folder)
        .args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"])
        .args(["-c", "user.name=agentwire", "-c", "user.email=agentwire@localhost"])
        .args(arguments)
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    // If a git hook has started the worker, these variables name the repository of the hook.
    for name in ["DIR", "WORK_TREE", "COMMON_DIR", "INDEX_FILE", "OBJECT_DIRECTORY"] {
        command.env_remove(format!("GIT_{name}"));
    }
    command
}

/// How long a command of git may take. Without a limit, a server that does not answer would hold the turn forever.
const LIMIT: Duration = Duration::from_secs(600);

#[cfg(test)]
mod tests;
