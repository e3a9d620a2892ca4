//! `cargo xtask ci`: exactly what CI runs, here.

mod plan;
mod quickstart;
mod steps;
mod summary;
mod tail;

use std::io::{IsTerminal as _, stdout};
use std::time::Instant;

use crate::args::Args;
use crate::failure::Failure;
use crate::machine;
use crate::program;
use plan::{Plan, Size, Step};
use steps::STEPS;
use summary::{Line, Outcome};

/// `cargo xtask ci [--full] [--list] [--dry-run] [STEP…]`: runs the steps, then says how each ended.
///
/// A step that fails does not keep the others from running.
/// In the usual run it runs once more at the end: a step that passes then is reported as unsteady.
/// Steps that are named are run whatever their size.
pub(crate) fn run(mut args: Args) -> Result<(), Failure> {
    let full = args.flag("--full");
    let list = args.flag("--list");
    let dry = args.flag("--dry-run");
    let names = args.names()?;
    let steps = choose(&names, full)?;
    if list {
        for step in &steps {
            println!("  {:<20}{}", step.name, step.about);
        }
        return Ok(());
    }
    let mut lines = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        println!("\n==> {}/{} {}: {}", number + 1, steps.len(), step.name, step.about);
        let started = Instant::now();
        let outcome = run_step(step, dry);
        let line = Line { name: step.name, seconds: started.elapsed().as_secs_f32(), outcome };
        println!("<== {line}");
        lines.push(line);
    }
    if names.is_empty() && !full && !dry {
        again(&steps, &mut lines);
    }
    summary::end(&lines)
}

/// Runs what failed once more.
fn again(steps: &[&Step], lines: &mut [Line]) {
    for (step, line) in steps.iter().zip(lines) {
        let Outcome::Failed(first) = &line.outcome else { continue };
        println!("\n==> {} failed: once more", step.name);
        let started = Instant::now();
        if matches!(run_step(step, false), Outcome::Passed) {
            line.outcome = Outcome::Unsteady(first.clone());
        }
        line.seconds += started.elapsed().as_secs_f32();
        println!("<== {line}");
    }
}

fn choose(names: &[String], full: bool) -> Result<Vec<&'static Step>, Failure> {
    if let Some(name) = names.iter().find(|name| !STEPS.iter().any(|step| step.name == **name)) {
        let known: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        return Err(Failure::new(format!("there is no step `{name}`; there are: {}", known.join(", "))));
    }
    let chosen = STEPS.iter().filter(|step| match names {
        [] => full || step.size == Size::Usual,
        names => names.iter().any(|name| name == step.name),
    });
    Ok(chosen.collect())
}

fn run_step(step: &Step, dry: bool) -> Outcome {
    let commands = match (step.plan)() {
        Ok(Plan::Run(commands)) => commands,
        Ok(Plan::NotHere { reason, needed_in_ci }) if needed_in_ci && machine::is_ci() => {
            return Outcome::Failed(format!("could not be run, and CI=true: {reason}"));
        }
        Ok(Plan::NotHere { reason, .. }) => return Outcome::NotRun(reason),
        Err(failure) => return Outcome::Failed(failure.to_string()),
    };
    for mut command in commands {
        println!("    $ {}", program::show(&command));
        if dry {
            continue;
        }
        // A terminal has it all, and its colours.
        let ended = if stdout().is_terminal() { program::run(&mut command) } else { tail::run(&mut command) };
        if let Err(failure) = ended {
            return Outcome::Failed(failure.to_string());
        }
    }
    if dry { Outcome::NotRun("--dry-run".to_owned()) } else { Outcome::Passed }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{Line, Outcome, Plan, STEPS, Size, Step, again, choose, run_step};
    use crate::failure::Failure;

    #[test]
    fn the_size_chooses_and_names_choose_more() {
        let usual = choose(&[], false).unwrap();
        assert!(usual.iter().all(|step| step.size == Size::Usual));
        assert!(choose(&[], true).unwrap().len() > usual.len());
        let long = STEPS.iter().find(|step| step.size == Size::Long).unwrap();
        assert_eq!(choose(&[long.name.to_owned()], false).unwrap().len(), 1);
        assert!(choose(&["tidi".to_owned()], false).is_err());
    }

    /// It fails the first time, and passes after that.
    fn once() -> Result<Plan, Failure> {
        let mark = std::env::temp_dir().join(format!("agentwire-ci-once-{}", std::process::id()));
        let mut command = Command::new("sh");
        command.args(["-c", "rm \"$0\" 2>/dev/null || { touch \"$0\"; exit 3; }"]).arg(mark);
        Ok(Plan::Run(vec![command]))
    }

    #[test]
    fn what_fails_once_is_unsteady_and_what_fails_twice_has_failed() {
        let step = |name, plan| Step { name, about: "", size: Size::Usual, plan };
        let steps = [
            step("once", once),
            step("always", || Ok(Plan::Run(vec![Command::new("false")]))),
            step("never", || Ok(Plan::Run(vec![Command::new("true")]))),
        ];
        let mut lines: Vec<Line> = steps
            .iter()
            .map(|step| Line { name: step.name, seconds: 0.0, outcome: run_step(step, false) })
            .collect();
        assert!(matches!(lines[0].outcome, Outcome::Failed(_)), "{:?}", lines[0]);
        again(&steps.each_ref(), &mut lines);
        assert!(matches!(&lines[0].outcome, Outcome::Unsteady(_)), "{:?}", lines[0]);
        assert!(matches!(lines[1].outcome, Outcome::Failed(_)), "{:?}", lines[1]);
        assert!(matches!(lines[2].outcome, Outcome::Passed), "{:?}", lines[2]);
    }

    #[test]
    fn each_step_has_a_name_of_its_own() {
        for (number, step) in STEPS.iter().enumerate() {
            assert!(STEPS[number + 1..].iter().all(|other| other.name != step.name), "{}", step.name);
        }
    }
}
