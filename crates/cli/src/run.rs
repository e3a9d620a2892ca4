//! `agentwire run`: one prompt in the terminal.

use std::sync::atomic::{AtomicBool, Ordering};

use agentwire::{
    Block, Message, Options, Session,
    hooks::{PermissionHandler, policy},
};

use crate::{
    failure::Failure,
    output::{json, line, write},
};

/// Runs one prompt, and asks at the terminal for permissions
///
/// Ctrl-C interrupts; a second one ends the session.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The prompt
    prompt: String,
    /// The model
    #[arg(long)]
    model: Option<String>,
    /// Continue this session
    #[arg(long)]
    resume: Option<String>,
    /// Print each message of the CLI as one line of JSON; permissions are then denied
    #[arg(long)]
    json: bool,
}

/// Runs the prompt and prints the answer as it comes.
///
/// # Errors
///
/// If the session can't be started, or the turn fails.
pub fn run(args: &Args) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(session(args))
}

async fn session(args: &Args) -> Result<(), Failure> {
    let mut options = Options::new().include_partial_messages();
    if let Some(model) = &args.model {
        options = options.model(model.as_str());
    }
    if let Some(session) = &args.resume {
        options = options.resume(session.as_str());
    }
    let mut builder = Session::builder().options(options);
    if !args.json {
        builder = builder.permissions(policy::read_only().or(PermissionHandler::terminal()));
    }
    let mut session = builder.connect().await?;
    let control = session.control().clone();
    let interrupted = AtomicBool::new(false);
    let interrupts = async {
        while tokio::signal::ctrl_c().await.is_ok() {
            if interrupted.swap(true, Ordering::Relaxed) {
                return;
            }
            if let Err(error) = control.interrupt().await {
                eprintln!("agentwire: the turn was not interrupted: {error}");
            }
        }
    };
    let outcome = tokio::select! {
        outcome = turn(&mut session, args) => outcome,
        () = interrupts => Err(Failure::new("ended by Ctrl-C")),
    };
    session.close().await?;
    outcome
}

async fn turn(session: &mut Session, args: &Args) -> Result<(), Failure> {
    let mut turn = session.ask(args.prompt.as_str()).await?;
    let mut is_inside_line = false;
    while let Some(incoming) = turn.next().await {
        let incoming = incoming?;
        let Some(message) = incoming.message() else { continue };
        if args.json {
            json(message)?;
            continue;
        }
        match message {
            Message::StreamEvent(event) => {
                if let Some(text) = event.text_delta() {
                    write(text.as_bytes())?;
                    is_inside_line = !text.ends_with('\n');
                }
            }
            Message::Assistant(message) => {
                for block in &message.message.content {
                    if let Block::ToolUse(tool) = block {
                        let start = if std::mem::take(&mut is_inside_line) { "\n" } else { "" };
                        line(format_args!("{start}[{} {}]", tool.name, tool.input.as_str()))?;
                    }
                }
            }
            Message::Result(result) => {
                let start = if is_inside_line { "\n" } else { "" };
                line(format_args!(
                    "{start}[${:.4}, session {}]",
                    result.total_cost_usd,
                    result.session_id.as_deref().unwrap_or("unknown")
                ))?;
                if result.is_error {
                    return Err(Failure::new(result.errors.join("; ")));
                }
            }
            _ => {}
        }
    }
    Ok(())
}
