//! Requests of a client.

use std::time::Duration;

use agentwire::protocol::message::UserInput;
use agentwire_restate::{Admin, Client, Ingress, IngressError, SessionPrompt};
use agentwire_worker::{Ledger, Outcome, SessionName, TurnSpec};
use axum::http::StatusCode;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    PROMPT, SESSION,
    node::{Answer, NOWHERE, Node},
    session,
};

/// Less than repetitions take.
const SOON: Duration = Duration::from_secs(5);

fn done() -> Value {
    json!({"Done": {"text": "Done.", "is_error": false}})
}

fn stored() -> Answer {
    (StatusCode::OK, json!({"invocationId": "inv_1", "status": "Accepted"}))
}

fn client(addresses: &[&str]) -> Client {
    Client::new(Ingress::new(addresses.iter().copied()).unwrap())
}

#[tokio::test]
async fn prompt_is_stored_and_repeated_with_its_id_until_a_node_has_the_outcome() {
    let starting = (StatusCode::SERVICE_UNAVAILABLE, json!("starting"));
    let node = Node::in_turn(vec![starting.clone(), stored(), starting, (StatusCode::OK, done())]).await;
    let client = client(&[NOWHERE, &node.address]);
    let outcome =
        client.prompt(&session(), &SessionPrompt::new(TurnSpec::prompt(PROMPT, "Go."))).await.unwrap();
    assert_eq!(outcome, Outcome::Done { text: "Done.".to_owned(), is_error: false });
    let asked: Vec<_> = node.requests().into_iter().map(|asked| (asked.path, asked.key)).collect();
    let sent = (format!("/AgentSession/tenant%2F{SESSION}/prompt/send"), Some(PROMPT.to_owned()));
    let awaited = ("/restate/invocation/inv_1/attach".to_owned(), None);
    assert_eq!(asked, [sent.clone(), sent, awaited.clone(), awaited]);
}

#[tokio::test]
async fn prompt_is_repeated_after_a_temporary_refusal() {
    let [late, busy] =
        [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS].map(|code| (code, json!("")));
    let node = Node::in_turn(vec![late, busy, stored(), (StatusCode::OK, done())]).await;
    let prompt = SessionPrompt::new(TurnSpec::prompt(PROMPT, "Go."));
    client(&[&node.address]).prompt(&session(), &prompt).await.unwrap();
    let paths: Vec<_> = node.requests().into_iter().map(|asked| asked.path.ends_with("/send")).collect();
    assert_eq!(paths, [true, true, true, false]);
}

#[tokio::test]
async fn refused_prompt_is_not_repeated() {
    let node = Node::in_turn(vec![(StatusCode::BAD_REQUEST, json!("no prompt"))]).await;
    let refused = client(&[&node.address])
        .prompt(&session(), &SessionPrompt::new(TurnSpec::prompt(PROMPT, "Go.")))
        .await;
    assert!(matches!(refused, Err(IngressError::Refused { status: 400, .. })), "{refused:?}");
    assert_eq!(node.requests().len(), 1);
}

#[tokio::test]
async fn id_that_is_no_header_is_refused_at_once() {
    let client = client(&[NOWHERE]);
    for id in ["a\n", "ä", "", " ", "a "] {
        let prompt = SessionPrompt::new(TurnSpec::prompt(id, "Go."));
        let session = session();
        let sent = timeout(SOON, client.send(&session, &prompt)).await.unwrap().unwrap_err();
        let prompted = timeout(SOON, client.prompt(&session, &prompt)).await.unwrap().unwrap_err();
        for refused in [sent, prompted] {
            assert!(matches!(refused, IngressError::Request { .. }), "{refused:?}");
            assert!(refused.to_string().contains(&format!("{id:?}")), "{refused}");
        }
    }
}

#[tokio::test]
async fn request_without_any_node_names_the_cause() {
    let unreachable = client(&[NOWHERE]).interrupt(&session()).await.unwrap_err();
    assert!(matches!(unreachable, IngressError::Unreachable { .. }), "{unreachable:?}");
    assert!(unreachable.to_string().starts_with("no node of Restate has answered"), "{unreachable}");
    assert!(unreachable.to_string().contains("Connection refused"), "{unreachable}");
}

