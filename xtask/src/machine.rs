//! What this machine has, and what it may be given.

use std::env;
use std::process::Command;

use crate::failure::Failure;
use crate::program;

/// Whether this is a CI run, where "could not be run here" is no excuse.
pub(crate) fn is_ci() -> bool {
    env::var("CI").is_ok_and(|value| matches!(value.as_str(), "true" | "1"))
}

/// Whether this process may install system packages.
pub(crate) fn is_root() -> bool {
    program::output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

/// Whether `cargo NAME` is there.
pub(crate) fn has_cargo(name: &str) -> bool {
    program::cargo().is_ok_and(|mut cargo| program::works(cargo.args([name, "--version"])))
}

/// Whether rustup has this toolchain.
pub(crate) fn has_toolchain(version: &str) -> bool {
    program::works(Command::new("rustup").args(["run", version, "cargo", "--version"]))
}

/// Whether the standard library for this target is installed.
pub(crate) fn has_target(target: &str) -> bool {
    let folder =
        program::output(Command::new("rustc").args(["--print", "target-libdir", "--target", target]));
    folder.is_ok_and(|folder| std::path::Path::new(folder.trim()).is_dir())
}

/// Makes sure that these programs are there, and installs them where that is allowed: in CI, as root, with apt-get.
///
/// Everywhere else the machine belongs to somebody, and the failure only says what is missing.
pub(crate) fn provide(programs: &[&str]) -> Result<(), Failure> {
    let missing: Vec<&str> = programs.iter().copied().filter(|name| program::find(name).is_none()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages: Vec<&str> = missing.iter().flat_map(|name| debian_packages(name)).copied().collect();
    install(&missing.join(", "), &packages)?;
    match programs.iter().find(|name| program::find(name).is_none()) {
        None => Ok(()),
        Some(name) => Err(Failure::new(format!("{name} is still not there after installing its package"))),
    }
}

/// Installs these packages of Debian's for what is missing, where that is allowed; else fails with what is missing.
pub(crate) fn install(missing_text: &str, packages: &[&str]) -> Result<(), Failure> {
    if !(is_ci() && is_root() && program::find("apt-get").is_some()) {
        return Err(Failure::new(format!("{missing_text} not installed")));
    }
    println!("    {missing_text} not installed; CI=true and root: installing {}", packages.join(" "));
    let apt = || {
        let mut apt = Command::new("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive");
        apt
    };
    program::run(apt().args(["update", "-q"]))?;
    program::run(apt().args(["install", "-q", "-y", "--no-install-recommends"]).args(packages))
}

fn debian_packages(program: &str) -> &'static [&'static str] {
    match program {
        "npm" => &["nodejs", "npm"],
        "c++" => &["g++"],
        "ip" => &["iproute2"],
        "chromium" => &["chromium", "fonts-dejavu-core"],
        "unshare" => &["util-linux"],
        "redis-server" => &["redis-server"],
        "python3" => &["python3", "python3-venv"],
        "git" => &["git"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::{has_cargo, has_target, has_toolchain, provide};

    #[test]
    fn what_is_not_there_is_not_found() {
        assert!(!has_cargo("no-such-command"));
        assert!(!has_toolchain("0.1"));
        assert!(!has_target("no-such-target"));
    }

    #[test]
    fn a_missing_program_is_named() {
        assert!(provide(&["cargo"]).is_ok());
        if !super::is_ci() {
            let said = provide(&["cargo", "no-such-program"]).unwrap_err().to_string();
            assert_eq!(said, "no-such-program not installed");
        }
    }
}
