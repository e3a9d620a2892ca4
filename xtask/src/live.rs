//! `cargo xtask live`: runs scenarios on the real CLI, and compares with the recordings.

use std::fs;

use agentwire_judge::Outline;
use agentwire_testkit::Transcript;

use crate::at_once::at_once;
use crate::cli;
use crate::failure::{Failure, While as _};
use crate::netns;
use crate::scenarios::{self, Task};

/// Runs scenarios on the real CLI and compares with the fixtures
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Scenarios; all but the slow ones by default
    scenarios: Vec<String>,
    /// Run the slow ones too
    #[arg(long)]
    all: bool,
    /// Run a few scenarios of each kind, on the current CLI
    #[arg(long, conflicts_with_all = ["all", "scenarios", "cli"])]
    sample: bool,
    /// Only this version of the CLI
    #[arg(long)]
    cli: Option<String>,
    /// How many run at once
    #[arg(long, default_value_t = 2)]
    jobs: usize,
}

/// Runs the scenarios; each must meet its own expectations and have the outline of its fixture.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let sample: Vec<String> = SAMPLE.iter().map(|name| (*name).to_owned()).collect();
    let (names, only) =
        if args.sample { (&sample, Some(cli::CURRENT)) } else { (&args.scenarios, args.cli.as_deref()) };
    let tasks = scenarios::tasks(names, only)?;
    if !netns::is_inside()? {
        scenarios::prepare(&tasks)?;
    }
    netns::within(|| {
        let is_left_out = |task: &Task| {
            let slow = task.scenario.is_slow() && !args.all;
            names.is_empty() && (slow || scenarios::REFUSED.contains(&task.scenario.name()))
        };
        let (left_out, tasks): (Vec<Task>, Vec<Task>) = tasks.into_iter().partition(is_left_out);
        for task in left_out {
            println!("{}: not run: slow without --all, or the library refuses its hook replies", task.name());
        }
        let failed = run_all(&tasks, args.jobs);
        println!("{} passed, {} failed", tasks.len() - failed.len(), failed.len());
        match &failed[..] {
            [] if tasks.is_empty() => Err(Failure::new("every scenario is slow or refused: see --all")),
            [] => Ok(()),
            failed => Err(Failure::new(format!("failed: {}", failed.join(", ")))),
        }
    })
}

/// Runs some at once, since each mostly waits, and returns the names of the failed ones.
fn run_all(tasks: &[Task], jobs: usize) -> Vec<String> {
    let print = |task: &Task, outcome: &Result<String, Failure>| match outcome {
        Ok(passed) => println!("{}: {passed}", task.name()),
        Err(failure) => println!("{}: FAILED: {failure}", task.name()),
    };
    let outcomes = at_once(jobs, tasks, check, print);
    tasks.iter().zip(outcomes).filter(|(_, outcome)| outcome.is_err()).map(|(task, _)| task.name()).collect()
}

fn check(task: &Task) -> Result<String, Failure> {
    let (transcript, took) = task.run()?;
    let took = format!("{:.1} s", took.as_secs_f64());
    if !task.scenario.is_recorded() {
        return Ok(format!("passed, {took}"));
    }
    let file = task.fixture()?;
    let text = fs::read(&file).while_doing(|| format!("reading its fixture {}", file.display()))?;
    let recorded = Transcript::parse(text).while_doing(|| file.display().to_string())?;
    let differences = Outline::of(&recorded).differences(&Outline::of(&transcript));
    if differences.is_empty() {
        return Ok(format!("passed, as recorded, {took}"));
    }
    let kept = task.keep(&transcript)?;
    Err(Failure::new(format!("{}; see {}", differences.join("; "), kept.display())))
}

/// Turns, tools, permissions, hooks, MCP, control requests, agents, interrupts, errors and ends: a few of each kind.
const SAMPLE: &[&str] = &[
    "agent-foreground",
    "api-error-400",
    "elicitation-form",
    "fork",
    "get-context-usage",
    "interrupt-mid-stream",
    "interrupt-mid-tool",
    "max-turns",
    "mcp-call",
    "mcp-tool-text",
    "one-shot-text",
    "partial-messages-with-thinking",
    "permission-allow",
    "permission-deny",
    "post-tool-use-context",
    "pre-tool-use-deny",
    "queued-prompts-merged",
    "set-model-and-permission-mode",
    "sigterm-in-turn",
    "stop-block-once",
    "structured-output",
    "two-turns",
    "unicode",
    "user-prompt-submit-context",
];
