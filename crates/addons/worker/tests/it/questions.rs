//! The callbacks of a turn: tool uses that wait for the store, and questions.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use agentwire::{RawJson, protocol::message::UserInput};
use agentwire_testkit::eventually;
use agentwire_worker::{Answer, Outcome, Phase, Start, TurnReport, Way, Worker, WorkerError};
use tokio::{sync::mpsc, time::Instant};

use crate::{
    done, prompt, session,
    stand_in::Place,
    worker::{end, start, started},
};

/// Returns a place whose store has the tool use of the script, for which the hook would wait.
async fn with_tool_use() -> Place {
    let place = Place::new();
    let content = r#"[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"rm a"}}]"#;
    place
        .store_line(&format!(r#"{{"type":"assistant","uuid":"1","message":{{"content":{content}}}}}"#))
        .await;
    place
}

/// Returns the same, with a result of the tool use, so that it is not refused.
async fn with_tool_result() -> Place {
    let place = with_tool_use().await;
    let content = r#"[{"type":"tool_result","tool_use_id":"toolu_1"}]"#;
    place.store_line(&format!(r#"{{"type":"user","uuid":"2","message":{{"content":{content}}}}}"#)).await;
    place
}

#[tokio::test]
async fn tool_use_that_is_not_stored_is_refused() {
    let place = Place::new();
    let options = place.options().session_store_flush_timeout_ms(200);
    let (worker, mut ends) = started(place.worker().options(options));
    // The script calls the hook, and mirrors no entry.
    assert_eq!(start(&worker, 1, 1, &prompt(1, "resume")), Start::Started);
    assert_eq!(end(&mut ends).await.outcome, done());
    let controls = place.lines(1, "controls").concat();
    assert!(controls.contains("the session store did not have it"), "{controls}");
}

#[tokio::test]
async fn tool_use_of_a_cancelled_prompt_is_refused() {
    let place = with_tool_use().await;
    let (worker, mut ends) = started(place.parking().approvals(["Bash"]));
    assert_eq!(start(&worker, 1, 1, &prompt(1, "resume")), Start::Started);
    assert_eq!(end(&mut ends).await.outcome, done());
    let controls = place.lines(1, "controls").concat();
    assert!(controls.contains("the prompt of this tool use has ended"), "{controls}");
    assert!(controls.contains(r#""subtype":"interrupt""#), "the model would continue the prompt: {controls}");
}

#[tokio::test]
async fn answer_to_the_hook_holds_for_the_permission_handler() {
    let place = with_tool_result().await;
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let config = place.worker().approvals(["Bash"]).on_question(move |_, _| {
        count.fetch_add(1, Ordering::Relaxed);
    });
    let (worker, mut ends) = started(config);
    assert_eq!(start(&worker, 1, 1, &prompt(1, "twice")), Start::Started);
    eventually(|| worker.phase(&session(1)).0 == Phase::Asking).await;
    assert!(worker.answer(&session(1), &"toolu_1".into(), Answer::allow()));
    assert_eq!(end(&mut ends).await.outcome, done());
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    let controls = place.lines(1, "controls");
    let allowed = controls.iter().filter(|line| line.contains(r#":"allow""#)).count();
    assert_eq!(allowed, 2, "{controls:?}");
}

#[tokio::test]
async fn tool_runs_with_the_input_of_the_answer() {
    // The hook asks in the first turn, and the permission handler in the second one.
    for text in ["resume", "ask"] {
        let place = with_tool_result().await;
        let (worker, mut ends) = started(place.worker().approvals(["Bash"]));
        assert_eq!(start(&worker, 1, 1, &prompt(1, text)), Start::Started);
        eventually(|| worker.phase(&session(1)).0 == Phase::Asking).await;
        let input = Some(RawJson::parse(r#"{"command":"rm b"}"#).unwrap());
        assert!(worker.answer(&session(1), &"toolu_1".into(), Answer::Allow { input }));
        assert_eq!(end(&mut ends).await.outcome, done());
        let controls = place.lines(1, "controls").concat();
        assert!(controls.contains(r#""updatedInput":{"command":"rm b"}"#), "{text}: {controls}");
    }
}

#[test]
fn approval_that_names_no_tool_is_refused() {
    let place = Place::new();
    for name in ["Bash(rm:*)", "mcp__mail", "mcp__mail__*", "Bash ", ""] {
        let refused = Worker::new(place.worker().approvals(["Edit", name]));
        let Err(WorkerError::Approvals { name: found, .. }) = refused else { panic!("`{name}` passes") };
        assert_eq!(found, name);
    }
}

#[tokio::test]
async fn approvals_are_names_in_the_form_that_hooks_get() {
    for (approval, tool) in [("Task", "Agent"), ("mcp__srv__do.it", "mcp__srv__do_it")] {
        let place = with_tool_result().await;
        let config = place.worker().options(place.options().env("TOOL", tool)).approvals([approval]);
        let (worker, _ends) = started(config);
        assert_eq!(start(&worker, 1, 1, &prompt(1, "twice")), Start::Started);
        eventually(|| worker.phase(&session(1)).0 == Phase::Asking).await;
        // Without the hook's question, the permission handler asks about `Bash`.
        assert_eq!(&*worker.phase(&session(1)).1[0].tool, tool);
    }
}

#[tokio::test]
async fn prompt_that_waits_for_a_question_is_cancelled_before_the_deferral() {
    for steered in [UserInput::new("hold"), UserInput::new("hold").as_note()] {
        let place = with_tool_result().await;
        let config = place.worker().approvals(["Bash"]).question_grace(Duration::from_secs(1));
        let (worker, mut ends) = started(config);
        assert_eq!(start(&worker, 1, 1, &prompt(1, "resume")), Start::Started);
        eventually(|| worker.phase(&session(1)).0 == Phase::Asking).await;
        assert!(worker.steer(&session(1), steered));
        // The script does not keep the tool use.
        assert_eq!(parked(&mut ends).await, [Way::Grant]);
        let controls = place.lines(1, "controls");
        let at = |text: &str| controls.iter().position(|line| line.contains(text));
        let (cancelled, deferred) = (at("cancel_async_message"), at(r#""defer""#));
        assert!(cancelled.is_some() && cancelled < deferred, "{controls:?}");
    }
}

/// Waits for the end of a turn that is parked, and returns the ways of its questions.
async fn parked(ends: &mut mpsc::UnboundedReceiver<TurnReport>) -> Vec<Way> {
    match end(ends).await.outcome {
        Outcome::Parked(questions) => questions.iter().map(|question| question.way).collect(),
        _ => Vec::new(),
    }
}

#[tokio::test]
async fn question_of_a_background_agent_is_parked() {
    let place = Place::new();
    let (worker, mut ends) = started(place.parking());
    let begun = Instant::now();
    assert_eq!(start(&worker, 1, 1, &prompt(1, "background")), Start::Started);
    assert_eq!(parked(&mut ends).await, [Way::Grant]);
    // Parking is limited to five seconds if the turn does not end.
    assert!(begun.elapsed() < Duration::from_secs(5), "the idle CLI ends the turn");
}

#[tokio::test]
async fn question_that_the_cli_withdraws_is_not_parked() {
    let place = Place::new();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let config = place.worker().question_grace(Duration::from_millis(300)).on_question(move |_, _| {
        count.fetch_add(1, Ordering::Relaxed);
    });
    let (worker, mut ends) = started(config);
    assert_eq!(start(&worker, 1, 1, &prompt(1, "withdraw")), Start::Started);
    assert_eq!(end(&mut ends).await.outcome, done());
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn question_may_wait_for_ever() {
    let place = Place::new();
    let (worker, mut ends) = started(place.worker().question_grace(Duration::from_secs(u64::MAX / 2)));
    assert_eq!(start(&worker, 1, 1, &prompt(1, "ask")), Start::Started);
    eventually(|| worker.phase(&session(1)).0 == Phase::Asking).await;
    assert!(worker.answer(&session(1), &"toolu_1".into(), Answer::allow()));
    assert_eq!(end(&mut ends).await.outcome, done());
}
