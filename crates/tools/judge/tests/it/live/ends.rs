//! How turns and sessions end, and how waits end: a result longer than the limit, an interrupt, a turn limit, an API error,
//! a hook behind unread messages, a CLI that does not read.

use std::{process::Command, sync::Arc, time::Duration};

use agentwire::{
    ControlError, EndedBy, Error, Incoming, Options, PromptState, Session,
    control::Config,
    hooks::Hooks,
    protocol::{Uuid, hook::PreToolUse, message::UserInput},
};
use tokio::sync::Notify;

use super::Place;

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_result_longer_than_the_limit_ends_its_turn() {
    let long = "x".repeat(2_000_000);
    let script =
        format!(r#"{{"replies": [{{"blocks": [{{"text": "{long}"}}]}}, {{"blocks": [{{"text": "ok"}}]}}]}}"#);
    let place = Place::scripted(&script).await;
    let mut session = Session::connect(place.options().max_buffer_size(1 << 20)).await.unwrap();
    let error = session.ask("Write much.").await.unwrap().finish().await.unwrap_err();
    assert!(matches!(error, Error::UnreadableResult { line: None, .. }), "{error:?}");
    let text = session.ask("Write little.").await.unwrap().text().await.unwrap();
    assert_eq!(text, "ok");
    session.close().await.unwrap();
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn closing_after_an_interrupt_is_no_error() {
    let place = Place::scripted(
        r#"{"replies": [{"blocks": [{"text": "One, two, three."}], "chunks": 4, "hold": "never"}]}"#,
    )
    .await;
    let mut session = Session::connect(place.options().include_partial_messages()).await.unwrap();
    let control = session.control().clone();
    let mut turn = session.ask("Count.").await.unwrap();
    loop {
        let incoming = turn.next().await.unwrap().unwrap();
        if is_text(&incoming) {
            break;
        }
    }
    control.call(&agentwire::protocol::control::Interrupt::default()).await.unwrap();
    turn.finish().await.unwrap().unwrap();
    ends_well(session).await;
}

fn is_text(incoming: &Incoming) -> bool {
    matches!(incoming.message(), Some(agentwire::Message::StreamEvent(event)) if event.text_delta().is_some())
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn closing_after_a_turn_limit_is_no_error() {
    let place = Place::scripted(
        r#"{"replies": [{"blocks": [{"tool_use": {"name": "Read", "input": {"file_path": "${place}/project/a.txt"}}}]}]}"#,
    )
    .await;
    let options = place.in_project().max_turns(1);
    fails_and_closes(options).await;
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn closing_after_an_api_error_is_no_error() {
    let place = Place::scripted(r#"{"replies": [{"status": 400, "error_message": "no", "times": 6}]}"#).await;
    fails_and_closes(place.options()).await;
}

async fn fails_and_closes(options: Options) {
    let mut session = Session::connect(options).await.unwrap();
    let result = session.ask("Go.").await.unwrap().finish().await.unwrap().unwrap();
    assert!(result.is_error, "{result:?}");
    ends_well(session).await;
}

async fn ends_well(session: Session) {
    let closed = session.close().await.unwrap();
    assert_eq!(closed.by, EndedBy::Itself, "{closed:?}");
    assert!(closed.exit.is_some());
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn hook_behind_unread_messages_runs() {
    // Far more than is read ahead in a session without callbacks.
    let long = "x".repeat(2_000_000);
    let script = format!(
        r#"{{"replies": [
            {{"blocks": [
                {{"text": "{long}"}},
                {{"tool_use": {{"name": "Read", "input": {{"file_path": "${{place}}/project/a.txt"}}}}}}
            ]}},
            {{"blocks": [{{"text": "ok"}}]}}
        ]}}"#
    );
    let place = Place::scripted(&script).await;
    let ran = Arc::new(Notify::new());
    let called = Arc::clone(&ran);
    let hooks = Hooks::new().on(PreToolUse, move |_, _| {
        called.notify_one();
        async {}
    });
    let options = place.in_project().include_partial_messages();
    let mut session = Session::builder().options(options).hooks(hooks).connect().await.unwrap();
    session.send("Write much, then read.").await.unwrap();
    // The caller reads only after its own hook ran.
    ran.notified().await;
    let (mut unread, mut is_over) = (0, false);
    while !is_over {
        let incoming = session.next().await.unwrap().unwrap();
        unread += incoming.line().map_or(0, |line| line.len());
        is_over = incoming.ends_turn();
    }
    assert!(unread > 2_000_000, "{unread}");
    ends_well(session).await;
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn prompt_that_a_stopped_cli_does_not_read_is_not_sent() {
    let place = Place::scripted(r#"{"replies": [{"blocks": [{"text": "ok"}], "times": 9}]}"#).await;
    let mut config = Config::default();
    config.write_buffer_limit = 1000;
    let builder = Session::builder().options(place.options()).config(config);
    let mut session = builder.connect().await.unwrap();
    let pid = session.initialized().pid.unwrap();
    signal("-STOP", pid);
    // The first fills the pipe, the second waits behind it.
    let mut sent = Vec::new();
    for _ in 0..2 {
        sent.push(session.send("x".repeat(200_000)).await.unwrap());
    }
    let mut third = UserInput::new("third");
    third.uuid = Some(Uuid::from("00000000-0000-4000-8000-000000000003"));
    let hasty = session.control().within(Duration::from_millis(300));
    let error = hasty.send(&third).await.unwrap_err();
    assert!(matches!(error, ControlError::NotSent { .. }), "{error:?}");
    signal("-CONT", pid);
    sent.push(session.send(third).await.unwrap());
    for prompt in &sent {
        assert_eq!(session.settled(prompt).await.unwrap(), PromptState::Completed);
    }
    let mut named = Vec::new();
    while let Ok(Some(incoming)) = tokio::time::timeout(Duration::from_secs(1), session.next()).await {
        if let Some(agentwire::Message::CommandLifecycle(lifecycle)) = incoming.unwrap().message()
            && lifecycle.state == agentwire::protocol::message::CommandState::Queued
        {
            named.push(lifecycle.command_uuid.clone());
        }
    }
    // No prompt is lost or repeated, as far as the CLI names prompts; 2.1.197 does not.
    assert!(named == sent || !session.control().names_prompts(), "{named:?}, sent {sent:?}");
    ends_well(session).await;
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn prompt_that_was_answered_is_ignored() {
    let place = Place::scripted(r#"{"replies": [{"blocks": [{"text": "ok"}], "times": 9}]}"#).await;
    let mut session = Session::connect(place.options()).await.unwrap();
    let id = "00000000-0000-4000-8000-000000000003";
    let prompt = || UserInput::new("Go.").with_uuid(id);
    assert_eq!(session.ask(prompt()).await.unwrap().text().await.unwrap(), "ok");
    assert_eq!(session.settled(&id.into()).await.unwrap(), PromptState::Completed);
    session.send(prompt()).await.unwrap();
    // Whatever the CLI does with it comes before the answer to the next one.
    let mut turn = session.ask("Go on.").await.unwrap();
    while turn.next().await.transpose().unwrap().is_some() {}
    drop(turn);
    assert_eq!(place.model.request_count(), 2);
    let answer = session.ask(prompt()).await.unwrap().text().await;
    assert!(matches!(answer, Err(Error::NoResult { .. })), "{answer:?}");
    ends_well(session).await;
}

fn signal(signal: &str, pid: u32) {
    assert!(Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
}
