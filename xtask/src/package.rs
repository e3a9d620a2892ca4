//! `cargo xtask package`: every crate packs with its licences, README and changelog, and builds from its package.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::failure::{Failure, While as _};
use crate::metadata::{Metadata, Package};
use crate::program;
use crate::workspace;

/// Packs every crate that is published
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Build each crate from its package too
    #[arg(long)]
    build: bool,
}

/// `cargo xtask package [--build]`: packs all crates that are published, as one release would, and builds them.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let metadata = Metadata::load()?;
    let published: Vec<&Package> = metadata.members().filter(|package| package.is_published()).collect();
    let mut command = program::cargo()?;
    // The lock file is fetched before; asking the registry again adds nothing but a way to fail.
    command.args(["package", "--quiet", "--allow-dirty", "--offline", "--no-verify"]);
    for package in &published {
        let mut list = program::cargo()?;
        list.args(["package", "--list", "--allow-dirty", "-p", &package.name]);
        let list = program::output(&mut list)?;
        let missing = missing(&list);
        if !missing.is_empty() {
            let (name, missing) = (&package.name, missing.join(", "));
            return Err(Failure::new(format!("the package of {name} lacks {missing}")));
        }
        println!("    {}: {} files", package.name, list.lines().count());
        command.args(["-p", &package.name]);
    }
    program::run(&mut command)?;
    if args.build { build(&published, &metadata.target_directory) } else { Ok(()) }
}

/// Builds the packages as a workspace of their own, which shows that none includes a file from outside.
///
/// `cargo package` would build one after another, and most dependencies again for each.
fn build(packages: &[&Package], target: &Path) -> Result<(), Failure> {
    // Deeper than the crates, so that a relative path to a file of the repository leads to no file.
    let folder = target.join("package/build/unpacked");
    let doing = || format!("unpacking the packages in {}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).while_doing(doing)?;
    }
    fs::create_dir_all(&folder).while_doing(doing)?;
    let mut manifest = "[workspace]\nresolver = \"3\"\nmembers = [\"*\"]\n\n[patch.crates-io]\n".to_owned();
    for Package { name, version, .. } in packages {
        let package = target.join(format!("package/{name}-{version}.crate"));
        program::run(Command::new("tar").arg("-xzf").arg(package).arg("-C").arg(&folder))?;
        manifest += &format!("{name} = {{ path = \"{name}-{version}\" }}\n");
    }
    fs::write(folder.join("Cargo.toml"), manifest).while_doing(doing)?;
    fs::copy(workspace::root()?.join("Cargo.lock"), folder.join("Cargo.lock")).while_doing(doing)?;
    let mut check = program::cargo()?;
    check.args(["check", "--quiet", "--workspace", "--all-features", "--offline"]);
    // A new folder: files in packages have no time of their own, so cargo would take what it built from others.
    program::run(check.current_dir(&folder).env("CARGO_TARGET_DIR", folder.join("target")))
}

fn missing(list: &str) -> Vec<&'static str> {
    NEEDED.iter().copied().filter(|file| !list.lines().any(|line| line == *file)).collect()
}

const NEEDED: &[&str] = &["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "src/lib.rs"];

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn a_package_without_a_licence_is_found() {
        let whole = "CHANGELOG.md\nCargo.toml\nLICENSE-APACHE\nLICENSE-MIT\nREADME.md\nsrc/lib.rs\n";
        assert!(missing(whole).is_empty());
        assert_eq!(missing(&whole.replace("LICENSE-MIT\n", "")), ["LICENSE-MIT"]);
    }
}
