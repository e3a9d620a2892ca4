//! `cargo xtask live`: runs scenarios on the real CLI now, and compares with what was recorded.

use std::fs;
use std::path::Path;

use agentwire_testkit::{Outline, Scenario, Transcript};

use crate::args::Args;
use crate::cli;
use crate::failure::{Failure, While as _};
use crate::netns;
use crate::scenarios;

/// `cargo xtask live [SCENARIO…] [--all]`: all but the slow ones, unless some are named; `--all` takes those too.
///
/// Each must do what it expects of itself, and have the outline of its fixture.
/// Without the CLI this fails: nothing would have been tested.
pub(crate) fn run(mut args: Args) -> Result<(), Failure> {
    let all = args.flag("--all");
    let names = args.names()?;
    let program = cli::ensure(cli::CURRENT)?;
    netns::within(|| {
        let (mut passed, mut failed) = (0, 0);
        for scenario in scenarios::load(&names)? {
            if scenario.is_slow() && !all && names.is_empty() {
                println!("{}: not run: it is slow; name it, or say --all", scenario.name());
                continue;
            }
            match check(&scenario, &program) {
                Ok(told) => {
                    passed += 1;
                    println!("{}: {told}", scenario.name());
                }
                Err(failure) => {
                    failed += 1;
                    println!("{}: FAILED: {failure}", scenario.name());
                }
            }
        }
        println!("{passed} passed, {failed} failed");
        if failed == 0 && passed > 0 { Ok(()) } else { Err(Failure::already_told()) }
    })
}

fn check(scenario: &Scenario, program: &Path) -> Result<String, Failure> {
    let (transcript, took) = scenarios::run(scenario, program)?;
    let took = format!("{:.1} s", took.as_secs_f64());
    if !scenario.is_recorded() {
        return Ok(format!("passed, {took}"));
    }
    let name = scenario.name();
    let file = scenarios::fixture(cli::CURRENT, name)?;
    let text = fs::read(&file).while_doing(|| format!("reading its fixture {}", file.display()))?;
    let recorded = Transcript::parse(text).while_doing(|| file.display().to_string())?;
    let differences = Outline::of(&recorded).differences(&Outline::of(&transcript));
    if differences.is_empty() {
        return Ok(format!("passed, as recorded, {took}"));
    }
    let kept = scenarios::keep(name, &transcript)?;
    Err(Failure::new(format!("{}; see {}", differences.join("; "), kept.display())))
}
