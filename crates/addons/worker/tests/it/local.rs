//! The embedded engine.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, atomic::Ordering},
    time::Duration,
};

use agentwire_testkit::eventually;
use agentwire_worker::{
    Admission, Answer, Ledger, Local, LossPolicy, Outcome, Phase, Refusal, SessionName, WorkerConfig,
};
use tokio::{sync::Semaphore, time::timeout};

use crate::{LIMIT, done, id, prompt, session, stand_in::Place};

/// Waits for the end of the `n`th prompt of the first session.
async fn ended(engine: &Local, n: usize) -> Outcome {
    timeout(LIMIT, engine.ended(&session(1), &id(n).as_str().into())).await.unwrap().unwrap()
}

/// Returns the file of the first session.
fn record(place: &Place) -> PathBuf {
    place.folder().with_file_name("engine").join(format!("{}.json", session(1)))
}

/// Replaces the file of the first session by a folder, so that it can't be written, and returns its path.
fn unwritable_record(place: &Place) -> PathBuf {
    let record = record(place);
    std::fs::remove_file(&record).unwrap();
    std::fs::create_dir(&record).unwrap();
    record
}

/// Returns a worker that notes each turn that ends: its session and epoch.
fn noting_ends(worker: WorkerConfig) -> (WorkerConfig, Ends) {
    let ends = Ends::default();
    let noted = Arc::clone(&ends);
    let worker = worker.on_end(move |end| {
        noted.lock().unwrap().push((end.fence.session, end.fence.epoch));
        std::future::ready(())
    });
    (worker, ends)
}

type Ends = Arc<Mutex<Vec<(SessionName, u64)>>>;

/// Waits until the first session is in a phase.
async fn reached(engine: &Local, phase: Phase) {
    let reached = async {
        while engine.status(&session(1)).await.unwrap().unwrap().phase != phase {
            tokio::task::yield_now().await;
        }
    };
    timeout(LIMIT, reached).await.unwrap();
}

#[tokio::test]
async fn prompt_that_had_no_room_runs_after_a_restart() {
    let place = Place::new();
    let engine = place.engine(place.worker(), LossPolicy::Tell).await;
    engine.worker().drain(LIMIT).await;
    engine.prompt(&session(1), prompt(1, "Go.")).await.unwrap();
    engine.close(LIMIT).await;
    let engine = place.engine(place.worker(), LossPolicy::Tell).await;
    assert_eq!(ended(&engine, 1).await, done());
}

#[tokio::test]
async fn answer_that_had_no_room_is_used_after_a_restart() {
    let place = Place::new();
    let engine = place.engine(place.parking(), LossPolicy::Tell).await;
    engine.prompt(&session(1), prompt(1, "ask")).await.unwrap();
    reached(&engine, Phase::Parked).await;
    engine.worker().drain(LIMIT).await;
    assert!(engine.answer(&session(1), &"toolu_1".into(), Answer::allow()).await.unwrap());
    engine.close(LIMIT).await;
    let engine = place.engine(place.worker(), LossPolicy::Tell).await;
    assert_eq!(ended(&engine, 1).await, done());
    assert!(place.lines(1, "prompts")[1].contains("is now allowed"));
}

#[tokio::test]
async fn question_that_is_parked_by_close_stays_open() {
    let place = Place::new();
    let engine = place.engine(place.worker(), LossPolicy::Tell).await;
    engine.prompt(&session(1), prompt(1, "ask")).await.unwrap();
    reached(&engine, Phase::Asking).await;
    engine.close(LIMIT).await;
    let engine = place.engine(place.worker(), LossPolicy::Tell).await;
    let status = engine.status(&session(1)).await.unwrap().unwrap();
    assert_eq!((status.phase, status.questions.len()), (Phase::Parked, 1), "{status:?}");
}

#[tokio::test]
async fn parked_turn_continues_from_its_own_revision() {
    let place = Place::new();
    let workspace = place.workspace();
    let engine = place.engine(place.parking().workspace(workspace.clone()), LossPolicy::Tell).await;
    let mut turn = prompt(1, "ask");
    turn.revision = Some("old".to_owned());
    engine.prompt(&session(1), turn).await.unwrap();
    reached(&engine, Phase::Parked).await;
    engine.answer(&session(1), &"toolu_1".into(), Answer::allow()).await.unwrap();
    assert_eq!(ended(&engine, 1).await, done());
    let calls = workspace.calls.lock().unwrap().clone();
    assert_eq!(calls, [Some("old".to_owned()), Some("after 1".to_owned())]);
}

