//! Elicitations and dialogs: the handler's answer is sent, and a failure is never an accept.

use std::sync::{Arc, Mutex};

use agentwire_control::{CallContext, Responder};
use agentwire_hooks::{DialogHandler, ElicitationHandler};
use agentwire_protocol::{
    RawJson,
    control::RequestUserDialogReply,
    elicitation::{ElicitationAction, ElicitationReply},
};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::cli::{Cli, within};

fn form() -> Value {
    json!({
        "subtype": "elicitation", "mcp_server_name": "srv", "message": "Who are you?", "mode": "form",
        "requested_schema": {"type": "object", "properties": {"name": {"type": "string"}}}, "new_field": 1,
    })
}

fn dialog(kind: &str) -> Value {
    json!({"subtype": "request_user_dialog", "dialog_kind": kind, "payload": {"text": "Sure?"}, "new_field": 1})
}

async fn answer(responder: impl Responder, question: Value) -> Result<Value, String> {
    Cli::start(responder).await.exchange(question).await
}

#[tokio::test]
async fn each_elicitation_reply_is_written_in_its_form() {
    let filled_in = RawJson::parse(r#"{"name":"Ada"}"#).unwrap();
    let cases = [
        (ElicitationReply::accept(filled_in), json!({"action": "accept", "content": {"name": "Ada"}})),
        (ElicitationReply::decline(), json!({"action": "decline"})),
        (ElicitationReply::cancel(), json!({"action": "cancel"})),
    ];
    for (reply, expected) in cases {
        let handler = ElicitationHandler::new(move |_, _| std::future::ready(reply.clone()));
        assert_eq!(answer(handler, form()).await, Ok(expected));
    }
    let opened = ElicitationHandler::new(async |_, _| Ok::<_, String>(ElicitationAction::Accept));
    assert_eq!(answer(opened, form()).await, Ok(json!({"action": "accept"})));
}

#[tokio::test]
async fn the_handler_gets_the_elicitation() {
    let seen = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&seen);
    let handler = ElicitationHandler::new(move |question, _| {
        *seen.lock().unwrap() = Some(question);
        async { ElicitationAction::Decline }
    });
    answer(handler, form()).await.unwrap();
    let question = kept.lock().unwrap().take().unwrap();
    assert_eq!((&*question.mcp_server_name, question.message.as_str()), ("srv", "Who are you?"));
    assert!(question.requested_schema.unwrap().as_str().contains("name"));
}

#[tokio::test]
async fn a_failing_elicitation_is_a_cancel() {
    let cancelled = Ok(json!({"action": "cancel"}));
    let failing = ElicitationHandler::new(async |_, _| Err::<ElicitationReply, _>("no console"));
    assert_eq!(answer(failing, form()).await, cancelled);
    let panicking = ElicitationHandler::new(async |_, _| -> ElicitationReply { panic!("boom") });
    assert_eq!(answer(panicking, form()).await, cancelled);
    let early = ElicitationHandler::new(|_, _| -> std::future::Ready<ElicitationReply> { panic!("boom") });
    assert_eq!(answer(early, form()).await, cancelled);
}

#[tokio::test]
async fn a_failing_dialog_is_dismissed() {
    let dismissed = Ok(json!({"behavior": "cancelled"}));
    let failing = DialogHandler::new(["k"], async |_, _| Err::<RequestUserDialogReply, _>("no console"));
    assert_eq!(answer(failing, dialog("k")).await, dismissed);
    let panicking = DialogHandler::new(["k"], async |_, _| -> RequestUserDialogReply { panic!("boom") });
    assert_eq!(answer(panicking, dialog("k")).await, dismissed);
}

#[tokio::test]
async fn a_dialog_is_shown_and_answered() {
    let handler = DialogHandler::new(["j", "k"], async |dialog, _| {
        assert_eq!((&*dialog.dialog_kind, dialog.payload.as_str()), ("k", r#"{"text":"Sure?"}"#));
        RequestUserDialogReply::completed(dialog.payload)
    });
    assert!(handler.kinds().eq(["j", "k"]));
    let expected = json!({"behavior": "completed", "result": {"text": "Sure?"}});
    assert_eq!(answer(handler, dialog("k")).await, Ok(expected));
}

#[tokio::test]
async fn a_dialog_of_another_kind_is_not_answered() {
    let handler = DialogHandler::new(["k"], async |_, _| RequestUserDialogReply::cancelled());
    let expected = Err("no handler for a request of subtype `request_user_dialog`".to_owned());
    assert_eq!(answer(handler, dialog("other")).await, expected);
}

#[tokio::test]
async fn a_cancelled_question_fires_the_token_and_is_not_answered() {
    let (began, fired) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (began_too, fired_too) = (Arc::clone(&began), Arc::clone(&fired));
    let handler = ElicitationHandler::new(move |_, cx: CallContext| {
        let (began, fired) = (Arc::clone(&began), Arc::clone(&fired));
        async move {
            began.notify_one();
            cx.cancelled.cancelled().await;
            fired.notify_one();
            ElicitationAction::Accept
        }
    });
    let cli = Cli::start(handler).await;
    cli.ask("one", form()).await;
    within(began_too.notified()).await;
    cli.cancel("one").await;
    within(fired_too.notified()).await;
    assert_eq!(cli.end().await, [] as [Value; 0]);
}
