//! Asks a person at the terminal for permissions, for answers to the model's questions and for approval of its plans.
//!
//! ```text
//! cargo run -p agentwire --example permission_prompt -- "Write a haiku into haiku.txt."
//! ```
//!
//! It uses the CLI of this machine, with your own login.
#![expect(clippy::print_stdout, reason = "it is a program for people")]

use agentwire::{
    Error, Session,
    hooks::{PermissionHandler, policy},
};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let prompt = std::env::args().nth(1).unwrap_or_else(|| "Write a haiku into haiku.txt.".to_owned());
    // Reading files needs no permission; the person at the terminal decides on everything else.
    let handler = policy::read_only().or(PermissionHandler::terminal());
    let mut session = Session::builder().permissions(handler).connect().await?;

    let control = session.control().clone();
    let interrupting = tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() && control.interrupt().await.is_ok() {}
    });
    match session.ask(prompt).await?.text().await {
        Ok(text) => println!("{text}"),
        // Ctrl-C, or a limit.
        Err(error @ Error::TurnFailed(_)) => println!("{error}"),
        Err(error) => return Err(error),
    }
    interrupting.abort();
    session.close().await?;
    Ok(())
}
