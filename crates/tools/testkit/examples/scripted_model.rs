//! Serves a scripted model for a CLI that is started by hand.
//!
//! `cargo run -p agentwire-testkit --features model --example scripted_model -- SCRIPT.json` prints the URL for
//! `ANTHROPIC_BASE_URL` on one line, and serves until its input ends.
//! Each line of input is the name of a gate to release.
//! At the end it prints the requests on stderr, and whether the script was played to its end.

use std::{
    error::Error,
    fs,
    io::{self, BufRead, Write},
    iter,
    process::ExitCode,
    thread,
};

use agentwire_testkit::{Script, ScriptedModel};
use tokio::sync::mpsc;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Err(error) = run().await else { return ExitCode::SUCCESS };
    let causes = iter::successors(error.source(), |cause| (*cause).source());
    let text = causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"));
    // If stderr is closed, the text is lost.
    drop(writeln!(io::stderr(), "{text}"));
    ExitCode::FAILURE
}

async fn run() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: scripted_model SCRIPT.json")?;
    let model = ScriptedModel::start(Script::from_json(&fs::read_to_string(path)?)?).await?;
    writeln!(io::stdout(), "{}", model.base_url())?;
    let mut gates = input_lines();
    while let Some(gate) = gates.recv().await {
        if let Err(error) = model.release(&gate) {
            writeln!(io::stderr(), "{error}")?;
        }
    }
    for fact in model.requests() {
        writeln!(io::stderr(), "{fact:?}")?;
    }
    writeln!(io::stderr(), "unused {} exhausted {}", model.unused(), model.exhausted())?;
    Ok(())
}

/// Reads the input on a thread, since reading it waits.
fn input_lines() -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel(1);
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    receiver
}
