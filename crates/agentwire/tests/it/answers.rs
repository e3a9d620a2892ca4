//! The outcome of a turn: text, result, usage and structured output, and every failure of each.

use std::{future::poll_fn, pin::Pin};

use agentwire::{Error, Options, Session, transport::ExitReport};
use futures_core::Stream;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::peer::{Peer, assistant, connected, error_result, fails, kind, next_kind, result};

#[derive(Debug, PartialEq, Deserialize)]
struct Trees {
    trees: u8,
}

fn structured(output: &Value) -> Value {
    json!({
        "type": "result", "subtype": "success", "is_error": false, "result": "done", "structured_output": output,
        "usage": {"input_tokens": 10, "output_tokens": 3},
    })
}

/// Returns a session with a schema in its options.
async fn with_schema(schema: &str) -> (Session, Peer) {
    connected(Session::builder().options(Options::new().extra_arg("json-schema", Some(schema)))).await
}

const SCHEMA: &str =
    r#"{"type":"object","properties":{"trees":{"type":"integer","minimum":1}},"required":["trees"]}"#;

#[tokio::test(start_paused = true)]
async fn answer_has_the_text_of_the_main_conversation() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let turn = peer.start_turn(&mut session, "hi").await;
    let mut replaced = assistant("a refused attempt");
    replaced["uuid"] = json!("u1");
    let mut agent = assistant("an agent's words");
    agent["parent_tool_use_id"] = json!("t");
    let mut last = assistant("and the end");
    last["supersedes"] = json!(["u1"]);
    for line in [assistant("the beginning"), replaced, agent, last, structured(&Value::Null)] {
        peer.say(line).await;
    }
    let answer = turn.answer().await.unwrap();
    assert_eq!(answer.text, "the beginning\n\nand the end");
    assert_eq!(answer.usage().unwrap().output_tokens, 3);
    assert_eq!(answer.result.result.as_deref(), Some("done"));
}

