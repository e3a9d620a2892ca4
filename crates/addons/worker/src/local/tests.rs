//! The engine's folder and records, and turns whose CLI can't be started.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, sync::Arc, time::Duration};

use agentwire::{
    Options, RawJson,
    sessions::{FolderStore, MemoryStore, RawEntry, SessionKey, SessionStore, StoreError, StoreFuture},
};
use agentwire_testkit::eventually;
use rustix::fs::{FlockOperation, flock};
use tokio::{
    pin, runtime,
    task::spawn_blocking,
    time::{Instant, timeout},
};

use super::{
    record::{Parked, Prompt, Record},
    *,
};
use crate::{
    launch::ENDING,
    ledger::Refusal,
    recovery::Recovery,
    turn::{TurnInput, Way},
};

const PROMPT: &str = "5f3f4c52-5a35-4f0e-9a51-000000000001";
const LIMIT: Duration = Duration::from_secs(60);

fn session() -> SessionName {
    SessionName::new("tenant", "0b0e7a3e-57a1-4a4c-9d3f-000000000001")
}

fn worker(folder: &Path) -> WorkerConfig {
    WorkerConfig::new(Arc::new(FolderStore::at(folder.join("store"))), folder.join("workspaces"))
        .options(Options::new().path_to_claude_code_executable(folder.join("missing")))
}

/// Opens the engine in a folder, whose CLI is missing.
async fn open(folder: &Path) -> Result<Local, LocalError> {
    Local::open(folder.join("engine"), worker(folder), LossPolicy::Tell, Ledger::default()).await
}

/// Runs a prompt, and returns its outcome.
async fn outcome(folder: &Path, worker: WorkerConfig, policy: LossPolicy) -> Outcome {
    let run = async {
        let engine = Local::open(folder.join("engine"), worker, policy, Ledger::default()).await.unwrap();
        engine.prompt(&session(), TurnSpec::prompt(PROMPT, "Go.")).await.unwrap();
        engine.ended(&session(), &PROMPT.into()).await.unwrap()
    };
    timeout(LIMIT, run).await.unwrap()
}

#[tokio::test]
async fn folder_has_one_engine_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = open(folder.path()).await.unwrap();
    let error = open(folder.path()).await.unwrap_err();
    assert!(error.to_string().ends_with("another engine uses it"), "{error}");
    for _ in 0..20 {
        drop(engine);
        engine = open(folder.path()).await.unwrap();
    }
}

#[tokio::test]
async fn files_of_the_engine_are_readable_by_its_user_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (state, other) = (folder.path().join("state"), folder.path().join("other"));
    drop(open(&state).await.unwrap());
    fs::create_dir(&other).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&state), mode(&other), "the workspaces may be in it");
    assert_eq!(mode(&state.join("engine")) & 0o777, 0o700);
    assert_eq!(mode(&state.join("engine/.lock")) & 0o777, 0o600);
}

#[test]
fn folder_stays_locked_until_its_files_are_written() {
    let runtime =
        runtime::Builder::new_current_thread().max_blocking_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine");
        let mut engine = open(folder.path()).await.unwrap();
        // The only thread for files is busy, so that the record of the prompt waits.
        let (free, busy) = std::sync::mpsc::channel();
        let thread = spawn_blocking(move || busy.recv());
        let name = session();
        let queued = engine.prompt(&name, TurnSpec::prompt(PROMPT, "Go."));
        timeout(Duration::from_millis(100), queued).await.unwrap_err();
        engine.engine.shutdown().await;
        let is_locked = || {
            let lock = fs::File::open(path.join(".lock")).unwrap();
            flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err()
        };
        assert!(is_locked());
        free.send(()).unwrap();
        thread.await.unwrap().unwrap();
        eventually(|| !is_locked()).await;
        assert!(record::path(&path, &name).exists());
    });
}

