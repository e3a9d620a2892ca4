//! Parks a question, ends the process, and answers it from another process.
//!
//! ```text
//! deferred FOLDER ask "prompt"                       prints the answer, or the question and how to answer it
//! deferred FOLDER allow SESSION TOOL_USE
//! deferred FOLDER deny SESSION TOOL_USE "reason"
//! ```
//!
//! `cargo run -p agentwire --example deferred --features sessions -- …`, on any machine that has the folder.
#![expect(clippy::print_stdout, reason = "it is a program for people")]

mod park;

use std::{env, error::Error, sync::Arc};

use agentwire::{
    Options, Session,
    hooks::Hooks,
    sessions::{FolderStore, SessionStore},
};
use park::{Answer, Outcome};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let answer = |id: &str, verdict| Some(Answer { tool_use: id.into(), verdict });
    let (folder, prompt, session, answer) = match words[..] {
        [folder, "ask", prompt] => (folder, prompt, None, None),
        [folder, "allow", session, id] => (folder, "", Some(session), answer(id, Ok(()))),
        [folder, "deny", session, id, why] => (folder, "", Some(session), answer(id, Err(why.to_owned()))),
        _ => {
            return Err(
                "usage: FOLDER ask PROMPT | FOLDER allow SESSION TOOL_USE | FOLDER deny SESSION TOOL_USE WHY"
                    .into(),
            );
        }
    };
    let store: Arc<dyn SessionStore> = Arc::new(FolderStore::at(folder));
    let options = Options::new().session_store_project("deferred");
    let hooks = park::ask_later(Hooks::new(), &["Bash", "Edit", "Write"], answer);
    let builder = Session::builder().session_store(store).hooks(hooks);
    let outcome = match session {
        None => park::begin(builder.options(options), prompt).await?,
        Some(session) => park::resume(builder.options(options.resume(session))).await?,
    };
    match outcome {
        Outcome::Done(text) => println!("{text}"),
        Outcome::Parked(session, tool_use) => {
            println!("May it use {} with {}?", tool_use.name, tool_use.input);
            println!("Answer with: allow {session} {}", tool_use.id);
            println!("         or: deny {session} {} \"why\"", tool_use.id);
        }
    }
    Ok(())
}
