//! The worker without an engine.

use std::{
    sync::{Arc, Mutex, atomic::Ordering},
    time::Duration,
};

use agentwire::{
    Incoming, Message, Options, RawJson,
    protocol::message::{Priority, UserInput},
    sessions::project_key,
};
use agentwire_testkit::eventually;
use agentwire_worker::{
    Admission, Answer, Outcome, Phase, Question, Start, TurnReport, TurnSpec, Way, Worker, WorkerConfig,
};
use tokio::{
    sync::{Semaphore, mpsc},
    time::{Instant, advance, pause, resume, timeout},
};

use crate::{LIMIT, done, prompt, session, stand_in::Place, warned::Warned};

/// Starts a worker, and returns the ends of its turns.
pub(crate) fn started(config: WorkerConfig) -> (Worker, mpsc::UnboundedReceiver<TurnReport>) {
    let (worker, ends, gate) = held(config);
    gate.add_permits(Semaphore::MAX_PERMITS);
    (worker, ends)
}

/// The texts of all results, with the epochs of their turns.
type Results = Arc<Mutex<Vec<(u64, String)>>>;

/// Returns settings that collect all results.
fn with_results(config: WorkerConfig) -> (WorkerConfig, Results) {
    let results = Results::default();
    let collected = Arc::clone(&results);
    let config = config.on_message(move |fence, incoming| {
        if let Incoming::Message(Message::Result(result), _) = incoming {
            collected.lock().unwrap().push((fence.epoch, result.result.clone().unwrap()));
        }
    });
    (config, results)
}

/// Starts a turn of the `n`th session.
pub(crate) fn start(worker: &Worker, n: usize, epoch: u64, turn: &TurnSpec) -> Start {
    worker.start(&worker.fence(&session(n), epoch), turn)
}

/// Waits for the end of a turn.
pub(crate) async fn end(ends: &mut mpsc::UnboundedReceiver<TurnReport>) -> TurnReport {
    timeout(LIMIT, ends.recv()).await.unwrap().unwrap()
}

/// Returns the same, and a semaphore: each report of an end waits for a permit.
fn held(config: WorkerConfig) -> (Worker, mpsc::UnboundedReceiver<TurnReport>, Arc<Semaphore>) {
    let (sender, ends) = mpsc::unbounded_channel();
    let gate = Arc::new(Semaphore::new(0));
    let held = Arc::clone(&gate);
    let on_end = move |end| {
        let held = Arc::clone(&held);
        sender.send(end).unwrap();
        async move { held.acquire().await.unwrap().forget() }
    };
    (Worker::new(config.on_end(on_end)).unwrap(), ends, gate)
}

#[tokio::test]
async fn process_that_has_missed_a_turn_or_got_the_prompt_before_ends() {
    // Epochs, prompts, and the number of processes so far.
    for turns in [&[(1, 1, 1), (2, 2, 1), (4, 3, 2), (5, 4, 2)][..], &[(1, 1, 1), (2, 2, 1), (3, 1, 2)]] {
        let place = Place::new();
        let (worker, mut ends) = started(place.worker());
        for &(epoch, id, processes) in turns {
            assert_eq!(start(&worker, 1, epoch, &prompt(id, "Go.")), Start::Started);
            let end = end(&mut ends).await;
            assert_eq!((end.fence.epoch, end.outcome), (epoch, done()));
            assert_eq!(place.lines(1, "processes").len(), processes, "in turn {epoch}");
        }
    }
}

#[tokio::test]
async fn turn_with_a_budget_has_a_process_of_its_own_with_that_limit() {
    let place = Place::new();
    let (worker, mut ends) = started(place.worker());
    for (n, budget_usd) in [(1, None), (2, Some(0.25)), (3, None)] {
        let mut turn = prompt(n, "Go.");
        turn.budget_usd = budget_usd;
        assert_eq!(start(&worker, 1, n as u64, &turn), Start::Started);
        assert_eq!(end(&mut ends).await.outcome, done());
    }
    let processes = place.lines(1, "processes");
    let are_limited: Vec<_> =
        processes.iter().map(|arguments| arguments.contains("--max-budget-usd=0.25")).collect();
    assert_eq!(are_limited, [false, true, false], "{processes:?}");
}

