//! Programs of this machine, and their installation.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, While as _};
use crate::program;
use crate::workspace;

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

/// `cargo NAME`, installed below `target/tools` if this machine lacks it.
pub(crate) fn cargo_tool(name: &str) -> Result<Command, Failure> {
    if has_cargo(name) {
        let mut command = program::cargo()?;
        command.arg(name);
        return Ok(command);
    }
    let mut command = Command::new(installed(&format!("cargo-{name}"))?);
    command.arg(name).current_dir(workspace::root()?);
    Ok(command)
}

/// `PATH` with a folder in which cargo finds `cargo NAME`, which is installed if this machine lacks it.
pub(crate) fn path_with(name: &str) -> Result<OsString, Failure> {
    let path = env::var_os("PATH").unwrap_or_default();
    if has_cargo(name) {
        return Ok(path);
    }
    let tool = installed(&format!("cargo-{name}"))?;
    let folders = tool.parent().map(Path::to_path_buf).into_iter().chain(env::split_paths(&path));
    env::join_paths(folders).while_doing(|| "adding a folder to PATH".to_owned())
}

/// `mdbook`, installed below `target/tools` if this machine lacks it.
pub(crate) fn mdbook() -> Result<Command, Failure> {
    match program::find("mdbook") {
        Some(tool) => Ok(Command::new(tool)),
        None => installed("mdbook").map(Command::new),
    }
}

/// The program of a crate in its pinned version, below `target/tools`.
fn installed(name: &str) -> Result<PathBuf, Failure> {
    let version = TOOLS.iter().find(|(tool, _)| *tool == name);
    let (_, version) = version.ok_or_else(|| Failure::new(format!("{name} has no pinned version")))?;
    let folder = workspace::root()?.join("target/tools").join(version);
    let tool = folder.join("bin").join(name);
    if !tool.is_file() {
        println!("    installing {name} {version}");
        let mut install = program::cargo()?;
        install.args(["install", "--quiet", "--locked", "--debug", &format!("{name}@{version}")]);
        install.arg("--root").arg(&folder).arg("--target-dir").arg(folder.join("build"));
        program::run(&mut install)?;
        fs::remove_dir_all(folder.join("build"))?;
    }
    Ok(tool)
}

/// Whether the standard library for this target is installed.
pub(crate) fn has_target(target: &str) -> bool {
    let folder =
        program::output(Command::new("rustc").args(["--print", "target-libdir", "--target", target]));
    folder.is_ok_and(|folder| Path::new(folder.trim()).is_dir())
}

/// Makes sure that these programs are there, and installs them where that is allowed: in CI, as root, with apt-get.
///
/// On other machines the failure names the missing programs.
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

/// Installs these packages of Debian's if that is allowed; otherwise fails with the missing programs.
pub(crate) fn install(missing_text: &str, packages: &[&str]) -> Result<(), Failure> {
    if !(is_ci() && is_root() && program::find("apt-get").is_some()) {
        return Err(Failure::new(format!("{missing_text} not installed")));
    }
    println!("    {missing_text} not installed; CI=true and root: installing {}", packages.join(" "));
    let apt = || {
        let mut apt = Command::new("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive").args(["-o", "Acquire::Retries=5"]);
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
        "ssh" => &["openssh-client"],
        "sshd" => &["openssh-server"],
        _ => &[],
    }
}

/// The versions of the installed programs.
const TOOLS: &[(&str, &str)] = &[
    ("cargo-deny", "0.20.2"),
    ("cargo-hack", "0.6.46"),
    ("cargo-nextest", "0.9.143"),
    ("cargo-public-api", "0.52.0"),
    ("cargo-semver-checks", "0.50.0"),
    ("mdbook", "0.5.4"),
];

#[cfg(test)]
mod tests {
    use super::{has_cargo, has_target, provide};

    #[test]
    fn missing_programs_are_reported() {
        assert!(!has_cargo("no-such-command"));
        assert!(!has_target("no-such-target"));
        assert!(provide(&["cargo"]).is_ok());
        if !super::is_ci() {
            let missing = provide(&["cargo", "no-such-program"]).unwrap_err().to_string();
            assert_eq!(missing, "no-such-program not installed");
        }
    }
}
