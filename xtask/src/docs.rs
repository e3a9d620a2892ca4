//! `cargo xtask docs`: the pages that are made from tables in the code.

mod options;

use std::fs;

use crate::failure::{Failure, While as _};
use crate::workspace;

/// Writes the pages that are generated from the code
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Fail where a page is not current
    #[arg(long)]
    check: bool,
}

/// `cargo xtask docs [--check]`.
///
/// Writes docs/options.md; with `--check` it must be as it would be written.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let file = workspace::root()?.join(FILE);
    let text = options::page();
    if !args.check {
        return fs::write(&file, text).while_doing(|| format!("writing {FILE}"));
    }
    let current = fs::read_to_string(&file).while_doing(|| format!("reading {FILE}"))?;
    if current == text {
        println!("{FILE} is current");
        return Ok(());
    }
    Err(Failure::new(format!("{FILE} is not current: `cargo xtask docs`")))
}

const FILE: &str = "docs/options.md";
