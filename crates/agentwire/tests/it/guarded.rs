//! Callbacks that are undecided when the session ends.

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use agentwire::{
    Decision, Session, SessionBuilder,
    control::Config,
    hooks::{Hooks, Matcher, PermissionHandler},
    protocol::{
        control::HookFailure,
        hook::{PreToolUse, Stop},
    },
    transport::{
        Connected, ExitReport, MemoryPeerHandle, MemorySink, MemorySource, MemoryTransport, Signal,
        Transport, TransportError, memory,
    },
};
use agentwire_testkit::Recorder;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use crate::peer::{Peer, connected, connected_to_a_process, pre_tool_use, result};

/// Returns a session with a hook that never decides, for an event that it can refuse.
fn undecided(matcher: Matcher) -> SessionBuilder {
    Session::builder()
        .hooks(Hooks::new().on_matching(PreToolUse, matcher, async |_, _| pending::<()>().await))
}

fn permission() -> Value {
    json!({"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "x".repeat(1000)}, "tool_use_id": "t"})
}

fn denies(response: &Value) -> bool {
    response["response"]["hookSpecificOutput"]["permissionDecision"] == "deny"
}

#[tokio::test(start_paused = true)]
async fn close_refuses_open_and_later_hooks_and_ends_the_input_when_idle() {
    let (session, mut peer) = connected_to_a_process(undecided(Matcher::any())).await;
    peer.receive_prompt(&session, "one").await;
    peer.ask("a", pre_tool_use("Bash")).await;
    peer.is_left_alone().await;
    let (closed, ()) = tokio::join!(session.close(), async {
        assert!(denies(&peer.response("a").await));
        peer.ask("b", pre_tool_use("Bash")).await;
        assert!(denies(&peer.response("b").await));
        peer.is_left_alone().await;
        peer.say(result("done")).await;
        peer.exit_after_input().await;
    });
    closed.unwrap();
}

#[tokio::test(start_paused = true)]
async fn close_terminates_a_guarded_turn_that_does_not_end_with_its_input_open() {
    let (session, mut peer) = connected_to_a_process(undecided(Matcher::any())).await;
    peer.receive_prompt(&session, "one").await;
    let (closed, ()) = tokio::join!(session.close(), async {
        assert!(timeout(Duration::from_secs(9), peer.line()).await.is_err());
        assert_eq!(peer.raw.terminated().await, Signal::Term);
        peer.is_left_alone().await;
        peer.exit(ExitReport::exited(143));
    });
    closed.unwrap_err();
}

/// A transport that records whether it is to hold the input.
struct Holding(MemoryTransport, Arc<AtomicBool>);

impl Transport for Holding {
    type Source = MemorySource;
    type Sink = MemorySink;
    type Handle = MemoryPeerHandle;

    fn hold_input(&mut self) {
        self.1.store(true, Relaxed);
    }

    async fn open(self) -> Result<Connected<MemorySource, MemorySink, MemoryPeerHandle>, TransportError> {
        self.0.open().await
    }
}

#[tokio::test]
async fn custom_transport_holds_the_input_if_a_hook_can_refuse() {
    let lenient = Matcher::any().on_failure(HookFailure::Continue);
    for (builder, expected) in
        [(undecided(Matcher::any()), true), (undecided(lenient), false), (Session::builder(), false)]
    {
        let (transport, peer) = memory(1 << 16);
        let (mut peer, holds) = (Peer::new(peer), Arc::new(AtomicBool::new(false)));
        let transport = Recorder::new().record(Holding(transport, Arc::clone(&holds)));
        let (session, _) = tokio::join!(builder.transport(transport).connect(), peer.shake_hands());
        session.unwrap();
        assert_eq!(holds.load(Relaxed), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn drop_in_a_guarded_turn_refuses_interrupts_and_terminates() {
    let (session, mut peer) = connected(undecided(Matcher::any())).await;
    peer.receive_prompt(&session, "one").await;
    peer.ask("a", pre_tool_use("Bash")).await;
    peer.is_left_alone().await;
    drop(session);
    assert!(denies(&peer.response("a").await));
    peer.request("interrupt").await;
    peer.input_ended().await;
    assert_eq!(peer.raw.terminations(), [Signal::Term]);
}

#[tokio::test(start_paused = true)]
async fn hooks_that_let_pass_or_have_the_model_go_on_guard_nothing() {
    let lenient = undecided(Matcher::any().on_failure(HookFailure::Continue));
    let stop = Session::builder().hooks(Hooks::new().on(Stop, async |_, _| pending::<()>().await));
    for builder in [lenient, stop] {
        let (session, mut peer) = connected(builder).await;
        peer.receive_prompt(&session, "one").await;
        peer.ask("a", pre_tool_use("Bash")).await;
        peer.is_left_alone().await;
        session.end_input();
        assert!(peer.refusal("a").await.contains("ending"));
        peer.input_ended().await;
    }
}

#[tokio::test(start_paused = true)]
async fn open_questions_do_not_delay_the_end() {
    let mut config = Config::default();
    (config.unread_soft_limit, config.unread_hard_limit) = (1024, 8192);
    let undecided = || {
        let handler = PermissionHandler::new(async |_, _| pending::<Decision>().await);
        Session::builder().permissions(handler).config(config.clone())
    };
    // The CLI dies.
    let (mut session, mut peer) = connected_to_a_process(undecided()).await;
    peer.receive_prompt(&session, "one").await;
    for number in 0..32 {
        peer.ask(&number.to_string(), permission()).await;
    }
    peer.exit(ExitReport::exited(7));
    let start = Instant::now();
    while let Some(Ok(_)) = session.next().await {}
    assert!(start.elapsed() < Duration::from_secs(10));
    // The session is closed.
    let (session, mut peer) = connected_to_a_process(undecided()).await;
    peer.receive_prompt(&session, "one").await;
    for number in 0..32 {
        peer.ask(&number.to_string(), permission()).await;
    }
    peer.is_left_alone().await;
    let (closed, ()) = tokio::join!(session.close(), async {
        while let Some(line) = peer.line().await {
            assert_eq!(line["response"]["response"]["behavior"], "deny", "{line}");
        }
        peer.exit(ExitReport::exited(0));
    });
    closed.unwrap_err();
}
