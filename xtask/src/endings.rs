//! `cargo xtask endings`: examples and the programs of the READMEs end well after a turn that ended badly.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use agentwire::Session;
use agentwire_testkit::{Script, ScriptedModel};
use tempfile::TempDir;
use tokio::process::Command;
use tokio::runtime;

use crate::at_once::at_once;
use crate::built;
use crate::cli;
use crate::failure::Failure;
use crate::netns;

/// A program, and the exit code that its documentation promises after each ending.
struct Program {
    example: &'static str,
    args: &'static [&'static str],
    endings: &'static [(Ending, i32)],
}

/// How the turn of a program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// The API refuses the request.
    ApiError,
    /// The model calls a tool in the last round that the CLI allows.
    TurnLimit,
    /// Ctrl-C during the answer.
    Interrupt,
}
use Ending::{ApiError, Interrupt, TurnLimit};

/// The program reads the result and closes the session.
const READS: &[(Ending, i32)] = &[(ApiError, 0), (TurnLimit, 0)];
/// The program returns the turn's failure from `main`.
const REPORTS: &[(Ending, i32)] = &[(ApiError, 1), (TurnLimit, 1)];

#[rustfmt::skip] // One program a line.
const PROGRAMS: &[Program] = &[
    // The CLI of a query exits after the result, with the code of a failure: `Error::Ended`.
    Program { example: "readme", args: &["hello"], endings: REPORTS },
    Program { example: "readme", args: &["agent"], endings: REPORTS },
    Program { example: "readme", args: &["query"], endings: REPORTS },
    Program { example: "readme", args: &["session"], endings: READS },
    Program { example: "readme", args: &["answer"], endings: REPORTS },
    Program { example: "readme", args: &["structured"], endings: REPORTS },
    Program { example: "permission_prompt", args: &[], endings: &[(ApiError, 0), (TurnLimit, 0), (Interrupt, 0)] },
    Program { example: "deferred", args: &["store", "ask", "Go."], endings: REPORTS },
    Program { example: "quickstart", args: &["--live", "Go."], endings: REPORTS },
    Program { example: "recipes", args: &["call-log", "Go."], endings: REPORTS },
    Program { example: "session_store", args: &["store"], endings: READS },
    Program { example: "tcp", args: &[ADDRESS, "Go."], endings: READS },
    // Replays a recording, regardless of the model.
    Program { example: "opentelemetry", args: &[], endings: &[(ApiError, 0)] },
];

/// The built programs by name.
type Examples = HashMap<&'static str, PathBuf>;

/// Runs the examples with the real CLI after turns that end badly
#[derive(Debug, clap::Args)]
pub(crate) struct Args;

/// `cargo xtask endings`: runs every row of `PROGRAMS` with the real CLI and a scripted model.
pub(crate) fn run(_: &Args) -> Result<(), Failure> {
    let names = PROGRAMS.iter().map(|program| program.example).collect();
    let (cli, examples) = (cli::ensure(cli::CURRENT)?, built::examples("agentwire", &names)?);
    netns::within(|| run_all(&cli, &examples))
}

fn run_all(cli: &Path, examples: &Examples) -> Result<(), Failure> {
    let rows: Vec<_> = PROGRAMS
        .iter()
        .flat_map(|program| program.endings.iter().map(move |(ending, code)| (program, *ending, *code)))
        .collect();
    let play = |(program, ending, code): &(&Program, _, _)| {
        let name = format!("{} {}, {ending:?}", program.example, program.args.join(" "));
        let checked = check(program, *ending, *code, cli, examples);
        match &checked {
            Ok(took) => println!("{name}: exit code {code}, {:.1} s", took.as_secs_f64()),
            Err(why) => println!("{name}: FAILED: {why}"),
        }
        checked.is_err()
    };
    let failed = at_once(JOBS, &rows, play, |_, _| ());
    match failed.into_iter().filter(|failed| *failed).count() {
        0 => Ok(()),
        failed => Err(Failure::new(format!("{failed} of {} programs did not end well", rows.len()))),
    }
}

