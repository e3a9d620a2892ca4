//! Handlers that exceed their limit: when they are dropped, and with which answer.

use std::{future::pending, time::Duration};

use agentwire_hooks::{Handlers, HookContext, Hooks, Matcher};
use agentwire_protocol::{
    RawJson,
    control::HookFailure,
    hook::{HookReply, PostToolUse, PreToolUse, SessionEnd, Stop},
};
use serde_json::{Value, json};
use tokio::{
    sync::mpsc,
    time::{Instant, timeout},
};

use crate::cli::{Cli, callback, post_tool_use, pre_tool_use, within};

fn stop() -> Value {
    callback("hook_0", json!({"session_id": "s"}))
}

fn five_seconds() -> Matcher {
    Matcher::any().timeout(Duration::from_secs(5))
}

/// Returns the answer and its time in milliseconds.
async fn timed(hooks: Hooks, request: Value) -> (Result<Value, String>, u128) {
    let mut cli = Cli::start(hooks).await;
    let start = Instant::now();
    let answer = cli.exchange(request).await;
    (answer, start.elapsed().as_millis() / 10 * 10)
}

#[tokio::test(start_paused = true)]
async fn the_refusal_comes_before_the_limit_if_the_cli_lets_late_events_pass() {
    let hooks = Hooks::new().on_matching(Stop, five_seconds(), async |_, _| pending::<()>().await);
    let refused = json!({"decision": "block", "reason": "the Stop hook did not answer in time"});
    assert_eq!(timed(hooks, stop()).await, (Ok(refused), 4_000));
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_stops_at_its_token_is_answered() {
    let hooks = Hooks::new().on_matching(Stop, five_seconds(), async |_, cx| {
        cx.cancelled.cancelled().await;
        HookReply::go_on("half done")
    });
    let reply = json!({"decision": "block", "reason": "half done"});
    assert_eq!(timed(hooks, stop()).await, (Ok(reply), 3_000));
}

#[tokio::test(start_paused = true)]
async fn the_limit_comes_after_the_clis_if_the_cli_refuses_late_events() {
    let (sender, mut cancellations) = mpsc::channel(1);
    let hooks = Hooks::new().on_matching(PreToolUse, five_seconds(), move |_, cx| {
        let sender = sender.clone();
        async move {
            cx.cancelled.cancelled().await;
            sender.send(Instant::now()).await.unwrap();
            pending::<()>().await;
        }
    });
    let start = Instant::now();
    let (reply, took) = timed(hooks, callback("hook_0", pre_tool_use("Bash"))).await;
    let reason = &reply.unwrap()["hookSpecificOutput"]["permissionDecisionReason"];
    assert_eq!((reason.as_str(), took), (Some("the PreToolUse hook did not answer in time"), 15_000));
    let cancelled_after = within(cancellations.recv()).await.unwrap() - start;
    assert_eq!(cancelled_after.as_secs(), 10);
}

#[tokio::test(start_paused = true)]
async fn a_late_handler_is_an_error_if_nothing_is_to_be_refused() {
    let hooks = Hooks::new().on_matching(PostToolUse, five_seconds(), async |_, _| pending::<()>().await);
    let late = |event| Err(format!("the {event} hook did not answer in time"));
    assert_eq!(timed(hooks, callback("hook_0", post_tool_use())).await, (late("PostToolUse"), 15_000));
    let continues = five_seconds().on_failure(HookFailure::Continue);
    let hooks = Hooks::new().on_matching(Stop, continues, async |_, _| pending::<()>().await);
    assert_eq!(timed(hooks, stop()).await, (late("Stop"), 15_000));
}

/// At its limit the CLI would let the event pass without the replies of the other handlers.
#[tokio::test(start_paused = true)]
async fn late_handler_of_several_does_not_hold_back_the_replies_of_the_others() {
    let chain = Handlers::of(PostToolUse)
        .then(async |_, _| HookReply::<PostToolUse>::replace_output(RawJson::parse(r#""***""#).unwrap()))
        .then(async |_, _| pending::<()>().await)
        .then(async |_, _| HookReply::<PostToolUse>::context("redacted"));
    let hooks = Hooks::new().on_matching(PostToolUse, five_seconds(), chain.in_order());
    let output = json!({
        "hookEventName": "PostToolUse", "updatedToolOutput": "***", "additionalContext": "redacted"
    });
    let answer = (Ok(json!({"hookSpecificOutput": output})), 4_000);
    assert_eq!(timed(hooks, callback("hook_0", post_tool_use())).await, answer);
    // Nothing passes if the CLI refuses late events.
    let chain = Handlers::of(PreToolUse)
        .then(async |_, _| HookReply::ask("sure?"))
        .then(async |_, _| pending::<()>().await);
    let continues = five_seconds().on_failure(HookFailure::Continue);
    let hooks = Hooks::new().on_matching(PreToolUse, continues, chain.in_order());
    let late = Err("the PreToolUse hook did not answer in time".to_owned());
    assert_eq!(timed(hooks, callback("hook_0", pre_tool_use("Bash"))).await, (late, 15_000));
}

/// The handler that runs at the limit is cancelled, and not those after it.
#[tokio::test(start_paused = true)]
async fn handler_after_a_late_one_is_not_cancelled() {
    let chain = Handlers::of(PostToolUse)
        .then(async |_, cx: HookContext| cx.cancelled.cancelled().await)
        .then(async |_, cx: HookContext| {
            let is_cancelled = timeout(Duration::from_millis(500), cx.cancelled.cancelled()).await.is_ok();
            let text = if is_cancelled { "cancelled" } else { "goes on" };
            HookReply::<PostToolUse>::context(text)
        });
    let hooks = Hooks::new().on_matching(PostToolUse, five_seconds(), chain.in_order());
    let reply = timed(hooks, callback("hook_0", post_tool_use())).await.0.unwrap();
    assert_eq!(reply["hookSpecificOutput"]["additionalContext"], "goes on");
}

#[tokio::test(start_paused = true)]
async fn handlers_of_the_end_have_its_whole_limit() {
    let chain = Handlers::of(SessionEnd).then(async |_, _| {
        let _elapsed = timeout(Duration::from_secs(3), pending::<()>()).await;
    });
    let hooks = Hooks::new().on(SessionEnd, chain.in_order());
    let (reply, at) = timed(hooks, callback("hook_0", json!({"session_id": "s", "reason": "clear"}))).await;
    assert_eq!((reply, at), (Ok(json!({})), 3_000));
}

#[tokio::test(start_paused = true)]
async fn handlers_have_the_deadline_of_their_chain() {
    let (deadlines, mut received) = mpsc::channel(1);
    let chain = Handlers::of(PostToolUse).then(move |_, cx| {
        let deadlines = deadlines.clone();
        async move { deadlines.send(cx.deadline).await.unwrap() }
    });
    let hooks = Hooks::new().on_matching(PostToolUse, five_seconds(), chain.in_order());
    let start = Instant::now().into_std();
    timed(hooks, callback("hook_0", post_tool_use())).await.0.unwrap();
    let left = within(received.recv()).await.unwrap().unwrap() - start;
    assert_eq!(left.as_millis() / 10 * 10, 4_000);
}

#[tokio::test(start_paused = true)]
async fn the_context_has_the_deadline() {
    let (deadlines, mut received) = mpsc::channel(1);
    let tell = move |cx: HookContext| {
        let deadlines = deadlines.clone();
        async move { deadlines.send(cx.deadline).await.unwrap() }
    };
    let cases = [
        (Some(Duration::from_secs(5)), Some(4_000), Some(5_000)),
        (None, Some(598_000), Some(600_000)),
        (Some(Duration::MAX), None, None),
    ];
    for (limit, of_stop, of_tool) in cases {
        let matcher = || limit.map_or(Matcher::any(), |limit| Matcher::any().timeout(limit));
        let (one, other, last) = (tell.clone(), tell.clone(), tell.clone());
        let hooks = Hooks::new()
            .on_matching(Stop, matcher(), move |_, cx| one(cx))
            .on_matching(PreToolUse, matcher(), move |_, cx| other(cx))
            .on_matching(SessionEnd, matcher(), move |_, cx| last(cx));
        let mut cli = Cli::start(hooks).await;
        let tool = callback("hook_1", pre_tool_use("Bash"));
        let end = callback("hook_2", json!({"session_id": "s", "reason": "clear"}));
        for (request, expected) in [(stop(), of_stop), (tool, of_tool), (end, Some(1_500))] {
            let now = Instant::now().into_std();
            cli.exchange(request).await.unwrap();
            let deadline = within(received.recv()).await.unwrap();
            let left = deadline.map(|deadline| (deadline - now).as_millis() / 10 * 10);
            assert_eq!(left, expected, "{limit:?}");
        }
    }
}

#[tokio::test]
async fn the_end_of_the_session_fires_the_token() {
    let (events, mut came) = mpsc::channel(2);
    let hooks = Hooks::new().on(PreToolUse, move |_, cx| {
        let events = events.clone();
        async move {
            events.send("started").await.unwrap();
            cx.cancelled.cancelled().await;
            events.send("cancelled").await.unwrap();
        }
    });
    let cli = Cli::start(hooks).await;
    cli.ask("slow", callback("hook_0", pre_tool_use("Bash"))).await;
    assert_eq!(within(came.recv()).await, Some("started"));
    let answers = cli.end().await;
    assert_eq!(answers.len(), 1, "{answers:?}");
    let denial = &answers[0]["response"]["response"]["hookSpecificOutput"];
    assert_eq!(denial["permissionDecision"], "deny", "{answers:?}");
    assert_eq!(within(came.recv()).await, Some("cancelled"));
}

/// Three handlers of one event: one panics, and the others answer.
#[tokio::test]
async fn a_panic_in_one_hook_does_not_affect_the_others() {
    let hooks = Hooks::new()
        .on(PreToolUse, async |_, _| HookReply::allow())
        .on(PreToolUse, async |input, _| assert!(input.tool_name.is_empty(), "oh no"))
        .on(PreToolUse, async |_, cx| {
            // This handler is still running when the other one panics.
            tokio::task::yield_now().await;
            HookReply::context(&*cx.callback_id)
        });
    let mut cli = Cli::start(hooks).await;
    for index in 0..3 {
        cli.ask(&format!("r{index}"), callback(&format!("hook_{index}"), pre_tool_use("Bash"))).await;
    }
    let mut answers = Vec::new();
    for _ in 0..3 {
        answers.push(cli.answer().await);
    }
    answers.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    let outputs: Vec<Value> =
        answers.into_iter().map(|(_, answer)| answer.unwrap()["hookSpecificOutput"].take()).collect();
    assert_eq!(outputs[0]["permissionDecision"], "allow");
    assert_eq!(outputs[1]["permissionDecision"], "deny");
    assert_eq!(outputs[1]["permissionDecisionReason"], "the PreToolUse hook panicked: oh no");
    assert_eq!(outputs[2]["additionalContext"], "hook_2");
    // The session continues.
    let reply = cli.exchange(callback("hook_0", pre_tool_use("Read"))).await.unwrap();
    assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "allow");
}
