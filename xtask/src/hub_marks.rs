//! `cargo xtask hub-marks`: what the hub may cost, as ratios inside one run.

use std::process::Command;

use crate::built;
use crate::failure::Failure;
use crate::program;

/// Measures what the hub costs beside rmcp alone, and fifty servers at once
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Measure an unoptimised build, without single calls
    #[arg(long)]
    quick: bool,
}

/// `cargo xtask hub-marks [--quick]`: runs the hub's example `hub_marks`, which fails where a mark is missed.
///
/// With `--quick` it is not optimised, and a single call is not measured.
/// A mark that is missed is measured once more: other programs run on this machine too.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let is_quick = args.quick;
    let marks = if is_quick {
        built::example("hub", "hub_marks")?
    } else {
        println!(
            "building the hub and its dependencies with optimisation, which takes minutes the first time"
        );
        built::optimised("hub", "hub_marks")?
    };
    let measure = || program::run(Command::new(&marks).args(is_quick.then_some("--quick")));
    measure().or_else(|first| {
        println!("{first}; once more");
        measure()
    })
}
