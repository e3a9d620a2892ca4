//! The CLI's configuration folder, and how a session's file is found in it.

mod error;
mod locate;
mod worktrees;

use std::env;
use std::path::{Path, PathBuf};

pub use error::SessionError;
pub(crate) use locate::{Inside, ProjectFolder, SessionFile, read_dir, session_id};

use crate::folder;

/// The sessions that the CLI keeps on this machine.
///
/// Its methods read and write files, and block while they do.
/// It holds nothing open, and nothing it was told before: each call looks again.
///
/// No link is followed that leads out of the folder of the projects.
#[derive(Clone, Debug)]
pub struct Sessions {
    folder: PathBuf,
    project: Option<PathBuf>,
    worktrees: bool,
    pub(crate) programmatic: bool,
}

impl Sessions {
    /// The sessions in this configuration folder, of all projects.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), project: None, worktrees: true, programmatic: true }
    }

    /// The sessions in the folder that the CLI uses in this environment: that of `CLAUDE_CONFIG_DIR`, or `.claude` in
    /// the home folder; `None` where there is neither.
    pub fn from_env() -> Option<Self> {
        if let Some(folder) = env::var_os("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty()) {
            return Some(Self::at(folder));
        }
        Some(Self::at(env::home_dir()?.join(".claude")))
    }

    /// Only the sessions of the project in this folder, and of the other worktrees of its git repository.
    #[must_use]
    pub fn in_project(&self, project: impl AsRef<Path>) -> Self {
        Self { project: Some(folder::resolve(project.as_ref())), ..self.clone() }
    }

    /// With a project: without those of the other worktrees.
    #[must_use]
    pub fn without_worktrees(&self) -> Self {
        Self { worktrees: false, ..self.clone() }
    }

    /// For [`list`](Self::list): without sessions that a program started by an SDK, or a daemon.
    #[must_use]
    pub fn without_programmatic(&self) -> Self {
        Self { programmatic: false, ..self.clone() }
    }

    /// The configuration folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder whose folders are those of the projects.
    pub(crate) fn projects(&self) -> PathBuf {
        self.folder.join("projects")
    }
}
