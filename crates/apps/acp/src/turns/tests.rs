//! Prompts and the messages that settle them.

use agent_client_protocol::ErrorCode;

use super::*;

fn message(text: &str) -> Message {
    Message::from_line(text).unwrap()
}

fn result(fields: &str) -> Message {
    message(&format!(r#"{{"type":"result","subtype":"success","is_error":false{fields}}}"#))
}

fn waiting(prompts: &[&str]) -> Turns {
    let mut turns = Turns::default();
    prompts.iter().for_each(|prompt| turns.sent(Uuid::from(*prompt)));
    turns
}

#[test]
fn absorbed_prompt_shares_the_result() {
    let mut turns = waiting(&["a", "b", "c"]);
    let settled = turns.settled(&result(r#","user_message_uuid":"a","user_message_uuids":["a","b"]"#));
    let ended = |prompt| (Uuid::from(prompt), Ok(StopReason::EndTurn));
    assert_eq!(settled, [ended("a"), ended("b")]);
    assert_eq!(turns.waiting[0].prompt, "c");
}

#[test]
fn result_without_names_answers_the_first_prompt_of_an_old_cli() {
    assert_eq!(waiting(&["a", "b"]).settled(&result("")).len(), 1);
}

#[test]
fn result_of_background_work_answers_no_queued_prompt() {
    let mut turns = waiting(&["a"]);
    turns.settled(&message(r#"{"type":"command_lifecycle","command_uuid":"a","state":"queued"}"#));
    assert!(turns.settled(&result("")).is_empty());
}

#[test]
fn command_without_a_result_ends_when_the_cli_is_idle() {
    let mut turns = waiting(&["a"]);
    turns.settled(&message(r#"{"type":"command_lifecycle","command_uuid":"a","state":"completed"}"#));
    assert_eq!(turns.settled(&message(IDLE)), [(Uuid::from("a"), Ok(StopReason::EndTurn))]);
}

const RUNNING: &str = r#"{"type":"system","subtype":"session_state_changed","state":"running"}"#;
const IDLE: &str = r#"{"type":"system","subtype":"session_state_changed","state":"idle"}"#;

/// Returns the state after a first result as in `agent-background.transcript`, and the prompts that it settles.
fn with_task(state: &str, kind: &str) -> (Turns, usize) {
    let mut turns = waiting(&["a"]);
    let started = r#"{"type":"command_lifecycle","command_uuid":"a","state":"started"}"#;
    let task = format!(r#"{{"task_id":"t","task_type":{kind},"description":""}}"#);
    let tasks = format!(r#"{{"type":"system","subtype":"background_tasks_changed","tasks":[{task}]}}"#);
    for text in [state, started, &tasks] {
        assert!(turns.settled(&message(text)).is_empty());
    }
    let settled = turns.settled(&result(r#","user_message_uuids":["a"]"#)).len();
    (turns, settled)
}

fn with_agent() -> Turns {
    let (turns, settled) = with_task(RUNNING, r#""local_agent""#);
    assert_eq!(settled, 0);
    turns
}

#[test]
fn prompt_ends_with_its_turn_without_an_agent_or_a_state_to_wait_for() {
    for (state, kind) in [
        (IDLE, r#""local_agent""#),
        (RUNNING, r#""local_bash""#),
        (RUNNING, r#""local_agent","ambient":true"#),
    ] {
        assert_eq!(with_task(state, kind).1, 1, "{state} {kind}");
    }
}

#[test]
fn failure_of_the_turn_after_a_background_agent_is_that_of_the_prompt() {
    let login = "Login expired · Please run /login";
    let text = format!(
        r#"{{"type":"assistant","message":{{"id":"m","content":[{{"type":"text","text":"{login}"}}]}},"parent_tool_use_id":null,"error":"authentication_failed"}}"#
    );
    let mut turns = with_agent();
    assert!(turns.will_report(&message(&text)));
    turns.settled(&message(&text));
    let failed = format!(r#"{{"type":"result","subtype":"success","is_error":true,"result":"{login}"}}"#);
    let settled = turns.settled(&message(&failed));
    assert!(matches!(&settled[..], [(_, Err(error))] if error.code == ErrorCode::AUTH_REQUIRED));
    assert!(!turns.will_report(&message(&text)));
    let limit = r#"{"type":"result","subtype":"error_max_turns","is_error":true}"#;
    let ended = [(Uuid::from("a"), Ok(StopReason::MaxTurnRequests))];
    assert_eq!(with_agent().settled(&message(limit)), ended);
}

#[test]
fn prompt_is_open_until_its_background_agent_is_reported() {
    let mut turns = with_agent();
    for text in [
        r#"{"type":"command_lifecycle","command_uuid":"a","state":"completed"}"#,
        r#"{"type":"system","subtype":"background_tasks_changed","tasks":[]}"#,
    ] {
        assert!(turns.settled(&message(text)).is_empty());
    }
    assert!(turns.settled(&result("")).is_empty());
    assert_eq!(turns.settled(&message(IDLE)), [(Uuid::from("a"), Ok(StopReason::EndTurn))]);
    turns.sent(Uuid::from("b"));
    assert_eq!(turns.settled(&result(r#","user_message_uuids":["b"]"#)).len(), 1);
}

#[test]
fn prompt_with_a_background_agent_ends_when_it_is_cancelled_or_another_starts() {
    let mut turns = with_agent();
    turns.cancel();
    assert_eq!(turns.settled(&message(IDLE)), [(Uuid::from("a"), Ok(StopReason::Cancelled))]);
    let mut turns = with_agent();
    turns.sent(Uuid::from("b"));
    let state =
        |state: &str| format!(r#"{{"type":"command_lifecycle","command_uuid":"b","state":"{state}"}}"#);
    assert!(turns.settled(&message(&state("queued"))).is_empty());
    let ended = [(Uuid::from("a"), Ok(StopReason::EndTurn))];
    assert_eq!(turns.settled(&message(&state("started"))), ended);
}

#[test]
fn failure_is_reported_while_a_background_agent_works() {
    let mut turns = with_agent();
    turns.sent(Uuid::from("b"));
    let failed =
        r#"{"type":"result","subtype":"success","is_error":true,"result":"No.","user_message_uuids":["b"]}"#;
    assert!(matches!(&turns.settled(&message(failed))[..], [(_, Err(_))]));
}

#[test]
fn cancelled_prompt_is_cancelled_whatever_its_result_is() {
    let mut turns = waiting(&["a"]);
    turns.cancel();
    turns.sent(Uuid::from("b"));
    let settled = turns.settled(&result(r#","user_message_uuids":["a","b"]"#));
    let expected = [("a", StopReason::Cancelled), ("b", StopReason::EndTurn)];
    assert_eq!(settled, expected.map(|(prompt, stop)| (Uuid::from(prompt), Ok(stop))));
}

#[test]
fn second_cancel_does_not_delay_the_answer_to_the_first() {
    let mut turns = waiting(&["a"]);
    turns.cancel();
    let first = turns.cancelled_at().unwrap();
    turns.cancel();
    assert_eq!(turns.cancelled_at(), Some(first));
    assert_eq!(turns.drain_cancelled(first), [Uuid::from("a")]);
    assert!(turns.cancelled_at().is_none());
}

#[test]
fn failed_login_asks_for_authentication() {
    let failed = |kind: &str, text: &str| {
        let mut turns = waiting(&["a"]);
        let answer = r#"{"type":"assistant","message":{"id":"m","content":[]},"parent_tool_use_id":null"#;
        turns.settled(&message(&format!(r#"{answer},"error":"{kind}"}}"#)));
        let failed = r#"{"type":"result","subtype":"success","is_error":true"#;
        let settled = turns.settled(&message(&format!(r#"{failed},"result":"{text}"}}"#)));
        let [(_, Err(error))] = &settled[..] else { panic!("it did not fail") };
        (error.code, error.message.clone())
    };
    for (kind, text, cause) in [
        ("authentication_failed", "Invalid API key", "(Invalid API key)"),
        ("authentication_failed", "Not logged in · Please run /login", "(Not logged in)"),
        ("authentication_failed", "Expired. Please run /login to sign in again.", "(Expired)"),
        ("invalid_request", "Login expired · Run /login to sign in again", "(Login expired)"),
    ] {
        let (code, message) = failed(kind, text);
        assert_eq!(code, ErrorCode::AUTH_REQUIRED);
        assert!(message.contains(cause) && message.contains("`agentwire-acp login`"), "{message}");
    }
    assert_eq!(failed("invalid_request", "Too long.").0, ErrorCode::INTERNAL_ERROR);
}

#[test]
fn prompt_is_held_unless_the_cli_reports_the_states_of_prompts() {
    let mut turns = Turns::default();
    assert!(!turns.must_hold());
    turns.sent(Uuid::from("a"));
    assert!(turns.must_hold());
    turns.settled(&message(r#"{"type":"command_lifecycle","command_uuid":"a","state":"queued"}"#));
    assert!(!turns.must_hold());
}

#[test]
fn limit_of_the_output_is_a_stop_reason() {
    let mut turns = waiting(&["a"]);
    turns.settled(&message(
        r#"{"type":"assistant","message":{"id":"m","content":[]},"parent_tool_use_id":null,"error":"max_output_tokens"}"#,
    ));
    let failed = r#"{"type":"result","subtype":"success","is_error":true,"stop_reason":"stop_sequence","result":"Too long."}"#;
    assert_eq!(turns.settled(&message(failed)), [(Uuid::from("a"), Ok(StopReason::MaxTokens))]);
}

#[test]
fn limits_are_stop_reasons() {
    for (fields, stop) in [
        (r#","stop_reason":"max_tokens""#, StopReason::MaxTokens),
        (r#","stop_reason":"model_context_window_exceeded""#, StopReason::MaxTokens),
        (r#","stop_reason":"refusal""#, StopReason::Refusal),
        (r#","terminal_reason":"aborted_tools""#, StopReason::Cancelled),
    ] {
        assert_eq!(waiting(&["a"]).settled(&result(fields))[0].1, Ok(stop));
    }
}
