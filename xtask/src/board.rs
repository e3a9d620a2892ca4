//! `cargo xtask board`: the page of sessions in headless Chromium, with the real CLI and a scripted model.

use std::path::PathBuf;
use std::process::Command;

use agentwire_cluster::server::{Server, make};
use serde_json::json;

use crate::built;
use crate::cli;
use crate::failure::Failure;
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
        let mut command = Command::new(&example);
        command.arg(folder.path()).args(["serve", "--scripted"]).env(cli::VARIABLE, &cli);
        // The CLIs of a server that was killed end by themselves.
        let mut server = Server::start(command, None, &make(folder.path(), "page")?, "KILL")?;
        let case = json!({
            "url": server.url()?, "workspaces": folder.path().join("workspaces"), "screenshots": args.screenshots,
        });
        view_browser::check(&SCRIPT, folder.path(), &case)
    })
}

/// Uses the page, of any engine whose model has the script of the example.
pub(crate) const SCRIPT: Script = Script { package: PLAYWRIGHT, file: "package.json", name: "board.mjs" };
