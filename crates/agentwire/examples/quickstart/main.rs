//! The first program to run: one conversation with a hook, a permission handler and an in-process MCP tool.
//!
//! ```text
//! cargo run -p agentwire --example quickstart                       a recorded session: no CLI, no account, no network
//! cargo run -p agentwire --example quickstart -- --scripted         the real CLI with a scripted model
//! cargo run -p agentwire --example quickstart -- --live "prompt"    the CLI on this machine, with your own login
//! ```
#![expect(clippy::print_stdout, reason = "it is a program for people")]

mod callbacks;
mod conversation;
mod paced;
mod scripted;

use std::process::ExitCode;

use agentwire::{Options, Session, SessionBuilder};
use agentwire_testkit::{Replay, Transcript};

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[..] {
        [] => replay().await,
        ["--live", prompt] => live(prompt).await,
        ["--scripted"] => scripted::prepare(None),
        ["--scripted", "--record", path] => scripted::prepare(Some(path)),
        ["--scripted-inside", cli] => scripted::run(cli.as_ref(), None).await,
        ["--scripted-inside", cli, record] => scripted::run(cli.as_ref(), Some(record.as_ref())).await,
        _ => {
            println!("usage: quickstart [--live PROMPT | --scripted [--record FILE]]");
            return ExitCode::from(2);
        }
    };
    conversation::exit_code(outcome)
}

/// Replays the recorded session through the whole stack; the callbacks in `callbacks.rs` really run.
async fn replay() -> Outcome {
    println!("This is a replay of a recorded session: no CLI, no account, no network.");
    println!("The hook, the permission handler and the MCP tool below really run, in this program.");
    println!("(<prose> stands for the CLI's own longer texts, which recordings leave out.)\n");
    let replay = Replay::new(&Transcript::parse(RECORDING)?);
    let handle = replay.handle();
    conversation::hold(session().transport(paced::Paced(replay, PAUSE)), PROMPT).await?;
    // Checks that the callbacks gave the recorded answers and that nothing is missing.
    if !handle.report().is_complete() {
        return Err(handle.report().to_string().into());
    }
    println!("\nTo go live:  cargo run -p agentwire --example quickstart -- --live \"your prompt\"");
    println!(
        "The real CLI with a scripted model:  cargo run -p agentwire --example quickstart -- --scripted"
    );
    Ok(())
}

/// Starts the installed CLI.
async fn live(prompt: &str) -> Outcome {
    println!("This is live: the CLI on this machine, with your own login and at your own cost.");
    println!("The permission handler allows only the writing of note.txt.\n");
    conversation::hold(session().options(options()), prompt).await
}

/// Returns the builder with the callbacks, common to all three modes.
fn session() -> SessionBuilder {
    Session::builder()
        .options(options())
        .hooks(callbacks::hooks())
        .permissions(callbacks::permissions())
        .mcp_servers(callbacks::mcp_servers())
}

fn options() -> Options {
    Options::new().include_partial_messages().allowed_tools(["mcp__weather__forecast"])
}

/// The prompt of the recorded session.
const PROMPT: &str = "What is the weather in Lisbon tomorrow? Keep it in note.txt.";

/// The pause between two recorded lines, so that the replay streams visibly.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(25);

/// Recorded from the real CLI by `cargo xtask record quickstart`; the same file as in `fixtures/`.
const RECORDING: &[u8] = include_bytes!("session.transcript");
