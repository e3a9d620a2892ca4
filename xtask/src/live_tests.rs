//! `cargo xtask live-tests`: the tests that drive the library on the real CLI by code, where no scenario could.

use crate::args::Args;
use crate::built::BuiltTests;
use crate::cli;
use crate::failure::Failure;
use crate::mcp_servers;
use crate::netns;
use crate::program;

/// `cargo xtask live-tests [FOLDER…]`: builds the tests of the crates that have such, or of those in these folders of
/// `crates/`, and runs the ignored ones that are called `live::`.
///
/// They run as scenarios do: each gives the CLI a home, a key and a model of its own, and none can leave the machine.
pub(crate) fn run(args: Args) -> Result<(), Failure> {
    let named = args.names()?;
    let folders: Vec<&str> =
        if named.is_empty() { FOLDERS.to_vec() } else { named.iter().map(String::as_str).collect() };
    // What may need the network comes first.
    let (cli, servers, built) = (cli::ensure(cli::CURRENT)?, mcp_servers::ensure()?, BuiltTests::build()?);
    for folder in folders {
        let tests = built.chosen(folder, "live::")?;
        println!("{folder}: {} tests with CLI {}", tests.number, cli::CURRENT);
        let mut inside = netns::command_inside(&tests.program)?;
        servers.name_in(inside.args(tests.arguments).env(NAMED_CLI, &cli));
        program::run(&mut inside)?;
    }
    Ok(())
}

/// The crates whose tests drive the real CLI.
const FOLDERS: &[&str] = &["judge", "hub"];
/// Where the tests find the CLI; the variable is the library's own.
const NAMED_CLI: &str = "AGENTWIRE_CLI";
