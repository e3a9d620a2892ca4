//! `cargo xtask cli`: the pinned real CLI, in an ignored folder of the workspace.

mod install;
mod pins;

use std::path::PathBuf;

pub(crate) use pins::CURRENT;

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
    let place = workspace::root()?.join(".cli").join(pin.cli);
    let program = place.join(pin.program(&pins::platform()?));
    if !program.is_file() {
        install::install(pin, &place)?;
    }
    install::check(pin, &program)?;
    Ok(program)
}
