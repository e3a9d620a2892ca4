//! Where the CLI is: an explicit path, `AGENTWIRE_CLI`, `PATH`, then the places where its installers put it.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use agentwire_protocol::cli::PROGRAM;

use super::launch::{is_bare_name, is_executable};
use crate::error::TransportError;

/// The environment variable that names the CLI: a path, or a name to search in `PATH`.
pub const AGENTWIRE_CLI: &str = "AGENTWIRE_CLI";

/// Finds the CLI from this process's environment: see [`Search::find`].
///
/// # Errors
///
/// As [`Search::find`].
pub fn locate(explicit: Option<&Path>) -> Result<PathBuf, TransportError> {
    Search { explicit: explicit.map(Path::to_path_buf), ..Search::from_env() }.find()
}

/// Where to look for the CLI. Plain data: it reads the environment when it is made, and files when it finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Search {
    /// The program that the user named in code or options: a path, or a name to search in `path`.
    pub explicit: Option<PathBuf>,
    /// The program that the user named in `AGENTWIRE_CLI`, likewise.
    pub named: Option<PathBuf>,
    /// The directories of `PATH`, in order.
    /// Relative ones are left out: what lies in the working directory is not to be run unasked.
    pub path: Vec<PathBuf>,
    /// The files that installers make, in order.
    pub installs: Vec<PathBuf>,
}

impl Search {
    /// From an environment: `lookup` gives the value of `AGENTWIRE_CLI`, `PATH` and `HOME`.
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

    /// From this process's environment.
    pub fn from_env() -> Self {
        Self::new(|name| std::env::var_os(name))
    }

    /// The path of the CLI.
    ///
    /// What the user names is used or is an error: nothing else is run in its place.
    ///
    /// # Errors
    ///
    /// [`TransportError::NoSuchProgram`] or [`TransportError::NotExecutable`] for a program that was named,
    /// [`TransportError::NotFound`] with all places where none was.
    pub fn find(&self) -> Result<PathBuf, TransportError> {
        if let Some(program) = self.explicit.as_ref().or(self.named.as_ref()) {
            return self.resolve(program);
        }
        let places = || self.path.iter().map(|dir| dir.join(PROGRAM)).chain(self.installs.iter().cloned());
        places()
            .find(|place| is_executable(place))
            .ok_or_else(|| TransportError::NotFound { searched: places().collect() })
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

/// Below the home directory: the native installer, the older local one, then package managers.
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
