//! Python environments with packages of PyPI at pinned versions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, While as _};
use crate::machine;
use crate::program;

/// The interpreter that creates environments.
pub(crate) const PYTHON: &str = "python3";

/// Returns the interpreter of the environment in `folder`, which is created if it lacks these packages.
///
/// The list of packages is written last, so that a partial installation is repeated.
pub(crate) fn environment(folder: &Path, packages: &[&str]) -> Result<PathBuf, Failure> {
    machine::provide(&[PYTHON])?;
    let (python, done) = (folder.join("bin/python"), folder.join("installed"));
    let list = packages.join("\n");
    if fs::read_to_string(&done).is_ok_and(|installed| installed == list) {
        return Ok(python);
    }
    println!("    installing into {}: {}", folder.display(), packages.join(" "));
    program::output(Command::new(PYTHON).args(["-m", "venv", "--clear"]).arg(folder))?;
    program::output(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(packages))?;
    fs::write(&done, list).while_doing(|| format!("writing {}", done.display()))?;
    Ok(python)
}