/// Runs a prompt until its turn is parked and waits for its snapshot, which needs a permit.
async fn parking(place: &Place) -> (Local, Arc<Semaphore>) {
    let gate = Arc::new(Semaphore::new(0));
    let mut workspace = place.workspace();
    workspace.gate = Some(Arc::clone(&gate));
    let snapshots = Arc::clone(&workspace.snapshots);
    let policy = LossPolicy::Resume("Go on.".to_owned());
    let engine = place.engine(place.parking().workspace(workspace), policy).await;
    engine.prompt(&session(1), prompt(1, "ask")).await.unwrap();
    eventually(|| snapshots.load(Ordering::Relaxed) == 1).await;
    (engine, gate)
}

/// Cancels a prompt while its turn is parked and waits for its snapshot.
async fn cancelled_at_its_end(place: &Place) -> (Local, Arc<Semaphore>) {
    let (engine, gate) = parking(place).await;
    assert!(engine.cancel(&session(1)).await.unwrap());
    (engine, gate)
}

#[tokio::test]
async fn prompt_that_is_cancelled_while_its_turn_ends_is_not_parked() {
    let place = Place::new();
    let (engine, gate) = cancelled_at_its_end(&place).await;
    gate.add_permits(9);
    assert_eq!(ended(&engine, 1).await, Outcome::Cancelled);
    engine.prompt(&session(1), prompt(2, "Go.")).await.unwrap();
    assert_eq!(ended(&engine, 2).await, done());
}

#[tokio::test]
async fn cancelled_prompt_does_not_run_again_after_a_crash() {
    let place = Place::new();
    drop(cancelled_at_its_end(&place).await);
    let engine = place.engine(place.worker(), LossPolicy::Resume("Go on.".to_owned())).await;
    assert_eq!(ended(&engine, 1).await, Outcome::Cancelled);
    assert_eq!(place.lines(1, "prompts").len(), 1);
}

#[tokio::test]
async fn answer_that_arrives_while_its_question_is_being_parked_continues_the_turn() {
    let place = Place::new();
    let (engine, gate) = parking(&place).await;
    assert!(engine.answer(&session(1), &"toolu_1".into(), Answer::allow()).await.unwrap());
    gate.add_permits(9);
    assert_eq!(ended(&engine, 1).await, done());
    assert!(place.lines(1, "prompts")[1].contains("is now allowed"));
}

