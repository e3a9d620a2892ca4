//! The CLI's configuration folder, and the search for a session's file.

mod error;
mod locate;
mod worktrees;

use std::env;
use std::path::{Path, PathBuf};

pub use error::SessionError;
pub(crate) use locate::{Inside, ProjectFolder, SessionFile, read_dir, session_id};

use crate::folder::{composed_path, resolve};

/// The sessions in the CLI's configuration folder.
///
/// The methods block on file access.
/// There is no open file and no cache: each call reads again.
///
/// Symbolic links that lead out of the projects folder are not followed.
/// Methods that take an id return an error if the session is not found, and a project folder that may contain it can't be
/// read.
#[derive(Clone, Debug)]
pub struct Sessions {
    folder: PathBuf,
    project: Option<PathBuf>,
    worktrees: bool,
    pub(crate) programmatic: bool,
    /// The name of the folder in which the CLI keeps the sessions of every project.
    named: Option<String>,
}

impl Sessions {
    /// Returns the sessions of all projects in this configuration folder.
    ///
    /// The path is used as it is; a CLI uses the [`composed_path`].
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), project: None, worktrees: true, programmatic: true, named: None }
    }

    /// Returns the sessions in the CLI's default folder: `CLAUDE_CONFIG_DIR`, or `.claude` in the home folder; `None`
    /// if neither is known. Like the CLI, uses the [`composed_path`].
    ///
    /// With `CLAUDE_CONFIG_DIR`, `CLAUDE_CODE_PROJECT_DIR_NAME` names a folder that belongs to every project.
    pub fn from_env() -> Option<Self> {
        if let Some(folder) = env::var_os("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty()) {
            let named = env::var("CLAUDE_CODE_PROJECT_DIR_NAME").ok().filter(|name| is_folder_name(name));
            return Some(Self { named, ..Self::at(composed_path(folder.into())) });
        }
        Some(Self::at(composed_path(env::home_dir()?.join(".claude"))))
    }

    /// Restricts to the project in this folder and the other worktrees of its git repository.
    ///
    /// A folder that does not exist belongs to no repository.
    /// Projects with similar paths share a folder, such as `my-app` and `my.app`: lists, searches and costs leave out
    /// sessions that started in another existing one.
    #[must_use]
    pub fn in_project(&self, project: impl AsRef<Path>) -> Self {
        Self { project: Some(resolve(project.as_ref())), ..self.clone() }
    }

    /// Excludes other worktrees, if restricted to a project.
    #[must_use]
    pub fn without_worktrees(&self) -> Self {
        Self { worktrees: false, ..self.clone() }
    }

    /// Excludes sessions that an SDK or a daemon started from [`list`](Self::list).
    #[must_use]
    pub fn without_programmatic(&self) -> Self {
        Self { programmatic: false, ..self.clone() }
    }

    /// Returns the configuration folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder that contains the project folders.
    pub(crate) fn projects(&self) -> PathBuf {
        self.folder.join("projects")
    }
}

/// Returns whether the CLI accepts the name for its folder; it ignores others.
fn is_folder_name(name: &str) -> bool {
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=64).contains(&name.len()) && name.bytes().all(is_valid)
}
