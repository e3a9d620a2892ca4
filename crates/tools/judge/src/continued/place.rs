//! The place of the proof: one project, and the homes of two machines.

use std::{
    fs,
    path::{Path, PathBuf},
};

use agentwire::Options;
use agentwire_testkit::ScriptedModel;
use tempfile::TempDir;

use super::Failure;

/// One project, and the homes of two machines.
pub(super) struct Place<'a> {
    dir: TempDir,
    options: Options,
    model: &'a ScriptedModel,
}

impl<'a> Place<'a> {
    pub(super) fn new(options: Options, model: &'a ScriptedModel) -> Result<Self, Failure> {
        let dir = tempfile::tempdir()?;
        for name in ["first", "second", "project"] {
            fs::create_dir(dir.path().join(name))?;
        }
        let options = options.env_clear().cwd(dir.path().join("project"));
        Ok(Self { dir, options, model })
    }

    /// Returns options that give the CLI this home.
    pub(super) fn options(&self, home: &str) -> Options {
        let mut options = self.options.clone();
        options.env.extend(self.model.environment(self.home(home)));
        options
    }

    pub(super) fn home(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Returns the folder of the project.
    pub(super) fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }
}

/// Returns the lines of a file.
pub(super) fn lines(file: &Path) -> Result<Vec<String>, Failure> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(text.lines().map(str::to_owned).collect())
}
