//! `cargo xtask hub-marks`: what the hub may cost, as ratios inside one run.

use std::process::Command;

use crate::built;
use crate::failure::Failure;
use crate::program;

/// Measures what the hub costs beside rmcp alone, and fifty servers at once
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// `cargo xtask hub-marks`: runs the hub's example `hub_marks`, which fails where a mark is missed.
///
/// A mark that is missed is measured once more: other programs run on this machine too.
pub(crate) fn run(_: &Args) -> Result<(), Failure> {
    println!("building the hub and its dependencies with optimisation, which takes minutes the first time");
    let marks = built::optimised("hub", "hub_marks")?;
    let measure = || program::run(&mut Command::new(&marks));
    measure().or_else(|first| {
        println!("{first}; once more");
        measure()
    })
}