/// As after a prompt with `Priority::Now` (2.1.330).
#[tokio::test(start_paused = true)]
async fn half_an_answer_is_an_error() {
    for reason in ["aborted_streaming", "aborted_tools"] {
        let (mut session, mut peer) = connected(Session::builder()).await;
        let turn = peer.start_turn(&mut session, "hi").await;
        peer.say(assistant("the first half")).await;
        let mut aborted = structured(&Value::Null);
        aborted["terminal_reason"] = json!(reason);
        peer.say(aborted).await;
        let error = turn.text().await.unwrap_err();
        assert!(matches!(error, Error::TurnFailed { .. }), "{error:?}");
        assert_eq!(error.to_string(), "the turn failed: it was interrupted");
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_is_a_stream() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let mut turn = peer.start_turn(&mut session, "hi").await;
    peer.say(assistant("hello")).await;
    peer.say(structured(&Value::Null)).await;
    let mut kinds = Vec::new();
    while let Some(incoming) = poll_fn(|context| Pin::new(&mut turn).poll_next(context)).await {
        kinds.push(kind(&incoming.unwrap()));
    }
    assert_eq!(kinds, ["assistant", "result"]);
    assert_eq!(turn.usage().unwrap().output_tokens, 3);
}

#[tokio::test(start_paused = true)]
async fn structured_output_is_decoded() {
    let (mut session, mut peer) = with_schema(SCHEMA).await;
    let turn = peer.start_turn(&mut session, "how many?").await;
    peer.say(structured(&json!({"trees": 3}))).await;
    assert_eq!(turn.structured::<Trees>().await.unwrap(), Trees { trees: 3 });
}

#[cfg(feature = "structured")]
#[tokio::test(start_paused = true)]
async fn structured_output_against_the_schema_is_an_error() {
    let (mut session, mut peer) = with_schema(SCHEMA).await;
    let turn = peer.start_turn(&mut session, "how many?").await;
    // It would match the type.
    peer.say(structured(&json!({"trees": 0}))).await;
    let error = turn.structured::<Trees>().await.unwrap_err();
    assert!(error.to_string().contains("/trees"), "{error}");
    let Error::StructuredOutput { output, .. } = error else { panic!("{error:?}") };
    assert_eq!(output.as_str(), r#"{"trees":0}"#);
}

/// `nullable` is a keyword of the CLI's validator, but not of draft 7.
#[cfg(feature = "structured")]
#[tokio::test(start_paused = true)]
async fn null_fits_a_nullable_type() {
    for (fields, fits) in [
        (json!({"type": "string", "nullable": true}), true),
        (json!({"type": ["string", "null"], "nullable": true}), true),
        (json!({"type": ["string", "integer"], "nullable": true}), true),
        (json!({"type": "null", "nullable": true}), true),
        (json!({"nullable": true}), true),
        (json!({"enum": [{"type": "string", "nullable": true}]}), false),
        (json!({"anyOf": [{"type": "string", "nullable": true}]}), true),
        (json!({"type": "string", "nullable": true, "enum": ["b"]}), false),
        (json!({"type": "string", "nullable": false}), false),
        (json!({"type": "string"}), false),
    ] {
        let schema = json!({"type": "object", "properties": {"a": fields}, "required": ["a"]});
        let (mut session, mut peer) = with_schema(&schema.to_string()).await;
        let turn = peer.start_turn(&mut session, "which?").await;
        peer.say(structured(&json!({"a": null}))).await;
        assert_eq!(turn.structured::<Value>().await.is_ok(), fits, "{schema}");
    }
}

#[tokio::test(start_paused = true)]
async fn unfitting_output_is_retried() {
    let (mut session, mut peer) = with_schema(SCHEMA).await;
    let turn = session.ask("how many?").await.unwrap();
    let asking = turn.structured_retrying::<Trees>(2);
    let answering = async {
        peer.prompt().await;
        peer.say(structured(&json!({"trees": "three"}))).await;
        let again = peer.prompt().await;
        assert!(again.starts_with("the structured output does not fit: "), "{again}");
        peer.say(result("Three trees.")).await;
        peer.prompt().await;
        peer.say(structured(&json!({"trees": 3}))).await;
    };
    let (trees, ()) = tokio::join!(asking, answering);
    assert_eq!(trees.unwrap(), Trees { trees: 3 });
}

#[tokio::test(start_paused = true)]
async fn turn_that_a_hook_stopped_is_not_retried() {
    let refused = json!({
        "type": "result", "subtype": "success", "is_error": false, "num_turns": 0, "result": "blocked by hook",
    });
    let ended = json!({
        "type": "result", "subtype": "success", "is_error": false, "num_turns": 1, "result": "",
        "terminal_reason": "hook_stopped",
    });
    for (last, why) in [(refused, "blocked by hook"), (ended, "hook_stopped")] {
        let (mut session, mut peer) = with_schema(SCHEMA).await;
        let asking = session.ask("how many?").await.unwrap().structured_retrying::<Trees>(2);
        let answering = async {
            peer.prompt().await;
            peer.say(last).await;
        };
        let (trees, ()) = tokio::join!(asking, answering);
        let error = trees.unwrap_err();
        assert!(matches!(error, Error::TurnFailed(_)), "{error:?}");
        assert_eq!(error.to_string(), format!("the turn failed: {why}"));
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_retry_returns_its_error() {
    let (mut session, mut peer) = with_schema(SCHEMA).await;
    let turn = session.ask("how many?").await.unwrap();
    let asking = turn.structured_retrying::<Trees>(1);
    let answering = async {
        for _ in 0..2 {
            peer.prompt().await;
            peer.say(result("Three trees.")).await;
        }
    };
    let (trees, ()) = tokio::join!(asking, answering);
    assert!(matches!(trees, Err(Error::NoStructuredOutput { .. })), "{trees:?}");
}

/// Without a schema only the type decides.
#[tokio::test(start_paused = true)]
async fn structured_output_against_the_type_is_an_error() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let turn = peer.start_turn(&mut session, "how many?").await;
    peer.say(structured(&json!({"trees": "three"}))).await;
    assert!(matches!(turn.structured::<Trees>().await, Err(Error::StructuredOutput { .. })));
}

#[tokio::test(start_paused = true)]
async fn no_structured_output_is_an_error_of_its_own() {
    let (mut session, mut peer) = with_schema(SCHEMA).await;
    let turn = peer.start_turn(&mut session, "how many?").await;
    peer.complete_turn("As I said, three trees.").await;
    let Err(Error::NoStructuredOutput { text }) = turn.structured::<Trees>().await else {
        panic!("it has some")
    };
    assert_eq!(text, "As I said, three trees.");
}

#[cfg(feature = "structured")]
#[tokio::test(start_paused = true)]
async fn invalid_schema_is_refused_before_the_start() {
    for schema in [r#"{"type":5}"#, "no json"] {
        let (transport, _peer) = agentwire::transport::memory(1 << 16);
        let options = Options::new().extra_arg("json-schema", Some(schema));
        let error = Session::builder().options(options).transport(transport).connect().await.unwrap_err();
        assert!(matches!(error, Error::Options { option: "outputFormat", .. }), "{error:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn failed_turn_is_an_error() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let turn = peer.start_turn(&mut session, "hi").await;
    peer.say(error_result("out of luck")).await;
    let error = turn.text().await.unwrap_err();
    assert!(matches!(&error, Error::TurnFailed(result) if result.is_error), "{error:?}");
    assert!(error.to_string().contains("out of luck"), "{error}");
    // The session continues.
    let turn = peer.start_turn(&mut session, "again").await;
    peer.complete_turn("hello").await;
    assert_eq!(turn.text().await.unwrap(), "hello");
}

#[tokio::test(start_paused = true)]
async fn end_without_a_result_is_an_error() {
    let (mut session, peer) = connected(Session::builder()).await;
    peer.exit(ExitReport::exited(0));
    let turn = session.turn();
    let error = turn.answer().await.unwrap_err();
    assert_eq!(error.to_string(), "the turn has no result: the session ended");
}

/// Sends what CLI 2.1.330 sends without a login.
async fn reports_missing_login(peer: &Peer) {
    reports_failure(peer, "authentication_failed", "Not logged in · Please run /login").await;
}

/// Sends what CLI 2.1.330 sends if a request to the API fails.
async fn reports_failure(peer: &Peer, kind: &str, text: &str) {
    let mut failed = assistant(text);
    failed["error"] = json!(kind);
    failed["is_api_error_message"] = json!(true);
    peer.say(failed).await;
    peer.say(json!({
        "type": "result", "subtype": "success", "is_error": true, "result": text, "terminal_reason": "api_error",
        "api_error_status": null,
    }))
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_missing_login_is_an_error_of_its_own() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let turn = peer.start_turn(&mut session, "hi").await;
    reports_missing_login(&peer).await;
    let error = turn.text().await.unwrap_err();
    let Error::NotLoggedIn { text, ending: None } = &error else { panic!("{error:?}") };
    assert!(text.starts_with("Not logged in"), "{text}");
    let printed = format!("{error:?}");
    assert!(
        printed.ends_with("\n  help: set `ANTHROPIC_API_KEY`, or run `claude` once in a terminal and log in"),
        "{printed}"
    );
    assert!(printed.starts_with("the CLI has no valid login: Not logged in"), "{printed}");
    // A session that ends with it returns the same, as in a query.
    peer.exit(ExitReport::exited(1));
    let error = fails(&mut session).await;
    assert!(matches!(&error, Error::NotLoggedIn { .. }), "{error:?}");
    assert_eq!(error.ending().unwrap().exit.as_ref().unwrap().code, Some(1));
    assert!(matches!(session.interrupt().await, Err(Error::NotLoggedIn { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_missing_login_is_the_error_of_a_turn_that_was_read_before() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let mut turn = peer.start_turn(&mut session, "hi").await;
    reports_missing_login(&peer).await;
    while let Some(incoming) = turn.next().await {
        incoming.unwrap();
    }
    let error = turn.answer().await.unwrap_err();
    assert!(matches!(&error, Error::NotLoggedIn { ending: None, .. }), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn an_expired_login_is_a_missing_login() {
    for (text, is_login) in [("Login expired · Run /login to sign in again", true), ("Too long", false)] {
        let (mut session, mut peer) = connected(Session::builder()).await;
        let turn = peer.start_turn(&mut session, "hi").await;
        reports_failure(&peer, "invalid_request", text).await;
        let error = turn.text().await.unwrap_err();
        assert_eq!(matches!(&error, Error::NotLoggedIn { .. }), is_login, "{error:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn login_found_later_is_no_error() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    peer.receive_prompt(&session, "hi").await;
    reports_missing_login(&peer).await;
    peer.say(assistant("let in after all")).await;
    peer.exit(ExitReport::exited(1));
    for kind in ["assistant", "result", "assistant"] {
        assert_eq!(next_kind(&mut session).await, kind);
    }
    assert!(matches!(fails(&mut session).await, Error::Ended(_)));
}
