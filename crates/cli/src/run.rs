//! `agentwire run`: one prompt in the terminal.

mod printer;

use std::io::{self, IsTerminal as _};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agentwire::hooks::{PermissionHandler, policy};
use agentwire::protocol::System;
use agentwire::{
    Error, Incoming, Message, Options, PermissionMode, Query, Session, SessionBuilder, SystemPrompt, Warning,
};
use agentwire_codec::Line;
use serde::de::IgnoredAny;
use tokio::signal::unix::SignalKind;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::failure::Failure;
use crate::output::{end_with, for_terminal, note, on_thread, plain, write};
use crate::signals::Signals;
use printer::Printer;

/// Run one prompt, and ask at the terminal for permissions
///
/// Waits for background agents, and prints the turns that they cause. Reading is permitted, and with --json everything
/// else is denied. Ctrl-C interrupts the turn; a second one ends the session.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The prompt
    #[arg(value_parser = clap::builder::NonEmptyStringValueParser::new())]
    prompt: String,
    /// The model
    #[arg(long)]
    model: Option<String>,
    /// Continue this session
    #[arg(long, value_name = "SESSION")]
    resume: Option<String>,
    /// The permission mode, such as acceptEdits or plan
    #[arg(long)]
    mode: Option<String>,
    /// Offer the user's MCP servers to the model, through the hub
    #[cfg(feature = "hub")]
    #[arg(long)]
    hub: bool,
    #[cfg(feature = "hub")]
    #[command(flatten)]
    servers: crate::hub::Servers,
}

/// Runs the prompt and prints the answer as it comes.
pub fn run(args: &Args, as_json: bool) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let outcome = runtime.block_on(start(args, as_json));
    // A question at the terminal may still wait for a line.
    runtime.shutdown_background();
    outcome
}

async fn start(args: &Args, as_json: bool) -> Result<(), Failure> {
    let mut options = Options::new().include_partial_messages().system_prompt(SystemPrompt::PRESET);
    if let Some(model) = &args.model {
        options = options.model(model.as_str());
    }
    if let Some(session) = &args.resume {
        options = options.resume(session.as_str());
    }
    if let Some(mode) = &args.mode {
        options = options.permission_mode(PermissionMode::from(mode.as_str()));
    }
    let signals = Signals::new()?;
    let stderr = Stderr::new();
    let mut builder = Session::builder().on_stderr(stderr.reader());
    builder = builder.permissions(match as_json {
        true => policy::read_only(),
        false => policy::read_only().or(PermissionHandler::terminal()),
    });
    #[cfg(feature = "hub")]
    if args.hub {
        let hub = args.servers.start(agentwire_hub::Approval::allowed())?;
        if !hub.wait_until_ready(PATIENCE).await {
            note_slow(&hub);
        }
        // The hub has these servers already.
        options = options.strict_mcp_config();
        builder = builder.mcp_servers(agentwire::mcp::McpServers::new().with("hub", hub.serve()));
        let outcome = tokio::select! {
            outcome = session(builder.options(options), signals, &stderr, &args.prompt, as_json) => outcome,
            never = crate::hub::report(&hub, note) => match never {},
        };
        // A server that does not start may not end soon either.
        let _ = timeout(LIMIT, hub.close()).await;
        return outcome;
    }
    #[cfg(feature = "hub")]
    if args.servers.is_set() {
        return Err(Failure::new("--config and --trust choose servers of the hub: add --hub"));
    }
    session(builder.options(options), signals, &stderr, &args.prompt, as_json).await
}

/// Names the servers that have neither started nor failed.
#[cfg(feature = "hub")]
fn note_slow(hub: &agentwire_hub::Hub) {
    for server in hub.snapshot() {
        if matches!(server.state, agentwire_hub::ServerState::Starting) {
            note(format_args!("(the MCP server {} still starts)", server.configured.name.as_str()));
        }
    }
}

/// The standard error of the CLI: held back until the session is connected, since an error before that contains it.
#[derive(Clone, Debug)]
struct Stderr(Arc<Mutex<Option<Vec<String>>>>);