#[tokio::test]
async fn cost_of_a_turn_is_without_that_of_earlier_processes() {
    let place = Place::new();
    let (worker, mut ends) = started(place.worker());
    for (epoch, cost_usd) in [(1, 0.5), (2, 0.0), (4, 0.5)] {
        assert_eq!(start(&worker, 1, epoch, &prompt(epoch as usize, "Go.")), Start::Started);
        let end = end(&mut ends).await;
        assert_eq!((end.outcome, end.cost_usd), (done(), cost_usd), "turn {epoch}");
    }
}

#[tokio::test]
async fn late_cancel_of_an_ended_turn_does_not_stop_the_next() {
    let place = Place::new();
    let (worker, mut ends, gate) = held(place.worker());
    let fences = [1, 2].map(|epoch| worker.fence(&session(1), epoch));
    assert_eq!(worker.start(&fences[0], &prompt(1, "Go.")), Start::Started);
    end(&mut ends).await;
    assert_eq!(worker.start(&fences[1], &prompt(2, "hold")), Start::Started);
    assert!(!worker.alive(&fences[0]) && worker.alive(&fences[1]));
    assert!(worker.cancel(&fences[0]), "its end was reported");
    gate.add_permits(2);
    assert!(worker.steer(&session(1), UserInput::new("Then test.").with_priority(Priority::Later)));
    let end = end(&mut ends).await;
    assert_eq!(end.outcome, Outcome::Done { text: "Later.".to_owned(), is_error: false });
}

#[tokio::test]
async fn session_that_the_store_does_not_know_is_set_aside() {
    let place = Place::new();
    let folder = place.folder().join(session(1).to_string());
    let config = place.folder().join("config");
    let project = config.join("projects").join(project_key(&folder));
    let file = project.join(format!("{}.jsonl", session(1).session));
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(&file, "{}\n").unwrap();
    let options = place.options().env("CLAUDE_CONFIG_DIR", config.to_string_lossy());
    let (worker, mut ends) = started(place.worker().options(options));
    assert_eq!(start(&worker, 1, 1, &prompt(1, "Go.")), Start::Started);
    assert_eq!(end(&mut ends).await.outcome, done());
    assert!(!file.exists());
    assert_eq!(std::fs::read_to_string(file.with_extension("jsonl.unstored")).unwrap(), "{}\n");
}

#[tokio::test]
async fn prompt_for_a_turn_follows_that_of_the_turn_after_the_start() {
    let place = Place::new();
    let (worker, _ends) = started(place.worker());
    assert_eq!(start(&worker, 1, 1, &prompt(1, "hold")), Start::Started);
    assert!(worker.steer(&session(1), UserInput::new("Faster.")));
    eventually(|| place.lines(1, "prompts").len() == 2).await;
    let prompts = place.lines(1, "prompts");
    assert!(prompts[0].contains("hold") && prompts[1].contains("Faster."), "{prompts:?}");
}

#[tokio::test]
async fn turn_goes_on_with_a_prompt_that_gets_its_own_turn() {
    let place = Place::new();
    let (config, results) = with_results(place.worker());
    let (worker, mut ends) = started(config);
    assert_eq!(start(&worker, 1, 1, &prompt(1, "hold")), Start::Started);
    assert!(worker.steer(&session(1), UserInput::new("Then test.").with_priority(Priority::Later)));
    let end = end(&mut ends).await;
    assert_eq!(end.outcome, Outcome::Done { text: "Later.".to_owned(), is_error: false });
    assert_eq!(*results.lock().unwrap(), [(1, "Done.".to_owned()), (1, "Later.".to_owned())]);
}

