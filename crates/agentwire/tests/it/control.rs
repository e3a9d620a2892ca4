//! Control requests through the facade: at any time, from any task, each with its limit.

use std::time::Duration;

use agentwire::{
    Control, ControlError, PermissionMode, RawJson, Session,
    control::Config,
    hooks::Hooks,
    protocol::{
        control::{GetStatus, McpCall, SideQuestionReply},
        hook::{HookReply, PreToolUse},
    },
};
use serde_json::json;
use tokio::time::Instant;

use crate::peer::{Peer, assistant, connected, kind, pre_tool_use, result};

/// Asks a side question, and plays its reply.
async fn asked(control: &Control, peer: &mut Peer) {
    let (reply, ()) = tokio::join!(control.side_question("why?"), async {
        let request = peer.answer("side_question", json!({"response": "so"})).await;
        assert_eq!(request["request"], json!({"subtype": "side_question", "question": "why?"}));
    });
    let SideQuestionReply { response, .. } = reply.unwrap();
    assert_eq!(response.as_deref(), Some("so"));
}

#[tokio::test(start_paused = true)]
async fn calls_work_before_during_and_after_a_turn() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    asked(session.control(), &mut peer).await;
    let mut turn = peer.start_turn(&mut session, "hi").await;
    peer.say(assistant("hel")).await;
    assert_eq!(kind(&turn.next().await.unwrap().unwrap()), "assistant");
    asked(turn.control(), &mut peer).await;
    peer.say(result("hello")).await;
    assert_eq!(turn.finish().await.unwrap().unwrap().result.as_deref(), Some("hello"));
    asked(session.control(), &mut peer).await;
}

#[tokio::test(start_paused = true)]
async fn calls_work_during_a_query() {
    let (session, mut peer) = connected(Session::builder()).await;
    let mut query = session.into_query("hi").await.unwrap();
    peer.prompt().await;
    peer.say(assistant("hel")).await;
    assert_eq!(kind(&query.next().await.unwrap().unwrap()), "assistant");
    asked(query.control(), &mut peer).await;
}

#[tokio::test(start_paused = true)]
async fn calls_work_inside_a_hook() {
    let hooks = Hooks::new().on(PreToolUse, async |_, cx: agentwire::hooks::HookContext| {
        cx.control.set_permission_mode(PermissionMode::Plan).await?;
        let call = McpCall::new("mcp__s__t", None);
        let reply = cx.control.mcp_call(&call).await?;
        Ok::<_, ControlError>(HookReply::deny(format!("{:?}", reply.structured_content)))
    });
    let (_session, mut peer) = connected(Session::builder().hooks(hooks)).await;
    peer.ask("h1", pre_tool_use("Bash")).await;
    peer.answer("set_permission_mode", json!({"mode": "plan"})).await;
    peer.answer("mcp_call", json!({"content": "c", "structuredContent": {"found": 1}})).await;
    let response = peer.response("h1").await;
    assert!(response.to_string().contains("found"), "{response}");
}

#[tokio::test(start_paused = true)]
async fn calls_work_from_another_task() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let control = session.control().clone();
    let turn = session.ask("hi").await.unwrap();
    let interrupting = tokio::spawn(async move { control.interrupt_and_cancel_queued().await });
    peer.prompt().await;
    let request = peer.answer("interrupt", json!({"still_queued": [], "cancelled": ["u"]})).await;
    assert_eq!(request["request"]["cancel_queued"], true);
    peer.say(result("")).await;
    turn.finish().await.unwrap().unwrap();
    assert_eq!(interrupting.await.unwrap().unwrap().cancelled, ["u"]);
}

#[tokio::test(start_paused = true)]
async fn call_limit_can_be_set_per_session_handle_and_call() {
    let mut config = Config::default();
    config.call_limit = Duration::from_secs(7);
    let (session, mut peer) = connected(Session::builder().config(config)).await;
    let control = session.control();
    let quick = control.within(Duration::from_secs(3));
    let raw = RawJson::parse(r#"{"subtype":"new"}"#).unwrap();
    for (seconds, error) in [
        (7, timed_out(control.status()).await),
        (3, timed_out(quick.status()).await),
        (3, timed_out(quick.call_raw("new", &raw)).await),
        (2, timed_out(quick.within(Duration::from_secs(2)).call(&GetStatus::default())).await),
    ] {
        assert_eq!(error, Duration::from_secs(seconds));
        let asked = peer.line().await.unwrap();
        let cancelled = peer.line().await.unwrap();
        assert_eq!(cancelled["type"], "control_cancel_request");
        assert_eq!(cancelled["request_id"], asked["request_id"]);
    }
}

/// Returns the time until the call timed out.
async fn timed_out<T: std::fmt::Debug>(call: impl Future<Output = Result<T, ControlError>>) -> Duration {
    let began = Instant::now();
    match call.await {
        Err(ControlError::TimedOut { after, .. }) => assert!(began.elapsed() >= after),
        other => panic!("{other:?}"),
    }
    began.elapsed()
}
