//! The scenarios of the testkit, as the commands use them: found, run on the real CLI, and told in one line each.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agentwire_testkit::{Header, Scenario, Transcript, scenario::Failed};
use tokio::runtime;

use crate::cli;
use crate::failure::{Failure, While as _};
use crate::workspace;

/// The scenarios with these names, or all; in the order of their names.
pub(crate) fn load(names: &[String]) -> Result<Vec<Scenario>, Failure> {
    let folder = folder()?;
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(&folder).while_doing(|| format!("reading {}", folder.display()))? {
        files.push(entry?.path());
    }
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    let mut scenarios = Vec::new();
    for file in files {
        scenarios.push(Scenario::load(&file).while_doing(|| file.display().to_string())?);
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

/// The fixture of a scenario.
pub(crate) fn fixture(cli_version: &str, name: &str) -> Result<PathBuf, Failure> {
    Ok(workspace::root()?.join(FIXTURES).join(cli_version).join(format!("{name}.transcript")))
}

/// Runs a scenario; gives what it recorded, and how long it took.
pub(crate) fn run(scenario: &Scenario, cli: &Path) -> Result<(Transcript, Duration), Failure> {
    let runtime = runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let started = Instant::now();
    let outcome = runtime.block_on(scenario.run(cli));
    let took = started.elapsed();
    // A handler that never answers belongs to a task; nothing waits for it.
    runtime.shutdown_background();
    match outcome {
        Ok(transcript) => Ok((with_header(transcript), took)),
        Err(failed) => Err(told(scenario.name(), failed)),
    }
}

/// Keeps a transcript that somebody may want to look at, and says where.
pub(crate) fn keep(name: &str, transcript: &Transcript) -> Result<PathBuf, Failure> {
    let folder = workspace::root()?.join("target/scenarios");
    fs::create_dir_all(&folder)?;
    let file = folder.join(format!("{name}.transcript"));
    fs::write(&file, transcript.to_bytes()?)?;
    Ok(file)
}

fn told(name: &str, failed: Failed) -> Failure {
    let why = failed.error.to_string();
    match failed.transcript.map(|transcript| keep(name, &with_header(*transcript))) {
        Some(Ok(file)) => Failure::new(format!("{why}; see {}", file.display())),
        Some(Err(error)) => Failure::new(format!("{why}; its transcript can't be kept: {error}")),
        None => Failure::new(why),
    }
}

/// The same, saying where it comes from.
pub(crate) fn with_header(mut transcript: Transcript) -> Transcript {
    let mut header = Header::of_cli(cli::CURRENT);
    header.os = Some(std::env::consts::OS.into());
    header.redacted = transcript.header.redacted;
    transcript.header = header;
    transcript
}

fn folder() -> Result<PathBuf, Failure> {
    Ok(workspace::root()?.join("crates/testkit/scenarios"))
}

const FIXTURES: &str = "fixtures/sessions";
