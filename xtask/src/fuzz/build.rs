//! Builds the fuzz targets with the stable compiler: cargo-fuzz would do the same, and is one more thing to install.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::program;

/// Builds all targets, and returns the folder of their programs.
pub(super) fn targets(root: &Path, folder: &Path) -> Result<PathBuf, Failure> {
    let host = host()?;
    let mut command = program::cargo()?;
    command.args(["build", "--quiet", "--locked", "--release", "--target", &host]);
    // With `--target`, build scripts do not get these flags.
    command.arg("--manifest-path").arg(root.join("crates/tools/fuzz/Cargo.toml"));
    command.arg("--target-dir").arg(folder);
    command.env("RUSTFLAGS", FLAGS.join(" "));
    program::run(&mut command)?;
    Ok(folder.join(host).join("release"))
}

fn host() -> Result<String, Failure> {
    let version = program::output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failure::new("rustc does not report its host"))
}

/// The flags with which libFuzzer sees the path of an input through the code.
///
/// No address sanitizer: it is not in the stable compiler, and these crates have no unsafe code.
const FLAGS: &[&str] = &[
    "--cfg fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];