#[test]
fn answer_that_is_stored_is_accepted_although_the_start_of_its_turn_is_not() {
    let runtime =
        runtime::Builder::new_current_thread().max_blocking_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let record = record::path(&folder.path().join("engine"), &session());
        let question = Question::new("toolu_1".into(), "Bash", RawJson::parse("{}").unwrap(), Way::Grant);
        let prompt = Prompt { id: PROMPT.into(), turn: TurnSpec::prompt(PROMPT, "Go."), restarts: 0 };
        let stored = Record {
            prompts: [prompt].into(),
            parked: vec![Parked { question, answer: None }],
            ..Record::default()
        };
        record::write(&record, &stored).unwrap();
        let engine = open(folder.path()).await.unwrap();
        // The only thread for files is busy, so that the record with the answer waits.
        let (free, busy) = std::sync::mpsc::channel();
        let thread = spawn_blocking(move || busy.recv());
        let (name, id) = (session(), "toolu_1".into());
        let answered = engine.answer(&name, &id, Answer::allow());
        pin!(answered);
        timeout(Duration::from_millis(100), &mut answered).await.unwrap_err();
        let path = record.clone();
        let replaced = spawn_blocking(move || {
            // No file can replace a folder.
            fs::remove_file(&path).unwrap();
            fs::create_dir(&path).unwrap();
        });
        free.send(()).unwrap();
        thread.await.unwrap().unwrap();
        assert!(answered.await.unwrap());
        replaced.await.unwrap();
        fs::remove_dir(&record).unwrap();
        let outcome = timeout(LIMIT, engine.ended(&name, &PROMPT.into())).await.unwrap().unwrap();
        assert!(is_unstarted(&outcome), "{outcome:?}");
    });
}

#[tokio::test]
async fn tenant_has_spent_its_money_although_its_sessions_were_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, limits) = (folder.path().join("engine"), Ledger::new(Some(1.0), None));
    fs::create_dir_all(engine.join("tenant")).unwrap();
    fs::write(engine.join("tenant/spent-usd"), "1.0").unwrap();
    let engine = Local::open(engine, worker(folder.path()), LossPolicy::Tell, limits).await.unwrap();
    engine.prompt(&session(), TurnSpec::prompt(PROMPT, "Go.")).await.unwrap();
    let outcome = timeout(LIMIT, engine.ended(&session(), &PROMPT.into())).await.unwrap().unwrap();
    assert_eq!(outcome, Outcome::Refused(Refusal::Budget));
}

#[tokio::test(start_paused = true)]
async fn engine_with_a_running_turn_waits_for_the_end_of_its_process() {
    let folder = tempfile::tempdir().unwrap();
    let record = record::path(&folder.path().join("engine"), &session());
    let prompt = Prompt { id: PROMPT.into(), turn: TurnSpec::prompt(PROMPT, "Go."), restarts: 0 };
    let running = Some(prompt.turn.input.clone());
    record::write(&record, &Record { prompts: [prompt].into(), running, ..Record::default() }).unwrap();
    // Files are read on another thread, while the paused clock would go on.
    let worker = WorkerConfig::new(Arc::new(MemoryStore::new()), folder.path().join("workspaces"));
    let start = Instant::now();
    Local::open(folder.path().join("engine"), worker, LossPolicy::Tell, Ledger::default()).await.unwrap();
    assert!(start.elapsed() >= ENDING);
}

/// A store that can load only the session of [`session`].
struct HalfReadable;

impl SessionStore for HalfReadable {
    fn append<'a>(&'a self, _: &'a SessionKey, _: &'a [RawEntry]) -> StoreFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<RawEntry>>> {
        let is_readable = *key.session_id() == session().session;
        Box::pin(async move { if is_readable { Ok(None) } else { Err(StoreError::new("load", "down")) } })
    }
}

#[tokio::test(start_paused = true)]
async fn engine_that_cannot_be_opened_starts_no_turn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("engine");
    let prompt = |id: &str| Prompt { id: id.into(), turn: TurnSpec::prompt(id, "Go."), restarts: 0 };
    let prompts = [prompt(PROMPT), prompt("5f3f4c52-5a35-4f0e-9a51-000000000002")];
    let stored =
        Record { running: Some(prompts[0].turn.input.clone()), prompts: prompts.into(), ..Record::default() };
    let unreadable = SessionName::new("tenant", "0b0e7a3e-57a1-4a4c-9d3f-000000000002");
    for session in [session(), unreadable] {
        record::write(&record::path(&path, &session), &stored).unwrap();
    }
    let worker = WorkerConfig::new(Arc::new(HalfReadable), folder.path().join("workspaces"));
    let error = Local::open(&path, worker, LossPolicy::Tell, Ledger::default()).await.unwrap_err();
    assert!(matches!(error, LocalError::Recovery(_)), "{error}");
    let left: Record = record::read(&record::path(&path, &session())).unwrap().unwrap();
    assert_eq!((left.prompts.len(), left.running), (1, None), "the queued prompt can still run");
}

