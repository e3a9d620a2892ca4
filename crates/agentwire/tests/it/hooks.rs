//! Hooks through the facade: declared in the handshake, refusing when they fail, running concurrently.

use std::sync::Arc;

use agentwire::{
    Session, Warning,
    hooks::{HookContext, HookWarning, Hooks, Matcher},
    protocol::{
        control::Interrupt,
        hook::{HookReply, PostToolUse, PreToolUse, Stop},
    },
};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::peer::{Peer, connect, connected, next_kind};

fn pre_tool_use(callback: &str) -> Value {
    json!({"subtype": "hook_callback", "callback_id": callback, "tool_use_id": "toolu_1", "input": {
        "session_id": "s", "transcript_path": "t", "cwd": "/project", "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"path": "a"}, "tool_use_id": "toolu_1",
    }})
}

/// Calls the first hook of a session with these hooks, and returns its response.
async fn fired(hooks: Hooks) -> Value {
    let (_session, mut peer) = connected(Session::builder().hooks(hooks)).await;
    peer.ask("h1", pre_tool_use("hook_0")).await;
    peer.response("h1").await
}

fn refuses(response: &Value, why: &str) {
    let output = &response["response"]["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "deny", "{response}");
    assert!(output["permissionDecisionReason"].as_str().unwrap().contains(why), "{response}");
}

#[tokio::test(start_paused = true)]
async fn hooks_are_declared_in_the_handshake() {
    let hooks = Hooks::new()
        .on_matching(PreToolUse, Matcher::tools(["Write"]), async |_, _| ())
        .on(PostToolUse, async |_, _| ());
    let (session, _, request) = connect(Session::builder().hooks(hooks), Peer::shake_hands).await;
    session.unwrap();
    let declared = &request["request"]["hooks"];
    assert_eq!(declared["PreToolUse"][0]["matcher"], "Write");
    assert_eq!(declared["PreToolUse"][0]["hookCallbackIds"], json!(["hook_0"]));
    assert_eq!(declared["PreToolUse"][0]["onFailure"], "block");
    assert_eq!(declared["PostToolUse"][0]["hookCallbackIds"], json!(["hook_1"]));
}

#[tokio::test(start_paused = true)]
async fn hook_warnings_are_session_warnings() {
    let hooks = Hooks::new()
        .on_matching(Stop, Matcher::tools(["Write"]), async |_, _| ())
        .on(PreToolUse, async |_, _| ());
    let (session, _peer) = connected(Session::builder().hooks(hooks)).await;
    let ignored = HookWarning::MatcherIgnored { event: "Stop".into(), pattern: "Write".into() };
    // A `Stop` hook guards nothing: its refusal makes the model continue.
    let events = vec!["PreToolUse".into()];
    let too_old = HookWarning::BlockUnsupported { events };
    assert_eq!(session.warnings(), [Warning::Hook(ignored), Warning::Hook(too_old)]);
    let told = session.warnings()[0].to_string();
    assert_eq!(told, "the CLI ignores the matcher `Write`: it calls the Stop hook each time");
}

#[tokio::test(start_paused = true)]
async fn matcher_without_a_tool_causes_a_warning() {
    let hooks = Hooks::new().on_matching(PreToolUse, Matcher::tools(["bash"]), async |_, _| ()).on_matching(
        PreToolUse,
        Matcher::tools(["Bash"]),
        async |_, _| (),
    );
    let (mut session, peer) = connected(Session::builder().hooks(hooks)).await;
    // The peer of these tests does not report that it waits for hooks.
    let at_start = session.warnings().len();
    assert_eq!(at_start, 1);
    let init = |tools: Value| {
        json!({
            "type": "system", "subtype": "init", "session_id": "s", "cwd": "/", "model": "m", "tools": tools,
        })
    };
    // Without tools there is nothing to guard.
    peer.say(init(json!([]))).await;
    next_kind(&mut session).await;
    assert_eq!(session.warnings().len(), at_start);
    // The first message that lists tools counts.
    for tools in [json!(["Bash", "Write"]), json!(["Write"])] {
        peer.say(init(tools)).await;
        next_kind(&mut session).await;
    }
    let [Warning::Hook(HookWarning::MatchesNoTool { event, pattern, .. })] = &session.warnings()[at_start..]
    else {
        panic!("{:?}", session.warnings());
    };
    assert_eq!((&**event, &**pattern), ("PreToolUse", "bash"));
}

#[tokio::test(start_paused = true)]
async fn refusal_is_sent() {
    let hooks = Hooks::new().on(PreToolUse, async |_, _| HookReply::deny("not now"));
    refuses(&fired(hooks).await, "not now");
}

#[tokio::test(start_paused = true)]
async fn failing_hook_refuses() {
    let hooks = Hooks::new().on(PreToolUse, async |_, _| Err::<HookReply<PreToolUse>, _>("no disk"));
    refuses(&fired(hooks).await, "no disk");
}

#[tokio::test(start_paused = true)]
async fn panicking_hook_refuses() {
    let hooks = Hooks::new().on(PreToolUse, async |_, _| -> () { panic!("ouch") });
    let (mut session, mut peer) = connected(Session::builder().hooks(hooks)).await;
    for id in ["h1", "h2"] {
        peer.ask(id, pre_tool_use("hook_0")).await;
        refuses(&peer.response(id).await, "ouch");
    }
    peer.say(json!({"type": "after"})).await;
    assert_eq!(next_kind(&mut session).await, "after");
}

#[tokio::test(start_paused = true)]
async fn unknown_callback_id_gets_an_error() {
    let hooks = Hooks::new().on(PreToolUse, async |_, _| ());
    let (_session, mut peer) = connected(Session::builder().hooks(hooks)).await;
    peer.ask("h1", pre_tool_use("hook_9")).await;
    assert!(peer.refusal("h1").await.contains("hook_9"));
}

#[tokio::test(start_paused = true)]
async fn hook_can_interrupt() {
    let hooks = Hooks::new().on(PreToolUse, async |_, cx: HookContext| {
        cx.control.call(&Interrupt::default()).await.map(|_| HookReply::<PreToolUse>::deny("interrupted"))
    });
    let (_session, mut peer) = connected(Session::builder().hooks(hooks)).await;
    peer.ask("h1", pre_tool_use("hook_0")).await;
    peer.answer("interrupt", json!({"still_queued": []})).await;
    refuses(&peer.response("h1").await, "interrupted");
}

#[tokio::test(start_paused = true)]
async fn fifty_hooks_run_concurrently() {
    // None of them passes the barrier before all of them run.
    let barrier = Arc::new(Barrier::new(50));
    let hooks = Hooks::new().on(PreToolUse, move |_, _| {
        let barrier = Arc::clone(&barrier);
        async move {
            barrier.wait().await;
        }
    });
    let (_session, mut peer) = connected(Session::builder().hooks(hooks)).await;
    for number in 0..50 {
        peer.ask(&format!("h{number}"), pre_tool_use("hook_0")).await;
    }
    let mut answered = std::collections::BTreeSet::new();
    for _ in 0..50 {
        let line = peer.line().await.unwrap();
        assert_eq!(line["response"]["subtype"], "success", "{line}");
        answered.insert(line["response"]["request_id"].as_str().unwrap().to_owned());
    }
    assert_eq!(answered.len(), 50);
}
