//! `cargo xtask docs`: the lists of options in the guide, made from the table in the code.

mod options;

use crate::failure::Failure;
use crate::section;

/// Writes the lists of options into the guide
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Fail if a page is not current
    #[arg(long)]
    check: bool,
}

/// `cargo xtask docs [--check]`.
///
/// Writes the generated parts of the pages; with `--check` it fails if they are not current.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    section::update("docs/options-table.md", COMMAND, &options::table(), args.check)?;
    section::update("docs/options-differences.md", COMMAND, &options::differences(), args.check)
}

const COMMAND: &str = "cargo xtask docs";