#[tokio::test]
async fn record_that_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let record = record::path(&folder.path().join("engine"), &session());
    fs::create_dir_all(record.parent().unwrap()).unwrap();
    fs::write(&record, "").unwrap();
    let error = open(folder.path()).await.unwrap_err().to_string();
    assert!(error.contains(&*record.to_string_lossy()), "{error}");
    fs::remove_file(&record).unwrap();
    fs::create_dir(&record).unwrap();
    let error = open(folder.path()).await.unwrap_err().to_string();
    assert!(error.contains(&*record.to_string_lossy()), "{error}");
}

#[tokio::test]
async fn folder_that_is_no_tenants_is_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let lost = folder.path().join("engine/lost+found");
    fs::create_dir_all(&lost).unwrap();
    fs::write(lost.join("record.json"), "").unwrap();
    assert_eq!(open(folder.path()).await.unwrap().sessions().await.unwrap(), []);
}

#[tokio::test]
async fn prompt_of_a_session_without_a_key_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path()).await.unwrap();
    for session in [SessionName::new("me", "chat-1"), SessionName::new("..", session().session)] {
        let refused = engine.prompt(&session, TurnSpec::prompt(PROMPT, "Go.")).await;
        assert!(matches!(refused, Err(LocalError::Invalid { .. })), "{session}: {refused:?}");
    }
    let address = SessionName::new("me@example.org", session().session);
    let refused = engine.prompt(&address, TurnSpec::prompt(PROMPT, "Go.")).await.unwrap_err().to_string();
    assert!(
        refused.contains("the tenant `me@example.org` must consist of ASCII letters, digits, "),
        "{refused}"
    );
    assert_eq!(engine.sessions().await.unwrap(), []);
}

#[tokio::test]
async fn tenant_may_be_called_as_a_file_of_the_engine() {
    let folder = tempfile::tempdir().unwrap();
    let session = SessionName::new("lock", session().session);
    let engine = open(folder.path()).await.unwrap();
    engine.prompt(&session, TurnSpec::prompt(PROMPT, "Go.")).await.unwrap();
}

fn is_unstarted(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Interrupted { state: Recovery::Unstarted, .. })
}

#[tokio::test]
async fn prompt_ends_although_its_cli_never_starts() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = outcome(folder.path(), worker(folder.path()), LossPolicy::RetryUnstarted).await;
    assert!(is_unstarted(&outcome), "{outcome:?}");
}

#[tokio::test]
async fn end_is_reported_although_it_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let record = record::path(&folder.path().join("engine"), &session());
    let worker = worker(folder.path()).configure(move |_, builder| {
        // No file can replace a folder.
        fs::remove_file(&record).unwrap();
        fs::create_dir(&record).unwrap();
        builder
    });
    let outcome = outcome(folder.path(), worker, LossPolicy::Tell).await;
    assert!(is_unstarted(&outcome), "{outcome:?}");
}

#[test]
fn cancelled_session_still_awaits_the_end_of_its_running_prompt() {
    let prompt = |id: &str| Prompt { id: id.into(), turn: TurnSpec::prompt(id, "Go."), restarts: 0 };
    let mut record = Record { prompts: ["a", "b", "c"].map(prompt).into(), ..Record::default() };
    record.running = Some(TurnInput::Prompt { id: "a".into(), text: "Go.".to_owned() });
    assert_eq!(record.cancel(), [Uuid::from("b"), Uuid::from("c")]);
    assert!(record.running.is_some() && record.due().is_none(), "the prompt does not start again");
    assert_eq!(record.end(Outcome::Cancelled), Some("a".into()));
    assert!(record.prompts.is_empty());
    assert!(record.cancel().is_empty());
}
