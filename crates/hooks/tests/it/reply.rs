//! The inputs of handlers, and their replies on the wire.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
};

use agentwire_hooks::{AnyHook, Hooks, Matcher};
use agentwire_protocol::{
    RawJson,
    hook::{HookReply, PostToolUse, PreToolUse, PreToolUseInput},
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::cli::{Cli, answer, callback, post_tool_use, pre_tool_use, within};

async fn check(hooks: Hooks, input: Value, expected: Value) {
    assert_eq!(answer(hooks, input).await, Ok(expected));
}

#[tokio::test]
async fn a_denial_names_its_event() {
    let hooks = Hooks::new().on(PreToolUse, async |input, _| {
        if input.tool_name == "Bash" { HookReply::deny("no shell") } else { HookReply::proceed() }
    });
    let expected = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no shell"
    }});
    check(hooks.clone(), pre_tool_use("Bash"), expected).await;
    check(hooks, pre_tool_use("Read"), json!({})).await;
}

#[tokio::test]
async fn a_result_is_a_reply() {
    let hooks = Hooks::new()
        .on(PostToolUse, async |_, _| Ok::<_, Infallible>(HookReply::<PostToolUse>::context("hm")));
    let expected = json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "hm"}});
    check(hooks, post_tool_use(), expected).await;
}

#[tokio::test]
async fn a_capturing_handler_sees_input_and_context() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    let hooks = Hooks::new().on(PreToolUse, move |input: PreToolUseInput, cx| {
        let seen = Arc::clone(&seen);
        async move {
            let id = cx.tool_use_id.map(|id| id.to_string());
            seen.lock().unwrap().push((input.tool_name, input.tool_input, id, cx.callback_id, cx.request_id));
        }
    });
    check(hooks, pre_tool_use("Bash"), json!({})).await;
    let seen = kept.lock().unwrap().pop().unwrap();
    let input = RawJson::parse(r#"{"command":"ls"}"#).unwrap();
    assert_eq!(seen, ("Bash".into(), input, Some("toolu_1".to_owned()), "hook_0".into(), "one".into()));
}

#[tokio::test]
async fn an_unknown_event_is_raw_json_in_both_directions() {
    let hooks = Hooks::new().on_named("FutureEvent", Matcher::any(), async |event: AnyHook, _| {
        let input: Value = event.decode()?;
        RawJson::encode(&json!({"name": *event.name, "saw": input["x"]}))
            .map_err(Box::<dyn std::error::Error>::from)
    });
    let expected = json!({"name": "FutureEvent", "saw": 7});
    check(hooks, json!({"hook_event_name": "FutureEvent", "x": 7}), expected).await;
}

#[tokio::test]
async fn on_any_names_the_event() {
    let (names, mut came) = mpsc::channel(4);
    let hooks = Hooks::new().on_any(move |event: AnyHook, _| {
        let names = names.clone();
        async move { names.send(event.name).await }
    });
    let ids: Vec<_> = hooks.declaration().into_iter().collect();
    let mut cli = Cli::start(hooks).await;
    for (name, matchers) in ids {
        let id = &matchers[0].hook_callback_ids[0];
        assert_eq!(cli.exchange(callback(id, json!({}))).await, Ok(json!({})));
        assert_eq!(within(came.recv()).await, Some(name));
    }
}
