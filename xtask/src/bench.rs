//! `cargo xtask bench`: what the library costs, against limits measured in the same run.

use crate::args::Args;
use crate::failure::Failure;
use crate::peers;
use crate::program;

/// `cargo xtask bench [--check] [--rounds N] [--only WORKLOAD] [--current-thread] [--peers]`: prints the tables of
/// `docs/performance.md`.
///
/// With `--only` it plays that workload alone.
///
/// With `--check` it fails where a mark is missed.
/// With `--peers` it installs other SDKs, and has them play the workloads beside ours; nothing of that is a mark.
pub(crate) fn run(mut args: Args) -> Result<(), Failure> {
    let check = args.flag("--check");
    let rounds = args.option("--rounds")?;
    let only = args.option("--only")?;
    let current_thread = args.flag("--current-thread");
    let peers = args.flag("--peers");
    args.finish()?;
    if peers && (check || current_thread) {
        return Err(Failure::new(
            "--peers has no marks to check, and the runtimes of a program as users write it",
        ));
    }
    let measurements = match &only {
        _ if peers => &[PEERS],
        Some(_) => &[CLIENTS],
        None => ALL,
    };
    build(measurements)?;
    let named = if peers { Some(peers::install()?) } else { None };
    for Measurement { program, name } in measurements {
        let mut command = program::cargo()?;
        command.args(["run", "--quiet", "--release", "--package", BENCHES, "--bin", program, "--", name]);
        command.args(&named).args(check.then_some("--check"));
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

/// Builds what these need, all at once; no more, since linking each takes minutes.
fn build(measurements: &[Measurement]) -> Result<(), Failure> {
    let mut build = program::cargo()?;
    build.args(["build", "--quiet", "--release", "--package", BENCHES]);
    let mut programs: Vec<&str> = measurements.iter().map(|measurement| measurement.program).collect();
    programs.sort_unstable();
    programs.dedup();
    for program in programs.into_iter().chain(STARTED) {
        build.args(["--bin", program]);
    }
    program::run(&mut build)
}

/// What a program of the benches measures.
struct Measurement {
    program: &'static str,
    name: &'static str,
}

const BENCHES: &str = "agentwire-benches";
const CLIENTS: Measurement = Measurement { program: "bench", name: "clients" };
const PEERS: Measurement = Measurement { program: "bench", name: "peers" };
/// Decoding first, then memory, then many sessions, then stored ones, then whole clients.
const ALL: &[Measurement] = &[
    Measurement { program: "bench", name: "decode" },
    Measurement { program: "bench", name: "retain" },
    Measurement { program: "bench_heap", name: "huge" },
    Measurement { program: "bench_heap", name: "sessions" },
    Measurement { program: "bench_heap", name: "list" },
    CLIENTS,
];
/// What the whole clients are started as.
const STARTED: [&str; 2] = ["bench_client", "bench_cli"];
