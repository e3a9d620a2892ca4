//! Failing handlers: a refusal if the event can refuse, otherwise an error.

use std::{
    future::{pending, ready},
    time::Duration,
};

use agentwire_hooks::{AnyHook, Hooks, Matcher};
use agentwire_protocol::{
    RawJson,
    control::HookFailure,
    hook::{HookReply, PostToolUse, PreToolUse, Stop, UserPromptSubmit},
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::cli::{Cli, answer, callback, post_tool_use, pre_tool_use, within};

fn denied(reason: &str) -> Result<Value, String> {
    Ok(json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason
    }}))
}

fn blocked(reason: &str) -> Result<Value, String> {
    Ok(json!({"decision": "block", "reason": reason}))
}

fn lenient() -> Matcher {
    Matcher::any().on_failure(HookFailure::Continue)
}

#[tokio::test]
async fn an_error_refuses_the_event() {
    let hooks = Hooks::new().on(PreToolUse, async |_, _| Err::<(), _>("disk full"));
    assert_eq!(answer(hooks, pre_tool_use("Bash")).await, denied("the PreToolUse hook failed: disk full"));
    let hooks = Hooks::new().on(UserPromptSubmit, async |_, _| Err::<(), _>("disk full"));
    let input = json!({"session_id": "s", "prompt": "hi"});
    assert_eq!(answer(hooks, input).await, blocked("the UserPromptSubmit hook failed: disk full"));
    let hooks = Hooks::new().on(Stop, async |_, _| Err::<(), _>("disk full"));
    assert_eq!(answer(hooks, json!({"session_id": "s"})).await, blocked("the Stop hook failed: disk full"));
}

#[tokio::test]
async fn a_panic_anywhere_refuses_the_event() {
    let hooks = Hooks::new().on(PreToolUse, async |input, _| {
        assert!(input.tool_name != "Bash", "no {}", input.tool_name);
    });
    assert_eq!(answer(hooks, pre_tool_use("Bash")).await, denied("the PreToolUse hook panicked: no Bash"));
    let hooks = Hooks::new().on(PreToolUse, |_, _| -> std::future::Ready<()> { panic!("early") });
    assert_eq!(answer(hooks, pre_tool_use("Bash")).await, denied("the PreToolUse hook panicked: early"));
    let hooks = Hooks::new().on(PreToolUse, async |input, _| {
        tokio::task::yield_now().await;
        if !input.tool_name.is_empty() {
            std::panic::panic_any(7);
        }
    });
    assert_eq!(answer(hooks, pre_tool_use("Bash")).await, denied("the PreToolUse hook panicked: no text"));
}

