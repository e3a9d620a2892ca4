//! `cargo xtask conformance`: `agentwire check` on the recordings of the repository.

pub(crate) use agentwire_cli::check::Args;
use agentwire_cli::check;

use crate::failure::Failure;
use crate::scenarios::REFUSED;
use crate::workspace;

/// `cargo xtask conformance [PATHS…] [--facade] [--self-test] [--json] [--junit FILE]`.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut args = args.clone();
    args.refused = REFUSED;
    if args.paths.is_empty() {
        args.paths.push(workspace::root()?.join("fixtures/sessions"));
    }
    check::run(&args)
}
