//! A session of many turns: which messages belong to a turn, control requests between turns, and closing.

use std::{
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use agentwire::{
    ControlError, EndedBy, Error, Incoming, Message, Options, PermissionMode, Query, Session, SystemPrompt,
    Turn,
    protocol::control::{ErrorCode, Interrupt},
    transport::{ExitReport, Signal, memory},
};
use serde_json::json;
use tokio::time::{Instant, advance, timeout};

use crate::peer::{
    Peer, assistant, connect, connected, connected_to_a_process, error_result, fails, init, next_kind, rest,
    result, state,
};

#[tokio::test(start_paused = true)]
async fn ask_returns_the_turn() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    assert_eq!(session.initialized().pid, Some(7));
    let mut turn = session.ask("hi").await.unwrap();
    assert_eq!(peer.prompt().await, "hi");
    peer.complete_turn("hello").await;
    assert_eq!(rest(&mut turn).await, ["assistant", "result"]);
    assert_eq!(turn.result().unwrap().result.as_deref(), Some("hello"));
    assert!(turn.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_turn_ends_at_its_result() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let mut turn = peer.start_turn(&mut session, "one").await;
    for line in [result("one"), state("idle").to_string(), result("background")] {
        peer.say(line).await;
    }
    assert_eq!(rest(&mut turn).await, ["result"]);
    assert_eq!(turn.result().unwrap().result.as_deref(), Some("one"));
    // Later messages belong to no turn, and are not lost.
    assert_eq!(next_kind(&mut session).await, "system");
    assert_eq!(next_kind(&mut session).await, "result");
}

#[tokio::test(start_paused = true)]
async fn unread_end_does_not_end_the_next_turn() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    peer.receive_prompt(&session, "one").await;
    peer.say(result("one")).await;
    assert_eq!(next_kind(&mut session).await, "result");
    let mut turn = peer.start_turn(&mut session, "two").await;
    peer.say(result("two")).await;
    // Left at the result, without waiting for the `None` after it.
    let Some(Ok(Incoming::Message(Message::Result(outcome), _))) = turn.next().await else {
        panic!("no result")
    };
    assert_eq!(outcome.result.as_deref(), Some("two"));
    let turn = peer.start_turn(&mut session, "three").await;
    peer.say(result("three")).await;
    assert_eq!(turn.finish().await.unwrap().unwrap().result.as_deref(), Some("three"));
}

#[tokio::test(start_paused = true)]
async fn a_dropped_turn_loses_nothing() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let mut turn = peer.start_turn(&mut session, "one").await;
    peer.say(assistant("a")).await;
    peer.say(assistant("b")).await;
    peer.say(result("one")).await;
    turn.next().await.unwrap().unwrap();
    assert_eq!(rest(&mut session.turn()).await, ["assistant", "result"]);
}

#[tokio::test(start_paused = true)]
async fn control_requests_return_their_replies() {
    let (session, mut peer) = connected(Session::builder()).await;
    let (reply, ()) = tokio::join!(session.interrupt(), async {
        peer.answer("interrupt", json!({"still_queued": ["u1"]})).await;
    });
    assert_eq!(reply.unwrap().still_queued[0].as_str(), "u1");
    let (reply, ()) = tokio::join!(session.set_model(Some("m2")), async {
        let request = peer.answer("set_model", json!({"model": "m2"})).await;
        assert_eq!(request["request"], json!({"subtype": "set_model", "model": "m2"}));
    });
    assert_eq!(reply.unwrap().model.as_deref(), Some("m2"));
    let (reply, ()) = tokio::join!(session.set_permission_mode(PermissionMode::Plan), async {
        let request = peer.answer("set_permission_mode", json!({"mode": "plan"})).await;
        assert_eq!(request["request"]["mode"], "plan");
    });
    assert_eq!(reply.unwrap().mode, Some(PermissionMode::Plan));
    let (reply, ()) = tokio::join!(session.mcp_status(), async {
        peer.answer("mcp_status", json!({"mcpServers": [{"name": "a", "status": "connected"}]})).await;
    });
    assert_eq!(&*reply.unwrap().mcp_servers[0].name, "a");
}