#[tokio::test]
async fn an_undecodable_input_refuses_without_a_quotation() {
    let hooks = Hooks::new().on(PreToolUse, async |_, _| HookReply::allow());
    let mut input = pre_tool_use("Bash");
    input["tool_name"] = json!({"secret": "hunter2".repeat(1000)});
    let reply = answer(hooks, input).await.unwrap();
    let output = &reply["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "deny");
    let reason = output["permissionDecisionReason"].as_str().unwrap();
    assert!(
        reason.starts_with("the PreToolUse hook was not run, since its input can't be read: "),
        "{reason}"
    );
    assert!(reason.contains("tool_name") && !reason.contains("hunter2") && reason.len() < 600, "{reason}");
}

#[tokio::test]
async fn with_continue_a_failure_is_an_error_reply() {
    let hooks = Hooks::new().on_matching(PreToolUse, lenient(), async |_, _| Err::<(), _>("x"));
    assert_eq!(answer(hooks, pre_tool_use("Bash")).await, Err("the PreToolUse hook failed: x".to_owned()));
    let hooks = Hooks::new()
        .on_matching(PreToolUse, lenient(), async |input, _| assert!(input.tool_name.is_empty(), "x"));
    assert_eq!(answer(hooks, pre_tool_use("Bash")).await, Err("the PreToolUse hook panicked: x".to_owned()));
}

#[tokio::test]
async fn an_event_that_cannot_refuse_gets_an_error_reply() {
    let hooks = Hooks::new().on(PostToolUse, async |_, _| Err::<(), _>("x"));
    assert_eq!(answer(hooks, post_tool_use()).await, Err("the PostToolUse hook failed: x".to_owned()));
}

#[tokio::test]
async fn untyped_handlers_refuse_events_that_can_refuse() {
    let hooks = Hooks::new().on_named("PreToolUse", Matcher::any(), async |_, _| Err::<(), _>("x"));
    assert_eq!(answer(hooks, json!({})).await, denied("the PreToolUse hook failed: x"));
    let hooks = Hooks::new().on_named("FutureEvent", Matcher::any(), async |_, _| Err::<(), _>("x"));
    assert_eq!(answer(hooks, json!({})).await, Err("the FutureEvent hook failed: x".to_owned()));
    let hooks = Hooks::new().on_any(async |event: AnyHook, _| Err::<(), _>(event.name));
    let stop = hooks.declaration()["Stop"][0].hook_callback_ids[0].clone();
    let reply = Cli::start(hooks).await.exchange(callback(&stop, json!({}))).await;
    assert_eq!(reply, blocked("the Stop hook failed: Stop"));
}

/// The CLI ignores such a reply and proceeds.
#[tokio::test]
async fn a_reply_that_is_no_object_refuses() {
    for raw in ["null", "\"deny\"", "[]", "7"] {
        let reply = RawJson::parse(raw).unwrap();
        let hooks =
            Hooks::new().on_named("PreToolUse", Matcher::any(), move |_: AnyHook, _| ready(reply.clone()));
        let refused = denied("the PreToolUse hook returned a reply that is not an object");
        assert_eq!(answer(hooks, pre_tool_use("Bash")).await, refused, "{raw}");
    }
    let reply = RawJson::parse(" {\"decision\": \"block\"}").unwrap();
    let hooks = Hooks::new().on_named("Stop", Matcher::any(), move |_: AnyHook, _| ready(reply.clone()));
    assert_eq!(answer(hooks, json!({"session_id": "s"})).await, Ok(json!({"decision": "block"})));
}

struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_a_handlers_destructor_refuses() {
    let refused = blocked("the Stop hook panicked: dropped");
    let hooks = Hooks::new().on(Stop, async |_, _| {
        let _held = PanicsWhenDropped;
        HookReply::proceed()
    });
    assert_eq!(answer(hooks, json!({"session_id": "s"})).await, refused);
    // At the limit this crate drops the future.
    let soon = Matcher::any().timeout(Duration::from_secs(5));
    let hooks = Hooks::new().on_matching(Stop, soon, async |_, _| {
        let _held = PanicsWhenDropped;
        pending::<()>().await;
    });
    assert_eq!(answer(hooks, json!({"session_id": "s"})).await, refused);
}

#[tokio::test]
async fn an_undeclared_callback_is_named() {
    let hooks = Hooks::new().on(PreToolUse, async |_, _| ());
    let mut cli = Cli::start(hooks).await;
    for id in ["hook_1", "hook_", "other", "hook_99999999999999999999999"] {
        let reply = cli.exchange(callback(id, pre_tool_use("Bash"))).await;
        assert_eq!(reply, Err(format!("no hook has the callback id `{id}`")));
    }
}

#[tokio::test]
async fn a_long_error_is_cut() {
    let hooks = Hooks::new().on(PostToolUse, async |_, _| Err::<(), _>("long ".repeat(10_000)));
    let reply = answer(hooks, post_tool_use()).await.unwrap_err();
    assert!(reply.len() < 1_100 && reply.ends_with('…'), "{}", reply.len());
}

#[tokio::test]
async fn a_cancelled_hook_fires_the_token_and_sends_nothing() {
    let (events, mut came) = mpsc::channel(4);
    let hooks = Hooks::new().on(PreToolUse, move |_, cx| {
        let events = events.clone();
        async move {
            events.send("started").await.unwrap();
            cx.cancelled.cancelled().await;
            events.send("cancelled").await.unwrap();
            pending::<()>().await;
        }
    });
    let mut cli = Cli::start(hooks).await;
    cli.ask("slow", callback("hook_0", pre_tool_use("Bash"))).await;
    assert_eq!(within(came.recv()).await, Some("started"));
    cli.cancel("slow").await;
    assert_eq!(within(came.recv()).await, Some("cancelled"));
    // The session continues, and its next line answers another request.
    let reply = cli.exchange(callback("none", json!({}))).await;
    assert_eq!(reply, Err("no hook has the callback id `none`".to_owned()));
    assert_eq!(cli.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn other_requests_are_not_answered() {
    let mut cli = Cli::start(Hooks::new()).await;
    let reply = cli.exchange(json!({"subtype": "future"})).await;
    assert_eq!(reply, Err("no handler for a request of subtype `future`".to_owned()));
}