#[tokio::test]
async fn request_that_another_node_repeats_counts_once() {
    let busy = (StatusCode::SERVICE_UNAVAILABLE, json!("no leader"));
    let node = Node::in_turn(vec![busy, (StatusCode::OK, json!(true))]).await;
    let client = client(&[&node.address, &node.address]);
    for _ in 0..2 {
        assert!(client.steer(&session(), &UserInput::new("Stop.")).await.unwrap());
    }
    let keys: Vec<_> = node.requests().into_iter().map(|asked| asked.key.unwrap()).collect();
    assert_eq!(keys[0], keys[1]);
    assert_ne!(keys[0], keys[2], "the same prompt may be sent twice");
}

#[tokio::test]
async fn prompt_for_a_running_turn_has_an_id() {
    let node = Node::in_turn(vec![(StatusCode::OK, json!(true))]).await;
    let client = client(&[&node.address]);
    for prompt in [UserInput::new("Stop."), UserInput::new("Stop.").with_uuid(PROMPT)] {
        client.steer(&session(), &prompt).await.unwrap();
    }
    let requests = node.requests();
    assert!(requests[0].body["uuid"].is_string(), "{requests:?}");
    assert_eq!(requests[1].body["uuid"], PROMPT);
}

#[tokio::test]
async fn names_are_escaped_in_paths() {
    let node = Node::in_turn(vec![(StatusCode::OK, json!(true))]).await;
    // The address may end with a slash.
    let client = client(&[&format!("{}/", node.address)]);
    client.cancel(&SessionName::new("a/b?c", "d%2Fä")).await.unwrap();
    assert_eq!(node.requests()[0].path, "/AgentSession/a%2Fb%3Fc%2Fd%252F%C3%A4/cancel");
}

#[tokio::test]
async fn limits_of_a_tenant_are_set_and_read() {
    let ledger = Ledger::new(Some(2.5), Some(3));
    let stored = serde_json::to_value(&ledger).unwrap();
    let node = Node::in_turn(vec![(StatusCode::OK, Value::Null), (StatusCode::OK, stored)]).await;
    let client = client(&[&node.address]);
    client.limit("tenant", Some(2.5), Some(3)).await.unwrap();
    assert_eq!(client.ledger("tenant").await.unwrap(), ledger);
    let asked: Vec<_> = node.requests().into_iter().map(|asked| (asked.path, asked.body)).collect();
    let limits = json!({"budget_usd": 2.5, "turns": 3});
    let path = |handler: &str| format!("/AgentTenant/tenant/{handler}");
    assert_eq!(asked, [(path("limit"), limits), (path("ledger"), Value::Null)]);
}

#[tokio::test]
async fn budget_that_is_no_number_is_not_sent_as_no_limit() {
    let node = Node::in_turn(vec![(StatusCode::OK, Value::Null)]).await;
    for budget_usd in [f64::NAN, f64::NEG_INFINITY, -1.0] {
        client(&[&node.address]).limit("tenant", Some(budget_usd), None).await.unwrap();
    }
    for asked in node.requests() {
        assert_eq!(asked.body["budget_usd"], json!(0.0));
    }
}

#[tokio::test]
async fn sessions_are_listed_with_their_open_prompts() {
    let key = session().to_string();
    let rows = json!({"rows": [{"session": key, "prompts": 0}, {"session": key, "prompts": 2}]});
    let node = Node::in_turn(vec![(StatusCode::OK, rows)]).await;
    let sessions = Admin::new([node.address.clone()]).unwrap().sessions().await.unwrap();
    assert_eq!(sessions.into_iter().collect::<Vec<_>>(), [(session(), 2)]);
    assert_eq!(node.requests()[0].path, "/query");
}

#[test]
fn address_that_can_never_answer_is_refused() {
    for addresses in [&["127.0.0.1:8080"][..], &["http://127.0.0.1:1", "ftp://a"], &[]] {
        let refused = Ingress::new(addresses.iter().copied());
        assert!(matches!(refused, Err(IngressError::Address { .. })), "{addresses:?}");
    }
}
