//! The blocking API: turns as iterators, callbacks between calls, and no panic in async code.

use std::{
    future::{pending, poll_fn},
    panic,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    task::Poll,
    thread::{self, JoinHandle},
    time::Duration,
};

use agentwire::{
    Error, Observation, Options, Session, SessionBuilder, Warning, blocking,
    control::Config,
    hooks::Hooks,
    protocol::{
        control::Interrupt,
        hook::{HookReply, PreToolUse},
    },
    transport::memory,
};
use serde_json::json;

use crate::peer::{Peer, assistant, kind, pre_tool_use, result};

/// Returns a session, and the thread of its peer.
fn played<T: Send + 'static>(
    builder: SessionBuilder,
    part: impl AsyncFnOnce(Peer) -> T + Send + 'static,
) -> (blocking::Session, JoinHandle<T>) {
    let (transport, peer) = memory(1 << 16);
    let playing = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut peer = Peer::new(peer);
            peer.shake_hands().await;
            tokio::time::timeout(LIMIT, part(peer)).await.expect("the peer hangs")
        })
    });
    (builder.transport(transport).connect_blocking().unwrap(), playing)
}

#[test]
fn a_turn_is_an_iterator() {
    let (mut session, peer) = played(Session::builder(), async |mut peer| {
        assert_eq!(peer.prompt().await, "hello");
        peer.complete_turn("hi").await;
        peer.exit_after_input().await;
    });
    let mut turn = session.ask("hello").unwrap();
    let kinds: Vec<String> = turn.by_ref().map(|incoming| kind(&incoming.unwrap())).collect();
    assert_eq!(kinds, ["assistant", "result"]);
    assert_eq!(turn.result().unwrap().result.as_deref(), Some("hi"));
    session.close().unwrap();
    peer.join().unwrap();
}

#[test]
fn a_query_ends_with_the_cli() {
    let (session, peer) = played(Session::builder(), async |mut peer| {
        peer.prompt().await;
        peer.say(result("done")).await;
        peer.exit_after_input().await;
    });
    let query = session.into_query("go").unwrap();
    assert_eq!(query.map(|incoming| kind(&incoming.unwrap())).collect::<Vec<_>>(), ["result"]);
    peer.join().unwrap();
}

#[test]
fn callbacks_run_while_no_call_is_under_way() {
    let hooks = Hooks::new().on(PreToolUse, async |_, _| HookReply::deny("not now"));
    let (answered, answer) = mpsc::channel();
    let (session, peer) = played(Session::builder().hooks(hooks), async move |mut peer| {
        peer.ask("h1", pre_tool_use("Write")).await;
        answered.send(peer.response("h1").await).unwrap();
        peer.exit_after_input().await;
    });
    let response = answer.recv_timeout(LIMIT).unwrap();
    assert_eq!(response["response"]["hookSpecificOutput"]["permissionDecision"], "deny", "{response}");
    session.close().unwrap();
    peer.join().unwrap();
}

#[test]
fn a_callback_may_block_on_a_call() {
    let control: Arc<OnceLock<blocking::ControlHandle>> = Arc::default();
    let called = Arc::clone(&control);
    let hooks = Hooks::new().on(PreToolUse, move |_, _| {
        let called = Arc::clone(&called);
        async move {
            let reply = called.get().expect("a control").call(&Interrupt::default());
            HookReply::deny(format!("{} wait", reply.unwrap().still_queued.len()))
        }
    });
    let (answered, answer) = mpsc::channel();
    let (session, peer) = played(Session::builder().hooks(hooks), async move |mut peer| {
        assert_eq!(peer.prompt().await, "go");
        peer.ask("h1", pre_tool_use("Write")).await;
        peer.answer("interrupt", json!({"still_queued": ["a"]})).await;
        answered.send(peer.response("h1").await).unwrap();
        peer.say(result("stopped")).await;
        peer.exit_after_input().await;
    });
    control.set(session.control()).unwrap();
    session.send("go").unwrap();
    let response = answer.recv_timeout(Duration::from_secs(20)).expect("the callback holds up the session");
    let reason = &response["response"]["hookSpecificOutput"]["permissionDecisionReason"];
    assert_eq!(reason, "1 wait", "{response}");
    session.close().unwrap();
    peer.join().unwrap();
}

#[test]
fn a_blocked_callback_holds_up_neither_calls_nor_the_end() {
    let (release, held) = mpsc::channel::<()>();
    let (begun, has_begun) = mpsc::channel();
    let held = Arc::new(Mutex::new(held));
    let hooks = Hooks::new().on(PreToolUse, move |_, _| {
        let (begun, held) = (begun.clone(), Arc::clone(&held));
        async move {
            begun.send(()).unwrap();
            // Blocks its thread until the test drops the sender.
            held.lock().unwrap().recv().unwrap_err();
            HookReply::deny("too late")
        }
    });
    let (session, peer) = played(Session::builder().hooks(hooks), async |mut peer| {
        peer.ask("h1", pre_tool_use("Write")).await;
        peer.answer("interrupt", json!({"still_queued": []})).await;
        let response = peer.response("h1").await;
        peer.exit_after_input().await;
        response
    });
    has_begun.recv_timeout(LIMIT).unwrap();
    let (done, is_done) = mpsc::channel();
    thread::spawn(move || {
        done.send(session.control().call(&Interrupt::default()).map(drop)).unwrap();
        done.send(session.close().map(drop)).unwrap();
    });
    for what in ["a call", "the end"] {
        let outcome = is_done.recv_timeout(Duration::from_secs(20));
        outcome.unwrap_or_else(|_| panic!("the callback holds up {what}")).unwrap();
    }
    let response = peer.join().unwrap();
    assert_eq!(response["response"]["hookSpecificOutput"]["permissionDecision"], "deny", "{response}");
    drop(release);
}

