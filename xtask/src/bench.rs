//! `cargo xtask bench`: what decoding costs, against limits measured in the same run.

use crate::args::Args;
use crate::failure::Failure;
use crate::program;

/// `cargo xtask bench [--check] [--rounds N]`: prints the tables of `docs/performance.md`.
///
/// With `--check` it fails where a mark is missed.
pub(crate) fn run(mut args: Args) -> Result<(), Failure> {
    let check = args.flag("--check");
    let rounds = args.option("--rounds")?;
    args.finish()?;
    for name in PROGRAMS {
        let mut command = program::cargo()?;
        command.args(["run", "--quiet", "--release", "--package", "agentwire-benches", "--bin", name, "--"]);
        command.args(check.then_some("--check"));
        if let Some(rounds) = &rounds {
            command.args(["--rounds", rounds]);
        }
        program::run(&mut command)?;
    }
    Ok(())
}

/// Time first, then memory.
const PROGRAMS: &[&str] = &["decode", "retain"];
