//! `cargo xtask board`: the page of sessions in headless Chromium, with the real CLI and a scripted model.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::json;

use crate::built;
use crate::cli;
use crate::failure::{Failure, While as _};
use crate::netns;
use crate::npm::Script;
use crate::view_browser::{self, PLAYWRIGHT};

/// Checks the page of durable sessions in headless Chromium
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write screenshots into this folder
    #[arg(long)]
    screenshots: Option<PathBuf>,
}

/// Serves the page by the example `local`, and answers the questions of two sessions by clicks.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    // Installing and building come before the network is gone.
    let (cli, example) = (cli::ensure(cli::CURRENT)?, built::example("worker", "local")?);
    SCRIPT.command()?;
    netns::within(|| {
        let folder = tempfile::Builder::new().prefix("agentwire-board-").tempdir()?;
        let server = Server::start(&example, folder.path(), &cli)?;
        let case = json!({
            "url": server.url, "workspaces": folder.path().join("workspaces"), "screenshots": args.screenshots,
        });
        view_browser::check(&SCRIPT, folder.path(), &case)
    })
}

/// The example, which ends when this is dropped.
struct Server {
    process: Child,
    url: String,
    /// The example fails to print without it.
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(example: &Path, folder: &Path, cli: &Path) -> Result<Self, Failure> {
        let mut command = Command::new(example);
        command.arg(folder).args(["serve", "--scripted"]).env(cli::VARIABLE, cli);
        let mut process =
            command.stdout(Stdio::piped()).spawn().while_doing(|| "starting the page".to_owned())?;
        let pipe = process.stdout.take().ok_or_else(|| Failure::new("the example has no output"))?;
        let mut server = Self { process, url: String::new(), output: BufReader::new(pipe) };
        server.output.read_line(&mut server.url)?;
        server.url.truncate(server.url.trim_end().len());
        if server.url.starts_with("http://") {
            return Ok(server);
        }
        Err(Failure::new(format!("the page was not served: {}", server.url)))
    }
}

/// The CLIs of a server that was killed end by themselves.
impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Uses the page, of any engine whose model has the script of the example.
pub(crate) const SCRIPT: Script = Script { package: PLAYWRIGHT, file: "package.json", name: "board.mjs" };
