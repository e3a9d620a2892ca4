//! `cargo xtask first-program`: the first page of the guide, as a new user follows it.

use std::fs;
use std::path::Path;

use crate::failure::{Failure, While as _};
use crate::program;
use crate::workspace;

/// Builds the agent of docs/getting-started.md in a new package
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs the page's commands of cargo in an empty folder, with its agent as the program, and builds it from nothing.
pub(crate) fn run(_: &Args) -> Result<(), Failure> {
    let root = workspace::root()?;
    let page = fs::read_to_string(root.join(PAGE)).while_doing(|| format!("reading {PAGE}"))?;
    let folder = tempfile::Builder::new().prefix("agentwire-first-program-").tempdir()?;
    let package = folder.path().join(NAME);
    let lines = commands(&page);
    if lines.first() != Some(&format!("cargo new {NAME}")) {
        return Err(Failure::finding(format!(
            "{PAGE} does not begin with `cargo new {NAME}`, but with {lines:?}"
        )));
    }
    cargo(folder.path(), &lines[0])?;
    // The versions of the workspace, because the registry may have newer ones.
    fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock"))?;
    for line in &lines[1..] {
        if line == "cargo add agentwire" {
            // The crates are not published yet, so the command of the page would fail.
            let mut add = program::cargo()?;
            add.args(["add", "--path"]).arg(root.join("crates/agentwire"));
            program::run(add.current_dir(&package))?;
        } else {
            cargo(&package, line)?;
        }
    }
    fs::write(package.join("src/main.rs"), agent(&page)?)?;
    cargo(&package, "cargo build")
}

/// Returns the lines of the page that call cargo, without what follows in the same line.
fn commands(page: &str) -> Vec<String> {
    let install = page.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap_or_default();
    let lines = install.lines().filter(|line| line.starts_with("cargo "));
    let command = |line: &str| line.split([';', '&', '#']).next().unwrap_or_default().trim().to_owned();
    lines.map(command).collect()
}

/// Returns the program below the heading of the agent.
fn agent(page: &str) -> Result<&str, Failure> {
    let section = page.split(HEADING).nth(1).unwrap_or_default();
    let code = section.split("```rust,no_run\n").nth(1).and_then(|rest| rest.split("```").next());
    code.ok_or_else(|| Failure::finding(format!("{PAGE} has no program below `{HEADING}`")))
}

fn cargo(folder: &Path, line: &str) -> Result<(), Failure> {
    println!("    $ {line}");
    program::run(program::cargo()?.current_dir(folder).args(line.split_whitespace().skip(1)))
}

const PAGE: &str = "docs/getting-started.md";
const HEADING: &str = "## Write an agent";
const NAME: &str = "agent";
