//! Runs one client in its own process, with the bench CLI's measurements.

use std::{
    env,
    error::Error,
    fmt, fs, io,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use crate::cli::{Plan, REPORT, Report, stream};
use rustix::process::{Pid, Signal, kill_process};

use crate::{
    clients::{CLI, Client},
    one_core,
    outcome::Outcome,
};

/// One run of one client.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The measurements of the bench CLI.
    pub report: Report,
    /// The client's report.
    pub outcome: Outcome,
}

/// Returns the bench CLI, which is beside this program; `cargo xtask bench` builds all programs.
pub fn bench_cli() -> io::Result<PathBuf> {
    beside("bench_cli")
}

/// Returns the program of the built-in clients, which is beside this one.
pub fn bench_client() -> io::Result<PathBuf> {
    beside("bench_client")
}

fn beside(name: &str) -> io::Result<PathBuf> {
    let path = env::current_exe()?.with_file_name(format!("{name}{}", env::consts::EXE_SUFFIX));
    match path.try_exists() {
        Ok(true) => Ok(path),
        _ => Err(io::Error::new(
            io::ErrorKind::NotFound,
            format!(
                "there is no {}: build it with `cargo build --release -p agentwire-benches --bin {name}`",
                path.display()
            ),
        )),
    }
}

/// The reason for a run without figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unplayed {
    /// It exceeded this time and was killed; with its last line on stderr.
    TooLong(Duration, String),
    /// It failed, or its report is invalid.
    Failed(String),
}

impl fmt::Display for Unplayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong(limit, last_line) if last_line.is_empty() => {
                write!(f, "it took longer than {limit:?}")
            }
            Self::TooLong(limit, last_line) => write!(f, "it took longer than {limit:?}: {last_line}"),
            Self::Failed(why) => f.write_str(why),
        }
    }
}

impl<E: Error> From<E> for Unplayed {
    fn from(error: E) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Runs one client, and checks that it received what the bench CLI sent.
pub fn run(client: &Client, cli: &Path, plan: Plan) -> Result<Run, Box<dyn Error>> {
    let whose = format!("{}, {}", client.name, plan.workload.name());
    let run = play(client, cli, plan, LIMIT).map_err(|why| format!("{whose}: {why}"))?;
    if !run.outcome.received.is(run.report.sent) {
        return Err(format!(
            "{whose}: {:?} was sent, and {:?} received",
            run.report.sent, run.outcome.received
        )
        .into());
    }
    Ok(run)
}

/// Runs one client without checking the messages that it received.
pub fn play(client: &Client, cli: &Path, plan: Plan, limit: Duration) -> Result<Run, Unplayed> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("report.json");
    let mut command = Command::new(&client.program);
    if let Some(home) = &client.home {
        command.env_clear().env("HOME", home).env("PATH", env::var_os("PATH").unwrap_or_default());
    }
    command.args(&client.arguments).envs(plan.variables()).envs(in_words(plan));
    command.env(REPORT, &path).env(CLI, cli);
    let output = output(&mut command, plan.workload.on_one_core(), limit)?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(Unplayed::Failed(format!("{}\n{stderr}", output.status)));
    }
    let stdout = String::from_utf8(output.stdout)?;
    let last = stdout.trim().lines().next_back().unwrap_or_default();
    let outcome = serde_json::from_str(last).map_err(|error| Unplayed::Failed(format!("{error}: {last}")))?;
    Ok(Run { report: serde_json::from_slice(&fs::read(path)?)?, outcome })
}

/// Returns a plan as variables for clients that have no [`Plan`]: how many sessions and prompts, where they stop
/// reading and for how many seconds, and the maximum length of a line.
fn in_words(plan: Plan) -> Vec<(&'static str, String)> {
    let mut words = vec![
        ("AGENTWIRE_BENCH_SESSIONS", plan.sessions().to_string()),
        ("AGENTWIRE_BENCH_PROMPTS", plan.prompts().to_string()),
        ("AGENTWIRE_BENCH_MAX_LINE", MAX_LINE.to_string()),
    ];
    let stall = (1..=stream::MESSAGES as u64).find_map(|messages| Some((messages, plan.stall(messages)?)));
    if let Some((messages, stall)) = stall {
        words.push(("AGENTWIRE_BENCH_STALL_AT", messages.to_string()));
        words.push(("AGENTWIRE_BENCH_STALL", stall.as_secs_f64().to_string()));
    }
    words
}

/// Works like [`Command::output`], with a time limit; optionally on one core together with its children.
fn output(command: &mut Command, on_one_core: bool, limit: Duration) -> Result<Output, Unplayed> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = if on_one_core { one_core::spawn(command)? } else { command.spawn()? };
    let pid = Pid::from_child(&child);
    let (sender, ended) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    if let Ok(output) = ended.recv_timeout(limit) {
        return Ok(output?);
    }
    // The process was not waited for yet, so the id is still valid.
    kill_process(pid, Signal::KILL)?;
    // A child may keep the pipes open, so the wait is limited.
    let output = ended.recv_timeout(GRACE).ok().and_then(Result::ok);
    Err(Unplayed::TooLong(limit, output.map_or(String::new(), |output| last_line(&output.stderr))))
}

/// Returns the last line that is not blank.
pub(crate) fn last_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

/// About ten times what the longest run takes on a slow machine.
const LIMIT: Duration = Duration::from_secs(120);
/// The time for a killed process to end.
const GRACE: Duration = Duration::from_secs(5);
/// More than all lines of any workload together, because one SDK adds them up.
const MAX_LINE: usize = 1 << 30;

#[cfg(test)]
mod tests {
    use std::{process::Command, time::Duration};

    use crate::cli::{Plan, Workload};

    use super::{Unplayed, in_words, output};

    #[test]
    fn a_hanging_client_is_killed() {
        let limit = Duration::from_secs(2);
        let hangs = |script: &str| output(Command::new("sh").args(["-c", script]), false, limit).unwrap_err();
        assert_eq!(hangs("exec sleep 600"), Unplayed::TooLong(limit, String::new()));
        let error = hangs("echo 'why: so' >&2; exec sleep 600");
        assert_eq!(error.to_string(), "it took longer than 2s: why: so");
        let echoed = output(Command::new("echo").arg("done"), true, Duration::from_secs(60)).unwrap();
        assert_eq!(echoed.stdout, b"done\n");
    }

    #[test]
    fn a_plan_is_passed_in_variables() {
        let names = |workload| in_words(Plan::whole(workload)).into_iter().map(|(name, _)| name).collect();
        let all: Vec<&str> = names(Workload::Stalled);
        assert!(all.contains(&"AGENTWIRE_BENCH_STALL_AT") && all.contains(&"AGENTWIRE_BENCH_STALL"));
        let some: Vec<&str> = names(Workload::Turns);
        assert_eq!(some, all[..3]);
    }
}
