//! `cargo xtask package`: every crate can be packed, contains its licences, and builds from its package alone.

use crate::failure::Failure;
use crate::metadata::Metadata;
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
///
/// The build is what shows that nothing is embedded from outside a package; it takes minutes.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let metadata = Metadata::load()?;
    let mut command = program::cargo()?;
    // The lock file is fetched before; asking the registry again adds nothing but a way to fail.
    command.args(["package", "--quiet", "--allow-dirty", "--offline"]);
    if args.build {
        // In one folder the packages share their dependencies; by default cargo builds each in a new one.
        command.env("CARGO_TARGET_DIR", workspace::root()?.join("target/package-build"));
        command.env("CARGO_PROFILE_DEV_DEBUG", "none");
    } else {
        command.arg("--no-verify");
    }
    for package in metadata.members().filter(|package| package.is_published()) {
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
    program::run(&mut command)
}

fn missing(list: &str) -> Vec<&'static str> {
    NEEDED.iter().copied().filter(|file| !list.lines().any(|line| line == *file)).collect()
}

const NEEDED: &[&str] = &["LICENSE-APACHE", "LICENSE-MIT", "README.md", "src/lib.rs"];

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn a_package_without_a_licence_is_found() {
        assert!(missing("Cargo.toml\nLICENSE-APACHE\nLICENSE-MIT\nREADME.md\nsrc/lib.rs\n").is_empty());
        assert_eq!(missing("Cargo.toml\nLICENSE-APACHE\nREADME.md\nsrc/lib.rs\n"), ["LICENSE-MIT"]);
    }
}
