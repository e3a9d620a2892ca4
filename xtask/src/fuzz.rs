//! `cargo xtask fuzz`: runs the fuzz targets for a bounded time, starting from the recorded fixtures.

mod build;
mod seeds;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::at_once::at_once;
use crate::failure::{Failure, While as _};
use crate::machine;
use crate::program;
use crate::workspace;

/// Runs the fuzz targets for a bounded time
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Seconds for each target
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
    /// Targets; all by default
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(TARGETS))]
    targets: Vec<String>,
}

/// `cargo xtask fuzz [--seconds N] [TARGET…]`: runs all or these targets, each for this time.
///
/// It fails if a target finds something; the input is then in `target/fuzz/findings`.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let (seconds, names) = (args.seconds, &args.targets);
    machine::provide(&["c++"])?;
    let root = workspace::root()?;
    let folder = root.join("target").join("fuzz");
    let programs = build::targets(&root, &folder)?;
    let findings = folder.join("findings");
    fs::create_dir_all(&findings)?;
    let is_chosen = |target: &&str| names.is_empty() || names.iter().any(|name| name == target);
    let mut chosen = Vec::new();
    for target in TARGETS.into_iter().filter(is_chosen) {
        let corpus = folder.join("corpus").join(target);
        let count = seeds::write(&root, target, &corpus)?;
        println!("    {target}: {count} seeds, {seconds} s");
        chosen.push((target, corpus));
    }
    let fuzz = |(target, corpus): &(&str, PathBuf)| {
        one(&programs.join(target), corpus, &findings.join(format!("{target}-")), seconds)
    };
    let mut found = Vec::new();
    at_once(AT_ONCE, &chosen, fuzz, |(target, _), outcome| {
        if let Err(failure) = outcome {
            println!("    {target}: {failure}");
            found.push(*target);
        }
    });
    if found.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("found by {}: see {}", found.join(", "), findings.display())))
}

/// Runs one target; its inputs and its log stay beside its findings.
fn one(program: &Path, corpus: &Path, prefix: &Path, seconds: u32) -> Result<(), Failure> {
    let log =
        prefix.with_file_name(format!("{}log", prefix.file_name().unwrap_or_default().to_string_lossy()));
    let file = fs::File::create(&log).while_doing(|| format!("writing {}", log.display()))?;
    let mut command = Command::new(program);
    command.arg(format!("-max_total_time={seconds}"));
    command.args(["-max_len=16384", "-timeout=20", "-rss_limit_mb=2048"]);
    command.arg(format!("-artifact_prefix={}", prefix.display())).arg(corpus);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file);
    program::run(&mut command).while_doing(|| format!("fuzzing; the log is {}", log.display()))
}

/// Each runs on one core.
const AT_ONCE: usize = 2;
const TARGETS: [&str; 8] = ["calls", "edits", "env", "html", "lines", "message", "redaction", "sse"];
