//! `cargo xtask cli`: the pinned real CLI, in an ignored folder of the workspace.

mod install;
mod pins;

use std::path::PathBuf;

pub(crate) use install::npm_package;
pub(crate) use pins::{ALL, CURRENT, platform};

use crate::failure::Failure;
use crate::workspace;

/// Installs the pinned CLI into .cli/
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The version to install
    #[arg(long, default_value = CURRENT)]
    version: String,
    /// Print only the path of the program
    #[arg(long)]
    path: bool,
}

/// `cargo xtask cli [--version V] [--path]`: installs it, checks its version, prints its path.
///
/// With `--path` the path is all that goes to the standard output.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let version = &args.version;
    let program = ensure(version)?;
    if args.path {
        println!("{}", program.display());
    } else {
        println!("CLI {version}: {}", program.display());
    }
    Ok(())
}

/// The path of this version of the CLI, which is installed where it is not yet there.
///
/// Several processes may call this at once: each installs into a temporary folder, and then renames it.
pub(crate) fn ensure(version: &str) -> Result<PathBuf, Failure> {
    let pin = pins::find(version)?;
    let program = place(version)?;
    if !program.is_file() {
        install::install(pin, &folder(version)?)?;
    }
    install::check(pin, &program)?;
    Ok(program)
}

/// Returns the path of this version of the CLI once it is installed.
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
    let script = "dist/index.js";
    Ok(npm_package("@modelcontextprotocol/server-everything", "2026.8.31", script)?.join(script))
}

/// The environment variable in which the library and its tests look for the CLI.
pub(crate) const VARIABLE: &str = "AGENTWIRE_CLI";
