//! Hooks that err, panic or time out block the guarded action, and allow it with `Continue`.

use std::{future::pending, time::Duration};

use agentwire::{
    Decision, Session,
    hooks::{Hooks, Matcher, PermissionHandler},
    protocol::{
        control::HookFailure,
        hook::{PermissionRequest, PreToolUse, Stop, UserPromptSubmit},
        message::TurnResult,
    },
};

use super::place::{self, Place};

/// How a handler fails.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Error,
    Panic,
    Late,
}

#[expect(clippy::panic, reason = "it is what is tried")]
async fn fail(fault: Fault) -> Result<(), &'static str> {
    match fault {
        Fault::Error => Err("broken"),
        Fault::Panic => panic!("broken"),
        Fault::Late => pending().await,
    }
}

const ALL: [Fault; 3] = [Fault::Error, Fault::Panic, Fault::Late];

/// Returns a matcher with a limit of a second, for every way of failing.
fn guard() -> Matcher {
    Matcher::any().timeout(Duration::from_secs(1))
}

fn lenient() -> Matcher {
    guard().on_failure(HookFailure::Continue)
}

/// Returns whether the file was written.
fn written(place: &Place) -> bool {
    std::fs::read_to_string(place.file("project/a.txt")).unwrap() == "two\n"
}

async fn turn(place: &Place, hooks: Hooks, asks: Option<PermissionHandler>, tools: &[&str]) -> TurnResult {
    let options = place.in_project().allowed_tools(tools.iter().copied());
    let mut builder = Session::builder().options(options).hooks(hooks);
    if let Some(asks) = asks {
        builder = builder.permissions(asks);
    }
    place::turn(builder, "Go.").await
}

/// Returns whether a tool with such a hook was used.
async fn used(matcher: Matcher, fault: Fault) -> bool {
    let place = Place::writing().await;
    let hooks = Hooks::new().on_matching(PreToolUse, matcher, move |_, _| fail(fault));
    let result = turn(&place, hooks, None, &["Bash"]).await;
    assert_eq!(result.result.as_deref(), Some("Done."));
    written(&place)
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn no_failing_pre_tool_use_hook_lets_the_use_through() {
    for fault in ALL {
        assert!(!used(guard(), fault).await, "{fault:?}");
    }
    assert!(used(lenient(), Fault::Error).await);
    assert!(used(lenient(), Fault::Panic).await);
    // Here the CLI refuses with either setting.
    assert!(!used(lenient(), Fault::Late).await);
}

/// Returns whether a prompt with such a hook reached the model.
async fn reached(matcher: Matcher, fault: Fault) -> bool {
    let place = Place::new().await;
    let hooks = Hooks::new().on_matching(UserPromptSubmit, matcher, move |_, _| fail(fault));
    let result = turn(&place, hooks, None, &[]).await;
    result.result.as_deref() == Some("Hello.")
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn no_failing_user_prompt_submit_hook_lets_the_prompt_through() {
    for fault in ALL {
        assert!(!reached(guard(), fault).await, "{fault:?}");
    }
    assert!(reached(lenient(), Fault::Error).await);
}

/// Returns whether a guarded tool was used; the host allows it if the CLI asks only the host.
async fn permitted(matcher: Matcher, fault: Fault) -> bool {
    let place = Place::writing().await;
    let hooks = Hooks::new().on_matching(PermissionRequest, matcher.clone(), move |_, _| fail(fault));
    // The CLI asks both at once, and the first answer counts: to wait for the hook, the host sends none.
    let waits = matcher != lenient();
    let host =
        PermissionHandler::new(
            move |_, _| async move { if waits { pending().await } else { Decision::allow() } },
        );
    turn(&place, hooks, Some(host), &[]).await;
    written(&place)
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn no_failing_permission_request_hook_lets_the_use_through() {
    for fault in ALL {
        assert!(!permitted(guard(), fault).await, "{fault:?}");
    }
    assert!(permitted(lenient(), Fault::Error).await);
}

/// Returns whether the turn ended at a guarded stop; the second stop is allowed.
async fn stopped(matcher: Matcher, fault: Fault) -> bool {
    let place = Place::scripted(
        r#"{
            "replies": [{"blocks": [{"text": "I am done."}]}],
            "match": [{
                "marker": "the Stop hook", "in": "last", "replies": [{"blocks": [{"text": "Now I am done."}]}]
            }]
        }"#,
    )
    .await;
    let hooks = Hooks::new().on_matching(Stop, matcher, move |input, _| async move {
        if input.stop_hook_active { Ok(()) } else { fail(fault).await }
    });
    let result = turn(&place, hooks, None, &[]).await;
    match result.result.as_deref() {
        Some("I am done.") => true,
        Some("Now I am done.") => false,
        other => unreachable!("{other:?}"),
    }
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn no_failing_stop_hook_lets_the_turn_end() {
    for fault in ALL {
        assert!(!stopped(guard(), fault).await, "{fault:?}");
    }
    // However short the limit is, our answer gets there first.
    let short = Matcher::any().timeout(Duration::from_millis(1));
    assert!(!stopped(short, Fault::Late).await);
    assert!(stopped(lenient(), Fault::Error).await);
    // This shows what the CLI does with a late hook that we do not answer ahead of its limit.
    assert!(stopped(lenient(), Fault::Late).await);
}

/// Raw replies of an untyped handler that no version of the CLI takes for a denial.
#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn replies_that_the_event_does_not_have_refuse() {
    let replies = [
        r#"{"permissionDecision":"deny"}"#,
        r#"{"hook_specific_output":{"hook_event_name":"PreToolUse","permission_decision":"deny"}}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecision":"allow"}}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"Deny"}}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":5}}"#,
        r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#,
        r#"{"hookSpecificOutput":"deny"}"#,
        r#"{"decision":"deny"}"#,
        r#"{"decision":"Block"}"#,
        r#"{"continue":"false"}"#,
        r#"{"async":true,"decision":"block"}"#,
        r#"{"error":"no"}"#,
    ];
    let touch =
        r#"{"tool_use": {"name": "Bash", "input": {"command": "touch ran", "description": "Touch"}}}"#;
    let blocks = [touch; 12].join(",");
    let script =
        format!(r#"{{"replies": [{{"blocks": [{blocks}]}}, {{"blocks": [{{"text": "I tried."}}]}}]}}"#);
    let place = Place::scripted(&script).await;
    let next = std::sync::atomic::AtomicUsize::new(0);
    let hooks = Hooks::new().on_named("PreToolUse", Matcher::any(), move |_, _| {
        let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        std::future::ready(agentwire::RawJson::parse(replies[number]))
    });
    let result = turn(&place, hooks, None, &["Bash"]).await;
    assert!(!place.file("project/ran").exists(), "{result:?}");
}
