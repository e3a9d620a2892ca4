//! A person at the terminal is asked for permissions, answers the model's questions and approves its plans.
//!
//! ```text
//! cargo run -p agentwire --example permission_prompt                made-up questions: no CLI, no account, no network
//! cargo run -p agentwire --example permission_prompt -- "prompt"    the CLI on this machine, with your own login
//! ```
#![expect(clippy::print_stdout, reason = "it is a program for people")]

mod prompt;
mod terminal;

use std::{error::Error, io, process::ExitCode};

use agentwire::{
    Options, RawJson, Session,
    hooks::{Outcome, PermissionHandler, policy},
};

#[tokio::main]
async fn main() -> ExitCode {
    let outcome = match std::env::args().nth(1) {
        Some(prompt) => hold(&prompt).await,
        None => show(),
    };
    match outcome {
        // A thread may still wait for a line of the terminal's; leaving ends it.
        Ok(()) => std::process::exit(0),
        Err(error) => {
            println!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn hold(prompt: &str) -> Result<(), Box<dyn Error>> {
    let terminal = terminal::Terminal::open();
    let person = PermissionHandler::new(move |request, cx| {
        let terminal = terminal.clone();
        async move { terminal.ask(request, cx).await }
    });
    // Files may be read without asking anybody; the rest is the person's to decide.
    let handler = policy::read_only().or(person).audited(|audit| match audit.outcome {
        Outcome::Decided(decision) => println!("  ({}: {})", audit.request.tool_name, decision.kind()),
        Outcome::TakenBack => println!("\n  ({}: taken back)", audit.request.tool_name),
        other => println!("  ({}: {other:?})", audit.request.tool_name),
    });
    let mut session = Session::builder().options(Options::new()).permissions(handler).connect().await?;
    for warning in session.warnings() {
        println!("warning: {warning}");
    }
    println!("{}", session.ask(prompt).await?.text().await?);
    session.close().await?;
    Ok(())
}

/// Asks the made-up questions, and shows what would be sent.
fn show() -> Result<(), Box<dyn Error>> {
    for question in MADE_UP {
        let request = RawJson::parse(*question)?.decode()?;
        let decision = prompt::ask(&request, &mut io::stdin().lock(), &mut io::stdout().lock())?;
        println!("  would be sent: {}", RawJson::encode(&decision)?);
    }
    Ok(())
}

const MADE_UP: &[&str] = &[
    r#"{"tool_name":"Bash","display_name":"Bash","input":{"command":"git push"},"description":"Push the commits","tool_use_id":"toolu_1","permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"git push"}],"behavior":"allow","destination":"localSettings"}]}"#,
    r#"{"tool_name":"AskUserQuestion","input":{"questions":[{"question":"Which tools?","header":"Tools","multiSelect":true,"options":[{"label":"Saw","description":"cuts"},{"label":"Axe","description":"splits"}]}]},"tool_use_id":"toolu_2","requires_user_interaction":true}"#,
    r#"{"tool_name":"ExitPlanMode","input":{"plan":"1. Plant a tree.\n2. Water it."},"tool_use_id":"toolu_3","requires_user_interaction":true}"#,
];
