//! `cargo xtask cli`: the pinned real CLI, in an ignored folder of the workspace.

mod install;
mod pins;

use std::path::{Path, PathBuf};

pub(crate) use pins::{ALL, CURRENT, platform};

use crate::args::Args;
use crate::failure::Failure;
use crate::workspace;

/// `cargo xtask cli [--version V] [--path]`: installs it, checks its version, prints its path.
///
/// With `--path` the path is all that goes to the standard output.
pub(crate) fn run(mut args: Args) -> Result<(), Failure> {
    let version = args.option("--version")?;
    let only_path = args.flag("--path");
    args.finish()?;
    let version = version.as_deref().unwrap_or(CURRENT);
    let program = ensure(version)?;
    if only_path {
        println!("{}", program.display());
    } else {
        println!("CLI {version}: {}", program.display());
    }
    Ok(())
}

/// The path of this version of the CLI, which is installed where it is not yet there.
///
/// Several processes may ask at once: a folder is made aside and then moved to its place whole.
pub(crate) fn ensure(version: &str) -> Result<PathBuf, Failure> {
    let pin = pins::find(version)?;
    let program = place(version)?;
    if !program.is_file() {
        install::install(pin, &folder(version)?)?;
    }
    install::check(pin, &program)?;
    Ok(program)
}

/// Where this version of the CLI lies once it is installed.
pub(crate) fn place(version: &str) -> Result<PathBuf, Failure> {
    Ok(folder(version)?.join(pins::find(version)?.program(&platform()?)))
}

fn folder(version: &str) -> Result<PathBuf, Failure> {
    Ok(workspace::root()?.join(".cli").join(version))
}

/// The script of the MCP project's server for tests, which is installed where it is not yet there.
///
/// Scenarios run it with `node`.
pub(crate) fn ensure_everything() -> Result<PathBuf, Failure> {
    let place = workspace::root()?.join(".cli").join(format!("everything-{EVERYTHING_VERSION}"));
    let inside = Path::new("node_modules").join(EVERYTHING).join("dist/index.js");
    let script = place.join(&inside);
    if !script.is_file() {
        install::package(&format!("{EVERYTHING}@{EVERYTHING_VERSION}"), &inside, &place)?;
    }
    Ok(script)
}

const EVERYTHING: &str = "@modelcontextprotocol/server-everything";
const EVERYTHING_VERSION: &str = "2026.8.31";
