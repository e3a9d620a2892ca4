//! `cargo xtask live-tests`: the tests that drive the library on the real CLI by code, where no scenario could.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::args::Args;
use crate::cli;
use crate::failure::{Failure, While as _};
use crate::netns;
use crate::program;

/// `cargo xtask live-tests`: builds the tests of the testkit, and runs the ignored ones that are called `live::`.
///
/// They run as scenarios do: each gives the CLI a home, a key and a model of its own, and none can leave the machine.
/// Where there is no such test this fails: nothing would have been tested.
pub(crate) fn run(args: Args) -> Result<(), Failure> {
    args.finish()?;
    // Both may need the network, so they come first.
    let (cli, tests) = (cli::ensure(cli::CURRENT)?, build()?);
    let listed = program::output(Command::new(&tests).args(CHOSEN).arg("--list"))?;
    match count(&listed) {
        0 => return Err(Failure::new(format!("no test was chosen by `{}`", CHOSEN.join(" ")))),
        number => println!("{number} tests with CLI {}", cli::CURRENT),
    }
    program::run(netns::command_inside(&tests)?.args(CHOSEN).env(NAMED_CLI, cli))
}

/// Builds the tests, and says where they lie.
fn build() -> Result<PathBuf, Failure> {
    let mut cargo = program::cargo()?;
    // All crates, since fewer would lend each other fewer features: then nothing that CI has built could be used.
    cargo.args(["test", "--workspace", "--all-features", "--test", "it", "--no-run"]);
    cargo.arg("--message-format=json-render-diagnostics").stderr(Stdio::inherit());
    let built = program::output(&mut cargo)?;
    for line in built.lines() {
        let message: Value = serde_json::from_str(line).while_doing(|| format!("reading `{line}`"))?;
        if let Some(tests) = executable(&message) {
            return Ok(tests);
        }
    }
    Err(Failure::new("cargo built no tests of the testkit"))
}

/// The program that one of cargo's messages tells of, where it is the right one.
fn executable(message: &Value) -> Option<PathBuf> {
    let manifest = message["manifest_path"].as_str()?.replace('\\', "/");
    let right = manifest.ends_with("/crates/testkit/Cargo.toml") && message["target"]["name"] == "it";
    right.then(|| message["executable"].as_str().map(PathBuf::from))?
}

/// How many tests a list has; other lines tell their number and what is no test.
fn count(listed: &str) -> usize {
    listed.lines().filter(|line| line.ends_with(": test")).count()
}

const CHOSEN: &[&str] = &["--ignored", "live::"];
/// Where the tests find the CLI; the variable is the library's own.
const NAMED_CLI: &str = "AGENTWIRE_CLI";

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::json;

    use super::{count, executable};

    #[test]
    fn the_tests_of_the_testkit_are_found_among_what_cargo_built() {
        let message = |manifest: &str, target: &str| {
            json!({
                "reason": "compiler-artifact", "manifest_path": manifest, "target": {"name": target},
                "executable": "/built/it-1",
            })
        };
        let testkit = "/somewhere/crates/testkit/Cargo.toml";
        assert_eq!(executable(&message(testkit, "it")), Some(PathBuf::from("/built/it-1")));
        assert_eq!(executable(&message(testkit, "soak")), None);
        assert_eq!(executable(&message("/somewhere/crates/agentwire/Cargo.toml", "it")), None);
        assert_eq!(executable(&json!({"reason": "build-finished", "success": true})), None);
    }

    #[test]
    fn none_is_told_from_some() {
        assert_eq!(count("live::one: test\nlive::two: test\n\n2 tests, 0 benchmarks\n"), 2);
        assert_eq!(count("\n0 tests, 0 benchmarks\n"), 0);
    }
}
