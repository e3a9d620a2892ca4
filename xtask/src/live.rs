//! `cargo xtask live`: runs scenarios on the real CLI now, and compares with what was recorded.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use agentwire_judge::Outline;
use agentwire_testkit::Transcript;

use crate::args::Args;
use crate::failure::{Failure, While as _};
use crate::netns;
use crate::scenarios::{self, Task};

/// `cargo xtask live [SCENARIO…] [--all] [--cli V] [--jobs N]`: all but the slow ones, unless some are named; `--all`
/// takes those too.
///
/// Each must do what it expects of itself, and have the outline of its fixture.
/// One that fails beside others is run once more, alone: the CLI's own timers and file watches are late on a machine
/// that has too much to do.
/// What passes only then is told with what was wrong the first time.
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
        let (refused, tasks): (Vec<Task>, Vec<Task>) = tasks
            .into_iter()
            .partition(|task| names.is_empty() && scenarios::REFUSED.contains(&task.scenario.name()));
        for task in refused {
            println!("{}: not run: the library refuses its hook replies", task.name());
        }
        let failed = run_all(&tasks, jobs);
        let again = failed.len();
        let failed: Vec<Failed<'_>> = failed.into_iter().filter(fails_alone).collect();
        let passed = tasks.len() - failed.len();
        println!("{passed} passed, {} of them only alone, {} failed", again - failed.len(), failed.len());
        if let [first, ..] = failed.as_slice() {
            // The last words, since the end of an output is what is looked at.
            let names: Vec<String> = failed.iter().map(|failed| failed.task.name()).collect();
            return Err(Failure::new(format!("{}: failed twice: {}", names.join(", "), first.why)));
        }
        if tasks.is_empty() { Err(Failure::new("there is nothing to run")) } else { Ok(()) }
    })
}

/// A scenario that did not pass.
struct Failed<'a> {
    task: &'a Task,
    why: Failure,
}

/// Runs them, some at once, since each mostly waits; gives those that failed.
fn run_all(tasks: &[Task], jobs: usize) -> Vec<Failed<'_>> {
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = told(task) {
                        failed.lock().unwrap_or_else(PoisonError::into_inner).push(Failed { task, why });
                    }
                }
            });
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn fails_alone(failed: &Failed<'_>) -> bool {
    println!("{}: once more, alone", failed.task.name());
    told(failed.task).is_err()
}

/// Runs one, and says how it ended.
fn told(task: &Task) -> Result<(), Failure> {
    let ended = check(task);
    match &ended {
        Ok(told) => println!("{}: {told}", task.name()),
        Err(failure) => println!("{}: FAILED: {failure}", task.name()),
    }
    ended.map(drop)
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