#[tokio::test]
async fn answer_is_used_although_the_first_checkout_for_it_fails() {
    let place = Place::new();
    let workspace = place.workspace();
    workspace.failures.lock().unwrap().extend([false, true]);
    let worker = place.parking().workspace(workspace.clone());
    let engine = place.engine(worker, LossPolicy::RetryUnstarted).await;
    engine.prompt(&session(1), prompt(1, "ask")).await.unwrap();
    reached(&engine, Phase::Parked).await;
    place.store_line(r#"{"type":"user","uuid":"1"}"#).await;
    engine.answer(&session(1), &"toolu_1".into(), Answer::allow()).await.unwrap();
    assert_eq!(ended(&engine, 1).await, done());
    assert!(place.lines(1, "prompts")[1].contains("is now allowed"));
    let after = Some("after 1".to_owned());
    assert_eq!(*workspace.calls.lock().unwrap(), [None, after.clone(), after]);
}

#[tokio::test]
async fn prompt_whose_start_could_not_be_stored_starts_later() {
    let place = Place::new();
    let engine = place.engine(place.worker(), LossPolicy::Tell).await;
    engine.prompt(&session(1), prompt(1, "hold")).await.unwrap();
    eventually(|| place.lines(1, "prompts").len() == 1).await;
    engine.prompt(&session(1), prompt(2, "Go.")).await.unwrap();
    let record = unwritable_record(&place);
    engine.worker().interrupt(&session(1));
    ended(&engine, 1).await;
    // The engine replies after it has tried to start the second one.
    engine.sessions().await.unwrap();
    // It may be sent again.
    engine.prompt(&session(1), prompt(2, "Go.")).await.unwrap();
    std::fs::remove_dir(&record).unwrap();
    assert_eq!(ended(&engine, 2).await, done());
}

#[tokio::test]
async fn end_and_cost_that_could_not_be_stored_are_stored_by_close() {
    let place = Place::new();
    let policy = || LossPolicy::Resume("Go on.".to_owned());
    let engine = place.engine(place.worker(), policy()).await;
    engine.prompt(&session(1), prompt(1, "hold")).await.unwrap();
    eventually(|| place.lines(1, "prompts").len() == 1).await;
    let record = unwritable_record(&place);
    let spent = record.with_file_name("spent-usd");
    std::fs::create_dir(&spent).unwrap();
    engine.worker().interrupt(&session(1));
    let outcome = ended(&engine, 1).await;
    std::fs::remove_dir(&record).unwrap();
    std::fs::remove_dir(&spent).unwrap();
    engine.close(LIMIT).await;
    assert_eq!(std::fs::read_to_string(&spent).unwrap(), "0.5");
    let engine = place.engine(place.worker(), policy()).await;
    assert_eq!(ended(&engine, 1).await, outcome);
    assert_eq!(place.lines(1, "prompts").len(), 1, "the prompt does not run again");
}

#[tokio::test]
async fn question_that_could_not_be_stored_is_stored_later() {
    let place = Place::new();
    let (engine, gate) = parking(&place).await;
    let record = unwritable_record(&place);
    gate.add_permits(9);
    reached(&engine, Phase::Parked).await;
    // The engine replies after it has tried to store the question.
    engine.sessions().await.unwrap();
    std::fs::remove_dir(&record).unwrap();
    let is_stored = |text: String| text.contains(r#""parked":[{"#);
    eventually(|| std::fs::read_to_string(&record).is_ok_and(is_stored)).await;
}

#[tokio::test]
async fn prompt_behind_a_refusal_that_cannot_be_stored_ends() {
    let place = Place::new();
    let folder = place.folder().with_file_name("engine");
    let limits = Ledger::new(Some(0.5), None);
    let engine = Local::open(folder, place.worker(), LossPolicy::Tell, limits).await.unwrap();
    engine.prompt(&session(1), prompt(1, "hold")).await.unwrap();
    eventually(|| place.lines(1, "prompts").len() == 1).await;
    for n in [2, 3] {
        engine.prompt(&session(1), prompt(n, "Go.")).await.unwrap();
    }
    unwritable_record(&place);
    engine.worker().interrupt(&session(1));
    assert_eq!(ended(&engine, 3).await, Outcome::Refused(Refusal::Budget));
}

#[tokio::test]
async fn answer_that_cannot_be_stored_may_be_sent_again() {
    let place = Place::new();
    let engine = place.engine(place.parking(), LossPolicy::Tell).await;
    engine.prompt(&session(1), prompt(1, "ask")).await.unwrap();
    reached(&engine, Phase::Parked).await;
    let record = record(&place);
    eventually(|| std::fs::read_to_string(&record).unwrap().contains(r#""running":null"#)).await;
    unwritable_record(&place);
    let answer = async || engine.answer(&session(1), &"toolu_1".into(), Answer::allow()).await;
    answer().await.unwrap_err();
    std::fs::remove_dir(&record).unwrap();
    assert!(answer().await.unwrap(), "the question is still open");
    assert_eq!(ended(&engine, 1).await, done());
}

#[tokio::test]
async fn dropped_engine_ends_its_turns_although_a_clone_of_its_worker_is_left() {
    let place = Place::new();
    let engine = place.engine(place.worker(), LossPolicy::Tell).await;
    engine.prompt(&session(1), prompt(1, "hold")).await.unwrap();
    eventually(|| place.lines(1, "prompts").len() == 1).await;
    let worker = engine.worker().clone();
    drop(engine);
    assert_eq!(worker.phase(&session(1)).0, Phase::Cold);
}

#[tokio::test]
async fn engine_needs_no_lease() {
    let place = Place::new();
    // Nothing renews it, and a worker refuses one as short as this.
    let engine = place.engine(place.worker().lease(Duration::from_millis(1)), LossPolicy::Tell).await;
    engine.prompt(&session(1), prompt(1, "Go.")).await.unwrap();
    assert_eq!(ended(&engine, 1).await, done());
}

#[tokio::test]
async fn spent_money_is_remembered_after_a_restart() {
    let place = Place::new();
    let folder = place.folder().with_file_name("engine");
    // A process costs as much as the whole budget.
    for (n, outcome) in [(1, done()), (2, Outcome::Refused(Refusal::Budget))] {
        let limits = Ledger::new(Some(0.5), None);
        let engine = Local::open(&folder, place.worker(), LossPolicy::Tell, limits).await.unwrap();
        engine.prompt(&session(1), prompt(n, "Go.")).await.unwrap();
        assert_eq!(ended(&engine, n).await, outcome);
        engine.close(LIMIT).await;
    }
}

#[tokio::test]
async fn turn_beyond_the_limit_of_its_tenant_starts_when_another_turn_ends() {
    let place = Place::new();
    let (folder, limits) = (place.folder().with_file_name("engine"), Ledger::new(None, Some(1)));
    let engine = Local::open(folder, place.worker(), LossPolicy::Tell, limits).await.unwrap();
    engine.prompt(&session(1), prompt(1, "hold")).await.unwrap();
    eventually(|| place.lines(1, "prompts").len() == 1).await;
    engine.prompt(&session(2), prompt(2, "Go.")).await.unwrap();
    assert_eq!(engine.worker().phase(&session(2)).0, Phase::Cold);
    assert!(engine.worker().interrupt(&session(1)));
    let second = id(2).as_str().into();
    let outcome = timeout(LIMIT, engine.ended(&session(2), &second)).await.unwrap().unwrap();
    assert_eq!(outcome, done());
}

#[tokio::test]
async fn turns_that_wait_for_a_process_start_once_in_the_order_of_their_arrival() {
    for (others, turns) in [
        (&[(3, 4), (2, 5)][..], &[(1, 1), (3, 1), (2, 1), (1, 2), (1, 3)][..]),
        (&[(3, 4)], &[(1, 1), (3, 1), (1, 2), (1, 3)]),
    ] {
        let place = Place::new();
        let (worker, ends) = noting_ends(place.worker().admission(Admission::slots(1)));
        let engine = place.engine(worker, LossPolicy::Tell).await;
        engine.prompt(&session(1), prompt(1, "hold")).await.unwrap();
        eventually(|| place.lines(1, "prompts").len() == 1).await;
        for (n, id) in [(1, 2), (1, 3)].iter().chain(others) {
            engine.prompt(&session(*n), prompt(*id, "Go.")).await.unwrap();
        }
        engine.worker().interrupt(&session(1));
        assert_eq!(ended(&engine, 3).await, done());
        // An attempt whose start is stored takes an epoch, even if there is no room for it.
        let turns: Vec<_> = turns.iter().map(|(n, epoch)| (session(*n), *epoch)).collect();
        assert_eq!(*ends.lock().unwrap(), turns);
    }
}

#[tokio::test]
async fn turn_that_waits_for_a_process_keeps_its_place_in_the_limit_of_its_tenant() {
    let place = Place::new();
    let (worker, ends) = noting_ends(place.worker().admission(Admission::slots(2)));
    let (folder, limits) = (place.folder().with_file_name("engine"), Ledger::new(None, Some(1)));
    let engine = Local::open(folder, worker, LossPolicy::Tell, limits).await.unwrap();
    let other = SessionName::new("other", session(4).session);
    engine.prompt(&other, prompt(4, "Go.")).await.unwrap();
    timeout(LIMIT, engine.ended(&other, &id(4).as_str().into())).await.unwrap().unwrap();
    engine.prompt(&session(1), prompt(1, "hold")).await.unwrap();
    eventually(|| place.lines(1, "prompts").len() == 1).await;
    for (n, id) in [(1, 2), (3, 3)] {
        engine.prompt(&session(n), prompt(id, "Go.")).await.unwrap();
    }
    engine.worker().interrupt(&session(1));
    assert_eq!(ended(&engine, 2).await, done());
    let order: Vec<_> = ends.lock().unwrap().iter().map(|(session, _)| session.clone()).collect();
    assert_eq!(order, [other, session(1), session(3), session(1)]);
}
