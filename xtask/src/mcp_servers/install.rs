//! Installs packages at pinned versions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cli;
use crate::failure::{Failure, While as _};
use crate::program;
use crate::python;

/// Installs the missing ones of `node_modules`, `venv` and `jupyter` below this folder.
pub(super) fn into(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).while_doing(|| format!("making {}", folder.display()))?;
    let node = format!("node-{}@{NODE}", cli::platform()?);
    let npm: Vec<&str> = NPM.iter().copied().chain([node.as_str()]).collect();
    let (done, list) = (folder.join("node_modules.installed"), npm.join("\n"));
    if !fs::read_to_string(&done).is_ok_and(|installed| installed == list) {
        println!("    installing into {}: {}", folder.display(), npm.join(" "));
        from_npm(folder, &npm)?;
        fs::write(&done, list).while_doing(|| format!("writing {}", done.display()))?;
    }
    for (place, packages) in [("venv", SERVERS), (JUPYTER, KERNELS)] {
        python::environment(&folder.join(place), packages)?;
    }
    Ok(())
}

fn from_npm(folder: &Path, packages: &[&str]) -> Result<(), Failure> {
    fs::write(folder.join("package.json"), "{\"private\":true}\n")?;
    let npm = program::find("npm").ok_or_else(|| Failure::new("npm is not there"))?;
    let mut command = Command::new(npm);
    command.current_dir(folder).args(["install", "--no-save", "--no-package-lock", "--ignore-scripts"]);
    // The suite needs a newer node than npm does, so a package installs one for it.
    command.args(["--no-audit", "--no-fund", "--loglevel=error"]).args(packages);
    program::output(&mut command).map(drop)
}

/// The `node` that the suite runs on.
pub(super) fn node(folder: &Path) -> Result<PathBuf, Failure> {
    Ok(folder.join(format!("node_modules/node-{}/bin/node", cli::platform()?)))
}

/// The conformance suite of the MCP project.
pub(super) const CONFORMANCE: &str = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
/// The Python environment with the kernels.
pub(super) const JUPYTER: &str = "jupyter";
/// What the conformance suite runs on.
const NODE: &str = "22.23.3";
const NPM: &[&str] = &[
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "@modelcontextprotocol/server-memory@2026.8.31",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
];
const SERVERS: &[&str] =
    &["mcp-server-time==2026.10.19", "mcp-server-fetch==2026.10.24", "mcp-server-git==2026.10.19"];
const KERNELS: &[&str] = &["ipykernel==7.4.0", "bash_kernel==0.10.0", "matplotlib==3.11.2", "pandas==3.1.1"];
