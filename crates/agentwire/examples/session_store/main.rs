//! A conversation that outlives its machine: mirrored to a store and resumed from it.
//!
//! `cargo run --example session_store --features sessions -- FOLDER "a prompt"`, repeatedly, on any machine that has
//! the folder:
//! the conversation continues each time.
//! The project has its own name in the store, so it may lie at different paths.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a program for people")]

use std::{env, error::Error, sync::Arc};

use agentwire::{
    Incoming, Message, Options, Session, System,
    sessions::{FolderStore, SessionStore},
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let folder = args.next().ok_or("which folder?")?;
    let prompt = args.next().unwrap_or_else(|| "Say hello.".to_owned());
    let store: Arc<dyn SessionStore> = Arc::new(FolderStore::at(folder));
    // If the store has no session yet, a new one starts.
    let options = Options::new().session_store_project(PROJECT).continue_last();
    let mut session = Session::builder().options(options).session_store(store).connect().await?;
    let mut turn = session.ask(prompt).await?;
    while let Some(incoming) = turn.next().await {
        match incoming? {
            // The session continues. The entries are stored before the next ones, at the latest in `close`, if the
            // store takes them by then.
            Incoming::Message(Message::System(System::MirrorError(failure)), _) => {
                eprintln!("{}", failure.error);
            }
            Incoming::Message(Message::Result(result), _) => {
                println!("{}", result.result.unwrap_or_default());
            }
            _ => {}
        }
    }
    // The last entries arrive after the result.
    session.close().await?;
    Ok(())
}

const PROJECT: &str = "example";
