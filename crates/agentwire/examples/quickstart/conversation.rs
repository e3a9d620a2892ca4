//! Runs one conversation and prints it as it streams.

use std::{io::Write, process::ExitCode};

use agentwire::{Block, Incoming, Message, SessionBuilder, TurnResult};

use crate::Outcome;

/// Sends one prompt, prints all messages and closes the session.
pub(crate) async fn hold(session: SessionBuilder, prompt: &str) -> Outcome {
    let mut session = session.connect().await?;
    println!("you: {prompt}\n");
    let mut turn = session.ask(prompt).await?;
    while let Some(incoming) = turn.next().await {
        print(&incoming?)?;
    }
    let result = turn.result().cloned();
    session.close().await?;
    result.map_or_else(|| Err("the turn has no result".into()), |result| summary(&result))
}

fn print(incoming: &Incoming) -> Outcome {
    match incoming {
        Incoming::Message(Message::StreamEvent(event), _) => {
            print!("{}", event.text_delta().unwrap_or_default());
            std::io::stdout().flush()?;
        }
        // The text was printed while it streamed.
        Incoming::Message(Message::Assistant(message), _) => {
            for used in message.message.content.iter().filter_map(Block::as_tool_use) {
                println!("\n  -> {} {}", used.name, used.input);
            }
        }
        Incoming::Message(Message::User(user), _) => {
            for result in user.message.content.blocks().iter().filter_map(Block::as_tool_result) {
                let mark = if result.is_error == Some(true) { "refused or failed: " } else { "" };
                println!("  <- {mark}{}\n", result.text());
            }
        }
        Incoming::Message(..) => {}
        other => println!("  [unread] {other:?}"),
    }
    Ok(())
}

/// Prints the error with its causes, and returns the exit code of the program.
pub(crate) fn exit_code(outcome: Outcome) -> ExitCode {
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    println!("error: {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        println!("  because: {cause}");
        source = cause.source();
    }
    ExitCode::FAILURE
}

fn summary(result: &TurnResult) -> Outcome {
    println!(
        "\n\n{}: {} rounds, {} ms, ${:.4}",
        result.subtype, result.num_turns, result.duration_ms, result.total_cost_usd
    );
    match result.error_text() {
        Some(error) => Err(error.into()),
        None => Ok(()),
    }
}
