//! `cargo xtask bench`: what decoding and callbacks cost, against limits measured in the same run.

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
    // All at once: one of them starts another.
    let mut build = program::cargo()?;
    program::run(build.args(["build", "--quiet", "--release", "--package", "agentwire-benches", "--bins"]))?;
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

/// Time first, then memory, then callbacks.
const PROGRAMS: &[&str] = &["decode", "retain", "round_trips"];
