//! Panics in the functions of the settings.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use agentwire_eventlog::{EventLog, LogBatch, LogEvent, LogEventKind, LogFuture, MemoryLog, Position};
use agentwire_worker::{
    FolderWorkspace, LossPolicy, Outcome, SessionName, WorkerConfig, Workspace, WorkspaceFuture,
};
use tokio::time::timeout;

use crate::{LIMIT, done, id, prompt, session, stand_in::Place};

/// Panics at its first call.
#[derive(Clone)]
struct Once(Arc<AtomicBool>);

impl Once {
    fn call(&self) {
        assert!(self.0.swap(true, Ordering::Relaxed), "the first call");
    }
}

/// A workspace that panics at its first snapshot.
struct Fragile(FolderWorkspace, Once);

impl Workspace for Fragile {
    fn checkout<'a>(
        &'a self,
        session: &'a SessionName,
        revision: Option<&'a str>,
    ) -> WorkspaceFuture<'a, std::path::PathBuf> {
        self.0.checkout(session, revision)
    }

    fn snapshot<'a>(&'a self, _session: &'a SessionName) -> WorkspaceFuture<'a, Option<String>> {
        self.1.call();
        Box::pin(async { Ok(None) })
    }
}

/// An event log that panics at the first end of a turn.
struct FragileLog(MemoryLog, Once);

impl EventLog for FragileLog {
    fn append<'a>(&'a self, session: &'a str, at: Position, event: &'a LogEvent) -> LogFuture<'a, ()> {
        if event.kind == LogEventKind::End {
            self.1.call();
        }
        self.0.append(session, at, event)
    }

    fn tail<'a>(&'a self, session: &'a str, after: Position) -> LogFuture<'a, LogBatch> {
        self.0.tail(session, after)
    }
}

/// Runs two prompts, and returns the outcome of the first one.
async fn first_outcome(text: &str, set: impl FnOnce(&Place, WorkerConfig, Once) -> WorkerConfig) -> Outcome {
    let place = Place::new();
    let worker = set(&place, place.worker(), Once(Arc::default()));
    let run = async {
        let engine = place.engine(worker, LossPolicy::Tell).await;
        engine.prompt(&session(1), prompt(1, text)).await.unwrap();
        let first = engine.ended(&session(1), &id(1).as_str().into()).await.unwrap();
        engine.prompt(&session(1), prompt(2, "Go.")).await.unwrap();
        assert_eq!(engine.ended(&session(1), &id(2).as_str().into()).await.unwrap(), done());
        engine.close(LIMIT).await;
        first
    };
    timeout(LIMIT, run).await.unwrap()
}

fn is_interrupted(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Interrupted { why, .. } if why.ends_with("panicked: the first call"))
}

#[tokio::test]
async fn turn_is_interrupted_by_a_panic_in_it() {
    let configure = |_: &Place, worker: WorkerConfig, once: Once| {
        worker.configure(move |_, builder| {
            once.call();
            builder
        })
    };
    let on_message = |_: &Place, worker: WorkerConfig, once: Once| worker.on_message(move |_, _| once.call());
    let on_question =
        |_: &Place, worker: WorkerConfig, once: Once| worker.on_question(move |_, _| once.call());
    for outcome in [
        first_outcome("Go.", configure).await,
        first_outcome("Go.", on_message).await,
        first_outcome("ask", on_question).await,
    ] {
        assert!(is_interrupted(&outcome), "{outcome:?}");
    }
}

#[tokio::test]
async fn panic_after_the_turn_leaves_its_outcome() {
    let workspace = |place: &Place, worker: WorkerConfig, once: Once| {
        worker.workspace(Fragile(FolderWorkspace::new(place.folder()), once))
    };
    assert_eq!(first_outcome("Go.", workspace).await, done());
    let events = |_: &Place, worker: WorkerConfig, once: Once| {
        worker.events(Arc::new(FragileLog(MemoryLog::new(), once)))
    };
    assert_eq!(first_outcome("Go.", events).await, done());
    let on_end = |_: &Place, worker: WorkerConfig, once: Once| {
        worker.on_end(move |_| {
            once.call();
            std::future::ready(())
        })
    };
    assert_eq!(first_outcome("Go.", on_end).await, done());
}
