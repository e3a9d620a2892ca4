//! `cargo xtask mcp-servers`: other people's MCP servers, and a kernel or two, for the tests that are not to believe ours.

mod install;

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::args::Args;
use crate::built::BuiltTests;
use crate::failure::Failure;
use crate::machine;
use crate::netns;
use crate::program;
use crate::workspace;

/// `cargo xtask mcp-servers [--install]`: installs them into `.mcp-servers/`, and runs the tests that need them.
///
/// These are the ignored tests of the hub and of the Jupyter server that are called `real::`, and `real_r::` where there is
/// an R kernel: CI installs Debian's.
/// They run where nothing can leave the machine.
pub(crate) fn run(mut args: Args) -> Result<(), Failure> {
    let only_install = args.flag("--install");
    args.finish()?;
    let servers = ensure()?;
    if only_install {
        println!("MCP servers: {}", servers.folder.display());
        return Ok(());
    }
    let built = BuiltTests::build()?;
    for (folder, called) in TESTS.iter().copied().chain(of_r()?) {
        let tests = built.chosen(folder, called)?;
        println!("{folder}: {} tests `{called}` with real servers", tests.number);
        let mut inside = netns::command_inside(&tests.program)?;
        servers.name_in(inside.args(tests.arguments));
        program::run(&mut inside)?;
    }
    Ok(())
}

/// The tests with R's kernel. It is Debian's, and needs no other part of R than its base (some 70 MB).
fn of_r() -> Result<Option<(&'static str, &'static str)>, Failure> {
    if !has_r() {
        match machine::install("the R kernel", &["r-base-core", "r-cran-irkernel"]) {
            Err(missing) if !machine::is_ci() => {
                println!("jupyter-mcp: {missing}: its tests `real_r::` are not run");
                return Ok(None);
            }
            installed => installed?,
        }
    }
    Ok(Some(("jupyter-mcp", "real_r::")))
}

/// Whether an R kernel lies where kernels of the system's and of the user's lie.
fn has_r() -> bool {
    let own = env::var_os("HOME").map(|home| Path::new(&home).join(".local"));
    let folders = own.into_iter().chain(["/usr/local", "/usr"].map(PathBuf::from));
    folders.into_iter().any(|folder| folder.join("share/jupyter/kernels/ir/kernel.json").is_file())
}

/// Where they lie once they are installed.
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

    /// Tells a command's program where they lie.
    pub(crate) fn name_in(&self, command: &mut Command) {
        command.env(NAMED_SERVERS, &self.folder).env(NAMED_JUPYTER, self.folder.join(install::JUPYTER));
    }
}

/// Makes sure that the programs are there that installing takes.
pub(crate) fn provide() -> Result<(), Failure> {
    machine::provide(&["npm", "python3", "git"])
}

/// Installs what is not there yet.
pub(crate) fn ensure() -> Result<McpServers, Failure> {
    provide()?;
    let folder = workspace::root()?.join(".mcp-servers");
    install::into(&folder)?;
    Ok(McpServers { folder })
}

/// The crates whose tests need them, and what these tests are called.
const TESTS: &[(&str, &str)] = &[("hub", "real::"), ("jupyter-mcp", "real::")];
/// Where the tests find the servers: a folder with `node_modules` and `venv`.
const NAMED_SERVERS: &str = "AGENTWIRE_MCP_SERVERS";
/// Where the tests find the kernels: a Python environment.
const NAMED_JUPYTER: &str = "AGENTWIRE_JUPYTER";
