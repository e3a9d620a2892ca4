//! The fault CLI: a program that behaves as the CLI on stdin and stdout, with selectable faults.
//!
//! Use it to test a client or a transport: each fault has broken clients of the CLI before.
//! It shakes hands, runs a short turn for each prompt, answers control requests and ends with its input, as the CLI
//! does; the CLI's own flags are taken and ignored.
//! Faults are named by flags (`--fault-crash=3`), or in the environment variable [`VARIABLE`] if the client builds the
//! command line (`AGENTWIRE_FAULT="crash=3 stderr-flood"`); several can be combined.
//! `docs/internals/faults.md` describes each fault and the correct reaction.
//!
//! The program `agentwire-fault-cli` only calls [`run`], so that a test program can start itself as the fault CLI:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use agentwire_testkit::faults;
//!
//! fn main() -> ExitCode {
//!     if std::env::var_os(faults::VARIABLE).is_some() {
//!         return faults::run(std::env::args_os().skip(1), std::env::var_os(faults::VARIABLE));
//!     }
//!     // … the tests, each of which sets the variable for its session.
//!     # ExitCode::SUCCESS
//! }
//! ```

mod ask;
mod fault;
mod frames;
mod host;
mod life;
mod lines;
mod reply;
mod session;
mod stop;
mod turn;

use std::{ffi::OsString, process::ExitCode};

pub use fault::Fault;

use crate::{fault_plan::Plan, fault_process::print};
use session::Session;
use stop::Stop;

/// The environment variable that names faults, separated by spaces or commas, each as its flag without `--fault-`.
pub const VARIABLE: &str = "AGENTWIRE_FAULT";

/// Plays the CLI on stdin, stdout and stderr of this process, until it ends.
///
/// `arguments` are those of the command line without the program; `variable` is the value of [`VARIABLE`].
/// The exit code is that of the CLI: 0, or 1 if the last result was an error or the input was broken. Faults
/// set their own codes; an unknown fault sets 2. A fault may end or replace the process before this returns.
///
/// Ends at most five minutes after its input has ended, with any fault but `stopped`.
pub fn run(arguments: impl IntoIterator<Item = OsString>, variable: Option<OsString>) -> ExitCode {
    let arguments: Vec<String> =
        arguments.into_iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let asks = |flag: &str| arguments.iter().any(|argument| argument == flag);
    if asks("--version") {
        return print(VERSION);
    }
    let variable = variable.unwrap_or_default();
    let plan = match Plan::read(&arguments, &variable.to_string_lossy(), ABOUT) {
        Ok(plan) => plan,
        Err(code) => return code,
    };
    match play(plan, asks("--include-partial-messages")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Stop::Exit(code)) => ExitCode::from(code),
        Err(Stop::Io(error)) => {
            life::complain(&format!("error: {error}\n"));
            ExitCode::FAILURE
        }
    }
}

fn play(plan: Plan<Fault>, partial_messages: bool) -> Result<(), Stop> {
    life::prepare(&plan)?;
    let mut session = Session::new(plan, partial_messages)?;
    while session.next_prompts()? {
        session.turn()?;
    }
    session.end()
}

/// The text of the CLI on which the behavior was measured.
const VERSION: &str = "2.1.330 (Claude Code)\n";

/// The beginning of the help; it names [`VARIABLE`].
const ABOUT: &str = "A CLI with faults, for tests of clients and transports.\n\n\
    Speaks stream-json on stdin and stdout as the Claude Code CLI does, whose own flags it ignores.\n\
    Faults can also be named in AGENTWIRE_FAULT, without `--fault-`: AGENTWIRE_FAULT=\"crash=3 stderr-flood\"\n\n";
