//! `cargo xtask bench`: what the library costs, against limits measured in the same run.

use crate::args::Args;
use crate::failure::Failure;
use crate::program;

/// `cargo xtask bench [--check] [--rounds N] [--only WORKLOAD] [--current-thread]`: prints the tables of
/// `docs/performance.md`.
///
/// With `--only` it plays that workload alone.
///
/// With `--check` it fails where a mark is missed.
pub(crate) fn run(mut args: Args) -> Result<(), Failure> {
    let check = args.flag("--check");
    let rounds = args.option("--rounds")?;
    let only = args.option("--only")?;
    let current_thread = args.flag("--current-thread");
    args.finish()?;
    // All at once: one of them starts another.
    let mut build = program::cargo()?;
    program::run(build.args(["build", "--quiet", "--release", "--package", "agentwire-benches", "--bins"]))?;
    let programs = if only.is_some() { &PROGRAMS[PROGRAMS.len() - 1..] } else { PROGRAMS };
    for name in programs {
        let mut command = program::cargo()?;
        command.args(["run", "--quiet", "--release", "--package", "agentwire-benches", "--bin", name, "--"]);
        command.args(check.then_some("--check"));
        if let Some(rounds) = &rounds {
            command.args(["--rounds", rounds]);
        }
        if let Some(only) = &only {
            command.args(["--only", only]);
        }
        command.args(current_thread.then_some("--current-thread"));
        program::run(&mut command)?;
    }
    Ok(())
}

/// Decoding first, then memory, then many sessions, then whole clients.
const PROGRAMS: &[&str] = &["decode", "retain", "huge_alloc", "sessions", "bench"];