#[tokio::test(start_paused = true)]
async fn an_error_reply_is_typed() {
    let (session, mut peer) = connected(Session::builder()).await;
    let (reply, ()) = tokio::join!(session.set_permission_mode(PermissionMode::BypassPermissions), async {
        let request = peer.request("set_permission_mode").await;
        peer.refuse(&request, "not launched with it", "bypass_not_launched").await;
    });
    let error = reply.unwrap_err();
    let Error::Control(ControlError::Rejected { subtype, message, code, .. }) = &error else {
        panic!("{error:?}")
    };
    assert_eq!((&**subtype, message.as_str()), ("set_permission_mode", "not launched with it"));
    assert_eq!(code, &Some(ErrorCode::BypassNotLaunched));
    assert!(error.report().to_string().contains("not launched with it"));
}

#[tokio::test(start_paused = true)]
async fn system_prompt_is_sent_in_the_handshake() {
    let options = Options::new().system_prompt(SystemPrompt::Text("be brief".to_owned()));
    let (session, _, request) = connect(Session::builder().options(options), Peer::shake_hands).await;
    session.unwrap();
    assert_eq!(request["request"], json!({"subtype": "initialize", "systemPrompt": ["be brief"]}));
}

#[tokio::test(start_paused = true)]
async fn requests_are_answered_in_the_handshake() {
    let (session, _peer, ()) = connect(Session::builder(), async |peer| {
        let request = peer.request("initialize").await;
        // The real CLI first sends requests to MCP servers, and answers the handshake after their replies.
        peer.ask("m1", json!({"subtype": "not_known_yet"})).await;
        assert!(peer.refusal("m1").await.contains("not_known_yet"));
        peer.reply(&request, json!({})).await;
    })
    .await;
    assert_eq!(next_kind(&mut session.unwrap()).await, "unhandled control_request");
}

#[tokio::test(start_paused = true)]
async fn refused_or_silent_handshake_is_an_error() {
    let (session, peer, ()) = connect(Session::builder(), async |peer| {
        let request = peer.request("initialize").await;
        peer.refuse(&request, "no", "c").await;
    })
    .await;
    assert!(matches!(session, Err(Error::Control(ControlError::Rejected { .. }))));
    peer.raw.released().await;

    let (transport, peer) = memory(1 << 16);
    peer.set_stderr_tail("fatal: no server\n");
    let error = Session::builder().transport(transport).connect().await.unwrap_err();
    let Error::Control(error @ ControlError::TimedOut { .. }) = error else { panic!("{error:?}") };
    assert!(error.to_string().ends_with(", stderr: fatal: no server"), "{error}");
    peer.released().await;
}

