//! `cargo xtask mcp-conformance`: the hub as a client in the conformance suite of the MCP project.

mod table;

use std::collections::VecDeque;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::args::Args;
use crate::built;
use crate::failure::{Failure, While as _};
use crate::mcp_servers;
use crate::netns;
use crate::program;
use crate::workspace;
use table::Row;

/// `cargo xtask mcp-conformance [SCENARIO…]`: plays the suite's scenarios for clients against the hub's example
/// `conformance_client`, and holds the outcome against `crates/hub/tests/mcp_conformance.txt`.
///
/// A scenario that fails and should not fails this, and so does one that passes and should not, or that is not in the
/// table. Nothing can leave the machine.
pub(crate) fn run(args: Args) -> Result<(), Failure> {
    let named = args.names()?;
    let (servers, client) = (mcp_servers::ensure()?, built::example("hub", "conformance_client")?);
    let folder = workspace::root()?.join("target/mcp-conformance");
    fs::create_dir_all(&folder).while_doing(|| format!("making {}", folder.display()))?;
    let suite = Suite { node: servers.node()?, script: servers.conformance(), client, folder };
    play(&suite, &named)
}

/// The suite, and who plays in it.
struct Suite {
    node: PathBuf,
    script: PathBuf,
    client: PathBuf,
    /// Where it may leave what it likes.
    folder: PathBuf,
}

fn play(suite: &Suite, named: &[String]) -> Result<(), Failure> {
    let file = workspace::root()?.join(TABLE);
    let text = fs::read_to_string(&file).while_doing(|| format!("reading {}", file.display()))?;
    let rows = table::read(&text)?;
    let missing = table::missing(&rows, &suite.list()?);
    let chosen = rows.iter().filter(|row| named.is_empty() || named.contains(&row.scenario));
    let waiting = Mutex::new(chosen.collect::<VecDeque<_>>());
    let unlike = Mutex::new(missing);
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let Some(row) = next else { return };
                    // One that fails beside others is played once more: some of the suite's waits are short.
                    let said = suite.judge(row).or_else(|_| suite.judge(row));
                    match said {
                        Ok(line) => println!("    {line}"),
                        Err(why) => {
                            unlike.lock().unwrap_or_else(PoisonError::into_inner).push(why.to_string());
                        }
                    }
                }
            });
        }
    });
    let unlike = unlike.into_inner().unwrap_or_else(PoisonError::into_inner);
    if unlike.is_empty() {
        return Ok(());
    }
    Err(Failure::new(unlike.join("\n")))
}

impl Suite {
    /// The names of the scenarios for clients, as the suite lists them.
    fn list(&self) -> Result<Vec<String>, Failure> {
        let listed = program::output(Command::new(&self.node).arg(&self.script).arg("list"))?;
        Ok(table::clients(&listed))
    }

    /// How a scenario ended with each of its versions, where that is as it should be.
    fn judge(&self, row: &Row) -> Result<String, Failure> {
        for version in &row.versions {
            self.judge_once(row, version)?;
        }
        let how = if row.passes { "passes" } else { "fails" };
        Ok(format!("{} ({}) {how}", row.scenario, row.versions.join(", ")))
    }

    fn judge_once(&self, row: &Row, version: &str) -> Result<(), Failure> {
        let mut command = netns::command_inside(&self.node)?;
        command.current_dir(&self.folder).arg(&self.script).args(["client", "--scenario", &row.scenario]);
        // An extension belongs to no version.
        if version != "extension" {
            command.args(["--spec-version", version]);
        }
        command.arg("--command").arg(&self.client);
        let ended = command.output().while_doing(|| format!("playing {}", row.scenario))?;
        let passes = ended.status.success();
        if passes == row.passes {
            return Ok(());
        }
        let how = if passes { "passes" } else { "fails" };
        let said = [ended.stdout, ended.stderr].concat();
        let text = format!("{} ({version}) {how} and should not:\n{}", row.scenario, tail(&said));
        Err(Failure::new(text))
    }
}

/// The end of what the suite has said.
fn tail(said: &[u8]) -> String {
    let text = String::from_utf8_lossy(said);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(40)..].join("\n")
}

const TABLE: &str = "crates/hub/tests/mcp_conformance.txt";
/// Most of a scenario is waiting.
const AT_ONCE: usize = 3;
