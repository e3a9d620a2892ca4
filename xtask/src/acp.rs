//! `cargo xtask acp`: the agent `agentwire-acp` with the official client of npm, beside the adapter of npm.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::json;

use crate::built;
use crate::cli;
use crate::failure::{Failure, While as _};
use crate::netns;
use crate::npm::Script;
use crate::program;

/// Runs the ACP agent with the official client and the real CLI, and measures it beside the adapter on npm
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Cases to run; all by default
    cases: Vec<String>,
}

/// Plays each case with both agents, on the same CLI and the same scripted model, without a network.
///
/// Fails with each expectation that our agent misses, each kind of update that only the adapter sends, and if our agent
/// needs more than a tenth of the adapter's time or memory. The CLI's own is not counted.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let (cli, agent) = (cli::ensure(cli::CURRENT)?, built::released("acp", OURS)?);
    let model = built::example("testkit", "scripted_model")?;
    let mut script = SCRIPT.command()?;
    netns::within(|| {
        let folder = tempfile::Builder::new().prefix("agentwire-acp-").tempdir()?;
        let adapter = script_package(&script).join("dist/index.js");
        let node = program::find("node").ok_or_else(|| Failure::new("node is not installed"))?;
        let config = json!({
            "model": model, "folder": folder.path(), "cases": args.cases, "agents": [
                {"name": OURS, "tested": true, "command": [agent, "--cli", cli], "env": {}},
                {"name": THEIRS, "tested": false, "command": [node, adapter], "env": {"CLAUDE_CODE_EXECUTABLE": cli}},
            ],
        });
        let file = folder.path().join("config.json");
        fs::write(&file, config.to_string()).while_doing(|| format!("writing {}", file.display()))?;
        let output = program::output(script.arg(&file))?;
        let report: Report = serde_json::from_str(&output).while_doing(|| "reading the report".to_owned())?;
        report.verdict(args.cases.is_empty())
    })
}

/// The package's folder, which is the last argument of the script's command.
fn script_package(script: &std::process::Command) -> &Path {
    script.get_args().last().map_or(Path::new(""), Path::new)
}

#[derive(Deserialize)]
struct Report {
    agents: BTreeMap<String, Agent>,
    faults: Vec<String>,
}

#[derive(Deserialize)]
struct Agent {
    cases: BTreeMap<String, Case>,
    ready_ms: f64,
    memory_kib: f64,
}

#[derive(Deserialize)]
struct Case {
    kinds: BTreeSet<String>,
    #[serde(default)]
    kinds_again: BTreeSet<String>,
    #[serde(default)]
    faults: Vec<String>,
    #[serde(default)]
    end_ms: Option<f64>,
}

impl Report {
    fn verdict(mut self, is_whole: bool) -> Result<(), Failure> {
        let (ours, theirs) = (self.agents.get(OURS), self.agents.get(THEIRS));
        let (Some(ours), Some(theirs)) = (ours, theirs) else {
            return Err(Failure::new("an agent was not run"));
        };
        for (name, case) in &ours.cases {
            let Some(other) = theirs.cases.get(name) else { continue };
            let end = case.end_ms.map(|ms| format!(", ended in {ms} ms")).unwrap_or_default();
            println!("{name}: {} kinds of updates, the adapter {}{end}", case.kinds.len(), other.kinds.len());
            for fault in &other.faults {
                println!("    the adapter: {fault}");
            }
            let missing =
                other.kinds.difference(&case.kinds).chain(other.kinds_again.difference(&case.kinds_again));
            self.faults.extend(missing.map(|kind| format!("{name}: only the adapter sends `{kind}`")));
        }
        let measures = [
            ("start to ready, ms", ours.ready_ms, theirs.ready_ms),
            ("memory, KiB", ours.memory_kib, theirs.memory_kib),
        ];
        for (what, own, other) in measures {
            let ratio = other / own;
            println!("{what}: {own:.1}, the adapter {other:.1}: {ratio:.1} times less");
            self.faults.extend(
                (is_whole && ratio < MIN_RATIO).then(|| format!("{what}: only {ratio:.1} times less")),
            );
        }
        if self.faults.is_empty() {
            return Ok(());
        }
        Err(Failure::new(format!("{} faults\n  {}", self.faults.len(), self.faults.join("\n  "))))
    }
}

const OURS: &str = "agentwire-acp";
const THEIRS: &str = "claude-agent-acp";
/// The adapter must need at least this many times what the agent needs.
const MIN_RATIO: f64 = 10.0;
const SCRIPT: Script = Script {
    package: ("@agentclientprotocol/claude-agent-acp", "0.101.0"),
    file: "dist/index.js",
    name: "acp.mjs",
};
