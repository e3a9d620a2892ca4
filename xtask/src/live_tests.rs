//! `cargo xtask live-tests`: the tests that drive the library on the real CLI by code, where no scenario could.

use crate::built;
use crate::cli;
use crate::failure::Failure;
use crate::leaving;
use crate::mcp_servers;
use crate::program;

/// Runs the tests that need the real CLI
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folders of `crates/`; all that have such tests by default
    #[arg(default_values = ["judge", "hub"])]
    folders: Vec<String>,
}

/// Runs the ignored tests called `live::`, without a network.
///
/// Each test gives the CLI a home, a key and a model of its own.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    // Installing needs the network, so it comes first.
    let (cli, servers) = (cli::ensure(cli::CURRENT)?, mcp_servers::ensure()?);
    let packages: Vec<String> =
        args.folders.iter().map(|folder| format!("package(agentwire-{folder})")).collect();
    let filter = format!("({}) & test(/^live::/) & not test({})", packages.join(" | "), leaving::TEST);
    let mut tests = built::ignored_tests(&filter, true)?;
    servers.name_in(tests.env(cli::VARIABLE, &cli));
    program::run(&mut tests)
}
