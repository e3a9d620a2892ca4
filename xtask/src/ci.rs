//! `cargo xtask ci`: the steps that CI runs, on this machine.

mod steps;
mod summary;

use std::env;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::failure::{Failure, While as _};
use crate::machine;
use crate::program;
use crate::workspace;
use steps::{Plan, STEPS, Step};
use summary::{Line, Outcome};

/// Runs what CI runs
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Run the long steps too
    #[arg(long, conflicts_with = "steps")]
    full: bool,
    /// Print the names of the steps
    #[arg(long)]
    list: bool,
    /// Run these steps, long or not
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(STEPS.iter().map(|step| step.name)))]
    steps: Vec<String>,
}

/// Runs the steps one after the other and prints a line for each.
///
/// A failed step does not stop the run.
/// The output of a step goes to a file in `target/ci`; the end of it is printed if the step fails.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let steps: Vec<&Step> = STEPS.iter().filter(|step| is_chosen(step, args)).collect();
    if args.list {
        for step in &steps {
            println!("  {:<20}{}", step.name, step.about);
        }
        return Ok(());
    }
    // Read before a step builds this program again: the path of a replaced program is marked as deleted.
    let xtask = env::current_exe()?;
    let folder = workspace::root()?.join("target/ci");
    fs::create_dir_all(&folder).while_doing(|| format!("creating {}", folder.display()))?;
    let mut lines = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        println!("==> {}/{} {}: {}", number + 1, steps.len(), step.name, step.about);
        let started = Instant::now();
        let outcome = run_step(step, &xtask, &folder.join(format!("{}.log", step.name)));
        let line = Line { name: step.name, seconds: started.elapsed().as_secs_f32(), outcome };
        println!("<== {line}");
        lines.push(line);
    }
    summary::end(&lines)
}

fn is_chosen(step: &Step, args: &Args) -> bool {
    match &args.steps[..] {
        [] => args.full || !step.is_long,
        names => names.iter().any(|name| name == step.name),
    }
}

fn run_step(step: &Step, xtask: &Path, log: &Path) -> Outcome {
    let commands = match (step.plan)(xtask) {
        Ok(Plan::Run(commands)) => commands,
        Ok(Plan::Missing(reason)) if machine::is_ci() => {
            return Outcome::Failed(format!("could not be run, and CI=true: {reason}"));
        }
        Ok(Plan::Missing(reason) | Plan::Idle(reason)) => return Outcome::NotRun(reason),
        Err(failure) => return Outcome::Failed(failure.to_string()),
    };
    match run_commands(commands, log) {
        Ok(()) => Outcome::Passed,
        Err(failure) => Outcome::Failed(format!("{failure}\n{}", end_of(log))),
    }
}

fn run_commands(commands: Vec<Command>, log: &Path) -> Result<(), Failure> {
    let file = File::create(log).while_doing(|| format!("creating {}", log.display()))?;
    for mut command in commands {
        println!("    $ {}", program::show(&command));
        program::run(command.stdout(file.try_clone()?).stderr(file.try_clone()?))?;
    }
    Ok(())
}

/// Returns the last lines of a log, with its path.
fn end_of(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    let last = lines[lines.len().saturating_sub(LINES)..].iter();
    let last: Vec<String> = last.map(|line| line.chars().take(WIDTH).collect()).collect();
    format!("{}:\n{}", log.display(), last.join("\n"))
}

/// How many lines of a failed step's log are printed.
const LINES: usize = 40;
/// Lines with more characters are cut, so that a log with whole messages stays readable.
const WIDTH: usize = 1_000;

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{LINES, WIDTH, end_of, run_commands};

    #[test]
    fn failure_shows_the_end_of_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("step.log");
        let command = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        assert!(run_commands(vec![command("seq 100; exit 3"), command("echo next")], &log).is_err());
        let end = end_of(&log);
        assert_eq!(end.lines().count(), LINES + 1);
        assert_eq!(end.lines().last(), Some("100"));
        assert!(run_commands(vec![command("true")], &log).is_ok());
        std::fs::write(&log, format!("a{}", "é".repeat(WIDTH))).unwrap();
        assert_eq!(end_of(&log).lines().last().unwrap().chars().count(), WIDTH);
    }
}
