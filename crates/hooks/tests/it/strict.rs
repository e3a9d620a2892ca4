//! Replies of untyped handlers to known events: a part that the CLI would ignore is a failure.

use agentwire_hooks::{AnyHook, Hooks, Matcher};
use agentwire_protocol::{
    RawJson,
    hook::{
        BlockDecision, HookReply, LaterReply, PermissionRequest, PostToolUse, PreToolUse, PreToolUseOutput,
    },
};
use serde_json::{Value, json};

use crate::cli::{Cli, answer, callback, post_tool_use, pre_tool_use};

/// Returns the answer to the CLI for this reply of an untyped handler.
async fn answered(event: &str, input: Value, reply: &str) -> Result<Value, String> {
    let reply = reply.to_owned();
    let hooks = Hooks::new().on_named(event, Matcher::any(), move |_: AnyHook, _| {
        let reply = reply.clone();
        async move { RawJson::parse(reply) }
    });
    answer(hooks, input).await
}

/// Wraps the output of `PreToolUse`.
fn output(fields: &str) -> String {
    format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse",{fields}}}}}"#)
}

#[tokio::test]
async fn a_reply_of_another_event_refuses() {
    let deep = format!(r#"{{"x":{}{}}}"#, "[".repeat(200_000), "]".repeat(200_000));
    let mut replies: Vec<String> = [
        r#"{"permissionDecision":"deny"}"#,
        r#"{"hook_specific_output":{"hook_event_name":"PreToolUse","permission_decision":"deny"}}"#,
        r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","permissionDecision":"deny"}}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"pretooluse","permissionDecision":"deny"}}"#,
        r#"{"hookSpecificOutput":{"hookEventName":7,"permissionDecision":"deny"}}"#,
        r#"{"hookSpecificOutput":"deny"}"#,
        r#"{"hookSpecificOutput":null}"#,
        r#"{"hookSpecificOutput":[]}"#,
        r#"{"decision":"deny","reason":"no"}"#,
        r#"{"decision":"Block","reason":"no"}"#,
        r#"{"decision":"block ","reason":"no"}"#,
        r#"{"decision":null}"#,
        r#"{"Decision":"block"}"#,
        r#"{"decision":"approve","decision":"block"}"#,
        r#"{"decision":"block","decision":"approve"}"#,
        r#"{"continue":"false"}"#,
        r#"{"continue":0}"#,
        r#"{"continue_":false}"#,
        r#"{"Continue":false}"#,
        r#"{"async":true,"decision":"block"}"#,
        r#"{"async":"true"}"#,
        r#"{"async":true,"async_timeout":1}"#,
        r#"{"deny":true}"#,
        r#"{"behavior":"deny","message":"no"}"#,
        r#"{"error":"no"}"#,
        r#"{"reason":7}"#,
        &deep,
    ]
    .map(str::to_owned)
    .into();
    replies.extend(
        [
            r#""permissionDecision":"Deny""#,
            r#""permissionDecision":"refuse""#,
            r#""permissionDecision":"block""#,
            r#""permissionDecision":5"#,
            r#""permissionDecision":null"#,
            r#""permissionDecision":"deny","permissionDecision":"allow""#,
            r#""permissionDecision":"deny","permissionDecision":"deny""#,
            r#""permissionDecision":"deny","hookEventName":"PreToolUse""#,
            r#""permissionDecision":"deny","permissionDecisionReason":7"#,
            r#""permissionDecision":"deny","reason":"no""#,
            r#""permissiondecision":"deny""#,
            r#""decision":"deny""#,
            r#""decision":{"behavior":"deny"}"#,
            r#""permissionDecision":"allow","updatedInput":"ls""#,
            r#""permissionDecision":"allow","updatedInput":{"command":"ls","command":"rm"}"#,
            r#""permissionDecision":"allow","updated_input":{"command":"ls"}"#,
        ]
        .map(output),
    );
    for reply in replies {
        let given = answered("PreToolUse", pre_tool_use("Bash"), &reply).await.unwrap();
        let output = &given["hookSpecificOutput"];
        assert_eq!(output["permissionDecision"], "deny", "{reply:.200}: {given}");
    }
}

#[tokio::test]
async fn a_valid_raw_reply_is_sent_unchanged() {
    let mut replies: Vec<String> = [
        "{}",
        r#" { "decision" : "block", "reason" : "no" }"#,
        r#"{"decision":"approve"}"#,
        r#"{"continue":false,"stopReason":"no","suppressOutput":true,"systemMessage":"m","terminalSequence":"x"}"#,
        r#"{"async":true}"#,
        r#"{"async":true,"asyncTimeout":1000}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse"}}"#,
    ]
    .map(str::to_owned)
    .into();
    replies.extend(
        [
            r#""permissionDecision":"deny","permissionDecisionReason":"n\u00f6""#,
            r#""permissionDecision":"ask""#,
            r#""permissionDecision":"defer""#,
            r#""permissionDecision":"allow","updatedInput":{"command":"ls","n":[1.50,-0,1e3,null]}"#,
            r#""additionalContext":"c""#,
        ]
        .map(output),
    );
    for reply in replies {
        let given = answered("PreToolUse", pre_tool_use("Bash"), &reply).await;
        assert_eq!(given, Ok(serde_json::from_str(&reply).unwrap()), "{reply}");
    }
}

#[tokio::test]
async fn each_event_has_its_own_vocabulary() {
    let request = |fields: &str| {
        format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PermissionRequest","decision":{fields}}}}}"#)
    };
    for reply in [
        r#"{"decision":"block"}"#,
        &request(r#"{"behavior":"Deny"}"#),
        &request(r#"{"behavior":7}"#),
        &request(r#"{"message":"no"}"#),
        &request(r#""deny""#),
        &request(r#"{"behavior":"deny","reason":"no"}"#),
        &request(r#"{"behavior":"allow","updatedInput":7}"#),
    ] {
        let given = answered("PermissionRequest", json!({}), reply).await.unwrap();
        assert_eq!(given["hookSpecificOutput"]["decision"]["behavior"], "deny", "{reply}: {given}");
        assert_ne!(given, serde_json::from_str::<Value>(reply).unwrap());
    }
    for reply in [
        request(r#"{"behavior":"deny","message":"no"}"#),
        request(r#"{"behavior":"allow","updatedPermissions":[]}"#),
    ] {
        let given = answered("PermissionRequest", json!({}), &reply).await;
        assert_eq!(given, Ok(serde_json::from_str(&reply).unwrap()));
    }
    for event in ["Stop", "PreCompact", "ConfigChange", "TaskCreated", "UserPromptSubmit", "Elicitation"] {
        let block = r#"{"decision":"block","reason":"r"}"#;
        assert_eq!(
            answered(event, json!({}), block).await,
            Ok(serde_json::from_str(block).unwrap()),
            "{event}"
        );
        for reply in
            [r#"{"decision":"deny"}"#, r#"{"ok":false}"#, r#"{"hookSpecificOutput":{"hookEventName":"X"}}"#]
        {
            let given = answered(event, json!({}), reply).await.unwrap();
            assert_eq!(given["decision"], "block", "{event} {reply}: {given}");
        }
    }
    // This event cannot refuse: the failure is reported.
    let error = answered("PostToolUse", post_tool_use(), r#"{"updatedToolOutput":"x"}"#).await.unwrap_err();
    assert!(error.contains("`updatedToolOutput`"), "{error}");
    let error = answered("SessionEnd", json!({}), r#"{"decision":"block"}"#).await.unwrap_err();
    assert!(error.contains("`decision`"), "{error}");
}

#[tokio::test]
async fn typed_reply_that_the_cli_would_ignore_refuses() {
    let decided = |decision: &str| {
        let mut output = PreToolUseOutput::default();
        output.permission_decision = Some(decision.into());
        let mut reply = HookReply::<PreToolUse>::proceed();
        reply.output = Some(output);
        reply
    };
    let mut blocked = HookReply::<PreToolUse>::proceed();
    blocked.decision = Some("Block".into());
    let input = HookReply::allow_with_input(RawJson::parse(r#""ls""#).unwrap());
    for reply in [decided("Deny"), blocked, input] {
        let shown = format!("{reply:?}");
        let hooks = Hooks::new().on(PreToolUse, move |_, _| std::future::ready(reply.clone()));
        let answer = answer(hooks, pre_tool_use("Bash")).await.unwrap();
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{shown}: {answer}");
    }
    // For this event the CLI reads the event's own decision alone.
    let blocks = Hooks::new().on(PermissionRequest, async |_, _| {
        let mut reply = HookReply::proceed();
        reply.decision = Some(BlockDecision::Block);
        reply
    });
    let input = json!({"session_id": "s", "tool_name": "Bash", "tool_input": {}});
    let refused = answer(blocks, input).await.unwrap();
    assert_eq!(refused["hookSpecificOutput"]["decision"]["behavior"], "deny", "{refused}");
    let asks = Hooks::new().on(PreToolUse, move |_, _| std::future::ready(decided("ask")));
    let answer = answer(asks, pre_tool_use("Bash")).await.unwrap();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "ask");
}

#[tokio::test]
async fn typed_replies_of_untyped_handlers_must_be_the_events() {
    let hooks = Hooks::new()
        .on_named("PreToolUse", Matcher::any(), async |_, _| HookReply::<PreToolUse>::allow())
        .on_named("PreToolUse", Matcher::any(), async |_, _| LaterReply::new())
        .on_named("PreToolUse", Matcher::any(), async |_, _| HookReply::<PostToolUse>::context("c"));
    let mut cli = Cli::start(hooks).await;
    let allow = cli.exchange(callback("hook_0", pre_tool_use("Bash"))).await.unwrap();
    assert_eq!(allow["hookSpecificOutput"]["permissionDecision"], "allow");
    assert_eq!(cli.exchange(callback("hook_1", pre_tool_use("Bash"))).await, Ok(json!({"async": true})));
    let refused = cli.exchange(callback("hook_2", pre_tool_use("Bash"))).await.unwrap();
    assert_eq!(refused["hookSpecificOutput"]["permissionDecision"], "deny");
}

/// The valid replies of an unknown event are unknown.
#[tokio::test]
async fn a_reply_to_an_unknown_event_is_not_checked() {
    let reply = r#"{"permissionDecision":"deny","permissionDecision":"x"}"#;
    let given = answered("FutureEvent", json!({}), reply).await;
    assert_eq!(given, Ok(serde_json::from_str(reply).unwrap()));
}
