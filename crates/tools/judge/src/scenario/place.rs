//! The place where a scenario runs: its own folders, and an environment without inherited variables.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use agentwire::RawJson;
use tempfile::TempDir;

use agentwire_testkit::{Redactor, ScriptedModel};

/// The folders of one run, which are deleted when this is dropped.
#[derive(Debug)]
pub(super) struct Place {
    root: TempDir,
    /// The path with links resolved, as the CLI names it.
    real: PathBuf,
}

impl Place {
    pub(super) fn new() -> io::Result<Self> {
        let root = tempfile::Builder::new().prefix("agentwire-").tempdir()?;
        let real = root.path().canonicalize()?;
        let place = Self { root, real };
        for folder in [place.project(), place.config(), place.temporary()] {
            fs::create_dir_all(folder)?;
        }
        Ok(place)
    }

    /// Returns the working directory.
    pub(super) fn project(&self) -> PathBuf {
        self.real.join("project")
    }

    /// Returns the path of a file in the working directory, or below the home if the name starts with `~/`.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        match name.strip_prefix("~/") {
            Some(name) => self.home().join(name),
            None => self.project().join(name),
        }
    }

    /// Writes a file: a text, or any other JSON without changes.
    pub(super) fn write(&self, name: &str, content: &RawJson) -> io::Result<()> {
        let file = self.file(name);
        fs::create_dir_all(file.parent().unwrap_or(Path::new("")))?;
        fs::write(file, content.decode().unwrap_or_else(|_| content.as_str().to_owned()))
    }

    /// Returns the whole environment of the CLI.
    pub(super) fn environment(&self, model: &ScriptedModel) -> BTreeMap<String, String> {
        let mut environment = model.environment(self.home());
        environment.insert("TMPDIR".to_owned(), self.temporary().display().to_string());
        environment
    }

    /// Returns a redactor with all paths of this place and their replacements.
    pub(super) fn redactor(&self) -> Redactor {
        let mut redactor = Redactor::new();
        for root in [self.real.as_path(), self.root.path()] {
            redactor = redactor
                .path(root.join("project"), "/project")
                .path(root.join("home"), "/home/user")
                .path(root.join("tmp"), "/home/user/tmp")
                .path(root, "/home/user/beside");
        }
        redactor
    }

    pub(super) fn home(&self) -> PathBuf {
        self.real.join("home")
    }

    /// Returns the CLI's own folder.
    pub(super) fn config(&self) -> PathBuf {
        self.home().join(".claude")
    }

    fn temporary(&self) -> PathBuf {
        self.real.join("tmp")
    }
}
