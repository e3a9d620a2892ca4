//! Changes of a server while a call waits for its approval.

use agentwire_hub::{
    Approval, CallDecision, CallError, DeniedBy, Hub, ReadRequest,
    config::{ServerConfig, Sources},
};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use super::{config, echo};
use crate::{
    call::{add_tool, call},
    server::{hub, program},
};

/// Returns an approval that waits, and the channel for its answers.
fn waiting() -> (Approval, mpsc::UnboundedReceiver<oneshot::Sender<CallDecision>>) {
    let (ask, asked) = mpsc::unbounded_channel();
    let approval = Approval::asked(move |_| {
        let (answer, answered) = oneshot::channel();
        ask.send(answer).unwrap();
        async { answered.await.unwrap_or(CallDecision::Deny { reason: None }) }
    });
    (approval, asked)
}

/// Runs another program as the server.
async fn run_other_program(hub: &Hub) {
    let mut config = config();
    let mut program = program();
    program.args.push("other".to_owned());
    config.launch = program.into();
    hub.apply(Sources::new().server("test", config).read());
    // The restart comes after the change, and is over when the other program runs.
    hub.restart("test").await.unwrap();
}

#[tokio::test]
async fn server_or_tool_disabled_during_approval_is_not_called() {
    let (approval, mut asked) = waiting();
    let hub = hub(config(), |builder| builder.approval(approval)).await;
    let (error, ()) = tokio::join!(hub.call(echo()), async {
        let answer = asked.recv().await.unwrap();
        let mut config = config();
        config.disabled_tools = ["echo"].into_iter().collect();
        hub.apply(Sources::new().server("test", config).read());
        answer.send(CallDecision::Allow).unwrap();
    });
    assert_eq!(error.unwrap_err().code(), "tool_disabled");
    // Another program under the same name is not allowed.
    hub.apply(Sources::new().server("test", config()).read());
    let (error, ()) = tokio::join!(hub.call(echo()), async {
        let answer = asked.recv().await.unwrap();
        run_other_program(&hub).await;
        answer.send(CallDecision::Allow).unwrap();
    });
    let error = error.unwrap_err();
    assert!(matches!(error, CallError::Denied { by: DeniedBy::Change, .. }), "{error}");
    // An approval that is dropped without an answer denies the call, and so does a dropped call.
    let (error, ()) = tokio::join!(hub.call(echo()), async { drop(asked.recv().await.unwrap()) });
    assert_eq!(error.unwrap_err().code(), "denied");
    let answer = tokio::select! {
        outcome = hub.call(echo()) => panic!("{outcome:?}"),
        answer = asked.recv() => answer.unwrap(),
    };
    assert!(answer.send(CallDecision::Allow).is_err());
}

#[tokio::test]
async fn tool_that_its_server_changes_during_approval_is_not_called() {
    let (approval, mut asked) = waiting();
    let mut config = ServerConfig::new(program());
    config.always_allow = ["notify"].into_iter().collect();
    let hub = hub(config, |builder| builder.approval(approval)).await;
    let tool = |text: &str| json!({"name": "give2", "description": text, "inputSchema": {"type": "object"}});
    add_tool(&hub, "test", &tool("one")).await;
    let (error, ()) = tokio::join!(hub.call(call("give2", json!({"content": []}))), async {
        let answer = asked.recv().await.unwrap();
        add_tool(&hub, "test", &tool("another")).await;
        answer.send(CallDecision::Allow).unwrap();
    });
    let error = error.unwrap_err();
    assert!(matches!(error, CallError::Denied { by: DeniedBy::Change, .. }), "{error}");
}

#[tokio::test]
async fn resource_of_a_server_that_changes_during_approval_is_not_read() {
    let (approval, mut asked) = waiting();
    let hub = hub(config(), |builder| builder.approval(approval)).await;
    let read = ReadRequest::new("test", "test://a").with_approval();
    let (error, ()) = tokio::join!(hub.read_resource(read), async {
        let answer = asked.recv().await.unwrap();
        run_other_program(&hub).await;
        answer.send(CallDecision::Allow).unwrap();
    });
    let error = error.unwrap_err();
    assert!(matches!(error, CallError::Denied { by: DeniedBy::Change, .. }), "{error}");
}
