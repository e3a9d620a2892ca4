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
/// Steps that are named are run whatever their size.
pub(crate) fn run(mut args: Args) -> Result<(), Failure> {
    let full = args.flag("--full");
    let list = args.flag("--list");
    let dry = args.flag("--dry-run");
    let steps = choose(&args.names()?, full)?;
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
    summary::end(&lines)
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
    use super::{STEPS, Size, choose};

    #[test]
    fn the_size_chooses_and_names_choose_more() {
        let usual = choose(&[], false).unwrap();
        assert!(usual.iter().all(|step| step.size == Size::Usual));
        assert!(choose(&[], true).unwrap().len() > usual.len());
        let long = STEPS.iter().find(|step| step.size == Size::Long).unwrap();
        assert_eq!(choose(&[long.name.to_owned()], false).unwrap().len(), 1);
        assert!(choose(&["tidi".to_owned()], false).is_err());
    }

    #[test]
    fn each_step_has_a_name_of_its_own() {
        for (number, step) in STEPS.iter().enumerate() {
            assert!(STEPS[number + 1..].iter().all(|other| other.name != step.name), "{}", step.name);
        }
    }
}
