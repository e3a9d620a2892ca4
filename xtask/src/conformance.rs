//! `cargo xtask conformance`: `agentwire check` on the recordings of the repository.

use agentwire_cli::check;

use crate::failure::Failure;
use crate::scenarios::REFUSED;
use crate::workspace;

/// Checks the recordings of the repository, or other transcripts
#[derive(Debug, clap::Args)]
#[group(skip)] // The flattened struct has the same name, and names of groups are unique.
pub(crate) struct Args {
    #[command(flatten)]
    check: check::Args,
    /// Print one JSON object per file
    #[arg(long)]
    json: bool,
}

/// `cargo xtask conformance [PATHS…] [--facade] [--self-test] [--json] [--junit FILE]`.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut check = args.check.clone();
    check.refused = REFUSED;
    if check.paths.is_empty() {
        check.paths.push(workspace::root()?.join("fixtures/sessions"));
    }
    check::run(&check, args.json)
}
