//! Where it is tried: one project, and the homes of two machines.

use std::{
    fs,
    path::{Path, PathBuf},
};

use agentwire::Options;
use tempfile::TempDir;

use super::Failure;

/// One project, and the homes of two machines.
pub(super) struct Place {
    dir: TempDir,
    options: Options,
}

impl Place {
    pub(super) fn new(options: Options, model: &str) -> Result<Self, Failure> {
        let dir = tempfile::tempdir()?;
        for name in ["first", "second", "project"] {
            fs::create_dir(dir.path().join(name))?;
        }
        let env = [
            ("ANTHROPIC_BASE_URL", model),
            ("ANTHROPIC_API_KEY", "sk-fake"),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("TERM", "dumb"),
        ];
        let options = options.env_clear().env("PATH", std::env::var("PATH")?).cwd(dir.path().join("project"));
        let options = env.into_iter().fold(options, |options, (name, value)| options.env(name, value));
        Ok(Self { dir, options })
    }

    /// Options with which the CLI has this home.
    pub(super) fn options(&self, home: &str) -> Options {
        self.options.clone().env("HOME", self.home(home).display().to_string())
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
