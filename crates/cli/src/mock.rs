//! `agentwire mock`: the scripted model as a server.

use std::{fs, path::PathBuf};

use agentwire_testkit::{Script, ScriptedModel};

use crate::{
    failure::{Failure, While as _},
    output::line,
};

/// Serves a scripted model, with which the real CLI runs without an account
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file of replies, as docs/offline.md describes it
    script: PathBuf,
    /// The home folder of the CLI under test
    #[arg(long)]
    home: PathBuf,
}

/// Prints the variables for the CLI's environment, and serves until Ctrl-C.
///
/// # Errors
///
/// If the script can't be read, or the server can't be started.
pub fn run(args: &Args) -> Result<(), Failure> {
    let file = args.script.display();
    let script = fs::read_to_string(&args.script).while_doing(|| format!("reading {file}"))?;
    let script = Script::from_json(&script).while_doing(|| format!("reading {file}"))?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let model = ScriptedModel::start(script).await?;
        for (name, value) in model.environment(&args.home) {
            line(format_args!("{name}={value}"))?;
        }
        Ok(tokio::signal::ctrl_c().await?)
    })
}
