//! `cargo xtask leaving`: guards that have not decided hold when their host goes away.

use crate::built;
use crate::cli;
use crate::failure::Failure;
use crate::program;

/// Checks that guards hold when their host goes away, on every version of the CLI
#[derive(Debug, clap::Args)]
pub(crate) struct Args;

/// `cargo xtask leaving`: tries every guard with every way of going away on each version of the CLI.
pub(crate) fn run(_: &Args) -> Result<(), Failure> {
    for version in cli::ALL {
        let program = cli::ensure(version)?;
        println!("every guard and every way with CLI {version}");
        let mut tests = built::ignored_tests(&format!("package(agentwire-judge) & test(={TEST})"), true)?;
        program::run(tests.env(cli::VARIABLE, program))?;
    }
    Ok(())
}

/// The test of every guard, which runs for minutes.
pub(crate) const TEST: &str = "live::leaving::guards_hold_with_every_way_of_leaving";
