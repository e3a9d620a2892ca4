//! `cargo xtask bench`: what the library costs, against limits measured in the same run.

use crate::failure::Failure;
use crate::peers;
use crate::program;

/// Measures the library against limits of the same run
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Fail if a limit is missed
    #[arg(long)]
    check: bool,
    /// Rounds of each workload
    #[arg(long)]
    rounds: Option<String>,
    /// Run only this workload
    #[arg(long)]
    only: Option<String>,
    /// Run our clients on a current-thread runtime
    #[arg(long)]
    current_thread: bool,
    /// Install other SDKs and measure them too; no limit applies
    #[arg(long, conflicts_with_all = ["check", "current_thread"])]
    peers: bool,
}

/// `cargo xtask bench [--check] [--rounds N] [--only WORKLOAD] [--current-thread] [--peers]`: prints the tables of
/// `docs/performance.md`.
///
/// With `--only` it runs that workload alone.
/// With `--check` it fails where a bound is missed.
/// With `--peers` it installs other SDKs and runs the workloads with them beside ours; no bound applies.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let Args { check, rounds, only, current_thread, peers } = args;
    let mut build = program::cargo()?;
    build.args(["build", "--quiet", "--release", "--package", BENCHES]);
    for program in ["bench", "bench_client", "bench_cli"] {
        build.args(["--bin", program]);
    }
    program::run(&mut build)?;
    let mut command = program::cargo()?;
    command.args(["run", "--quiet", "--release", "--package", BENCHES, "--bin", "bench", "--"]);
    if *peers {
        command.arg("peers").arg(peers::install()?);
    } else {
        command.arg("clients");
    }
    command.args(check.then_some("--check")).args(current_thread.then_some("--current-thread"));
    if let Some(rounds) = rounds {
        command.args(["--rounds", rounds]);
    }
    if let Some(only) = only {
        command.args(["--only", only]);
    }
    program::run(&mut command)
}

const BENCHES: &str = "agentwire-benches";
