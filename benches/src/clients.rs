//! The clients: ours and one without an SDK, each run as a process of its own.

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

/// A program that is measured: it is started with what it plays in the environment ([`Plan::variables`]), with the path of
/// the bench CLI in [`CLI`], and its last line on stdout is an [`Outcome`] as JSON.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "put together by who runs it")]
pub struct Client {
    /// What tables call it.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// A home of its own, for a program that may look there for more; it is then told nothing else of the environment but
    /// where programs are.
    pub home: Option<PathBuf>,
}

/// A client that the program `bench_client` plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "these are all that are built in")]
pub enum BuiltIn {
    /// A client written by hand on tokio, without an SDK.
    FloorTokio,
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

impl BuiltIn {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 2] = [Self::FloorTokio, Self::Ours];

    /// What tables and arguments call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FloorTokio => "floor-tokio",
            Self::Ours => "agentwire",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }

    /// As a program to be started: `program`, which is `bench_client`, by its name.
    pub fn of(self, program: &Path, flavour: Flavour) -> Client {
        let mut arguments = vec![self.name().into()];
        arguments.extend((flavour == Flavour::CurrentThread).then(|| CURRENT_THREAD.into()));
        Client { name: self.name().to_owned(), program: program.to_owned(), arguments, home: None }
    }

    /// Plays the client in this process, as the environment says.
    ///
    /// # Errors
    ///
    /// When the bench CLI can't be started, or the session does not end well.
    pub fn play(self, flavour: Flavour) -> Result<Outcome, Box<dyn Error>> {
        let plan = Plan::from_env()?;
        let cli = PathBuf::from(env::var_os(CLI).ok_or("no bench CLI is named")?);
        let mut runtime = match flavour {
            Flavour::CurrentThread => tokio::runtime::Builder::new_current_thread(),
            Flavour::MultiThread => tokio::runtime::Builder::new_multi_thread(),
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

/// Reads nothing for so long, while the runtime goes on.
async fn stop_reading(long: Duration) {
    // It never comes, so what is waited for is the end of the time.
    let _: Result<(), _> = tokio::time::timeout(long, std::future::pending()).await;
}

/// Says why, and ends the process: for a task that nobody waits for.
fn fail(why: &dyn Display) -> ! {
    // Who can't be told sees the exit code.
    let _: io::Result<()> = writeln!(io::stderr(), "{why}");
    process::exit(1)
}

/// The argument that chooses [`Flavour::CurrentThread`].
pub const CURRENT_THREAD: &str = "--current-thread";
/// The variable that says where the bench CLI is.
pub const CLI: &str = "AGENTWIRE_BENCH_CLI";

/// The handshake of the clients without an SDK, with the hook and the server of the callbacks.
const HELLO: &[u8] = b"{\"type\":\"control_request\",\"request_id\":\"req_1\",\"request\":{\"subtype\":\"initialize\",\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hookCallbackIds\":[\"hook_0\"]}]},\"sdkMcpServers\":[\"shelf\"]}}\n";
/// Their prompt.
const PROMPT: &[u8] = b"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"Go.\"},\"parent_tool_use_id\":null,\"session_id\":\"\"}\n";
