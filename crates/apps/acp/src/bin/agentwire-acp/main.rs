//! The program `agentwire-acp`: the agent over standard input and output.
#![expect(clippy::print_stderr, reason = "standard output is the connection, and errors go beside it")]

use std::{io, path::PathBuf, process::ExitCode, time::Duration};

use agentwire_acp::{Settings, serve};
use clap::Parser;
use futures_util::StreamExt;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::io::{ReaderStream, StreamReader};

/// Claude Code as an agent of the Agent Client Protocol, over standard input and output
#[derive(Debug, Parser)]
#[command(name = "agentwire-acp", version)]
struct Args {
    /// The Claude Code CLI; by default searched for as by the library
    #[arg(long, value_name = "PATH", global = true)]
    cli: Option<PathBuf>,
    /// Let clients select the mode that runs everything without asking
    #[arg(long)]
    allow_bypass: bool,
    /// Ignore the settings, MCP servers and instructions in the folders of sessions
    #[arg(long)]
    untrusted_folder: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Logs in at this terminal, with the CLI
    Login,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let outcome = match args.command {
        Some(Command::Login) => login(args.cli),
        None => agent(args),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("agentwire-acp: {error}");
        ExitCode::FAILURE
    })
}

fn agent(args: Args) -> io::Result<ExitCode> {
    let mut settings = Settings::default();
    settings.cli = args.cli;
    settings.allow_bypass = args.allow_bypass;
    settings.untrusted_folder = args.untrusted_folder;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let input = ReaderStream::new(tokio::io::stdin()).take_until(Box::pin(ended()?));
        serve(settings, StreamReader::new(input), tokio::io::stdout()).await
    });
    // A read of standard input can't be cancelled.
    runtime.shutdown_timeout(Duration::ZERO);
    served.map(|()| ExitCode::SUCCESS)
}

/// Catches the signals that ask this program to end. Returns a future of the first one.
fn ended() -> io::Result<impl Future<Output = ()>> {
    // Programs that are started would inherit an ignored SIGCHLD, and lose the exit codes of their own children.
    drop(signal(SignalKind::child())?);
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hang_up.recv() => {}
        }
    })
}

fn login(cli: Option<PathBuf>) -> io::Result<ExitCode> {
    let program = agentwire::transport::process::locate(cli.as_deref()).map_err(io::Error::other)?;
    let mut command = std::process::Command::new(program);
    // An empty variable counts as unset, as in sessions: the CLI would use the working folder.
    if std::env::var_os(CONFIG_DIR).is_some_and(|folder| folder.is_empty()) {
        command.env_remove(CONFIG_DIR);
    }
    let status = command.args(["auth", "login"]).status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

const CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
