//! `cargo xtask record`: runs scenarios on the real CLI, and stores the transcripts as fixtures.

use std::fs;
use std::path::Path;
use std::process::Command;

use agentwire_testkit::Transcript;

use crate::cli;
use crate::failure::{Failure, While as _};
use crate::netns;
use crate::program;
use crate::quickstart;
use crate::scenarios::{self, Task};

/// Runs scenarios on the real CLI and stores the fixtures
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Scenarios; all by default
    scenarios: Vec<String>,
    /// Only this version of the CLI
    #[arg(long)]
    cli: Option<String>,
}

/// `cargo xtask record [SCENARIO…] [--cli V]`: all of them, unless some are named; on all versions of the CLI that each
/// is for, or on that one.
///
/// The fixture of a failed scenario is not changed.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let (only, mut names) = (&args.cli, args.scenarios.clone());
    let is_current = only.as_deref().is_none_or(|only| only == cli::CURRENT);
    let all = names.is_empty() && is_current;
    let quickstart = names.iter().position(|name| name == quickstart::NAME).map(|at| names.remove(at));
    if quickstart.is_some() && !is_current {
        return Err(Failure::new(format!("{} is only recorded on {}", quickstart::NAME, cli::CURRENT)));
    }
    if (all || quickstart.is_some()) && !netns::is_inside()? {
        let transcript = scenarios::with_header(cli::CURRENT, quickstart::run()?);
        for file in quickstart::files()? {
            println!("{}: {}", file.display(), store(&file, transcript.clone())?);
        }
    }
    if quickstart.is_some() && names.is_empty() {
        return Ok(());
    }
    let tasks = recorded(&names, only.as_deref())?;
    if !netns::is_inside()? {
        scenarios::prepare(&tasks)?;
    }
    netns::within(|| {
        let mut failed = 0;
        for task in &tasks {
            let name = task.name();
            let outcome = task.run().and_then(|(transcript, took)| {
                let changed = store(&task.fixture()?, transcript)?;
                println!("{name}: {changed}, {:.1} s", took.as_secs_f64());
                Ok(())
            });
            if let Err(failure) = outcome {
                failed += 1;
                println!("{name}: FAILED: {failure}");
            }
        }
        if failed == 0 { Ok(()) } else { Err(Failure::new(format!("{failed} failed"))) }
    })
}

/// Returns the scenarios with fixtures that can be recorded; a named one must be among them.
fn recorded(names: &[String], only: Option<&str>) -> Result<Vec<Task>, Failure> {
    let can_be =
        |task: &Task| task.scenario.is_recorded() && !scenarios::REFUSED.contains(&task.scenario.name());
    let (tasks, others): (Vec<Task>, Vec<Task>) =
        scenarios::tasks(names, only)?.into_iter().partition(can_be);
    match others.first().filter(|_| !names.is_empty()) {
        Some(task) => Err(Failure::new(format!(
            "{} is not recorded: it is only run, or the library refuses its hook replies",
            task.name()
        ))),
        None => Ok(tasks),
    }
}

/// Writes the fixture, unless only its date would change.
fn store(file: &Path, mut transcript: Transcript) -> Result<&'static str, Failure> {
    if let Ok(before) = fs::read(file).map_err(Failure::from).and_then(|text| Ok(Transcript::parse(text)?)) {
        transcript.header.recorded.clone_from(&before.header.recorded);
        if transcript == before {
            return Ok("as before");
        }
    }
    transcript.header.recorded = Some(today()?.into());
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, transcript.to_bytes()?).while_doing(|| format!("writing {}", file.display()))?;
    Ok("written")
}

/// Returns today's date as `2026-11-21`, in UTC.
fn today() -> Result<String, Failure> {
    Ok(program::output(Command::new("date").args(["-u", "+%F"]))?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{recorded, scenarios::REFUSED};

    #[test]
    fn scenario_without_a_new_fixture_is_refused_by_name_and_left_out_of_all() {
        for name in ["hook-error", REFUSED[0]] {
            let failure = recorded(&["two-turns".to_owned(), name.to_owned()], None).unwrap_err();
            assert!(failure.to_string().starts_with(&format!("{name} is not recorded")), "{failure}");
        }
        let all = recorded(&[], None).unwrap();
        assert!(all.len() > 100 && all.iter().all(|task| !REFUSED.contains(&task.scenario.name())));
    }
}
