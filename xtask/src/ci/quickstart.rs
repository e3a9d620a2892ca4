//! What a new user runs first, and how long it keeps him waiting.

use std::process::Command;

use super::plan::{Plan, cargo};
use super::steps;
use crate::failure::Failure;
use crate::workspace;

/// The example, with what the steps before have built.
pub(super) fn run() -> Result<Plan, Failure> {
    Plan::cargo([EXAMPLE])
}

/// The example with the real CLI: its callbacks answer a program that nobody scripted. Then all examples, after bad ends.
pub(super) fn scripted() -> Result<Plan, Failure> {
    steps::real_cli([format!("{EXAMPLE} -- --scripted"), steps::xtask("endings")])
}

/// The example from nothing, in a folder of its own; cargo's `Finished` line holds the time of the build.
pub(super) fn from_clean() -> Result<Plan, Failure> {
    let folder = workspace::root()?.join("target").join("quickstart-clean");
    let there = |mut command: Command| {
        command.arg("--target-dir").arg(&folder);
        command
    };
    let clean = || cargo("clean").map(there);
    let build = cargo("build -p agentwire --example quickstart").map(there)?;
    Ok(Plan::Run(vec![clean()?, build, clean()?]))
}

const EXAMPLE: &str = "run -p agentwire --example quickstart";
