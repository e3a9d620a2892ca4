//! Recipes for hooks: small files to read and copy; `docs/recipes.md` is their guide.
//!
//! ```text
//! cargo run -p agentwire --example recipes                         lists them
//! cargo run -p agentwire --example recipes -- NAME "prompt"        runs one: the CLI on this machine, with your own login
//! ```
#![expect(clippy::print_stdout, reason = "it is a program for people")]

mod call_log;
mod chain;
mod commands;
#[path = "../quickstart/conversation.rs"]
mod conversation;
mod env_files;
mod matchers;
mod menu;
mod notices;
mod paths;
mod prompt_context;
mod rate_limit;
mod read_only;
mod recursion;
mod redact;
mod sandbox;
mod subagents;
mod system_folders;
mod webhook;

use std::process::ExitCode;

use agentwire::{Options, PermissionMode, Session, SystemPrompt};

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[..] {
        [] => list(),
        [name, prompt] if menu::RECIPES.iter().any(|(known, _)| *known == name) => run(name, prompt).await,
        _ => {
            println!("usage: recipes [NAME PROMPT]; without anything it lists the names");
            return ExitCode::from(2);
        }
    };
    conversation::exit_code(outcome)
}

#[expect(clippy::unnecessary_wraps, reason = "it is one of the outcomes")]
fn list() -> Outcome {
    println!("Recipes for hooks, each in a file of its own in crates/agentwire/examples/recipes:\n");
    for (name, sentence) in menu::RECIPES {
        println!("  {name:<16} {sentence}");
    }
    println!(
        "\nTo try one with your own CLI:  cargo run -p agentwire --example recipes -- NAME \"your prompt\""
    );
    Ok(())
}

/// Runs one turn with the installed CLI.
///
/// The run is unattended: the mode accepts edits in the working directory, and everything else that no rule or recipe
/// permits is denied.
async fn run(name: &str, prompt: &str) -> Outcome {
    println!("This is live: the CLI on this machine, with your own login and at your own cost.");
    println!("Edits in this folder are accepted; nobody is asked about anything else, which is denied.\n");
    let options = Options::new()
        .system_prompt(SystemPrompt::PRESET)
        .permission_mode(PermissionMode::AcceptEdits)
        .include_partial_messages();
    let recipe = menu::prepare(name)?;
    let outcome = conversation::hold(Session::builder().options(options).hooks(recipe.hooks), prompt).await;
    if let Some(after) = recipe.after {
        println!("{}", after.await);
    }
    outcome
}
