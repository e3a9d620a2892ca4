//! Programs, examples and ignored tests of other crates, built with the whole workspace.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::failure::{Failure, While as _};
use crate::machine;
use crate::netns;
use crate::program;

/// Returns the command that builds and runs the tests of the workspace.
///
/// Not the examples, which nextest would link by default: the step `clippy` checks them.
pub(crate) fn tests() -> Result<Command, Failure> {
    let mut nextest = machine::cargo_tool("nextest")?;
    nextest.args("run --workspace --all-features --lib --bins --tests --status-level=slow".split(' '));
    Ok(nextest)
}

/// Builds all tests and returns the command that runs the ignored ones that this nextest filter selects, without a
/// network if `offline`.
///
/// The command fails if the filter selects no test.
pub(crate) fn ignored_tests(filter: &str, offline: bool) -> Result<Command, Failure> {
    program::run(tests()?.arg("--no-run"))?;
    let mut command = if offline { netns::inside(tests()?)? } else { tests()? };
    command.args(["--offline", "--run-ignored=only", "-E", filter]);
    Ok(command)
}

/// Builds a program of the crate in a folder of this name, and returns its path.
pub(crate) fn binary(folder: &str, name: &str) -> Result<PathBuf, Failure> {
    found(&messages(&["build", "--bin", name, "--workspace", "--all-features"])?, folder, name)
}

/// Builds an example of the crate in a folder of this name, and returns its path.
pub(crate) fn example(folder: &str, name: &str) -> Result<PathBuf, Failure> {
    found(&messages(&["build", "--example", name, "--workspace", "--all-features"])?, folder, name)
}

/// Builds examples of one crate, and returns their programs by name.
pub(crate) fn examples<'a>(
    folder: &str,
    names: &BTreeSet<&'a str>,
) -> Result<HashMap<&'a str, PathBuf>, Failure> {
    let chosen = names.iter().flat_map(|name| ["--example", name]);
    let words: Vec<&str> = ["build", "--workspace", "--all-features"].into_iter().chain(chosen).collect();
    let built = messages(&words)?;
    names.iter().map(|name| Ok((*name, found(&built, folder, name)?))).collect()
}

/// Builds the examples that measure, with optimisation, and returns the path of one.
pub(crate) fn optimised(folder: &str, name: &str) -> Result<PathBuf, Failure> {
    found(&messages(&MEASURING.split(' ').collect::<Vec<_>>())?, folder, name)
}

/// Builds a program in the release profile, because its time and memory are compared with other programs.
pub(crate) fn released(folder: &str, name: &str) -> Result<PathBuf, Failure> {
    let package = format!("agentwire-{folder}");
    found(&messages(&["build", "--bin", name, "--package", &package, "--release"])?, folder, name)
}

fn found(messages: &[Value], folder: &str, name: &str) -> Result<PathBuf, Failure> {
    let built = messages.iter().find_map(|message| executable(message, folder, name));
    built.ok_or_else(|| Failure::new(format!("cargo built no {name} of {folder}")))
}

/// Returns the JSON messages of a build.
fn messages(words: &[&str]) -> Result<Vec<Value>, Failure> {
    let mut cargo = program::cargo()?;
    cargo.args(words).arg("--message-format=json-render-diagnostics").stderr(Stdio::inherit());
    let built = program::output(&mut cargo)?;
    let read = |line| serde_json::from_str(line).while_doing(|| format!("reading `{line}`"));
    built.lines().map(read).collect()
}

/// Returns the program in one of cargo's messages, if it is this target of this crate.
fn executable(message: &Value, folder: &str, name: &str) -> Option<PathBuf> {
    let manifest = message["manifest_path"].as_str()?.replace('\\', "/");
    let right = manifest.ends_with(&format!("/{folder}/Cargo.toml")) && message["target"]["name"] == name;
    right.then(|| message["executable"].as_str().map(PathBuf::from))?
}

// One command for all of them, so that each dependency is compiled once.
const MEASURING: &str = "build --profile counted --package agentwire-hub --package agentwire-restate \
     --example hub_marks --example agents --example fake_agent";