fn check(
    program: &Program,
    ending: Ending,
    code: i32,
    cli: &Path,
    examples: &Examples,
) -> Result<Duration, Failure> {
    let place = Place::new()?;
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    let started = Instant::now();
    let (status, output) = runtime.block_on(async {
        let model = ScriptedModel::start(Script::from_json(ending.script())?).await?;
        let cli = place.cli(cli, ending)?;
        let environment = model.environment(place.0.path().join("home"));
        let is_served = program.args.contains(&ADDRESS);
        let address = if is_served { serve(&cli, &environment, place.0.path())? } else { String::new() };
        let args = program.args.iter().map(|arg| if *arg == ADDRESS { &*address } else { *arg });
        let mut command = Command::new(&examples[program.example]);
        command.args(args).env_clear().envs(environment).env(cli::VARIABLE, cli);
        command.current_dir(place.0.path()).kill_on_drop(true);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let pid = child.id().unwrap_or_default();
        let ended = async {
            if ending == Interrupt {
                model.held(GATE).await?;
                Command::new("kill").args(["-INT", &pid.to_string()]).status().await?;
            }
            let output = child.wait_with_output().await?;
            let both = [output.stdout, output.stderr].concat();
            Ok::<_, Failure>((output.status, String::from_utf8_lossy(&both).into_owned()))
        };
        tokio::time::timeout(LIMIT, ended)
            .await
            .map_err(|_| Failure::new(format!("still runs after {} s", LIMIT.as_secs())))?
    })?;
    verdict(status, code, &output)?;
    Ok(started.elapsed())
}

/// The exit code is the expected one, and the output names the turn's failure rather than the CLI's internals.
fn verdict(status: ExitStatus, code: i32, output: &str) -> Result<(), Failure> {
    let strange = ["panicked", "ede_diagnostic"].into_iter().find(|word| output.contains(word));
    match strange {
        None if status.code() == Some(code) => Ok(()),
        None => Err(Failure::new(format!("{status}, not {code}:\n{output}"))),
        Some(word) => Err(Failure::new(format!("its output has `{word}`:\n{output}"))),
    }
}

impl Ending {
    fn script(self) -> &'static str {
        match self {
            ApiError => r#"{"replies": [{"status": 400, "error_message": "refused", "times": 9}]}"#,
            TurnLimit => {
                r#"{"replies": [{"blocks": [{"tool_use": {"name": "Read", "input": {"file_path": "a.txt"}}}], "times": 9}]}"#
            }
            Interrupt => r#"{"replies": [{"blocks": [{"text": "One, two."}], "hold": "gate"}]}"#,
        }
    }
}

/// A folder of the program's own: its working directory, and the CLI's home.
struct Place(TempDir);

impl Place {
    fn new() -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("agentwire-endings-").tempdir()?;
        fs::create_dir(folder.path().join("home"))?;
        fs::write(folder.path().join("a.txt"), "one\n")?;
        Ok(Self(folder))
    }

    /// Returns the CLI for the program. For a limit of turns, this is a script that adds the option, which the examples
    /// do not set.
    fn cli(&self, cli: &Path, ending: Ending) -> Result<PathBuf, Failure> {
        if ending != TurnLimit {
            return Ok(cli.to_owned());
        }
        let script = self.0.path().join("claude");
        fs::write(&script, format!("#!/bin/sh\nexec '{}' \"$@\" --max-turns 1\n", cli.display()))?;
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
        Ok(script)
    }
}

/// Serves a CLI to the first connection, as the example `tcp` expects of the other machine; returns the address.
fn serve(cli: &Path, environment: &BTreeMap<String, String>, folder: &Path) -> Result<String, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.to_string();
    let mut command = std::process::Command::new(cli);
    command.args(Session::builder().to_launch_plan()?.args).current_dir(folder);
    command.env_clear().envs(environment);
    let serve_one = move || -> std::io::Result<ExitStatus> {
        let socket: TcpStream = listener.accept()?.0;
        let output = socket.try_clone()?;
        command.stdin(OwnedFd::from(socket)).stdout(OwnedFd::from(output)).stderr(Stdio::null());
        let mut child = command.spawn()?;
        // The sockets of the command would keep the connection open.
        drop(command);
        child.wait()
    };
    // A program that does not connect leaves the thread waiting, until this process ends.
    thread::spawn(move || drop(serve_one()));
    Ok(address)
}

/// Stands for the address of a CLI that is served over TCP.
const ADDRESS: &str = "ADDRESS";
const GATE: &str = "gate";
const LIMIT: Duration = Duration::from_secs(60);
const JOBS: usize = 3;

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;

    use super::{PROGRAMS, verdict};
    use crate::workspace;

    #[test]
    fn every_example_of_the_facade_has_a_row() {
        let folder = workspace::root().unwrap().join("crates/agentwire/examples");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            assert!(PROGRAMS.iter().any(|program| program.example == name), "{name} has no row");
        }
    }

    #[test]
    fn bad_end_is_reported() {
        let status = |code: i32| ExitStatus::from_raw(code << 8);
        assert!(verdict(status(0), 0, "fine").is_ok());
        assert!(verdict(status(1), 0, "fine").is_err());
        assert!(verdict(ExitStatus::from_raw(9), 0, "killed").is_err());
        assert!(verdict(status(1), 1, "[ede_diagnostic] result_type=user").is_err());
        assert!(verdict(status(0), 0, "thread 'main' panicked at").is_err());
    }
}
