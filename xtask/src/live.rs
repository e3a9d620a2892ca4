//! `cargo xtask live`: runs scenarios on the real CLI now, and compares with what was recorded.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use agentwire_testkit::{Outline, Transcript};

use crate::args::Args;
use crate::failure::{Failure, While as _};
use crate::netns;
use crate::scenarios::{self, Task};

/// `cargo xtask live [SCENARIO…] [--all] [--cli V] [--jobs N]`: all but the slow ones, unless some are named; `--all`
/// takes those too.
///
/// Each must do what it expects of itself, and have the outline of its fixture.
/// Without the CLI this fails: nothing would have been tested.
pub(crate) fn run(mut args: Args) -> Result<(), Failure> {
    let all = args.flag("--all");
    let only = args.option("--cli")?;
    let jobs = args.option("--jobs")?.map_or(Ok(JOBS), |jobs| jobs.parse());
    let jobs = jobs.map_err(|_| Failure::new("--jobs needs a number"))?;
    let names = args.names()?;
    let tasks = scenarios::tasks(&names, only.as_deref())?;
    if !netns::is_inside()? {
        scenarios::prepare(&tasks)?;
    }
    netns::within(|| {
        let (slow, tasks): (Vec<Task>, Vec<Task>) =
            tasks.into_iter().partition(|task| task.scenario.is_slow() && !all && names.is_empty());
        for task in slow {
            println!("{}: not run: it is slow; name it, or say --all", task.name());
        }
        let failed = run_all(&tasks, jobs);
        println!("{} passed, {failed} failed", tasks.len() - failed);
        if failed == 0 && !tasks.is_empty() { Ok(()) } else { Err(Failure::already_told()) }
    })
}

/// Runs them, some at once, since each mostly waits; gives how many failed.
fn run_all(tasks: &[Task], jobs: usize) -> usize {
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match check(task) {
                        Ok(told) => println!("{}: {told}", task.name()),
                        Err(failure) => {
                            failed.fetch_add(1, Ordering::Relaxed);
                            println!("{}: FAILED: {failure}", task.name());
                        }
                    }
                }
            });
        }
    });
    failed.into_inner()
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

/// How many run at once.
const JOBS: usize = 3;
