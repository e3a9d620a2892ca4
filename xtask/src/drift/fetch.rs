//! The published declarations, from npm, in an ignored folder of the workspace.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::failure::{Failure, While as _};
use crate::program;

/// The declarations of that version; fetched once.
pub(super) fn declarations(root: &Path, version: &str) -> Result<String, Failure> {
    if version.is_empty() || !version.chars().all(|c| c.is_ascii_alphanumeric() || ".-+".contains(c)) {
        return Err(Failure::new(format!("`{version}` is no version")));
    }
    let folder = root.join(".cli/declarations").join(version);
    let file = folder.join("package/sdk.d.ts");
    if !file.is_file() {
        fetch(&folder, version)?;
    }
    fs::read_to_string(&file).while_doing(|| format!("reading {}", file.display()))
}

fn fetch(folder: &Path, version: &str) -> Result<(), Failure> {
    let npm = program::find("npm")
        .ok_or_else(|| Failure::new("npm is needed to fetch the declarations, and is not there"))?;
    fs::create_dir_all(folder)?;
    let spec = format!("{PACKAGE}@{version}");
    let said = program::output(Command::new(npm).current_dir(folder).args(["pack", "--silent", &spec]))?;
    let archive = said.lines().last().unwrap_or_default().trim();
    program::output(Command::new("tar").current_dir(folder).args(["-xzf", archive, "package/sdk.d.ts"]))?;
    fs::remove_file(folder.join(archive)).while_doing(|| format!("removing {archive}"))
}

const PACKAGE: &str = "@anthropic-ai/claude-agent-sdk";
