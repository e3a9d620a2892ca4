//! The stream of observations: its start, its end, and that it never blocks the session.

use std::{
    future::pending,
    time::{Duration, SystemTime},
};

use agentwire::{
    Activity, Observation, Session,
    hooks::Hooks,
    protocol::hook::{PreToolUse, UserPromptSubmit},
    transport::ExitReport,
};
use serde_json::json;
use tokio::time::timeout;

use super::{rest, spans::RecordedSpans, tree};
use crate::peer::{assistant, connected, error_result, init, next_kind, pre_tool_use, result};

#[tokio::test(start_paused = true)]
async fn observers_begin_with_open_activities_and_end_with_the_session() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let first = session.observe();
    peer.say(init()).await;
    let used = json!({"type": "tool_use", "id": "t", "name": "Bash", "input": {}});
    let mut message = assistant("");
    message["message"]["content"] = json!([used]);
    peer.say(message).await;
    assert_eq!([next_kind(&mut session).await, next_kind(&mut session).await], ["system", "assistant"]);
    let second = session.observe();
    peer.say(result("done")).await;
    assert_eq!(next_kind(&mut session).await, "result");
    let third = session.observe();
    peer.close(session).await.unwrap();
    let whole = ["session done", "  turn 1 done", "    tool_use Bash cut"];
    let (first, second) = (rest(first).await, rest(second).await);
    assert_eq!(tree::of(&first), whole);
    assert_eq!(tree::of(&second), whole);
    assert_eq!(tree::of(&rest(third).await), ["session done"]);
    for all in [first, second] {
        let Some(Observation::Ended(last)) = all.last() else { panic!("{all:?}") };
        assert_eq!(last.began.activity, Activity::Session);
        assert_eq!(last.session_id.as_ref().map(|id| id.as_str()), Some("s"));
        assert!(last.began.at <= last.at && last.at <= SystemTime::now(), "{last:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn late_observer_sees_later_activities() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    peer.say(init()).await;
    assert_eq!(next_kind(&mut session).await, "system");
    drop(session.observe());
    let observations = session.observe();
    peer.say(assistant("hello")).await;
    peer.say(result("done")).await;
    assert_eq!([next_kind(&mut session).await, next_kind(&mut session).await], ["assistant", "result"]);
    peer.close(session).await.unwrap();
    assert_eq!(tree::of(&rest(observations).await), ["session done", "  turn 1 done"]);
}

#[tokio::test(start_paused = true)]
async fn dropped_session_ends_all_activities_immediately() {
    let (spans, _guard) = RecordedSpans::here();
    let hooks = Hooks::new().on(UserPromptSubmit, async |_, cx| {
        cx.cancelled.cancelled().await;
        // Its cleanup runs now.
        timeout(Duration::from_secs(1), pending::<()>()).await.unwrap_err();
    });
    let (mut session, mut peer) = connected(Session::builder().hooks(hooks)).await;
    let mut observations = session.observe();
    peer.say(init()).await;
    assert_eq!(next_kind(&mut session).await, "system");
    let input = json!({
        "hook_event_name": "UserPromptSubmit", "session_id": "s", "transcript_path": "/t", "cwd": "/", "prompt": "",
    });
    for id in ["a", "b"] {
        let request = json!({"subtype": "hook_callback", "callback_id": "hook_0", "input": input});
        peer.ask(id, request).await;
    }
    let mut seen = Vec::new();
    while seen.len() < 4 {
        seen.push(observations.next().await.unwrap());
    }
    peer.say(json!({"type": "control_cancel_request", "request_id": "a"})).await;
    // Before the handler has ended and before any other task runs.
    let cancelled = observations.next().await.unwrap();
    let Observation::Ended(ended) = &cancelled else { panic!("{cancelled:?}") };
    assert_eq!((ended.outcome.as_str(), ended.took < Duration::from_secs(1)), ("cancelled", true));
    seen.push(cancelled);
    drop(session);
    assert_eq!(peer.response("b").await["response"]["decision"], "block");
    peer.request("interrupt").await;
    assert!(peer.line().await.is_none());
    seen.extend(rest(observations).await);
    let expected = [
        "session cut",
        "  turn 1 cut",
        "    hook UserPromptSubmit cancelled",
        "    hook UserPromptSubmit cut",
    ];
    assert_eq!(tree::of(&seen), expected);
    // The handlers have a grace period, and their spans last as long.
    timeout(Duration::from_secs(10), pending::<()>()).await.unwrap_err();
    assert_eq!(spans.open(), 0, "{}", spans.text());
    assert_eq!(spans.tree(), expected);
}

#[tokio::test(start_paused = true)]
async fn open_hook_that_close_or_end_input_refuses_is_cancelled() {
    for ends_input in [false, true] {
        let hooks = Hooks::new().on(PreToolUse, async |_, _| pending::<()>().await);
        let (session, mut peer) = connected(Session::builder().hooks(hooks)).await;
        let mut observations = session.observe();
        peer.ask("a", pre_tool_use("Bash")).await;
        let mut seen = Vec::new();
        while seen.len() < 2 {
            seen.push(observations.next().await.unwrap());
        }
        if ends_input {
            session.end_input();
        }
        let (closed, response) = tokio::join!(session.close(), async {
            let response = peer.response("a").await;
            peer.exit_after_input().await;
            response
        });
        closed.unwrap();
        assert_eq!(response["response"]["hookSpecificOutput"]["permissionDecision"], "deny");
        seen.extend(rest(observations).await);
        assert_eq!(tree::of(&seen), ["session done", "  hook PreToolUse cancelled"]);
    }
}

#[tokio::test(start_paused = true)]
async fn unread_stream_blocks_nothing_and_counts_its_losses() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let (mut slow, mut quick) = (session.observe(), session.observe());
    const TURNS: u64 = 1000;
    let mut all = Vec::new();
    for _ in 0..TURNS / 100 {
        for _ in 0..100 {
            peer.say(init()).await;
            peer.say(result("done")).await;
        }
        for _ in 0..200 {
            session.next().await.unwrap().unwrap();
            all.push(quick.next().await.unwrap());
        }
    }
    peer.close(session).await.unwrap();
    all.extend(rest(quick).await);
    assert_eq!(all.len() as u64, 2 * TURNS + 2);
    let Some(Observation::Lagged(lost)) = slow.next().await else { panic!("it has lost none") };
    let rest = rest(slow).await;
    assert_eq!(rest.len() as u64 + lost, 2 * TURNS + 2);
    assert!(
        matches!(rest.last(), Some(Observation::Ended(last)) if last.began.activity == Activity::Session)
    );
}

#[tokio::test(start_paused = true)]
async fn session_that_ends_after_an_interrupt_is_no_fault() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let observations = session.observe();
    peer.say(init()).await;
    let mut interrupted = error_result("stopped");
    interrupted["terminal_reason"] = "aborted_streaming".into();
    peer.say(interrupted).await;
    assert_eq!(next_kind(&mut session).await, "system");
    assert_eq!(next_kind(&mut session).await, "result");
    let (closed, ()) = tokio::join!(session.close(), async {
        peer.input_ended().await;
        peer.exit(ExitReport::exited(1));
    });
    closed.unwrap();
    assert_eq!(tree::of(&rest(observations).await), ["session interrupted", "  turn 1 interrupted"]);
}

#[tokio::test(start_paused = true)]
async fn session_span_is_a_child_of_the_current_span() {
    use tracing::Instrument;

    let (spans, _guard) = RecordedSpans::here();
    let (session, mut peer) =
        connected(Session::builder()).instrument(tracing::info_span!("my request")).await;
    peer.say(init()).await;
    peer.close(session).await.unwrap_err();
    assert_eq!(spans.around("turn"), ["session", "my request"]);
}
