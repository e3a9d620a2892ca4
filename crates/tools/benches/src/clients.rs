//! The clients: ours and one without an SDK, each run in its own process.

mod answers;
mod floor_tokio;
mod ours;
mod typed;

use std::{
    env,
    error::Error,
    ffi::OsString,
    fmt::Display,
    io::{self, Write},
    path::{Path, PathBuf},
    process,
    time::Duration,
};

use crate::cli::Plan;

use crate::outcome::Outcome;

/// A measured program. It gets the workload in the environment ([`Plan::variables`]) and the path of the bench CLI in
/// [`CLI`]; its last line on stdout is an [`Outcome`] as JSON.
#[derive(Clone, Debug)]
pub struct Client {
    /// The name in tables.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The home folder of a program that may read configuration there; only `PATH` is passed to it besides.
    pub home: Option<PathBuf>,
}

/// A client that the program `bench_client` contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltIn {
    /// A client written by hand on tokio, without an SDK.
    FloorTokio,
    /// The whole stack.
    Ours,
}

impl BuiltIn {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 2] = [Self::FloorTokio, Self::Ours];

    /// Returns the name in tables and arguments.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FloorTokio => "floor-tokio",
            Self::Ours => "agentwire",
        }
    }

    /// Returns the client of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }

    /// Returns the client as a process; `program` is the path of `bench_client`. With `current_thread`, the runtime is on
    /// the main thread alone, and not multi-threaded as by `#[tokio::main]`.
    pub fn of(self, program: &Path, current_thread: bool) -> Client {
        let mut arguments = vec![self.name().into()];
        arguments.extend(current_thread.then(|| CURRENT_THREAD.into()));
        Client { name: self.name().to_owned(), program: program.to_owned(), arguments, home: None }
    }

    /// Runs the client in this process with the plan from the environment.
    pub fn play(self, current_thread: bool) -> Result<Outcome, Box<dyn Error>> {
        let plan = Plan::from_env()?;
        let cli = PathBuf::from(env::var_os(CLI).ok_or("no bench CLI is named")?);
        let mut runtime = match current_thread {
            true => tokio::runtime::Builder::new_current_thread(),
            false => tokio::runtime::Builder::new_multi_thread(),
        };
        let runtime = runtime.enable_all().build()?;
        let session = || match self {
            Self::Ours => runtime.block_on(ours::run(&cli, plan)),
            Self::FloorTokio => runtime.block_on(floor_tokio::run(&cli, plan)),
        };
        let mut sum: Option<Outcome> = None;
        for _ in 0..plan.sessions() {
            let outcome = session().map_err(|error| -> Box<dyn Error> { error })?;
            sum = Some(match sum {
                Some(before) => outcome.after(before),
                None => outcome,
            });
        }
        sum.ok_or_else(|| "no session was to be played".into())
    }
}

/// Reads nothing for this long, while the runtime runs.
async fn stop_reading(long: Duration) {
    // The pending future never completes, so this waits for the timeout.
    let _: Result<(), _> = tokio::time::timeout(long, std::future::pending()).await;
}

/// Prints the reason and ends the process, for a detached task.
fn fail(why: &dyn Display) -> ! {
    // If stderr is closed, the exit code still reports the failure.
    let _: io::Result<()> = writeln!(io::stderr(), "{why}");
    process::exit(1)
}

/// The argument that chooses the runtime on the main thread alone.
pub const CURRENT_THREAD: &str = "--current-thread";
/// The variable with the path of the bench CLI.
pub const CLI: &str = "AGENTWIRE_BENCH_CLI";

/// The handshake of the clients without an SDK, with the hook and the MCP server of the callbacks.
const HELLO: &[u8] = b"{\"type\":\"control_request\",\"request_id\":\"req_1\",\"request\":{\"subtype\":\"initialize\",\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hookCallbackIds\":[\"hook_0\"]}]},\"sdkMcpServers\":[\"shelf\"]}}\n";
/// Their prompt.
const PROMPT: &[u8] = b"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"Go.\"},\"parent_tool_use_id\":null,\"session_id\":\"\"}\n";
