//! `cargo xtask bench`: what the library costs, against limits measured in the same run.

use crate::args::Args;
use crate::failure::Failure;
use crate::peers;
use crate::program;

/// `cargo xtask bench [--check] [--rounds N] [--only WORKLOAD] [--current-thread] [--peers]`: prints the tables of
/// `docs/performance.md`.
///
/// With `--only` it runs that workload alone.
/// With `--check` it fails where a bound is missed.
/// With `--peers` it installs other SDKs and runs the workloads with them beside ours; no bound applies.
pub(crate) fn run(mut args: Args) -> Result<(), Failure> {
    let check = args.flag("--check");
    let rounds = args.option("--rounds")?;
    let only = args.option("--only")?;
    let current_thread = args.flag("--current-thread");
    let peers = args.flag("--peers");
    args.finish()?;
    if peers && (check || current_thread) {
        return Err(Failure::new("--peers goes with --rounds and --only alone"));
    }
    let mut build = program::cargo()?;
    build.args(["build", "--quiet", "--release", "--package", BENCHES]);
    for program in ["bench", "bench_client", "bench_cli"] {
        build.args(["--bin", program]);
    }
    program::run(&mut build)?;
    let mut command = program::cargo()?;
    command.args(["run", "--quiet", "--release", "--package", BENCHES, "--bin", "bench", "--"]);
    if peers {
        command.arg("peers").arg(peers::install()?);
    } else {
        command.arg("clients");
    }
    command.args(check.then_some("--check")).args(current_thread.then_some("--current-thread"));
    if let Some(rounds) = &rounds {
        command.args(["--rounds", rounds]);
    }
    if let Some(only) = &only {
        command.args(["--only", only]);
    }
    program::run(&mut command)
}

const BENCHES: &str = "agentwire-benches";
