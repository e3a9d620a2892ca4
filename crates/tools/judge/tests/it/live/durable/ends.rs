//! Ends of turns: with background agents, and after `/clear`.

use std::sync::atomic::{AtomicUsize, Ordering};

use agentwire::{Incoming, Message};
use agentwire_testkit::eventually;
use agentwire_worker::Recovery;

use super::*;

/// Starts a turn in which a background agent uses a command after the first result. `then` is the next block of the model.
async fn with_agent(grace: Duration, then: &Value) -> (Place, Local) {
    let input = json!({"description": "A small task", "prompt": "AGENT-ONE: go.", "subagent_type": "general-purpose"});
    let task = json!({"tool_use": {"id": "toolu_task", "name": "Task", "input": input}});
    let agent = json!([
        {"blocks": [bash("toolu_1", "echo one >> ran.txt")], "hold_before": "gate"},
        {"blocks": [{"text": "Here I am."}]},
    ]);
    let script = json!({
        "replies": [
            {"blocks": [task]},
            {"blocks": [{"text": "It is on its way."}]},
            {"blocks": [then]},
            {"blocks": [{"text": "Done."}], "times": 99},
        ],
        "match": [{"marker": "AGENT-ONE", "replies": agent}],
    });
    let place = Place::scripted(&script.to_string()).await;
    let results = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&results);
    let worker = worker(&place).approvals(["Bash"]).question_grace(grace).on_message(move |_, incoming| {
        if matches!(incoming, Incoming::Message(Message::Result(_), _)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    let engine = engine(&place, worker).await;
    engine.prompt(&session(1), prompt(1)).await.unwrap();
    eventually(|| results.load(Ordering::Relaxed) == 1).await;
    place.model.release("gate").unwrap();
    (place, engine)
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn turn_lasts_until_its_background_agent_has_ended() {
    let (place, engine) = with_agent(LIMIT, &json!({"text": "It has come back."})).await;
    asked(&engine, &session(1), 1, false).await;
    allowed_once(engine, &place, "It has come back.").await;
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn question_of_a_background_agent_is_parked() {
    let again = bash("toolu_2", "echo one >> ran.txt");
    let (place, engine) = with_agent(Duration::from_millis(100), &again).await;
    asked(&engine, &session(1), 1, true).await;
    // A resumed CLI first has a turn about the agent, without the model.
    allowed_once(engine, &place, "Done.").await;
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn prompt_after_clear_is_stored_in_its_session() {
    let place = Place::using(&[bash("toolu_1", "echo one >> ran.txt")]).await;
    let engine = engine(&place, worker(&place)).await;
    for turn in [prompt(1), TurnSpec::prompt(prompt_id(2), "/clear"), prompt(3)] {
        engine.prompt(&session(1), turn).await.unwrap();
    }
    assert_eq!(ended(&engine, 1, 2).await, done(""));
    assert_eq!(ended(&engine, 1, 3).await, done("Done."));
    let worker = engine.worker().clone();
    engine.close(LIMIT).await;
    let recovery = worker.recovery(&session(1), &prompt(3).input).await.unwrap();
    assert_eq!(recovery, Recovery::Finished { text: "Done.".to_owned() });
}
