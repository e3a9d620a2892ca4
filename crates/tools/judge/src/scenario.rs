//! Scenarios: sessions as data, run with the real CLI through the facade.
//!
//! A scenario is one small JSON file: the model's replies, the answers of our callbacks, the steps of our side,
//! and what must be true at the end.
//! Running it gives a redacted [`Transcript`]: what `cargo xtask record` stores, and `cargo xtask live` compares.
//!
//! ```json
//! {
//!   "about": "A tool use that the permission callback allows.",
//!   "model": {"replies": [
//!     {"blocks": [{"tool_use": {"name": "Bash", "input": {"command": "echo one > a.txt"}}}]},
//!     {"blocks": [{"text": "Written."}]}
//!   ]},
//!   "permissions": {"answers": [{"behavior": "allow"}]},
//!   "steps": [{"prompt": "Write one into a.txt."}, {"until": "result"}],
//!   "expect": {
//!     "results": [{"subtype": "success", "result": "Written."}],
//!     "asked": ["Bash"],
//!     "files": {"a.txt": "one\n"}
//!   }
//! }
//! ```
//!
//! `docs/internals/fixtures.md` in the repository documents each field.
//! `${cwd}` in the text stands for the session's working directory, which is a fresh one for each run, as is the CLI's
//! home.
//! Every wait has a limit; when it is over, the scenario fails with the name of the step.

mod callbacks;
mod expect;
mod initialize;
mod pattern;
mod place;
mod run;
mod servers;
mod spec;
mod steps;
mod stored;
mod witness;
mod words;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

pub use run::Failed;
use spec::Spec;
pub(crate) use steps::text::kind_of;
use words::Words;

use crate::Failure;
use agentwire_testkit::Transcript;

/// A scenario that was read.
#[derive(Clone, Debug)]
pub struct Scenario {
    name: String,
    /// Read again for each run, because it contains the working directory.
    text: String,
    about: String,
    cli: Vec<String>,
    recorded: bool,
    slow: bool,
    faults: bool,
    programs: BTreeMap<String, PathBuf>,
}

impl Scenario {
    /// Reads a file; its name without the ending is the scenario's.
    pub fn load(file: &Path) -> Result<Self, Failure> {
        let text = fs::read_to_string(file)?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        Self::parse(name, text)
    }

    /// Reads a scenario's text. An unknown field is an error.
    pub fn parse(name: impl Into<String>, text: impl Into<String>) -> Result<Self, Failure> {
        let (name, text) = (name.into(), text.into());
        let Spec { about, cli, recorded, slow, faults, .. } = Spec::parse(&text, &Words::default())?;
        Ok(Self { name, text, about, cli, recorded, slow, faults, programs: BTreeMap::new() })
    }

    /// Returns the name of the scenario and its fixture.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its description, one sentence.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Returns the versions of the CLI for which it is written; empty for the current one.
    pub fn cli(&self) -> &[String] {
        &self.cli
    }

    /// Returns the names among these that the caller has to replace, such as `everything` for
    /// `${everything}`.
    pub fn names<'a>(&self, of: &[&'a str]) -> Vec<&'a str> {
        of.iter().copied().filter(|name| self.text.contains(&format!("${{{name}}}"))).collect()
    }

    /// Sets the program of this machine for `${name}`; the transcript calls it `/name`.
    #[must_use]
    pub fn program(mut self, name: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        self.programs.insert(name.into(), path.into());
        self
    }

    /// Returns whether the scenario has a fixture.
    pub fn is_recorded(&self) -> bool {
        self.recorded
    }

    /// Returns whether the scenario is too slow for every run.
    pub fn is_slow(&self) -> bool {
        self.slow
    }

    /// Runs it with this CLI, checks its expectations, and returns the redacted transcript.
    ///
    /// Run it where nothing can leave the machine: the CLI is a third-party program.
    /// Needs a tokio runtime with I/O and time.
    /// The error has the transcript so far, where there is one.
    pub async fn run(&self, cli: &Path) -> Result<Transcript, Failed> {
        let mut transcript = run::run(&self.text, cli, &self.programs).await?;
        transcript.header.faults = self.faults.then_some(true);
        Ok(transcript)
    }
}
