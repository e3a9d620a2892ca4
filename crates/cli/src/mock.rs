//! `agentwire mock`: the scripted model as a server.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf, absolute};
use std::time::Duration;

use agentwire_testkit::{Script, ScriptedModel};
use agentwire_transport::process::AGENTWIRE_CLI;
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};
use tokio::signal::unix::SignalKind;
use tokio::time::timeout;

use crate::failure::{Failure, While as _};
use crate::output::{json, line};
use crate::record;
use crate::signals::Signals;

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
///
/// # Errors
///
/// If the script can't be read, or the server can't be started; otherwise the exit code of the program.
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
        return with_model(Command::new(program).args(arguments), environment, signals).await;
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
    mut signals: Signals,
) -> Result<(), Failure> {
    let ours = record::VARIABLES.iter().chain(&[AGENTWIRE_CLI]);
    let ours = ours.filter_map(|name| Some((*name, std::env::var_os(name)?)));
    command.env_clear().envs(environment).envs(ours).kill_on_drop(true);
    let name = command.as_std().get_program().display().to_string();
    let mut child = command.spawn().while_doing(|| format!("starting {name}"))?;
    let status = loop {
        tokio::select! {
            status = child.wait() => break status?,
            signal = signals.next() => {
                // Ctrl-C has reached the program too; it decides how to end.
                if signal != SignalKind::interrupt() {
                    terminate(&mut child).await?;
                }
            }
        }
    };
    let code = status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    if code == 0 { Ok(()) } else { Err(Failure::exit(u8::try_from(code).unwrap_or(1))) }
}

/// Sends SIGTERM to the program, and kills it if it has not ended within the limit.
async fn terminate(child: &mut Child) -> Result<(), Failure> {
    let pid = child.id().and_then(|pid| Pid::from_raw(pid.try_into().ok()?));
    if let Some(pid) = pid {
        kill_process(pid, Signal::TERM)?;
    }
    if timeout(LIMIT, child.wait()).await.is_err() {
        child.start_kill()?;
    }
    Ok(())
}

/// How long a program may take to end after SIGTERM.
const LIMIT: Duration = Duration::from_secs(10);
