//! Getting the program from npm, and asking it who it is.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::pins::{Pin, platform};
use crate::failure::{Failure, While as _};
use crate::program;

/// Installs the pin into `place`.
///
/// npm works in a folder of its own beside it, which is then moved: `place` is either not there or whole.
/// Whoever comes second finds the place taken and throws his own copy away.
pub(crate) fn install(pin: &Pin, place: &Path) -> Result<(), Failure> {
    let platform = platform()?;
    package(&pin.spec(&platform), &pin.program(&platform), place)
}

/// Installs a package of npm's into `place`, where `inside` lies after that.
pub(super) fn package(spec: &str, inside: &Path, place: &Path) -> Result<(), Failure> {
    let npm = program::find("npm")
        .ok_or_else(|| Failure::new(format!("npm is needed to install {spec}, and is not there")))?;
    let aside = Aside::new(place)?;
    fs::write(aside.0.join("package.json"), "{\"private\":true}\n")?;
    eprintln!("installing {spec} (once; the CLI has some hundred MB) …");
    let mut command = Command::new(npm);
    command.current_dir(&aside.0).arg("install").arg("--prefix").arg(&aside.0).args(QUIETLY).arg(spec);
    program::output(&mut command)?;
    match fs::rename(&aside.0, place) {
        Ok(()) => Ok(()),
        Err(_) if place.join(inside).is_file() => Ok(()),
        Err(error) => Err(error).while_doing(|| format!("moving {spec} to {}", place.display())),
    }
}

/// Fails unless the program says that it is this version.
pub(crate) fn check(pin: &Pin, program: &Path) -> Result<(), Failure> {
    let home = Aside::new(program)?;
    let said = first_line(program, &home.0)?;
    if names(&said, pin.cli) {
        return Ok(());
    }
    let at = program.display();
    Err(Failure::new(format!("{at} calls itself {said:?}, not {}; remove its folder and try again", pin.cli)))
}

/// Whether this is what that version prints: `2.1.330 (Claude Code)`.
fn names(said: &str, version: &str) -> bool {
    said.split_whitespace().next() == Some(version)
}

/// What `--version` prints, in an environment of its own and within a limit.
fn first_line(program: &Path, home: &Path) -> Result<String, Failure> {
    let mut command = Command::new(program);
    command.arg("--version").env_clear().env("HOME", home).env("CLAUDE_CONFIG_DIR", home);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    for name in SILENT {
        command.env(name, "1");
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().while_doing(|| format!("running {}", program.display()))?;
    let started = Instant::now();
    while child.try_wait()?.is_none() {
        if started.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            return Err(Failure::new(format!("{} gave no version within {LIMIT:?}", program.display())));
        }
        thread::sleep(Duration::from_millis(20));
    }
    let mut said = String::new();
    if let Some(mut stdout) = child.stdout.take() {
        stdout.read_to_string(&mut said)?;
    }
    Ok(said.lines().next().unwrap_or_default().to_owned())
}

/// A folder beside another path, under a name of this process, which goes when it is dropped.
struct Aside(PathBuf);

impl Aside {
    fn new(path: &Path) -> Result<Self, Failure> {
        let thread = format!("{:?}", thread::current().id()).replace(['(', ')'], "");
        let name = format!(".aside-{}-{thread}", std::process::id());
        let folder = path.parent().unwrap_or(path).join(name);
        fs::create_dir_all(&folder).while_doing(|| format!("making {}", folder.display()))?;
        Ok(Self(folder))
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        // After the move there is nothing left to remove, and what cannot be removed harms nobody.
        drop(fs::remove_dir_all(&self.0));
    }
}

/// No scripts, no lock file, no report.
const QUIETLY: &[&str] =
    &["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

const SILENT: &[&str] = &[
    "DISABLE_TELEMETRY",
    "DISABLE_AUTOUPDATER",
    "DISABLE_ERROR_REPORTING",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
];

/// Asking for the version takes well under a second on an idle machine.
const LIMIT: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::{Aside, names};

    #[test]
    fn only_the_pinned_version_passes() {
        assert!(names("2.1.330 (Claude Code)", "2.1.330"));
        assert!(!names("2.1.33 (Claude Code)", "2.1.330"));
        assert!(!names("2.1.3301 (Claude Code)", "2.1.330"));
        assert!(!names("", "2.1.330"));
    }

    #[test]
    fn what_was_made_aside_goes() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("1.0");
        let aside = Aside::new(&place).unwrap();
        assert!(aside.0.is_dir());
        assert_eq!(aside.0.parent(), place.parent());
        drop(aside);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
