//! Bounded memory: nothing is lost or reordered, and nothing blocks, however little fits into pipes and buffers.

use std::time::Duration;

use agentwire::{
    ControlError, Session,
    control::Config,
    hooks::{HookContext, Hooks},
    protocol::hook::{HookReply, PostToolUse},
};
use serde_json::{Value, json};
use tokio::time::advance;

use crate::peer::{connected_with, result};

/// Returns a message with a number, of about this many bytes.
fn numbered(number: usize, bytes: usize) -> Value {
    json!({"type": "numbered", "number": number, "filler": "x".repeat(bytes)})
}

/// Reads this many numbered messages and checks that they are complete and in order.
async fn all_there(session: &mut Session, count: usize) {
    for number in 0..count {
        let incoming = session.next().await.unwrap().unwrap();
        let line: Value = serde_json::from_str(incoming.line().unwrap().to_str().unwrap()).unwrap();
        assert_eq!(line["number"], number);
    }
}

#[tokio::test(start_paused = true)]
async fn small_limits_lose_nothing() {
    let mut config = Config::default();
    (config.unread_soft_limit, config.write_buffer_limit) = (1, 1);
    let (mut session, mut peer) = connected_with(Session::builder().config(config), 1).await;
    let peer = tokio::spawn(async move {
        for number in 0..50 {
            peer.say(numbered(number, 10)).await;
            assert_eq!(peer.prompt().await, format!("p{number}"));
        }
        peer
    });
    let control = session.control().clone();
    let sending = tokio::spawn(async move {
        for number in 0..50 {
            control.send(&format!("p{number}").into()).await.unwrap();
        }
    });
    all_there(&mut session, 50).await;
    sending.await.unwrap();
    drop(peer.await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_gets_all_of_a_cli_that_has_exited() {
    let (mut session, mut peer) = connected_with(Session::builder(), 8 << 20).await;
    let turn = peer.start_turn(&mut session, "hi").await;
    peer.say(result("hello")).await;
    // More than is read ahead: the rest stays in the pipe.
    for number in 0..4000 {
        peer.say(numbered(number, 1000)).await;
    }
    turn.finish().await.unwrap().unwrap();
    session.end_input();
    peer.exit_after_input().await;
    // Far longer than all grace periods together, in steps that let each of them expire.
    for _ in 0..10 {
        advance(Duration::from_secs(10)).await;
        tokio::task::yield_now().await;
    }
    all_there(&mut session, 4000).await;
    let end = session.next().await;
    assert!(end.is_none(), "{end:?}");
    assert_eq!(peer.raw.terminations(), []);
}

/// The pending work of each side.
#[derive(Debug, Default, PartialEq)]
struct Received {
    answers: usize,
    requests: usize,
    prompts: usize,
}

#[tokio::test(start_paused = true)]
async fn everything_works_with_pipes_of_one_byte() {
    // A hook that sends a request to the CLI before its long answer.
    let hooks = Hooks::new().on(PostToolUse, async |_, cx: HookContext| {
        cx.control.status().await?;
        Ok::<_, ControlError>(HookReply::proceed().with_system_message("x".repeat(500)))
    });
    let mut config = Config::default();
    (config.unread_soft_limit, config.write_buffer_limit) = (1, 1);
    let builder = Session::builder().hooks(hooks).config(config);
    let (mut session, mut peer) = connected_with(builder, 1).await;
    let peer = tokio::spawn(async move {
        let input = json!({
            "hook_event_name": "PostToolUse", "session_id": "s", "cwd": "/w", "tool_name": "Read",
            "tool_input": {}, "tool_response": 1, "tool_use_id": "toolu_1",
        });
        for number in 0..20 {
            peer.say(numbered(number, 500)).await;
            let callback = json!({"subtype": "hook_callback", "callback_id": "hook_0", "input": input});
            peer.ask(&format!("h{number}"), callback).await;
        }
        let mut received = Received::default();
        while received != (Received { answers: 20, requests: 40, prompts: 20 }) {
            let line = peer.line().await.unwrap();
            match line["type"].as_str().unwrap() {
                "control_response" => {
                    assert_eq!(line["response"]["subtype"], "success", "{line}");
                    received.answers += 1;
                }
                "control_request" => {
                    peer.reply(&line, json!({"sections": []})).await;
                    received.requests += 1;
                }
                "user" => {
                    let text = line["message"]["content"].as_str().unwrap();
                    assert!(text.starts_with(&format!("{}x", received.prompts)), "{text}");
                    received.prompts += 1;
                }
                other => panic!("{other}"),
            }
        }
        peer
    });
    let (control, sending) = (session.control().clone(), session.control().clone());
    let asking = tokio::spawn(async move {
        let calls: Vec<_> = (0..20)
            .map(|_| {
                let control = control.clone();
                tokio::spawn(async move { control.status().await })
            })
            .collect();
        for call in calls {
            call.await.unwrap().unwrap();
        }
    });
    let sending = tokio::spawn(async move {
        for number in 0..20 {
            sending.send(&format!("{number}{}", "x".repeat(500)).into()).await.unwrap();
        }
    });
    all_there(&mut session, 20).await;
    asking.await.unwrap();
    sending.await.unwrap();
    drop(peer.await.unwrap());
}
