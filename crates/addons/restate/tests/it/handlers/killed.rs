//! Prompts after one whose invocation was killed.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::{call, fence, is_of_lease, prompt, records, reservation};
use crate::{
    SESSION,
    invocation::{Command, Invocation},
    node::{NOWHERE, Node},
};

/// A prompt after one that was killed while its turn ran on a worker.
fn after_a_killed_one(worker: &str) -> Invocation {
    let left = json!({
        "epoch": 3, "invocation": "inv_7", "reserved": "prom_3", "running": {"address": worker, "fence": fence(3)},
        "parked": [{"question": {"id": "toolu_1", "tool": "Bash", "input": {}, "way": "Defer"}, "awakeable": "prom_9"}],
    });
    Invocation::new(
        worker,
        "AgentSession/prompt",
        &format!("tenant/{SESSION}"),
        &[("session", left)],
        &prompt(),
    )
}

fn has_ended(ended: Value) -> Command {
    Command::Run("end".to_owned(), ended)
}

#[tokio::test]
async fn prompt_ends_the_turn_of_a_killed_one_and_forgets_what_that_has_left() {
    let mut answers = vec![json!(true), json!(false)];
    let worker = Node::new(move |asked| match call(asked) {
        Some("Cancel") => (StatusCode::OK, json!(true)),
        Some("HasEnded") => (StatusCode::OK, answers.pop().unwrap()),
        other => panic!("no call of {other:?} is expected"),
    })
    .await;
    let mut invocation = after_a_killed_one(&worker.address);
    let commands = invocation.until(|command| *command == Command::Sleep).await;
    let record = records(&commands)[0];
    assert_eq!((&record["running"]["fence"], &record["parked"]), (&fence(3), &json!([])));
    assert_ne!(record["invocation"], "inv_7", "the prompt can be cancelled");
    assert!(commands.contains(&has_ended(json!(false))), "{commands:#?}");
    invocation.wake();
    let is_reservation =
        |command: &Command| matches!(command, Command::Send(to, _) if to == "AgentTenant/tenant/reserve");
    let commands = invocation.until(is_reservation).await;
    assert_eq!(commands[0], has_ended(json!(true)));
    assert!(is_of_lease(&commands[1]), "the lease forgets it: {commands:#?}");
    assert_eq!(reservation::settled(&commands), [&json!(["prom_3", 0.0])]);
    let record = records(&commands)[0];
    let Some(Command::Send(_, wanted)) = commands.last() else { panic!("{commands:#?}") };
    assert_eq!((&record["epoch"], &record["running"]), (&json!(3), &Value::Null));
    assert_eq!(record["reserved"], wanted["ticket"]);
}

#[tokio::test]
async fn prompt_waits_until_the_worker_of_a_killed_one_is_lost() {
    let mut invocation = after_a_killed_one(NOWHERE);
    let commands = invocation.until(|command| *command == Command::Sleep).await;
    assert!(commands.contains(&has_ended(Value::Null)), "{commands:#?}");
    let entered =
        |command: &Command| matches!(command, Command::Send(to, _) if to == "AgentWorker/boot/began");
    assert!(commands.iter().any(entered), "{commands:#?}");
    invocation.resolve(0, &json!("Lost"));
    let commands = invocation.until(|command| matches!(command, Command::Set(..))).await;
    assert_eq!(reservation::settled(&commands), [&json!(["prom_3", 0.0])]);
}

#[tokio::test]
async fn cancelled_prompt_leaves_the_turn_of_a_killed_one_to_the_next() {
    let mut invocation = after_a_killed_one(NOWHERE);
    invocation.until(|command| *command == Command::Sleep).await;
    invocation.cancel();
    let commands = invocation.ended().await;
    assert_eq!(commands.last(), Some(&Command::Return(json!("Cancelled"))));
    let record = records(&commands).pop().unwrap();
    assert_eq!((&record["running"]["fence"], &record["reserved"]), (&fence(3), &json!("prom_3")));
    assert_eq!(record["invocation"], Value::Null);
}
