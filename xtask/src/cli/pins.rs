//! Which npm package holds which version of the CLI.

use std::env::consts::{ARCH, EXE_SUFFIX, OS};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// One version of the CLI and the package that holds it.
#[derive(Debug)]
pub(crate) struct Pin {
    /// The version that the program itself names.
    pub(crate) cli: &'static str,
    /// The package's name, without the platform.
    package: &'static str,
    /// The package's own version.
    version: &'static str,
}

/// The pin of this version of the CLI.
pub(crate) fn find(version: &str) -> Result<&'static Pin, Failure> {
    PINS.iter().find(|pin| pin.cli == version).ok_or_else(|| {
        let known: Vec<&str> = PINS.iter().map(|pin| pin.cli).collect();
        Failure::new(format!("CLI {version} is not in the table; known: {}", known.join(", ")))
    })
}

/// This machine, as the packages name it: `linux-x64`, `linux-arm64-musl`, `darwin-arm64`, …
pub(crate) fn platform() -> Result<String, Failure> {
    let musl = cfg!(target_env = "musl") || Path::new("/etc/alpine-release").exists();
    platform_of(OS, ARCH, musl).ok_or_else(|| Failure::new(format!("no CLI is published for {OS} on {ARCH}")))
}

impl Pin {
    /// The package for npm.
    pub(crate) fn spec(&self, platform: &str) -> String {
        format!("{}-{platform}@{}", self.package, self.version)
    }

    /// The path of the program, relative to the folder into which npm installed it.
    pub(crate) fn program(&self, platform: &str) -> PathBuf {
        let folder = format!("{}-{platform}", self.package);
        Path::new("node_modules").join(folder).join(format!("claude{EXE_SUFFIX}"))
    }
}

fn platform_of(os: &str, arch: &str, musl: bool) -> Option<String> {
    let os = match os {
        "linux" => "linux",
        "macos" => "darwin",
        "windows" => "win32",
        _ => return None,
    };
    let arch = match arch {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        _ => return None,
    };
    let libc = if musl && os == "linux" { "-musl" } else { "" };
    Some(format!("{os}-{arch}{libc}"))
}

/// The version that the fixtures were recorded from and that CI drives.
pub(crate) const CURRENT: &str = "2.1.330";

/// All versions in the table.
pub(crate) const ALL: &[&str] = &[CURRENT, OLDER];

/// An older one, to compare.
const OLDER: &str = "2.1.197";

/// The one table.
const PINS: &[Pin] = &[
    Pin { cli: CURRENT, package: "@anthropic-ai/claude-agent-sdk", version: "0.3.330" },
    Pin { cli: OLDER, package: "@anthropic-ai/claude-code", version: "2.1.197" },
];

#[cfg(test)]
mod tests {
    use super::{CURRENT, find, platform_of};

    #[test]
    fn a_version_becomes_a_package() {
        assert_eq!(
            find(CURRENT).unwrap().spec("linux-x64"),
            "@anthropic-ai/claude-agent-sdk-linux-x64@0.3.330"
        );
        assert_eq!(find("2.1.197").unwrap().spec("linux-x64"), "@anthropic-ai/claude-code-linux-x64@2.1.197");
        assert!(find("9.9.9").unwrap_err().to_string().contains(CURRENT));
    }

    #[test]
    fn platforms_have_the_names_of_npm() {
        assert_eq!(platform_of("linux", "x86_64", false).as_deref(), Some("linux-x64"));
        assert_eq!(platform_of("linux", "aarch64", true).as_deref(), Some("linux-arm64-musl"));
        assert_eq!(platform_of("macos", "aarch64", false).as_deref(), Some("darwin-arm64"));
        assert_eq!(platform_of("windows", "x86_64", true).as_deref(), Some("win32-x64"));
        assert_eq!(platform_of("freebsd", "x86_64", false), None);
    }
}
