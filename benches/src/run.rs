//! Runs one client in a process of its own, and takes what the bench CLI measured.

use std::{
    env,
    error::Error,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use agentwire_testkit::bench::{Plan, REPORT, Report};
use rustix::process::{Pid, Signal, kill_process};

use crate::{
    clients::{CLI, Client},
    one_core,
    outcome::Outcome,
};

/// One run of one client.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "made and read here alone")]
pub struct Run {
    /// What the bench CLI saw.
    pub report: Report,
    /// What the client says.
    pub outcome: Outcome,
}

/// The bench CLI, which lies beside this program.
///
/// # Errors
///
/// When it is not there: it is built with all the programs of this crate.
pub fn bench_cli() -> io::Result<PathBuf> {
    let path = env::current_exe()?.with_file_name(format!("bench_cli{}", env::consts::EXE_SUFFIX));
    match path.try_exists() {
        Ok(true) => Ok(path),
        _ => Err(io::Error::new(
            io::ErrorKind::NotFound,
            format!(
                "there is no {}: build it with `cargo build --release -p agentwire-benches --bins`",
                path.display()
            ),
        )),
    }
}

/// Runs one client.
///
/// # Errors
///
/// When it does not end well or in time, was wrong anywhere, or was not told what the bench CLI said.
pub fn run(client: &Client, cli: &Path, plan: Plan) -> Result<Run, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("report.json");
    let mut command = Command::new(&client.program);
    command.args(&client.arguments).envs(plan.variables()).env(REPORT, &path).env(CLI, cli);
    let output = output(&mut command, plan.workload.on_one_core(), LIMIT)?;
    let whose = format!("{}, {}", client.name, plan.workload.name());
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{whose}: {}\n{said}", output.status).into());
    }
    let said = String::from_utf8(output.stdout)?;
    let last = said.trim().lines().next_back().unwrap_or_default();
    let outcome: Outcome = serde_json::from_str(last).map_err(|error| format!("{whose}: {error}: {last}"))?;
    let report: Report = serde_json::from_slice(&fs::read(path)?)?;
    if !outcome.told.is(report.told) {
        return Err(format!("{whose}: {:?} was said, and {:?} read", report.told, outcome.told).into());
    }
    Ok(Run { report, outcome })
}

/// As [`Command::output`], but ended where it takes longer; on one core, if wished, with all that it starts.
fn output(command: &mut Command, on_one_core: bool, limit: Duration) -> Result<Output, Box<dyn Error>> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = if on_one_core { one_core::spawn(command)? } else { command.spawn()? };
    let pid = Pid::from_child(&child);
    let (sender, ended) = mpsc::channel();
    let waiting = thread::spawn(move || sender.send(child.wait_with_output()));
    let output = ended.recv_timeout(limit);
    if output.is_err() {
        // It was not waited for yet, so the id is still its own.
        kill_process(pid, Signal::KILL)?;
    }
    let told = waiting.join();
    match (output, told) {
        (Ok(output), Ok(_)) => Ok(output?),
        _ => Err(format!("it took longer than {limit:?}").into()),
    }
}

/// Some ten times what the longest takes on a slow machine.
const LIMIT: Duration = Duration::from_secs(120);

#[cfg(test)]
mod tests {
    use std::{process::Command, time::Duration};

    use super::output;

    #[test]
    fn who_hangs_is_ended() {
        let error = output(Command::new("sleep").arg("600"), false, Duration::from_millis(50)).unwrap_err();
        assert!(error.to_string().contains("longer"), "{error}");
        let said = output(Command::new("echo").arg("done"), true, Duration::from_secs(60)).unwrap();
        assert_eq!(said.stdout, b"done\n");
    }
}
