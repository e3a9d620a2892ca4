//! The permission handler: its question, its decisions, and that only an explicit allow allows.

use std::{
    io,
    sync::{Arc, Mutex},
};

use agentwire_control::{NoResponder, Responder};
use agentwire_hooks::{Hooks, PermissionHandler};
use agentwire_protocol::{RawJson, permission::Decision};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::cli::{Cli, callback, within};

fn question(tool: &str) -> Value {
    json!({
        "subtype": "can_use_tool", "tool_name": tool, "input": {"command": "ls", "n": 1.10},
        "tool_use_id": "toolu_1", "description": "List", "decision_reason_type": "other", "new_field": {}
    })
}

/// An `allow` is sent with the original input, which an old CLI needs.
fn allowed() -> Value {
    json!({"behavior": "allow", "updatedInput": {"command": "ls", "n": 1.10}})
}

async fn answer(responder: impl Responder) -> Result<Value, String> {
    Cli::start(responder).await.exchange(question("Bash")).await
}

#[tokio::test]
async fn each_decision_is_written_in_its_form() {
    let cases = [
        (Decision::allow(), allowed()),
        (
            Decision::allow_with_input(RawJson::parse(r#"{"command":"pwd"}"#).unwrap()),
            json!({"behavior": "allow", "updatedInput": {"command": "pwd"}}),
        ),
        (Decision::deny("no"), json!({"behavior": "deny", "message": "no"})),
        (
            Decision::deny_and_interrupt("stop"),
            json!({"behavior": "deny", "message": "stop", "interrupt": true}),
        ),
    ];
    for (decision, expected) in cases {
        let handler = PermissionHandler::new(move |_, _| {
            let decision = decision.clone();
            async { decision }
        });
        assert_eq!(answer(handler).await, Ok(expected));
    }
}

#[tokio::test]
async fn the_handler_gets_the_whole_question() {
    let seen = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&seen);
    let handler = PermissionHandler::new(move |request, cx| {
        *seen.lock().unwrap() = Some((request, cx.request_id));
        async { Ok::<_, io::Error>(Decision::allow()) }
    });
    assert_eq!(answer(handler).await, Ok(allowed()));
    let (request, id) = kept.lock().unwrap().take().unwrap();
    assert_eq!(&*request.tool_name, "Bash");
    let input: Value = request.input.decode().unwrap();
    assert_eq!(input, json!({"command": "ls", "n": 1.10}));
    assert_eq!(request.description.as_deref(), Some("List"));
    assert_eq!(id.as_str(), "one");
}

#[tokio::test]
async fn a_failure_is_an_error_and_never_an_allow() {
    let failing = PermissionHandler::new(async |_, _| Err::<Decision, _>("no console"));
    assert_eq!(answer(failing).await, Err("the permission handler failed: no console".to_owned()));
    let panicking = PermissionHandler::new(async |_, _| -> Decision { panic!("boom") });
    assert_eq!(answer(panicking).await, Err("the permission handler panicked: boom".to_owned()));
    let early = PermissionHandler::new(|_, _| -> std::future::Ready<Decision> { panic!("boom") });
    assert_eq!(answer(early).await, Err("the permission handler panicked: boom".to_owned()));
}

#[tokio::test]
async fn without_a_handler_the_answer_is_an_error() {
    let expected = Err("no handler for a request of subtype `can_use_tool`".to_owned());
    assert_eq!(answer(NoResponder::default()).await, expected);
    assert_eq!(answer(Hooks::new()).await, expected);
}

#[tokio::test]
async fn an_undecodable_question_is_an_error() {
    let mut cli = Cli::start(PermissionHandler::new(async |_, _| Decision::allow())).await;
    let mut asked = question("Bash");
    asked["tool_name"] = json!(5);
    let error = cli.exchange(asked).await.unwrap_err();
    assert!(error.contains("can't be read"), "{error}");
}

#[tokio::test]
async fn a_cancelled_permission_request_is_not_answered() {
    let (events, mut came) = mpsc::channel(4);
    let handler = PermissionHandler::new(move |_, cx| {
        let events = events.clone();
        async move {
            events.send("asked").await.unwrap();
            cx.cancelled.cancelled().await;
            events.send("cancelled").await.unwrap();
            Decision::allow()
        }
    });
    let mut cli = Cli::start(handler).await;
    cli.ask("q", question("Bash")).await;
    assert_eq!(within(came.recv()).await, Some("asked"));
    cli.cancel("q").await;
    assert_eq!(within(came.recv()).await, Some("cancelled"));
    let reply = cli.exchange(json!({"subtype": "future"})).await;
    assert_eq!(reply, Err("no handler for a request of subtype `future`".to_owned()));
    assert_eq!(cli.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn hooks_and_permission_share_a_session() {
    let both: Vec<Box<dyn Responder>> =
        vec![Box::new(Hooks::new()), Box::new(PermissionHandler::new(async |_, _| Decision::allow()))];
    let mut cli = Cli::start(both).await;
    assert_eq!(cli.exchange(question("Bash")).await, Ok(allowed()));
    let reply = cli.exchange(callback("x", json!({}))).await;
    assert_eq!(reply, Err("no hook has the callback id `x`".to_owned()));
}
