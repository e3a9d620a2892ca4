//! Durable sessions: what a worker and the embedded engine keep, across crashes and across machines.

mod ends;
mod host;
mod limits;
mod parking;
pub(crate) mod stream;

use std::{fs, path::Path, sync::Arc, time::Duration};

use agentwire::{Options, sessions::FolderStore};
use agentwire_worker::{
    Admission, Answer, Ledger, Local, LossPolicy, Outcome, SessionName, TurnSpec, Worker, WorkerConfig,
};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{
    LIMIT, Place,
    place::{self, bash},
};

const TENANT: &str = "tenant";

/// Returns the name of the `n`th session.
fn session(n: usize) -> SessionName {
    SessionName::new(TENANT, format!("0b0e7a3e-57a1-4a4c-9d3f-{n:012x}"))
}

/// Returns the id of the `n`th prompt.
fn prompt_id(n: usize) -> String {
    format!("5f3f4c52-5a35-4f0e-9a51-{n:012x}")
}

fn prompt(n: usize) -> TurnSpec {
    TurnSpec::prompt(prompt_id(n), "Go.")
}

fn options(root: &Path, model: &str) -> Options {
    place::options(root, model).allowed_tools(["Bash"])
}

/// Returns a worker with room for 64 processes and its state in a place.
fn worker(place: &Place) -> WorkerConfig {
    let root = Path::new(place.root());
    worker_in(root, options(root, place.model.base_url()))
}

fn worker_in(root: &Path, options: Options) -> WorkerConfig {
    WorkerConfig::new(Arc::new(FolderStore::at(root.join("store"))), root.join("workspaces"))
        .options(options)
        .admission(Admission::slots(64))
}

async fn engine(place: &Place, worker: WorkerConfig) -> Local {
    engine_in(Path::new(place.root()), worker, LossPolicy::Tell).await
}

async fn engine_in(root: &Path, worker: WorkerConfig, policy: LossPolicy) -> Local {
    Local::open(root.join("engine"), worker, policy, Ledger::default()).await.unwrap()
}

/// Returns what commands have written in the `n`th session's workspace.
fn noted(place: &Place, n: usize) -> String {
    fs::read_to_string(place.file("workspaces").join(session(n).to_string()).join("ran.txt"))
        .unwrap_or_default()
}

/// Waits for the outcome of a prompt of the `n`th session.
async fn ended(engine: &Local, n: usize, prompt: usize) -> Outcome {
    engine.ended(&session(n), &prompt_id(prompt).as_str().into()).await.unwrap()
}

fn done(text: &str) -> Outcome {
    Outcome::Done { text: text.to_owned(), is_error: false }
}

/// Allows the tool use `toolu_1` of the first session, whose turn must end with this text and have run the command once.
async fn allowed_once(engine: Local, place: &Place, text: &str) {
    assert!(engine.answer(&session(1), &"toolu_1".into(), Answer::allow()).await.unwrap());
    assert_eq!(ended(&engine, 1, 1).await, done(text));
    engine.close(LIMIT).await;
    assert_eq!(noted(place, 1), "one\n");
}

/// Waits until a session has this many open questions.
async fn asked(engine: &Local, session: &SessionName, questions: usize, is_parked: bool) {
    let reached = async {
        loop {
            let status = engine.status(session).await.unwrap().unwrap();
            let parked = status.phase == agentwire_worker::Phase::Parked;
            if status.questions.len() == questions && parked == is_parked {
                return;
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(LIMIT, reached).await.unwrap();
}
