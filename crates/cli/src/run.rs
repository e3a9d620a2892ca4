//! `agentwire run`: one prompt in the terminal.

use std::io::{self, IsTerminal as _};
use std::pin::pin;
use std::time::Duration;

use agentwire::hooks::{PermissionHandler, policy};
use agentwire::{Block, Message, Options, PermissionMode, Session};
use tokio::task::JoinSet;

use crate::failure::Failure;
use crate::output::{Color, json, line, note, paint, write};

/// Run one prompt, and ask at the terminal for permissions
///
/// Reading is permitted. Ctrl-C interrupts the turn; a second one ends the session.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The prompt
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
///
/// # Errors
///
/// If the session can't be started, or the turn fails.
pub fn run(args: &Args, as_json: bool) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let outcome = runtime.block_on(start(args, as_json));
    // A question at the terminal may still wait for a line.
    runtime.shutdown_background();
    outcome
}

async fn start(args: &Args, as_json: bool) -> Result<(), Failure> {
    let mut options = Options::new().include_partial_messages();
    if let Some(model) = &args.model {
        options = options.model(model.as_str());
    }
    if let Some(session) = &args.resume {
        options = options.resume(session.as_str());
    }
    if let Some(mode) = &args.mode {
        options = options.permission_mode(PermissionMode::from(mode.as_str()));
    }
    let mut builder = Session::builder().on_stderr(|text| note(text));
    if !as_json {
        builder = builder.permissions(policy::read_only().or(PermissionHandler::terminal()));
    }
    #[cfg(feature = "hub")]
    if args.hub {
        let hub = args.servers.start(agentwire_hub::Approval::allowed())?;
        // The hub has these servers already.
        options = options.strict_mcp_config();
        builder = builder.mcp_servers(agentwire::mcp::McpServers::new().with("hub", hub.serve()));
        let outcome = session(builder.options(options).connect().await?, &args.prompt, as_json).await;
        hub.close().await;
        return outcome;
    }
    session(builder.options(options).connect().await?, &args.prompt, as_json).await
}

/// Runs the turn, and handles Ctrl-C.
async fn session(mut session: Session, prompt: &str, as_json: bool) -> Result<(), Failure> {
    for warning in session.warnings() {
        note(format_args!("warning: {warning}"));
    }
    let control = session.control().clone();
    let mut is_interrupted = false;
    let outcome = {
        let mut turn = pin!(turn(&mut session, prompt, as_json));
        let mut interrupts = JoinSet::new();
        loop {
            tokio::select! {
                outcome = &mut turn => break Some(outcome),
                pressed = tokio::signal::ctrl_c() => {
                    pressed?;
                    if std::mem::replace(&mut is_interrupted, true) {
                        break None;
                    }
                    note("(interrupting; Ctrl-C again ends the session)");
                    let control = control.clone();
                    interrupts.spawn(async move {
                        if let Err(error) = control.interrupt().await {
                            note(format_args!("agentwire: the turn was not interrupted: {error}"));
                        }
                    });
                }
            }
        }
    };
    match outcome {
        Some(outcome) => {
            let closed = session.close().await;
            if is_interrupted {
                return Err(Failure::exit(INTERRUPTED));
            }
            outcome?;
            Ok(closed.map(drop)?)
        }
        None => {
            // After the limit the CLI is ended in the background.
            let _ = tokio::time::timeout(LIMIT, session.close()).await;
            Err(Failure::exit(INTERRUPTED))
        }
    }
}

async fn turn(session: &mut Session, prompt: &str, as_json: bool) -> Result<(), Failure> {
    let mut turn = session.ask(prompt).await?;
    let mut printer = Printer::default();
    while let Some(incoming) = turn.next().await {
        let incoming = incoming?;
        let Some(message) = incoming.message() else { continue };
        if as_json {
            json(message)?;
        } else {
            printer.print(message)?;
        }
        if let Message::Result(result) = message
            && result.is_error
        {
            let why = if result.errors.is_empty() {
                result.result.clone().unwrap_or_else(|| "without a reason".to_owned())
            } else {
                result.errors.join("; ")
            };
            return Err(Failure::finding(format!("the turn failed: {why}")));
        }
    }
    Ok(())
}

/// Prints messages, each kind on lines of its own.
#[derive(Debug, Default)]
struct Printer {
    is_inside_line: bool,
}

impl Printer {
    fn print(&mut self, message: &Message) -> Result<(), Failure> {
        match message {
            Message::StreamEvent(event) => {
                // Text of subagents is part of their result.
                if let Some(text) = event.text_delta().filter(|_| event.parent_tool_use_id.is_none()) {
                    write(text.as_bytes())?;
                    self.is_inside_line = !text.ends_with('\n');
                }
            }
            Message::Assistant(message) => {
                for block in &message.message.content {
                    if let Block::ToolUse(tool) = block {
                        self.aside(&format!("[{} {}]", tool.name, short(tool.input.as_str())))?;
                    }
                }
            }
            Message::Result(result) => {
                let session = result.session_id.as_deref().unwrap_or("unknown");
                self.aside(&format!("[${:.4}, session {session}]", result.total_cost_usd))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn aside(&mut self, text: &str) -> Result<(), Failure> {
        let start = if std::mem::take(&mut self.is_inside_line) { "\n" } else { "" };
        line(format_args!("{start}{}", paint(text, Color::Dim)))
    }
}

/// Shortens a tool's input for a terminal. Other readers get all of it.
fn short(input: &str) -> String {
    let length = input.chars().count();
    if !io::stdout().is_terminal() || length <= WIDTH {
        return input.to_owned();
    }
    format!("{}… {} more characters", input.chars().take(WIDTH).collect::<String>(), length - WIDTH)
}

/// The characters of a tool's input that a terminal shows.
const WIDTH: usize = 300;
/// The limit of an orderly end after a second Ctrl-C.
const LIMIT: Duration = Duration::from_secs(2);
/// The exit code after Ctrl-C, as a shell reports SIGINT.
const INTERRUPTED: u8 = 130;
