//! Questions of MCP servers, dialogs and unknown requests, through the facade.

use agentwire::{
    Options, RawJson, Session,
    hooks::{DialogHandler, ElicitationHandler},
    protocol::{control::RequestUserDialogReply, elicitation::ElicitationReply},
};
use serde_json::{Value, json};

use crate::peer::{Peer, connect, connected, next_kind};

fn question() -> Value {
    json!({"subtype": "elicitation", "mcp_server_name": "srv", "message": "Who?", "requested_schema": {}})
}

fn dialog(kind: &str) -> Value {
    json!({"subtype": "request_user_dialog", "dialog_kind": kind, "payload": {}})
}

#[tokio::test(start_paused = true)]
async fn a_question_is_answered_by_its_handler() {
    let handler = ElicitationHandler::new(async |question, _| {
        assert_eq!(&*question.mcp_server_name, "srv");
        RawJson::parse(r#"{"name":"Ada"}"#).map(ElicitationReply::accept)
    });
    let (_session, mut peer) = connected(Session::builder().elicitation(handler)).await;
    peer.ask("e1", question()).await;
    let response = peer.response("e1").await;
    assert_eq!(response["response"], json!({"action": "accept", "content": {"name": "Ada"}}));
}

#[tokio::test(start_paused = true)]
async fn requests_without_a_handler_are_delivered_and_refused() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let unknown = json!({"subtype": "brand_new", "field": 1});
    for (id, request) in [("a", question()), ("b", dialog("k")), ("c", unknown)] {
        let subtype = request["subtype"].as_str().unwrap().to_owned();
        peer.ask(id, request).await;
        assert!(peer.refusal(id).await.contains(&subtype));
        assert_eq!(next_kind(&mut session).await, "unhandled control_request");
    }
}

#[tokio::test(start_paused = true)]
async fn dialog_kinds_are_declared_and_others_are_ignored() {
    let handler = DialogHandler::new(["k", "l"], async |dialog, _| {
        assert_eq!(&*dialog.dialog_kind, "k");
        RequestUserDialogReply::completed(RawJson::parse("1").unwrap())
    });
    let (session, mut peer, handshake) =
        connect(Session::builder().dialogs(handler), Peer::shake_hands).await;
    assert_eq!(handshake["request"]["supportedDialogKinds"], json!(["k", "l"]));
    let mut session = session.unwrap();
    peer.ask("d1", dialog("k")).await;
    assert_eq!(peer.response("d1").await["response"], json!({"behavior": "completed", "result": 1}));
    // The CLI does not take an error as an answer: another host may show the dialog.
    peer.ask("d2", dialog("other")).await;
    peer.refusal("d2").await;
    assert_eq!(next_kind(&mut session).await, "unhandled control_request");
}

#[tokio::test(start_paused = true)]
async fn dialog_that_the_options_declare_without_a_handler_is_dismissed() {
    let options = Options::new().supported_dialog_kinds(["k"]);
    let (_session, mut peer) = connected(Session::builder().options(options)).await;
    peer.ask("d1", dialog("k")).await;
    assert_eq!(peer.response("d1").await["response"], json!({"behavior": "cancelled"}));
    peer.ask("d2", dialog("other")).await;
    peer.refusal("d2").await;
}
