//! Runs one session of one client in a process of its own, and takes what the bench CLI measured.

use std::{
    env,
    error::Error,
    fs, io,
    path::PathBuf,
    process::{Command, Stdio},
    time::Duration,
};

use super::{
    cli::{REPORT, WORKLOAD},
    report::Report,
    workload::Workload,
};

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "these are all that are measured")]
pub enum Client {
    /// One blocking thread without an SDK.
    Floor,
    /// A task without an SDK.
    Echo,
    /// The whole stack.
    Ours,
}

/// The runtime of the clients that have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "tokio has no third")]
pub enum Flavour {
    /// As `#[tokio::main]` makes it.
    MultiThread,
    /// On the main thread alone.
    CurrentThread,
}

impl Client {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Floor, Self::Echo, Self::Ours];

    /// What tables and arguments call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Echo => "bare echo",
            Self::Ours => "agentwire",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }
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

/// Runs one session.
///
/// # Errors
///
/// When it does not end well: a wrong answer is one reason.
pub fn measure(client: Client, flavour: Flavour, workload: Workload) -> Result<Report, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("report.json");
    let mut command = Command::new(env::current_exe()?);
    command.args([CLIENT, client.name(), workload.name()]).stdout(Stdio::piped());
    command.args((flavour == Flavour::CurrentThread).then_some(CURRENT_THREAD));
    let output = command.env(WORKLOAD, workload.name()).env(REPORT, &path).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let (client, workload, status) = (client.name(), workload.name(), output.status);
        return Err(format!("{client}, {workload}: {status}\n{said}").into());
    }
    let mut report: Report = serde_json::from_slice(&fs::read(path)?)?;
    report.cpu = String::from_utf8(output.stdout)?.trim().parse().ok();
    Ok(report)
}

/// The CPU time that this process was given, all threads together.
pub fn cpu_time() -> Duration {
    crate::clock::at(rustix::time::ClockId::ProcessCPUTime)
}

/// The argument that makes the program a client.
pub const CLIENT: &str = "--client";
/// The argument that chooses [`Flavour::CurrentThread`].
pub const CURRENT_THREAD: &str = "--current-thread";
