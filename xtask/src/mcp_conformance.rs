//! `cargo xtask mcp-conformance`: the hub as a client, and its gateway as a server, in the conformance suite of the MCP
//! project.

mod table;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::at_once::at_once;
use crate::built;
use crate::failure::{Failure, While as _};
use crate::mcp_servers;
use crate::netns;
use crate::program;
use crate::workspace;
use table::Row;

/// Runs the hub in the conformance suite of the MCP project
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Scenarios; all by default
    scenarios: Vec<String>,
}

/// `cargo xtask mcp-conformance [SCENARIO…]`: plays the suite's scenarios for clients against the hub's example
/// `conformance_client`, those for servers against `conformance_server`, and compares the outcome with the tables of
/// [`Side`].
///
/// An outcome that differs from the table is a failure, and so is a scenario that is not in the table. There is no
/// network.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let servers = mcp_servers::ensure()?;
    let client = built::example("hub", "conformance_client")?;
    let server = built::example("hub", "conformance_server")?;
    let folder = workspace::root()?.join("target/mcp-conformance");
    fs::create_dir_all(&folder).while_doing(|| format!("making {}", folder.display()))?;
    let suite = Suite { node: servers.node()?, script: servers.conformance(), client, server, folder };
    play(&suite, &args.scenarios)
}

/// Which side of a connection is tested.
struct Side {
    is_client: bool,
    /// The file with the expected outcomes.
    table: &'static str,
    /// The start of the line above its scenarios in the suite's list.
    heading: &'static str,
}

#[rustfmt::skip] // One side a line.
const SIDES: &[Side] = &[
    Side { is_client: true, table: "crates/apps/hub/tests/mcp_conformance_client.txt", heading: "Client scenarios" },
    Side { is_client: false, table: "crates/apps/hub/tests/mcp_conformance_server.txt", heading: "Server scenarios" },
];

/// The suite, with our programs.
struct Suite {
    node: PathBuf,
    script: PathBuf,
    client: PathBuf,
    server: PathBuf,
    /// The suite's working directory.
    folder: PathBuf,
}

fn play(suite: &Suite, named: &[String]) -> Result<(), Failure> {
    let listed = suite.list()?;
    let (mut waiting, mut unlike) = (Vec::new(), Vec::new());
    for side in SIDES {
        let file = workspace::root()?.join(side.table);
        let text = fs::read_to_string(&file).while_doing(|| format!("reading {}", file.display()))?;
        let rows = table::read(&text)?;
        unlike.extend(table::missing(&rows, &table::scenarios(&listed, side.heading)));
        let chosen = rows.into_iter().filter(|row| named.is_empty() || named.contains(&row.scenario));
        waiting.extend(chosen.map(|row| (side, row)));
    }
    if let Some(name) = named.iter().find(|name| !waiting.iter().any(|(_, row)| row.scenario == **name)) {
        return Err(Failure::new(format!("there is no scenario `{name}`")));
    }
    let judged = at_once(AT_ONCE, &waiting, |(side, row)| suite.judge(side, row), |_, _| ());
    for outcome in judged {
        match outcome {
            Ok(line) => println!("    {line}"),
            Err(why) => unlike.push(why.to_string()),
        }
    }
    if unlike.is_empty() {
        return Ok(());
    }
    Err(Failure::new(unlike.join("\n")))
}

impl Suite {
    /// The suite's list of its scenarios.
    fn list(&self) -> Result<String, Failure> {
        program::output(Command::new(&self.node).arg(&self.script).arg("list"))
    }

    /// Describes how a scenario ended with each of its versions; fails if an outcome differs from the table.
    fn judge(&self, side: &Side, row: &Row) -> Result<String, Failure> {
        for version in &row.versions {
            self.judge_once(side, row, version)?;
        }
        let how = if row.passes { "passes" } else { "fails" };
        Ok(format!("{} ({}) {how}", row.scenario, row.versions.join(", ")))
    }

    fn judge_once(&self, side: &Side, row: &Row, version: &str) -> Result<(), Failure> {
        // The server starts the suite and adds its own address to the arguments.
        let mut command = Command::new(if side.is_client { &self.node } else { &self.server });
        if side.is_client {
            command.arg(&self.script).args(["client", "--command"]).arg(&self.client);
        } else {
            command.arg(&self.node).arg(&self.script).arg("server");
        }
        command.current_dir(&self.folder).args(["--scenario", &row.scenario]);
        // An extension belongs to no version.
        if version != "extension" {
            command.args(["--spec-version", version]);
        }
        let ended = netns::inside(command)?.output().while_doing(|| format!("playing {}", row.scenario))?;
        let passes = ended.status.success();
        if passes == row.passes {
            return Ok(());
        }
        let how = if passes { "passes" } else { "fails" };
        let output = [ended.stdout, ended.stderr].concat();
        let text = format!("{} ({version}) {how} and should not:\n{}", row.scenario, tail(&output));
        Err(Failure::new(text))
    }
}

/// The last lines of the suite's output.
fn tail(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(40)..].join("\n")
}

/// Most of a scenario is waiting.
const AT_ONCE: usize = 3;
