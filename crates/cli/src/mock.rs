//! `agentwire mock`: the scripted model as a server.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf, absolute};

use agentwire_testkit::{Script, ScriptedModel};
use agentwire_transport::process::AGENTWIRE_CLI;
use tokio::process::Command;

use crate::failure::{Failure, While as _};
use crate::output::{json, line};
use crate::signals::Signals;
use crate::{program, record};

/// Serve a scripted model, with which the real CLI runs without an account
///
/// Without a program it prints the variables for the environment of the CLI, and serves until Ctrl-C.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file of replies, such as {"replies": [{"blocks": [{"text": "Hello."}]}]}; the README of agentwire-testkit lists the fields
    ///
    /// A reply with `hold` or `hold_before` waits until the model ends.
    script: PathBuf,
    /// The home folder of the CLI; by default a temporary one
    ///
    /// Each start of the model counts the ids of its answers anew, so do not resume a session of an earlier one.
    #[arg(long)]
    home: Option<PathBuf>,
    /// A program to run with these variables, AGENTWIRE_CLI, AGENTWIRE_RECORD and AGENTWIRE_REPLAY alone; the model ends with it
    #[arg(last = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// Serves the model, and runs the program if there is one.
/// Fails with the exit code of the program, if it is not 0.
pub fn run(args: &Args, as_json: bool) -> Result<(), Failure> {
    let reading = || format!("reading {}", args.script.display());
    let script = fs::read_to_string(&args.script).while_doing(reading)?;
    let script = Script::from_json(&script).while_doing(reading)?;
    let temporary = tempfile::Builder::new().prefix("agentwire-mock-").tempdir()?;
    // The program may change its folder.
    let home = absolute(args.home.as_deref().unwrap_or(temporary.path()))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(serve(script, &home, &args.program, as_json))
}

async fn serve(script: Script, home: &Path, program: &[OsString], as_json: bool) -> Result<(), Failure> {
    let mut signals = Signals::new()?;
    let model = ScriptedModel::start(script).await?;
    let environment = model.environment(home);
    if let [program, arguments @ ..] = program {
        return with_model(Command::new(program).args(arguments), environment, &mut signals).await;
    }
    if as_json {
        json(&environment)?;
    } else {
        for (name, value) in environment {
            line(format_args!("{name}={value}"))?;
        }
    }
    signals.next().await;
    Ok(())
}

/// Runs the program with these variables, and those of this project.
async fn with_model(
    command: &mut Command,
    environment: BTreeMap<String, String>,
    signals: &mut Signals,
) -> Result<(), Failure> {
    let ours = record::VARIABLES.iter().chain(&[AGENTWIRE_CLI]);
    let ours = ours.filter_map(|name| Some((*name, std::env::var_os(name)?)));
    match program::run(command.env_clear().envs(environment).envs(ours), signals).await? {
        0 => Ok(()),
        code => Err(Failure::exit(code)),
    }
}
