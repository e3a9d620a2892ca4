//! Durable sessions without a server: each command is a process of its own, and all state is in a folder.
//!
//! ```text
//! cargo run -p agentwire-worker --example local -- FOLDER prompt "text"           until the end, or a parked question
//! cargo run -p agentwire-worker --example local -- FOLDER status
//! cargo run -p agentwire-worker --example local -- FOLDER answer QUESTION allow   or `deny`; continues the turn
//! cargo run -p agentwire-worker --example local -- FOLDER serve                   a web page with all of it
//! cargo run -p agentwire-worker --example local -- FOLDER serve --scripted        the same without an account
//! ```
//!
//! It runs the CLI on this machine, with your own login and at your own cost, unless `--scripted` replaces the model by
//! fixed replies. Commands need your answer.
#![expect(clippy::print_stdout, reason = "it is a program for people")]

mod serve;

use std::{path::Path, process::ExitCode, sync::Arc, time::Duration};

use agentwire::sessions::FolderStore;
use agentwire_worker::{
    Admission, Answer, Ledger, Local, LossPolicy, Phase, SessionName, TurnSpec, WorkerConfig,
};
use tokio::time::sleep;

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[..] {
        [folder, "prompt", text] => prompt(folder.as_ref(), text).await,
        [folder, "status"] => status(folder.as_ref()).await,
        [folder, "answer", question, "allow"] => answer(folder.as_ref(), question, Answer::allow()).await,
        [folder, "answer", question, "deny"] => answer(folder.as_ref(), question, Answer::deny("no")).await,
        [folder, "serve"] => serve::with_login(folder.as_ref()).await,
        [folder, "serve", "--scripted"] => serve::scripted(folder.as_ref()).await,
        _ => {
            println!(
                "usage: local FOLDER prompt TEXT | status | answer QUESTION allow|deny | serve [--scripted]"
            );
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn worker(folder: &Path) -> WorkerConfig {
    let store = Arc::new(FolderStore::at(folder.join("store")).synced());
    WorkerConfig::new(store, folder.join("workspaces"))
        .approvals(["Bash"])
        .on_question(|_, question| println!("{} asks: {}", question.tool, question.input.as_str()))
}

async fn open(folder: &Path) -> Result<Local, agentwire_worker::LocalError> {
    let worker = worker(folder).question_grace(Duration::from_secs(1));
    Local::open(folder.join("engine"), worker, LossPolicy::Tell, Ledger::default()).await
}

async fn prompt(folder: &Path, text: &str) -> Outcome {
    let engine = open(folder).await?;
    // A program with many users takes both ids from its requests.
    let session = session();
    let id = uuid::Uuid::new_v4().to_string();
    engine.prompt(&session, TurnSpec::prompt(id.as_str(), text)).await?;
    settled(engine, &session).await
}

async fn answer(folder: &Path, question: &str, answer: Answer) -> Outcome {
    let engine = open(folder).await?;
    if !engine.answer(&session(), &question.into(), answer).await? {
        return Err(format!("`{question}` is not open").into());
    }
    settled(engine, &session()).await
}

async fn status(folder: &Path) -> Outcome {
    // Without a slot no queued prompt starts: the end of this process would cut its turn.
    let worker = worker(folder).admission(Admission::slots(0));
    let engine = Local::open(folder.join("engine"), worker, LossPolicy::Tell, Ledger::default()).await?;
    for session in engine.sessions().await? {
        println!("{session}: {:#?}", engine.status(&session).await?);
    }
    Ok(())
}

/// Waits until all prompts of the session have ended, or a question is parked.
async fn settled(engine: Local, session: &SessionName) -> Outcome {
    loop {
        let Some(status) = engine.status(session).await? else { break };
        if status.phase == Phase::Parked && !status.questions.is_empty() {
            println!("parked; answer with");
            for question in status.questions {
                println!("  local FOLDER answer {} allow", question.id);
            }
            break;
        }
        if status.prompts == 0 {
            println!("{:#?}", status.last);
            break;
        }
        sleep(Duration::from_millis(100)).await;
    }
    engine.close(Duration::from_secs(5)).await;
    Ok(())
}

fn session() -> SessionName {
    SessionName::new("me", "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11")
}