#[test]
fn session_that_is_dropped_with_open_callbacks_does_not_panic() {
    let panics = Arc::new(AtomicUsize::new(0));
    let (count, report) = (Arc::clone(&panics), panic::take_hook());
    panic::set_hook(Box::new(move |panic| {
        let is_of_a_session = thread::current().name() == Some("agentwire");
        count.fetch_add(usize::from(is_of_a_session), Ordering::Relaxed);
        report(panic);
    }));
    for _ in 0..20 {
        let (begun, has_begun) = mpsc::channel();
        let hooks = Hooks::new().on(PreToolUse, move |_, _| {
            let begun = begun.clone();
            async move {
                begun.send(()).unwrap();
                pending::<()>().await;
                HookReply::deny("never")
            }
        });
        let mut config = Config::default();
        config.callback_grace = Duration::from_millis(20);
        let builder = Session::builder().config(config).hooks(hooks);
        let (session, peer) = played(builder, async |peer| {
            for id in 0..10 {
                peer.ask(&format!("h{id}"), pre_tool_use("Write")).await;
            }
            peer.raw.released().await;
        });
        assert_eq!(has_begun.iter().take(10).count(), 10);
        drop(session);
        peer.join().unwrap();
        // Each callback holds a sender.
        assert_eq!(has_begun.iter().count(), 0);
    }
    assert_eq!(panics.load(Ordering::Relaxed), 0);
}

#[test]
fn leftovers_can_be_taken() {
    let (mut session, peer) = played(Session::builder(), async |mut peer| {
        let mut named = Vec::new();
        for _ in 0..2 {
            named.push(peer.line().await.unwrap()["uuid"].clone());
        }
        for prompt in &named {
            peer.say(json!({"type": "command_lifecycle", "command_uuid": prompt, "state": "started"})).await;
            peer.complete_turn("hi").await;
            peer.say(json!({"type": "command_lifecycle", "command_uuid": prompt, "state": "completed"}))
                .await;
        }
        peer.exit_after_input().await;
    });
    session.send("first").unwrap();
    let mut turn = session.ask("second").unwrap();
    assert!(turn.prompt().is_some());
    assert!(turn.by_ref().all(|incoming| incoming.is_ok()));
    let kinds: Vec<_> = turn.leftovers().iter().map(kind).collect();
    assert_eq!(kinds, ["command_lifecycle", "assistant", "result"]);
    assert!(session.leftovers().is_empty());
    assert!(session.warnings().is_empty());
    session.close().unwrap();
    peer.join().unwrap();
}

#[test]
fn another_thread_can_interrupt_a_turn() {
    let (mut session, peer) = played(Session::builder(), async |mut peer| {
        peer.prompt().await;
        peer.answer("interrupt", json!({"still_queued": []})).await;
        peer.say(result("stopped")).await;
        peer.exit_after_input().await;
    });
    let control = session.control();
    let turn = session.ask("go on for ever").unwrap();
    let interrupting = thread::spawn(move || control.call(&Interrupt::default()));
    let reply = interrupting.join().unwrap().unwrap();
    assert_eq!(reply.still_queued.len(), 0);
    assert_eq!(turn.finish().unwrap().unwrap().result.as_deref(), Some("stopped"));
    session.close().unwrap();
    peer.join().unwrap();
}

#[test]
fn running_turn_can_be_interrupted_and_reports_its_usage() {
    let (mut session, peer) = played(Session::builder(), async |mut peer| {
        peer.prompt().await;
        peer.say(assistant("one")).await;
        peer.answer("interrupt", json!({"still_queued": []})).await;
        let usage = json!({"input_tokens": 10, "output_tokens": 3});
        peer.say(json!({"type": "result", "subtype": "success", "is_error": false, "usage": usage})).await;
        peer.exit_after_input().await;
    });
    let mut turn = session.ask("count").unwrap();
    assert_eq!(kind(&turn.next().unwrap().unwrap()), "assistant");
    assert!(turn.usage().is_none());
    turn.control().call(&Interrupt::default()).unwrap();
    assert!(turn.by_ref().all(|incoming| incoming.is_ok()));
    assert_eq!(turn.usage().unwrap().output_tokens, 3);
    session.close().unwrap();
    peer.join().unwrap();
}

