//! Finds the CLI: an explicit path, then `AGENTWIRE_CLI`, then `PATH`, then the paths that its installers use.

use std::{
    collections::HashSet,
    ffi::OsString,
    path::{Path, PathBuf},
};

use agentwire_protocol::cli::PROGRAM;

use super::launch::{is_bare_name, is_executable};
use crate::error::TransportError;

/// The environment variable that names the CLI: a path, or a name to search in `PATH`.
pub const AGENTWIRE_CLI: &str = "AGENTWIRE_CLI";

/// Finds the CLI with this program's environment: see [`CliSearch::find`].
///
/// # Errors
///
/// See [`CliSearch::find`].
pub fn locate(explicit: Option<&Path>) -> Result<PathBuf, TransportError> {
    CliSearch { explicit: explicit.map(Path::to_path_buf), ..CliSearch::from_env() }.find()
}

/// The paths to search for the CLI. The environment is read by the constructors, and files by [`find`](Self::find).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CliSearch {
    /// The program that the caller names: a path, or a name to search in `path`.
    pub explicit: Option<PathBuf>,
    /// The program that `AGENTWIRE_CLI` names: a path, or a name to search in `path`.
    pub named: Option<PathBuf>,
    /// The directories of `PATH`, in order.
    /// Relative directories are omitted, so that programs in the working directory are not run by accident.
    pub path: Vec<PathBuf>,
    /// The paths that installers use, in order.
    pub installs: Vec<PathBuf>,
}

impl CliSearch {
    /// Creates a search from an environment. `lookup` is called for `AGENTWIRE_CLI`, `PATH` and `HOME`.
    pub fn new(lookup: impl Fn(&str) -> Option<OsString>) -> Self {
        let set = |name: &str| lookup(name).filter(|value| !value.is_empty());
        let path =
            set("PATH").map(|path| std::env::split_paths(&path).filter(|dir| dir.is_absolute()).collect());
        let home = set("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        let at_home = home.iter().flat_map(|home| HOME_INSTALLS.iter().map(move |place| home.join(place)));
        Self {
            explicit: None,
            named: set(AGENTWIRE_CLI).map(PathBuf::from),
            path: path.unwrap_or_default(),
            installs: at_home.chain(SYSTEM_INSTALLS.iter().map(PathBuf::from)).collect(),
        }
    }

    /// Creates a search from this program's environment.
    pub fn from_env() -> Self {
        // Some editors start programs without `HOME`.
        let home =
            |name: &str| (name == "HOME").then(std::env::home_dir).flatten().map(PathBuf::into_os_string);
        Self::new(|name| std::env::var_os(name).or_else(|| home(name)))
    }

    /// Returns the path of the CLI.
    ///
    /// A named program is either used or an error; no other program is tried.
    ///
    /// # Errors
    ///
    /// [`TransportError::NoSuchProgram`] or [`TransportError::NotExecutable`] if a program is named,
    /// [`TransportError::NotFound`] with all searched paths otherwise.
    pub fn find(&self) -> Result<PathBuf, TransportError> {
        if let Some(program) = self.explicit.as_ref().or(self.named.as_ref()) {
            return self.resolve(program);
        }
        let places = || self.path.iter().map(|dir| dir.join(PROGRAM)).chain(self.installs.iter().cloned());
        places().find(|place| is_executable(place)).ok_or_else(|| {
            let mut seen = HashSet::new();
            let searched = places().filter(|place| seen.insert(place.clone())).collect();
            TransportError::NotFound { searched }
        })
    }

    fn resolve(&self, program: &Path) -> Result<PathBuf, TransportError> {
        let found = if is_bare_name(program) {
            self.path.iter().map(|dir| dir.join(program)).find(|place| is_executable(place))
        } else {
            Some(program.to_path_buf()).filter(|path| path.exists())
        };
        let found = found.ok_or_else(|| TransportError::NoSuchProgram { program: program.to_path_buf() })?;
        if is_executable(&found) {
            Ok(std::path::absolute(&found).unwrap_or(found))
        } else {
            Err(TransportError::NotExecutable { program: program.to_path_buf() })
        }
    }
}

/// Paths below the home directory: of the native installer, the older local installer, then package managers.
const HOME_INSTALLS: &[&str] = &[
    ".local/bin/claude",
    ".claude/local/claude",
    ".claude/local/node_modules/.bin/claude",
    ".npm-global/bin/claude",
    "node_modules/.bin/claude",
    ".yarn/bin/claude",
    ".bun/bin/claude",
    ".volta/bin/claude",
];

const SYSTEM_INSTALLS: &[&str] = &["/usr/local/bin/claude", "/opt/homebrew/bin/claude", "/usr/bin/claude"];
