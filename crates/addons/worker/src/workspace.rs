//! The files of sessions.

use std::{
    error::Error,
    path::{Path, PathBuf},
    pin::Pin,
    process::Stdio,
};

use tokio::process::Command;

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
        tokio::fs::create_dir_all(&folder)
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
/// pushes the commit. The program `git` must be installed.
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
}

impl Workspace for GitWorkspace {
    fn checkout<'a>(
        &'a self,
        session: &'a SessionName,
        revision: Option<&'a str>,
    ) -> WorkspaceFuture<'a, PathBuf> {
        Box::pin(async move {
            let folder = self.folders.folder(session).await?;
            if !tokio::fs::try_exists(folder.join(".git")).await? {
                git(&folder, &["clone", "--quiet", "--", &self.repository, "."]).await?;
            }
            let reference = reference(session);
            let known = git(&folder, &["ls-remote", "origin", &reference]).await?;
            if !known.is_empty() {
                git(&folder, &["fetch", "--quiet", "origin", &format!("+{reference}:{reference}")]).await?;
            }
            // A snapshot that could not be pushed continues the newest revision.
            let is_ahead = git(&folder, &["merge-base", "--is-ancestor", &reference, "HEAD"]).await.is_ok();
            let newest = if known.is_empty() || is_ahead { "HEAD" } else { &reference };
            let commit = format!("{}^{{commit}}", revision.unwrap_or(newest));
            let commit =
                git(&folder, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]).await?;
            git(&folder, &["checkout", "--quiet", "--force", "--detach", &commit]).await?;
            // Files of a turn that was not stored belong to no revision.
            git(&folder, &["clean", "--quiet", "-ffd"]).await?;
            Ok(folder)
        })
    }

    fn snapshot<'a>(&'a self, session: &'a SessionName) -> WorkspaceFuture<'a, Option<String>> {
        Box::pin(async move {
            let folder = self.folders.folder(session).await?;
            git(&folder, &["add", "--all"]).await?;
            if !git(&folder, &["status", "--porcelain"]).await?.is_empty() {
                let author = ["-c", "user.name=agentwire", "-c", "user.email=agentwire@localhost"];
                let commit = ["commit", "--quiet", "--no-verify", "--no-gpg-sign", "-m", "Turn"];
                git(&folder, &[&author[..], &commit[..]].concat()).await?;
            }
            git(&folder, &["push", "--quiet", "--force", "origin", &format!("HEAD:{}", reference(session))])
                .await?;
            Ok(Some(git(&folder, &["rev-parse", "HEAD"]).await?))
        })
    }
}

fn reference(session: &SessionName) -> String {
    format!("refs/agentwire/{session}")
}

/// Runs git in a folder, and returns its output. Hooks of the repository do not run.
async fn git(folder: &Path, arguments: &[&str]) -> Result<String, Box<dyn Error + Send + Sync>> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"])
        .args(arguments)
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .map_err(|error| format!("can't run git: {error}"))?;
    if !output.status.success() {
        let command = arguments.iter().find(|argument| !argument.starts_with('-')).unwrap_or(&"");
        return Err(format!("git {command}: {}", String::from_utf8_lossy(&output.stderr).trim()).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

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
}