#[tokio::test(start_paused = true)]
async fn end_in_the_handshake_is_in_the_error_with_the_output_of_another_program() {
    let nologin = "This account is currently not available.";
    for (output, expected) in [
        ("", "the session ended (in the handshake) (exit code 1)"),
        (nologin, &*format!("the session ended (output that is not JSON: `{nologin}`) (exit code 1)")),
    ] {
        let (transport, peer) = memory(1 << 16);
        let connecting = tokio::spawn(Session::builder().transport(transport).connect());
        let mut peer = Peer::new(peer);
        peer.request("initialize").await;
        peer.say(output).await;
        peer.exit(ExitReport::exited(1));
        drop(peer);
        let error = connecting.await.unwrap().unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_dropped_connect_ends_the_peer() {
    let (transport, peer) = memory(1 << 16);
    let mut peer = Peer::new(peer);
    let connecting = tokio::spawn(Session::builder().transport(transport).connect());
    peer.request("initialize").await;
    connecting.abort();
    peer.raw.released().await;
}

#[tokio::test(start_paused = true)]
async fn close_ends_the_cli() {
    let (session, mut peer) = connected(Session::builder()).await;
    peer.close(session).await.unwrap();
    peer.raw.released().await;
    assert_eq!(peer.raw.terminations(), []);
}

#[tokio::test(start_paused = true)]
async fn close_lets_a_turn_end() {
    let (session, mut peer) = connected(Session::builder()).await;
    peer.receive_prompt(&session, "one").await;
    let (closed, ()) = tokio::join!(session.close(), async {
        peer.input_ended().await;
        advance(Duration::from_secs(9)).await;
        peer.say(result("one")).await;
        peer.exit(ExitReport::exited(0));
    });
    closed.unwrap();
}

/// The CLI exits with 1 after an error result.
#[tokio::test(start_paused = true)]
async fn close_does_not_repeat_an_error_result_that_was_read() {
    for is_read in [true, false] {
        let (mut session, mut peer) = connected(Session::builder()).await;
        peer.receive_prompt(&session, "one").await;
        peer.say(error_result("out of luck")).await;
        if is_read {
            assert_eq!(next_kind(&mut session).await, "result");
        }
        let (closed, ()) = tokio::join!(session.close(), async {
            peer.input_ended().await;
            peer.exit(ExitReport::exited(1));
        });
        match closed {
            Ok(closed) => assert!(is_read && closed.exit.unwrap().code == Some(1)),
            Err(error) => assert!(!is_read && error.to_string().contains("out of luck"), "{error}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn interrupted_turn_is_no_error_at_close() {
    // CLI 2.1.330 ends the turn with a result, and exits with 1.
    for (reason, code) in [(None, 0), (Some("aborted_streaming"), 1), (Some("aborted_tools"), 1)] {
        let (session, mut peer) = connected(Session::builder()).await;
        peer.receive_prompt(&session, "one").await;
        let (interrupted, ()) = tokio::join!(session.interrupt(), async {
            peer.answer("interrupt", json!({})).await;
        });
        interrupted.unwrap();
        if let Some(reason) = reason {
            let mut aborted = error_result("[ede_diagnostic] aborted");
            aborted["terminal_reason"] = reason.into();
            peer.say(aborted).await;
        }
        let (closed, ()) = tokio::join!(session.close(), async {
            peer.input_ended().await;
            peer.exit(ExitReport::exited(code));
        });
        assert_eq!(closed.unwrap().exit.unwrap().code, Some(code), "{reason:?}");
    }
}

/// As after a SIGINT to the CLI, which then exits with 0.
#[tokio::test(start_paused = true)]
async fn turn_that_was_aborted_without_an_interrupt_is_an_error_at_close() {
    let (session, mut peer) = connected(Session::builder()).await;
    peer.receive_prompt(&session, "one").await;
    let mut aborted = error_result("[ede_diagnostic] aborted");
    aborted["terminal_reason"] = "aborted_streaming".into();
    peer.say(aborted).await;
    let (closed, ()) = tokio::join!(session.close(), async {
        peer.input_ended().await;
        peer.exit(ExitReport::exited(0));
    });
    let error = closed.unwrap_err();
    assert!(!error.ending().unwrap().interrupted, "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn close_is_bounded() {
    let (session, mut peer) = connected(Session::builder()).await;
    peer.receive_prompt(&session, "one").await;
    let start = Instant::now();
    let error = session.close().await.unwrap_err();
    assert!(start.elapsed() <= Duration::from_secs(21), "{:?}", start.elapsed());
    assert_eq!(peer.raw.terminations(), [Signal::Term, Signal::Kill]);
    peer.raw.released().await;
    let ending = error.ending().unwrap();
    assert!(ending.in_turn);
    assert!(error.to_string().contains("could not be terminated"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn close_reports_the_shutdown_step() {
    let (session, peer) = connected(Session::builder()).await;
    let (closed, ()) = tokio::join!(session.close(), async {
        assert_eq!(peer.raw.terminated().await, Signal::Term);
        peer.exit(ExitReport::exited(143));
    });
    let closed = closed.unwrap();
    assert_eq!((closed.exit.unwrap().code, closed.by), (Some(143), EndedBy::Terminated));
}

#[tokio::test(start_paused = true)]
async fn end_of_input_lets_the_turn_finish() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    session.send("one").await.unwrap();
    session.end_input();
    assert_eq!(peer.prompt().await, "one");
    peer.input_ended().await;
    assert!(timeout(Duration::from_secs(1800), peer.raw.terminated()).await.is_err());
    peer.say(result("one")).await;
    assert_eq!(next_kind(&mut session).await, "result");
    // Now that nothing runs, the shutdown timer runs.
    let error = fails(&mut session).await;
    assert!(error.to_string().contains("could not be terminated"), "{error}");
    assert_eq!(peer.raw.terminations(), [Signal::Term, Signal::Kill]);
}

/// The end of the first turn starts the timer; the turn of the second prompt, begun within it, stops it.
#[tokio::test(start_paused = true)]
async fn end_of_input_lets_a_late_turn_finish() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    session.send("one").await.unwrap();
    session.send("two").await.unwrap();
    session.end_input();
    assert_eq!(peer.prompt().await, "one");
    assert_eq!(peer.prompt().await, "two");
    peer.input_ended().await;
    assert!(timeout(Duration::from_secs(1800), peer.raw.terminated()).await.is_err());
    peer.say(result("one")).await;
    assert_eq!(next_kind(&mut session).await, "result");
    // Keeps reading, so that the end of the first run is processed before the second turn begins.
    assert!(timeout(Duration::from_secs(1), session.next()).await.is_err());
    peer.say(init()).await;
    assert_eq!(next_kind(&mut session).await, "system");
    assert!(timeout(Duration::from_secs(1800), peer.raw.terminated()).await.is_err());
    peer.say(result("two")).await;
    assert_eq!(next_kind(&mut session).await, "result");
    // Now that nothing runs, the shutdown timer runs.
    let error = fails(&mut session).await;
    assert!(error.to_string().contains("could not be terminated"), "{error}");
    assert_eq!(peer.raw.terminations(), [Signal::Term, Signal::Kill]);
}

#[tokio::test(start_paused = true)]
async fn end_of_input_ends_an_idle_session() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    session.end_input();
    assert!(matches!(session.send("late").await, Err(Error::Control(ControlError::InputEnded { .. }))));
    let (next, ()) = tokio::join!(session.next(), peer.exit_after_input());
    assert!(next.is_none());
    assert!(matches!(session.send("later").await, Err(Error::Ended(_))));
}

#[tokio::test(start_paused = true)]
async fn dropping_ends_the_peer() {
    let (session, mut peer) = connected(Session::builder()).await;
    peer.receive_prompt(&session, "one").await;
    let control = session.control().clone();
    drop(session);
    peer.raw.released().await;
    assert!(matches!(control.call(&Interrupt::default()).await, Err(ControlError::Closed { .. })));
}

#[test]
fn dropping_needs_no_runtime_to_run() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (session, peer) = runtime.block_on(connected(Session::builder()));
    // The runtime exists but is not polled.
    drop(session);
    let released = pin!(peer.raw.released()).poll(&mut Context::from_waker(Waker::noop()));
    assert_eq!(released, Poll::Ready(()));
}

#[test]
fn session_without_its_runtime_returns_an_error() {
    let build = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (mut session, peer) = build().block_on(connected(Session::builder()));
    let (closing, _other_peer) = build().block_on(connected(Session::builder()));
    let test = async {
        peer.raw.released().await;
        assert!(matches!(fails(&mut session).await, Error::Ended(_)));
        assert!(matches!(session.interrupt().await, Err(Error::Ended(_))));
        // The CLI is not gone yet: it ends in the background.
        let closed = closing.close().await;
        assert!(matches!(closed, Err(Error::Ended(_))), "{closed:?}");
    };
    // This clock is not paused.
    build().block_on(async { timeout(Duration::from_secs(30), test).await.expect("it hangs") });
}

#[test]
fn connecting_needs_a_runtime() {
    let (transport, _peer) = memory(1 << 16);
    let mut connecting = pin!(Session::builder().transport(transport).connect());
    let Poll::Ready(connected) = connecting.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
        panic!("it waits")
    };
    let error = connected.unwrap_err();
    assert!(error.report().to_string().contains("runtime"), "{}", error.report());
}

#[tokio::test(start_paused = true)]
async fn an_error_result_is_a_result() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let turn = peer.start_turn(&mut session, "one").await;
    peer.say(error_result("out of luck")).await;
    let outcome = turn.finish().await.unwrap().unwrap();
    assert_eq!(outcome.error_text().as_deref(), Some("out of luck"));
    // The session continues, and its clean end is no error.
    let turn = peer.start_turn(&mut session, "two").await;
    peer.say(assistant("fine")).await;
    peer.say(result("two")).await;
    turn.finish().await.unwrap().unwrap();
    peer.close(session).await.unwrap();
}

#[test]
fn types_are_as_users_need_them() {
    fn send<T: Send + 'static>() {}
    fn send_future<F: Future + Send>(_: impl FnOnce() -> F) {}
    send::<Session>();
    send::<Query>();
    send::<Turn<'static>>();
    send_future(|| Session::connect(Options::new()));
    send_future(|| agentwire::query("hi", Options::new()));
    assert!(size_of::<Error>() <= 128, "{}", size_of::<Error>());
}

#[tokio::test(start_paused = true)]
async fn close_ends_a_cli_that_closed_its_output_and_lives_on() {
    let (session, mut peer) = connected_to_a_process(Session::builder()).await;
    peer.raw.close_output();
    let closing = tokio::spawn(session.close());
    peer.input_ended().await;
    let start = Instant::now();
    assert_eq!(peer.raw.terminated().await, Signal::Term);
    // The timer ran since the output was closed, and was not restarted.
    assert!(start.elapsed() <= Duration::from_secs(10), "{:?}", start.elapsed());
    assert!(!closing.is_finished());
    peer.raw.end(ExitReport::signalled(15));
    let closed = closing.await.unwrap().unwrap();
    assert_eq!((closed.exit.unwrap().signal, closed.by), (Some(15), EndedBy::Terminated));
    assert_eq!(peer.raw.terminations(), [Signal::Term]);
}

#[tokio::test(start_paused = true)]
async fn a_cli_that_closed_its_output_is_ended_without_a_close() {
    let (mut session, peer) = connected_to_a_process(Session::builder()).await;
    peer.raw.close_output();
    // The end is reported immediately, regardless of what the process does afterwards.
    let error = fails(&mut session).await;
    assert!(error.to_string().contains("closed its output and did not exit"), "{error}");
    assert_eq!(peer.raw.terminations(), []);
    assert_eq!(peer.raw.terminated().await, Signal::Term);
    // Closing is also bounded if no task makes progress.
    let start = Instant::now();
    session.close().await.unwrap();
    assert!(start.elapsed() <= Duration::from_secs(21), "{:?}", start.elapsed());
    assert_eq!(peer.raw.terminations(), [Signal::Term, Signal::Kill]);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_session_is_the_same_whenever_it_is_read() {
    let (mut session, peer) = connected_to_a_process(Session::builder()).await;
    peer.raw.close_output();
    assert_eq!(peer.raw.terminated().await, Signal::Term);
    let error = fails(&mut session).await;
    assert!(error.to_string().contains("closed its output and did not exit"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn no_field_of_the_handshake_is_needed() {
    for reply in [
        json!({"models": null, "commands": {}, "agents": 1, "pid": "7", "output_style": [], "account": {}}),
        json!([]),
        json!("hello"),
    ] {
        let answered =
            connect(Session::builder(), async |peer| peer.answer("initialize", reply.clone()).await);
        let (session, ..) = answered.await;
        let session = session.unwrap();
        assert_eq!(session.initialized().pid, None);
        assert!(session.initialized().models.is_empty());
        let raw = session.initialized().raw.as_ref().unwrap();
        assert_eq!(raw.decode::<serde_json::Value>().unwrap(), reply);
    }
}
