//! `cargo xtask mcp-servers`: installs third-party MCP servers and kernels, and runs the tests that need them.

mod install;

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::built;
use crate::failure::Failure;
use crate::machine;
use crate::program;
use crate::workspace;

/// Runs the tests that need real MCP servers
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only install the servers into .mcp-servers/
    #[arg(long)]
    install: bool,
}

/// Installs the servers and runs the tests that need them, without a network.
///
/// These are the ignored tests of the hub and of the Jupyter server that are called `real::`, and `real_r::` if there is
/// an R kernel; CI installs Debian's.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let servers = ensure()?;
    if args.install {
        println!("MCP servers: {}", servers.folder.display());
        return Ok(());
    }
    let r = if provide_r()? { " | (package(agentwire-jupyter-mcp) & test(/^real_r::/))" } else { "" };
    let filter = format!("((package(agentwire-hub) | package(agentwire-jupyter-mcp)) & test(/^real::/)){r}");
    let mut tests = built::ignored_tests(&filter, true)?;
    servers.name_in(&mut tests);
    program::run(&mut tests)
}

/// Whether there is an R kernel, which CI installs. It needs only R's base packages, some 70 MB.
fn provide_r() -> Result<bool, Failure> {
    if !has_r() {
        match machine::install("the R kernel", &["r-base-core", "r-cran-irkernel"]) {
            Err(missing) if !machine::is_ci() => {
                println!("jupyter-mcp: {missing}: its tests `real_r::` are not run");
                return Ok(false);
            }
            installed => installed?,
        }
    }
    Ok(true)
}

/// Whether there is an R kernel in the system's or the user's folder of kernels.
fn has_r() -> bool {
    let own = env::var_os("HOME").map(|home| Path::new(&home).join(".local"));
    let folders = own.into_iter().chain(["/usr/local", "/usr"].map(PathBuf::from));
    folders.into_iter().any(|folder| folder.join("share/jupyter/kernels/ir/kernel.json").is_file())
}

/// The installed servers.
pub(crate) struct McpServers {
    folder: PathBuf,
}

impl McpServers {
    /// A `node` that is new enough for the conformance suite.
    pub(crate) fn node(&self) -> Result<PathBuf, Failure> {
        install::node(&self.folder)
    }

    /// The conformance suite of the MCP project.
    pub(crate) fn conformance(&self) -> PathBuf {
        self.folder.join(install::CONFORMANCE)
    }

    /// Adds the variables by which tests find the servers.
    pub(crate) fn name_in(&self, command: &mut Command) {
        command.env(NAMED_SERVERS, &self.folder).env(NAMED_JUPYTER, self.folder.join(install::JUPYTER));
    }
}

/// Makes sure that the programs for the installation are there.
pub(crate) fn provide() -> Result<(), Failure> {
    machine::provide(&["npm", "python3", "git"])
}

/// Installs the missing servers.
pub(crate) fn ensure() -> Result<McpServers, Failure> {
    provide()?;
    let folder = workspace::root()?.join(".mcp-servers");
    install::into(&folder)?;
    Ok(McpServers { folder })
}

/// Where the tests find the servers: a folder with `node_modules` and `venv`.
const NAMED_SERVERS: &str = "AGENTWIRE_MCP_SERVERS";
/// Where the tests find the kernels: a Python environment.
const NAMED_JUPYTER: &str = "AGENTWIRE_JUPYTER";