#[tokio::test]
async fn warnings_are_logged_once_for_each_process() {
    let place = Place::new();
    let file = place.folder().join(session(1).to_string()).join(".claude/settings.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "{}").unwrap();
    let file = file.canonicalize().unwrap();
    let (warned, _guard) = Warned::here();
    let (worker, mut ends) = started(place.worker().approvals(["bash", "Bash", "mcp__mail__snd"]));
    // The third turn has a process of its own.
    for (epoch, id, times) in [(1, 1, 1), (2, 2, 1), (4, 3, 2)] {
        assert_eq!(start(&worker, 1, epoch, &prompt(id, "list")), Start::Started);
        assert_eq!(end(&mut ends).await.outcome, done());
        assert_eq!(warned.count(file.to_str().unwrap()), times, "in turn {epoch}");
        assert_eq!(warned.count("`bash` differs from the tool's name in its case"), times, "in turn {epoch}");
        assert_eq!(warned.count("`mcp__mail__snd` may guard nothing"), times, "in turn {epoch}");
        assert_eq!(warned.count("`Bash`"), 0, "in turn {epoch}");
    }
}

#[tokio::test]
async fn note_leaves_the_answer_of_the_turn() {
    let place = Place::new();
    let (worker, mut ends) = started(place.worker());
    assert_eq!(start(&worker, 1, 1, &prompt(1, "silent")), Start::Started);
    assert!(worker.steer(&session(1), UserInput::new("noted").as_note()));
    let end = end(&mut ends).await;
    assert_eq!(end.outcome, Outcome::Done { text: "On its way.".to_owned(), is_error: false });
}

#[tokio::test]
async fn turn_whose_cli_does_not_go_idle_ends_after_a_limit() {
    let place = Place::new();
    let (config, results) = with_results(place.worker());
    let (worker, mut ends) = started(config);
    assert_eq!(start(&worker, 1, 1, &prompt(1, "silent")), Start::Started);
    eventually(|| results.lock().unwrap().len() == 1).await;
    pause();
    advance(Duration::from_secs(880)).await;
    resume();
    assert!(timeout(Duration::from_millis(500), ends.recv()).await.is_err(), "the limit is not over");
    pause();
    advance(Duration::from_secs(20)).await;
    resume();
    let end = end(&mut ends).await;
    assert_eq!(end.outcome, Outcome::Done { text: "On its way.".to_owned(), is_error: false });
    eventually(|| worker.phase(&session(1)).0 == Phase::Cold).await;
}

#[tokio::test]
async fn turn_lasts_until_its_background_agents_have_ended() {
    let place = Place::new();
    let (config, results) = with_results(place.worker());
    let (worker, mut ends) = started(config);
    assert_eq!(start(&worker, 1, 1, &prompt(1, "background")), Start::Started);
    eventually(|| worker.phase(&session(1)).0 == Phase::Asking).await;
    assert!(worker.answer(&session(1), &"toolu_1".into(), Answer::allow()));
    let end = end(&mut ends).await;
    assert_eq!(end.outcome, Outcome::Done { text: "Back.".to_owned(), is_error: false });
    assert_eq!(*results.lock().unwrap(), [(1, "On its way.".to_owned()), (1, "Back.".to_owned())]);
}

#[tokio::test]
async fn process_whose_conversation_was_reset_ends() {
    let place = Place::new();
    let (worker, mut ends) = started(place.worker());
    for (n, text) in [(1, "/clear"), (2, "Go."), (3, "Go.")] {
        assert_eq!(start(&worker, 1, n as u64, &prompt(n, text)), Start::Started);
        assert_eq!(end(&mut ends).await.outcome, done());
    }
    assert_eq!(place.lines(1, "processes").len(), 2);
}

#[tokio::test]
async fn drain_lets_a_turn_that_is_starting_finish() {
    let place = Place::new();
    let (worker, mut ends) = started(place.worker());
    assert_eq!(start(&worker, 1, 1, &prompt(1, "Go.")), Start::Started);
    timeout(LIMIT, worker.drain(LIMIT)).await.unwrap();
    assert_eq!(end(&mut ends).await.outcome, done());
}

#[tokio::test]
async fn drain_ends_and_reports_a_turn_that_outlasts_the_grace_period() {
    let place = Place::new();
    let (worker, mut ends) = started(place.worker());
    assert_eq!(start(&worker, 1, 1, &prompt(1, "hold")), Start::Started);
    eventually(|| place.lines(1, "prompts").len() == 1).await;
    timeout(LIMIT, worker.drain(Duration::from_millis(10))).await.unwrap();
    assert_eq!(ends.try_recv().unwrap().outcome, Outcome::Drained);
    assert_eq!(start(&worker, 2, 1, &prompt(2, "Go.")), Start::Busy, "the worker takes no turn any more");
}

#[tokio::test]
async fn drain_waits_for_reports_of_sessions_that_were_replaced() {
    for next in [1, 2] {
        let place = Place::new();
        let gate = Arc::new(Semaphore::new(0));
        let (sender, mut ends) = mpsc::unbounded_channel();
        let opened = Arc::clone(&gate);
        let on_end = move |end: TurnReport| {
            let is_first = end.fence.epoch == 1;
            sender.send(end).unwrap();
            let gate = Arc::clone(&opened);
            async move {
                if is_first {
                    gate.acquire().await.unwrap().forget();
                }
            }
        };
        // A session has no process when its turn is reported.
        let options = Options::new().path_to_claude_code_executable(place.folder().join("missing"));
        let worker = Worker::new(place.worker().options(options).on_end(on_end)).unwrap();
        assert_eq!(start(&worker, 1, 1, &prompt(1, "Go.")), Start::Started);
        end(&mut ends).await;
        assert_eq!(start(&worker, next, 2, &prompt(2, "Go.")), Start::Started);
        end(&mut ends).await;
        assert!(timeout(Duration::from_millis(500), worker.drain(LIMIT)).await.is_err(), "a report is open");
        gate.add_permits(1);
        timeout(LIMIT, worker.drain(LIMIT)).await.unwrap();
    }
}

#[tokio::test]
async fn running_turn_is_cancelled_although_its_queue_is_full() {
    let place = Place::new();
    let (worker, mut ends) = started(place.worker());
    let fence = worker.fence(&session(1), 1);
    assert_eq!(worker.start(&fence, &prompt(1, "hold")), Start::Started);
    eventually(|| place.lines(1, "prompts").len() == 1).await;
    // The session's task does not run meanwhile: the runtime has one thread.
    while worker.steer(&session(1), UserInput::new("hold")) {}
    assert!(worker.cancel(&fence), "its end is reported");
    assert_eq!(end(&mut ends).await.outcome, Outcome::Cancelled);
}

#[tokio::test]
async fn stop_after_the_result_of_a_turn_does_not_end_the_next_turn() {
    let place = Place::new();
    let (gate, mut workspace) = (Arc::new(Semaphore::new(0)), place.workspace());
    workspace.gate = Some(Arc::clone(&gate));
    let snapshots = Arc::clone(&workspace.snapshots);
    let (worker, mut ends) = started(place.worker().workspace(workspace));
    assert_eq!(start(&worker, 1, 1, &prompt(1, "Go.")), Start::Started);
    eventually(|| snapshots.load(Ordering::Relaxed) == 1).await;
    assert!(worker.stop(&session(1)), "the turn is not reported yet");
    gate.add_permits(2);
    assert_eq!(end(&mut ends).await.outcome, done());
    assert_eq!(start(&worker, 1, 2, &prompt(2, "Go.")), Start::Started);
    assert_eq!(end(&mut ends).await.outcome, done());
}

#[tokio::test]
async fn fence_of_an_earlier_turn_starts_none_later() {
    let place = Place::new();
    let (worker, mut ends) = started(place.worker().admission(Admission::slots(1)));
    let [earlier, fence] = [1, 2].map(|epoch| worker.fence(&session(1), epoch));
    assert_eq!(worker.start(&fence, &prompt(1, "Go.")), Start::Started);
    end(&mut ends).await;
    assert_eq!(worker.start(&earlier, &prompt(2, "Go.")), Start::Lost);
    assert_eq!(start(&worker, 2, 1, &prompt(3, "Go.")), Start::Busy, "its process ends");
    timeout(LIMIT, worker.room()).await.unwrap();
    assert_eq!(worker.start(&earlier, &prompt(2, "Go.")), Start::Lost);
}

#[tokio::test]
async fn long_turn_is_cancelled_although_many_fences_were_used_since() {
    let place = Place::new();
    let (worker, mut ends) = started(place.worker());
    let fence = worker.fence(&session(1), 1);
    assert_eq!(worker.start(&fence, &prompt(1, "hold")), Start::Started);
    eventually(|| place.lines(1, "prompts").len() == 1).await;
    for _ in 0..=65_536 {
        worker.cancel(&worker.fence(&session(2), 1));
    }
    assert!(worker.alive(&fence));
    assert!(worker.cancel(&fence), "its end is reported");
    assert_eq!(end(&mut ends).await.outcome, Outcome::Cancelled);
}

#[tokio::test]
async fn allowance_of_an_interrupted_turn_starts_no_other() {
    let place = Place::new();
    let (worker, mut ends) = started(place.worker());
    let question =
        Question::new("toolu_1".into(), "Bash", RawJson::parse(r#"{"command":"rm a"}"#).unwrap(), Way::Defer);
    let granted =
        Question::new("toolu_2".into(), "Bash", RawJson::parse(r#"{"command":"rm b"}"#).unwrap(), Way::Grant);
    let answers = TurnSpec::answers([(question, Answer::allow()), (granted, Answer::allow())]);
    for (epoch, turn) in [(1, prompt(1, "Go.")), (2, answers), (3, prompt(2, "Go."))] {
        assert_eq!(start(&worker, 1, epoch, &turn), Start::Started);
        if epoch == 2 {
            assert!(worker.interrupt(&session(1)));
        }
        end(&mut ends).await;
        if epoch == 2 {
            // Longer than a resumed CLI may take to ask for its tool use. All that is due happens before.
            pause();
            timeout(Duration::from_secs(31), ends.recv()).await.unwrap_err();
            resume();
        }
    }
    let prompts = place.lines(1, "prompts");
    assert!(prompts.len() == 2 && prompts.iter().all(|prompt| prompt.contains("Go.")), "{prompts:?}");
    assert_eq!(place.lines(1, "processes").len(), 1, "the process would have got the notice");
}

#[tokio::test]
async fn process_whose_turn_is_being_reported_makes_room() {
    let place = Place::new();
    let (worker, mut ends, gate) = held(place.worker().admission(Admission::slots(1)));
    assert_eq!(start(&worker, 1, 1, &prompt(1, "Go.")), Start::Started);
    end(&mut ends).await;
    assert_eq!(start(&worker, 2, 1, &prompt(2, "Go.")), Start::Busy);
    gate.add_permits(9);
    timeout(LIMIT, worker.room()).await.unwrap();
    assert_eq!(start(&worker, 2, 1, &prompt(2, "Go.")), Start::Started);
}

#[tokio::test]
async fn freed_slot_wakes_each_worker_that_shares_the_admission_once() {
    let place = Place::new();
    let admission = Admission::slots(1);
    let (worker, mut ends) = started(place.worker().admission(admission.clone()));
    let (other, _) = started(place.worker().admission(admission));
    assert_eq!(start(&worker, 1, 1, &prompt(1, "Go.")), Start::Started);
    end(&mut ends).await;
    worker.drain(Duration::ZERO).await;
    for worker in [&worker, &other] {
        timeout(LIMIT, worker.room()).await.unwrap();
        timeout(Duration::ZERO, worker.room()).await.unwrap_err();
    }
}

#[tokio::test]
async fn each_session_without_room_ends_one_idle_process() {
    let place = Place::new();
    let (worker, mut ends) = started(place.worker().admission(Admission::slots(3)));
    for n in [1, 2, 3] {
        assert_eq!(start(&worker, n, 1, &prompt(n, "Go.")), Start::Started);
        end(&mut ends).await;
        eventually(|| worker.numbers().idle == n).await;
    }
    for n in [4, 4, 5] {
        assert_eq!(start(&worker, n, 1, &prompt(n, "Go.")), Start::Busy);
    }
    eventually(|| worker.numbers().admission.running == 1).await;
    assert_eq!(worker.phase(&session(3)).0, Phase::Idle, "the others have waited longer");
    for n in [4, 5] {
        assert_eq!(start(&worker, n, 1, &prompt(n, "Go.")), Start::Started);
    }
}

#[tokio::test]
async fn memory_is_not_measured_after_the_end_of_a_process() {
    let place = Place::new();
    let admission = Admission::memory(4000 << 20, 0);
    let assumed = admission.numbers().high_water;
    let (worker, mut ends) = started(place.worker().admission(admission));
    for n in [1, 2] {
        assert_eq!(start(&worker, n, 1, &prompt(n, "hold")), Start::Started);
        eventually(|| place.lines(n, "prompts").len() == 1).await;
    }
    assert!(worker.stop(&session(1)));
    assert_eq!(end(&mut ends).await.outcome, Outcome::Cancelled);
    assert_eq!(worker.numbers().admission.high_water, assumed, "the other process is a shell");
}

#[tokio::test(start_paused = true)]
async fn lease_that_was_renewed_late_ends_in_time() {
    let place = Place::new();
    let (worker, mut ends) = started(place.worker().lease(Duration::from_secs(8)));
    let boot = worker.boot();
    // No turn ends meanwhile.
    let mut pass = async |time| timeout(Duration::from_millis(time), ends.recv()).await.unwrap_err();
    pass(100).await;
    worker.renew(Instant::now().into_std());
    pass(3900).await;
    assert_eq!(worker.boot(), boot);
    pass(200).await;
    assert_ne!(worker.boot(), boot, "half of the lease is over");
    assert_eq!(start(&worker, 1, 1, &prompt(1, "Go.")), Start::Busy, "lost processes may still end");
    worker.renew(Instant::now().into_std());
    pass(3950).await;
    assert_eq!(start(&worker, 1, 1, &prompt(1, "Go.")), Start::Started);
}