impl Stderr {
    fn new() -> Self {
        Self(Arc::new(Mutex::new(Some(Vec::new()))))
    }

    fn reader(&self) -> impl Fn(&str) + Send + Sync + 'static {
        let stderr = self.clone();
        move |text| match &mut *stderr.held() {
            Some(held) if held.len() < HELD => held.push(text.to_owned()),
            // More than a short start prints is not held back.
            Some(_) | None => note_plain(text),
        }
    }

    /// Prints the held texts, and from now on each text at once.
    fn release(&self) {
        self.held().take().into_iter().flatten().for_each(|text| note_plain(&text));
    }

    fn held(&self) -> MutexGuard<'_, Option<Vec<String>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes a line that may contain text of the folder or of a plugin.
fn note_plain(text: &str) {
    note(for_terminal(text, &io::stderr()));
}

/// As [`note_plain`], on another thread.
async fn noted(text: String) {
    let written = move || {
        note_plain(&text);
        Ok(())
    };
    // `note` ignores failures; a panic is printed already.
    let _ = on_thread(written).await;
}

/// Connects the session; `Err` if a signal ends the program before.
async fn connected(builder: SessionBuilder, signals: &mut Signals) -> Result<Session, Failure> {
    let mut connecting = pin!(builder.connect());
    tokio::select! {
        session = &mut connecting => session.map_err(not_started),
        signal = signals.next() => {
            if let Ok(Ok(session)) = timeout(LIMIT, connecting).await {
                let _ = timeout(LIMIT, session.close()).await;
            }
            Err(ended_by(signal))
        }
    }
}

fn not_started(error: Error) -> Failure {
    match error {
        Error::CliNotFound(_) => Failure::new(format!("{}; see `agentwire doctor`", error.report())),
        error => error.into(),
    }
}

/// Runs the prompt to the end of all its work, and handles signals.
async fn session(
    builder: SessionBuilder,
    mut signals: Signals,
    stderr: &Stderr,
    prompt: &str,
    as_json: bool,
) -> Result<(), Failure> {
    let session = connected(builder, &mut signals).await?;
    stderr.release();
    let mut query = session.into_query(prompt).await?;
    let control = query.control().clone();
    let mut is_interrupted = false;
    let outcome = {
        let mut printing = pin!(print_all(&mut query, as_json));
        let mut interrupts = JoinSet::new();
        loop {
            tokio::select! {
                outcome = &mut printing => break outcome,
                signal = signals.next() => {
                    if signal != SignalKind::interrupt() || std::mem::replace(&mut is_interrupted, true) {
                        break Err(ended_by(signal));
                    }
                    interrupts.spawn(noted("(interrupting; Ctrl-C again ends the session)".to_owned()));
                    let control = control.clone();
                    interrupts.spawn(async move {
                        if let Err(error) = control.interrupt().await {
                            noted(format!("agentwire: the turn was not interrupted: {error}")).await;
                        }
                    });
                }
            }
        }
    };
    match outcome {
        Err(failure) if failure.is_reported() => {
            // A signal, or a closed pipe. After the limit the CLI is ended in the background.
            let end = async {
                let _ = control.interrupt().await;
                control.end_input();
                while query.next().await.is_some() {}
                // A write that has begun holds the output: its line is then whole.
                let _ = on_thread(|| write(b"")).await;
            };
            let _ = timeout(LIMIT, end).await;
            Err(match failure.code() {
                0 if is_interrupted => ended_by(SignalKind::interrupt()),
                // The closed pipe has interrupted the work.
                0 => ended_by(SignalKind::pipe()),
                _ => failure,
            })
        }
        _ if is_interrupted => Err(ended_by(SignalKind::interrupt())),
        outcome => outcome,
    }
}

/// Returns the exit code that a shell reports for the signal.
fn ended_by(signal: SignalKind) -> Failure {
    Failure::exit(u8::try_from(128 + signal.as_raw_value()).unwrap_or(1))
}