#[test]
fn handshake_is_repeated_and_the_status_of_servers_is_read() {
    let (mut session, peer) = played(Session::builder(), async |mut peer| {
        peer.answer("initialize", json!({"pid": 9})).await;
        peer.answer("mcp_status", json!({"mcpServers": [{"name": "a", "status": "connected"}]})).await;
        peer.exit_after_input().await;
    });
    assert_eq!(session.initialized().pid, Some(7));
    assert_eq!(session.reinitialize().unwrap().pid, Some(9));
    assert_eq!(session.initialized().pid, Some(9));
    assert_eq!(&*session.mcp_status().unwrap().mcp_servers[0].name, "a");
    session.close().unwrap();
    peer.join().unwrap();
}

#[test]
fn a_query_has_the_warnings_of_its_session() {
    // There is no session to fork.
    let builder = Session::builder().options(Options::new().fork_session());
    let (session, peer) = played(builder, async |mut peer| {
        peer.prompt().await;
        peer.say(result("done")).await;
        peer.exit_after_input().await;
    });
    let mut query = session.into_query("go").unwrap();
    let warnings = query.warnings();
    assert!(matches!(warnings, [Warning::NoEffect { option: "forkSession", .. }]), "{warnings:?}");
    assert!(query.all(|incoming| incoming.is_ok()));
    peer.join().unwrap();
}

#[test]
fn another_thread_can_observe_a_session() {
    let (mut session, peer) = played(Session::builder(), async |mut peer| {
        peer.prompt().await;
        peer.complete_turn("hi").await;
        peer.exit_after_input().await;
    });
    let (control, mut observations) = (session.control(), session.observe());
    let observing = thread::spawn(move || {
        let mut ended = Vec::new();
        while let Some(observation) = control.wait(observations.next()) {
            if let Observation::Ended(end) = observation {
                ended.push(end.began.activity.name());
            }
        }
        ended
    });
    session.ask("hello").unwrap().finish().unwrap();
    session.close().unwrap();
    assert_eq!(observing.join().unwrap(), ["turn", "session"]);
    peer.join().unwrap();
}

#[cfg(feature = "sessions")]
#[test]
fn store_handle_waits_for_an_entry() {
    let options = Options::new().env("CLAUDE_CONFIG_DIR", "/config");
    let store = Arc::new(agentwire::sessions::MemoryStore::new());
    let builder = Session::builder().options(options).session_store(store);
    let (session, peer) = played(builder, async |mut peer| {
        let file = "/config/projects/-src-app/0b0e7a3e-57a1-4a4c-8d3f-0d8c5a2f1b11.jsonl";
        let entries = json!([{"type": "user", "uuid": "1"}]);
        peer.say(json!({"type": "transcript_mirror", "filePath": file, "entries": entries})).await;
        peer.exit_after_input().await;
    });
    let handle = session.store_handle().unwrap();
    session.control().wait(handle.message_stored(&"1".into())).unwrap();
    session.close().unwrap();
    peer.join().unwrap();
}

#[test]
fn wake_up_is_not_lost_if_the_future_parks_its_thread() {
    let (session, peer) = played(Session::builder(), async |mut peer| peer.exit_after_input().await);
    let mut polled = false;
    session.control().wait(poll_fn(|context| {
        if polled {
            return Poll::Ready(());
        }
        polled = true;
        context.waker().wake_by_ref();
        // As a blocking receiver in the future does; it uses up the unpark.
        thread::park();
        Poll::Pending
    }));
    session.close().unwrap();
    peer.join().unwrap();
}

/// tokio's own `block_on` panics here.
#[tokio::test]
async fn works_and_is_dropped_in_async_code() {
    let (mut session, peer) = played(Session::builder(), async |mut peer| {
        peer.prompt().await;
        peer.complete_turn("hi").await;
        peer.input_ended().await;
    });
    assert_eq!(session.ask("hello").unwrap().text().unwrap(), "hi");
    drop(session);
    tokio::task::spawn_blocking(move || peer.join()).await.unwrap().unwrap();
}

/// Nothing replenishes the task's budget while its thread is blocked.
#[test]
fn number_of_calls_in_one_task_is_not_limited() {
    let (session, peer) = played(Session::builder(), async |mut peer| peer.exit_after_input().await);
    let (done, is_done) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let calls = async {
                for _ in 0..1000 {
                    tokio::task::coop::consume_budget().await;
                }
            };
            session.control().wait(calls);
        });
        session.close().unwrap();
        done.send(()).unwrap();
    });
    is_done.recv_timeout(Duration::from_secs(20)).expect("the calls hang");
    peer.join().unwrap();
}

#[test]
fn unclean_end_is_the_same_error() {
    let (mut session, peer) = played(Session::builder(), async |mut peer| {
        peer.prompt().await;
        peer.exit(agentwire::transport::ExitReport::exited(3));
    });
    let mut turn = session.ask("hello").unwrap();
    let error = turn.next().expect("an error").expect_err("an error");
    assert!(matches!(&error, Error::Ended(ending) if ending.in_turn), "{error:?}");
    assert!(turn.next().is_none());
    peer.join().unwrap();
}

/// Far longer than anything here takes, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);
