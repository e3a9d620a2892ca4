//! Installs a program from npm and checks its version.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::pins::{Pin, platform};
use crate::failure::{Failure, While as _};
use crate::program;
use crate::workspace;

/// Installs the pin into `place`.
///
/// npm works in a folder of its own beside it, which is then moved: `place` is either not there or whole.
/// If another process was first, this copy is discarded.
pub(crate) fn install(pin: &Pin, place: &Path) -> Result<(), Failure> {
    let platform = platform()?;
    package(&pin.spec(&platform), &pin.program(&platform), place)
}

/// Returns the folder of a package of npm's, and installs the package if this file of it is missing.
///
/// Packages that it depends on lie beside it.
pub(crate) fn npm_package(name: &str, version: &str, file: &str) -> Result<PathBuf, Failure> {
    let place = workspace::root()?.join(".cli").join(format!("{name}-{version}"));
    let package = Path::new("node_modules").join(name);
    let inside = package.join(file);
    if !place.join(&inside).is_file() {
        self::package(&format!("{name}@{version}"), &inside, &place)?;
    }
    Ok(place.join(package))
}

/// Installs a package of npm into `place`, which then contains the file `inside`.
fn package(spec: &str, inside: &Path, place: &Path) -> Result<(), Failure> {
    let npm = program::find("npm")
        .ok_or_else(|| Failure::new(format!("npm is needed to install {spec}, and is not there")))?;
    let aside = aside(place)?;
    fs::write(aside.path().join("package.json"), "{\"private\":true}\n")?;
    eprintln!("installing {spec} (once)");
    let mut command = Command::new(npm);
    command.current_dir(aside.path()).args(["install", "--prefix"]).arg(aside.path());
    command.args(QUIETLY.split(' ')).arg(spec);
    program::output(&mut command)?;
    match fs::rename(aside.path(), place) {
        Ok(()) => Ok(()),
        Err(_) if place.join(inside).is_file() => Ok(()),
        Err(error) => Err(error).while_doing(|| format!("moving {spec} to {}", place.display())),
    }
}

/// Fails unless the program reports this version.
pub(crate) fn check(pin: &Pin, program: &Path) -> Result<(), Failure> {
    let home = aside(program)?;
    let reported = first_line(program, home.path())?;
    if names(&reported, pin.cli) {
        return Ok(());
    }
    let at = program.display();
    Err(Failure::new(format!(
        "{at} calls itself {reported:?}, not {}; remove its folder and try again",
        pin.cli
    )))
}

/// Whether this is what that version prints: `2.1.330 (Claude Code)`.
fn names(reported: &str, version: &str) -> bool {
    reported.split_whitespace().next() == Some(version)
}

/// Returns the output of `--version`, run in an environment of its own.
fn first_line(program: &Path, home: &Path) -> Result<String, Failure> {
    let mut command = Command::new(program);
    command.arg("--version").env_clear().env("HOME", home).env("CLAUDE_CONFIG_DIR", home);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.envs(SILENT.iter().map(|name| (name, "1")));
    Ok(program::output(&mut command)?.lines().next().unwrap_or_default().to_owned())
}

/// Creates a temporary folder on the file system of another path, so that it can be moved there.
fn aside(path: &Path) -> Result<TempDir, Failure> {
    let parent = path.parent().unwrap_or(path);
    fs::create_dir_all(parent).while_doing(|| format!("creating {}", parent.display()))?;
    Ok(tempfile::Builder::new().prefix(".aside-").tempdir_in(parent)?)
}

/// No scripts, no lock file, no report, no CLI that a package brings along for its platform, and patience.
const QUIETLY: &str = "--no-save --no-package-lock --ignore-scripts --omit=optional --no-audit --no-fund --loglevel=error --fetch-retries=6";

const SILENT: &[&str] = &[
    "DISABLE_TELEMETRY",
    "DISABLE_AUTOUPDATER",
    "DISABLE_ERROR_REPORTING",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
];

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn only_the_pinned_version_passes() {
        assert!(names("2.1.330 (Claude Code)", "2.1.330"));
        assert!(!names("2.1.33 (Claude Code)", "2.1.330"));
        assert!(!names("2.1.3301 (Claude Code)", "2.1.330"));
        assert!(!names("", "2.1.330"));
    }
}