/// Prints all messages, also those of turns that report on background work. Fails if a turn failed.
async fn print_all(query: &mut Query, as_json: bool) -> Result<(), Failure> {
    let mut printer = Printer::default();
    let mut failed = None;
    let mut is_answered = false;
    let mut reported = 0;
    let ended = loop {
        for warning in &query.warnings()[reported..] {
            let text = match warning {
                // The remedy of its text is an option of a program.
                Warning::FolderHeeded { file } => format!(
                    "warning: `{}` of this folder can run commands, allow tools and redirect requests",
                    file.display()
                ),
                warning => format!("warning: {warning}"),
            };
            noted(text).await;
        }
        reported = query.warnings().len();
        let incoming = match query.next().await {
            Some(Ok(incoming)) => incoming,
            Some(Err(error)) => break Err(error.into()),
            None => break Ok(()),
        };
        match incoming.message() {
            Some(Message::Assistant(_) | Message::System(System::LocalCommandOutput(_))) => {
                is_answered = true;
            }
            Some(Message::Result(result)) => {
                // The reason of a hook that refused the prompt. The text of a command is in a message.
                let refusal = (result.num_turns == 0 && !is_answered).then_some(result.result.as_deref());
                let refusal = refusal.flatten().filter(|why| !why.is_empty()).map(str::to_owned);
                if let Some(why) = result.error_text().or(refusal) {
                    failed = Some(Failure::finding(format!("the turn failed: {why}")));
                }
                is_answered = false;
            }
            _ => {}
        }
        printer = match on_thread(move || print(printer, &incoming, as_json)).await {
            Ok(printer) => printer,
            Err(why) => return end_with(Err(why), failed.map_or(Ok(()), Err)),
        };
    };
    // A turn without a result leaves its line open. A closed pipe does not hide the failure.
    let _ = on_thread(move || printer.end_line()).await;
    // The end of the CLI after a failed turn is a consequence.
    failed.map_or(ended, Err)
}

/// Prints a message as text or as the line that it came in, and returns the printer.
fn print(mut printer: Printer, incoming: &Incoming, as_json: bool) -> Result<Printer, Failure> {
    match incoming.message() {
        _ if as_json => print_line(incoming)?,
        Some(message) => printer.print(message)?,
        None => {}
    }
    Ok(printer)
}

/// Prints the line as it came, but to a terminal without control characters. Lines that are no JSON go to the standard
/// error.
fn print_line(incoming: &Incoming) -> Result<(), Failure> {
    let no_json = |line: &Line| {
        note(format_args!("agentwire: no JSON: {}", for_terminal(&line.excerpt(), &io::stderr())));
    };
    match incoming {
        Incoming::NonJson(line) => no_json(line),
        // The line may be cut, if the CLI was killed.
        Incoming::Undecodable(_, line) if serde_json::from_slice::<IgnoredAny>(line.as_bytes()).is_err() => {
            no_json(line);
        }
        Incoming::TooLong(error) => note(format_args!("agentwire: {error}")),
        other => {
            let line = other.line().map(|line| line.as_bytes()).unwrap_or_default();
            if io::stdout().is_terminal() {
                return crate::output::line(plain(&String::from_utf8_lossy(line)));
            }
            return write(&[line, b"\n"].concat());
        }
    }
    Ok(())
}

/// How many texts of the standard error are held back.
const HELD: usize = 100;
/// The limit of an orderly end after a signal.
const LIMIT: Duration = Duration::from_secs(2);
/// How long servers may take to start before they are named.
#[cfg(feature = "hub")]
const PATIENCE: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use agentwire_transport::TransportError;

    use super::*;

    #[test]
    fn missing_cli_is_an_error_with_a_remedy() {
        let searched = vec!["/usr/bin/claude".into()];
        let failure = not_started(Error::CliNotFound(TransportError::NotFound { searched }));
        let expected = "no agent CLI found; searched /usr/bin/claude; see `agentwire doctor`";
        assert!(failure.to_string().ends_with(expected), "{failure}");
    }
}
