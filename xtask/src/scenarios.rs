//! The scenarios of the testkit: finds them, and runs them on the real CLI.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use agentwire_judge::{Scenario, scenario::Failed};
use agentwire_testkit::{Header, Transcript};
use tokio::runtime;

use crate::cli;
use crate::failure::Failure;
use crate::workspace;

/// The scenarios with these names, or all; in the order of their names.
fn load(names: &[String]) -> Result<Vec<Scenario>, Failure> {
    let folder = workspace::root()?.join("crates/tools/judge/scenarios");
    let mut scenarios = Vec::new();
    for file in workspace::files(&folder, &["json"])? {
        let scenario = Scenario::load(&file);
        scenarios.push(scenario.map_err(|error| Failure::new(format!("{}: {error}", file.display())))?);
    }
    if let Some(name) = names.iter().find(|name| !scenarios.iter().any(|one| one.name() == *name)) {
        return Err(Failure::new(format!("there is no scenario `{name}` in {}", folder.display())));
    }
    scenarios.retain(|one| names.is_empty() || names.iter().any(|name| name == one.name()));
    if scenarios.is_empty() {
        return Err(Failure::new(format!("there is no scenario in {}", folder.display())));
    }
    Ok(scenarios)
}

/// Scenarios with hook replies that the library has refused since they were recorded: the recordings show how the CLI
/// treats such replies, and `live::failing_hooks` tries the refusals on the CLI.
pub(crate) const REFUSED: &[&str] =
    &["hook-invalid-output", "hook-unknown-output", "pre-tool-use-wrong-event-name"];

/// The fixture of a scenario.
pub(crate) fn fixture(cli_version: &str, name: &str) -> Result<PathBuf, Failure> {
    Ok(workspace::root()?.join(FIXTURES).join(cli_version).join(format!("{name}.transcript")))
}

/// Returns each scenario with each version of the CLI that it is for, by name.
///
/// With `only`, on that version alone.
pub(crate) fn tasks(names: &[String], only: Option<&str>) -> Result<Vec<Task>, Failure> {
    if let Some(version) = only.filter(|version| !cli::ALL.contains(version)) {
        return Err(Failure::new(format!("CLI {version} is not known; known: {}", cli::ALL.join(", "))));
    }
    let mut tasks = Vec::new();
    for scenario in load(names)? {
        let named = scenario.cli().to_vec();
        let versions = if named.is_empty() { vec![cli::CURRENT.to_owned()] } else { named };
        if let Some(version) = versions.iter().find(|version| !cli::ALL.contains(&version.as_str())) {
            return Err(Failure::new(format!("{}: CLI {version} is not known", scenario.name())));
        }
        for version in versions.into_iter().filter(|version| only.is_none_or(|only| only == version)) {
            tasks.push(Task { scenario: scenario.clone(), version });
        }
    }
    match tasks.is_empty() {
        true => Err(Failure::new("there is no such scenario for that version of the CLI")),
        false => Ok(tasks),
    }
}

/// Installs the programs of these tasks, before the network is gone.
pub(crate) fn prepare(tasks: &[Task]) -> Result<(), Failure> {
    let versions: BTreeSet<&str> = tasks.iter().map(|task| &*task.version).collect();
    for version in versions {
        cli::ensure(version)?;
    }
    tasks.iter().try_for_each(|task| task.with_programs().map(drop))
}

/// A scenario on a version of the CLI.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) scenario: Scenario,
    pub(crate) version: String,
}

impl Task {
    /// Returns the scenario's name, with the version unless it is the current one.
    pub(crate) fn name(&self) -> String {
        match &*self.version {
            cli::CURRENT => self.scenario.name().to_owned(),
            version => format!("{version}/{}", self.scenario.name()),
        }
    }

    /// Its fixture.
    pub(crate) fn fixture(&self) -> Result<PathBuf, Failure> {
        fixture(&self.version, self.scenario.name())
    }

    /// Runs the scenario; returns the transcript and the duration.
    pub(crate) fn run(&self) -> Result<(Transcript, Duration), Failure> {
        let runtime = runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let ran = self.run_in(&runtime);
        // A handler that never answers belongs to a task; nothing waits for it.
        runtime.shutdown_background();
        ran
    }

    /// The same in a runtime of the caller's.
    pub(crate) fn run_in(&self, runtime: &runtime::Runtime) -> Result<(Transcript, Duration), Failure> {
        let (program, scenario) = (cli::place(&self.version)?, self.with_programs()?);
        let started = Instant::now();
        let outcome = runtime.block_on(scenario.run(&program));
        let took = started.elapsed();
        match outcome {
            Ok(transcript) => Ok((with_header(&self.version, transcript), took)),
            Err(failed) => Err(self.failure(failed)),
        }
    }

    fn with_programs(&self) -> Result<Scenario, Failure> {
        let mut scenario = self.scenario.clone();
        if !scenario.names(&[EVERYTHING]).is_empty() {
            scenario = scenario.program(EVERYTHING, cli::ensure_everything()?);
        }
        Ok(scenario)
    }

    /// Stores a transcript for inspection, and returns its path.
    pub(crate) fn keep(&self, transcript: &Transcript) -> Result<PathBuf, Failure> {
        let folder = workspace::root()?.join("target/scenarios");
        fs::create_dir_all(&folder)?;
        let file = folder.join(format!("{}.transcript", self.name().replace('/', "-")));
        fs::write(&file, transcript.to_bytes()?)?;
        Ok(file)
    }

    fn failure(&self, failed: Failed) -> Failure {
        let why = failed.error.to_string();
        match failed.transcript.map(|transcript| self.keep(&with_header(&self.version, *transcript))) {
            Some(Ok(file)) => Failure::new(format!("{why}; see {}", file.display())),
            Some(Err(error)) => Failure::new(format!("{why}; its transcript can't be kept: {error}")),
            None => Failure::new(why),
        }
    }
}

/// Returns the transcript with a header that names its origin.
pub(crate) fn with_header(version: &str, mut transcript: Transcript) -> Transcript {
    let mut header = Header::of_cli(version);
    header.os = Some(std::env::consts::OS.into());
    header.redacted = transcript.header.redacted;
    header.faults = transcript.header.faults;
    transcript.header = header;
    transcript
}

/// The name that stands for the MCP project's server for tests.
const EVERYTHING: &str = "everything";
const FIXTURES: &str = "fixtures/sessions";
