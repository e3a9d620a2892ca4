//! The CLI exits or sends requests while the handshake is open.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use agentwire::{
    ControlError, Error,
    hooks::Hooks,
    protocol::hook::{HookReply, PreToolUse},
};

use crate::{
    fault_cli::{BELOW_GRACE, FaultCli, play},
    received::{Received, completes_a_turn_and_closes},
    runner::tests,
};

tests!(handshake:
    refused_resume_fails_with_the_result_text, refused_start_fails_with_stderr, handshake_without_answer_times_out, exit_after_the_handshake_is_reported, closed_input_after_the_handshake_is_reported,
    callback_in_the_handshake_is_answered, unknown_request_in_the_handshake_gets_an_error_reply,
    abandoned_handshakes_leave_nothing_after_seconds,
);

/// Returns the error, which must arrive before any time limit.
async fn refused(cli: &FaultCli) -> Error {
    let start = Instant::now();
    let error = cli.builder().connect().await.expect_err("a refusal");
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    assert_eq!(error.ending().unwrap().exit.as_ref().unwrap().code, Some(1));
    error
}

fn refused_resume_fails_with_the_result_text() {
    play("refuse-resume", async |cli| {
        let error = refused(cli).await;
        let text = "No conversation found with session ID: 00000000-0000-4000-8000-00000000fa17";
        assert!(error.to_string().starts_with(text), "{error}");
    });
}

fn refused_start_fails_with_stderr() {
    play("refuse-start", async |cli| {
        let error = refused(cli).await;
        assert!(error.to_string().contains("error: unknown option '--nope'"), "{error}");
    });
}

fn handshake_without_answer_times_out() {
    play("no-reply=initialize", async |cli| {
        // The CLI sent nothing and was abandoned; the end of the test checks what remains of it.
        let connecting = cli.builder().connect();
        tokio::time::timeout(Duration::from_millis(200), connecting).await.expect_err("a handshake");
        let limit = Duration::from_millis(200);
        let error = cli.builder().handshake_limit(limit).connect().await.unwrap_err();
        let Error::Control(ControlError::TimedOut { subtype, after, .. }) = &error else {
            panic!("{error:?}")
        };
        assert_eq!((&**subtype, *after), ("initialize", limit));
    });
}

fn exit_after_the_handshake_is_reported() {
    play("exit-idle=9", async |cli| {
        let mut session = cli.connect().await;
        // Whether the broken pipe is noticed by then is undefined; the cause is reported in any case.
        let error = match session.ask("x".repeat(1_000_000)).await {
            Ok(turn) => turn.finish().await.expect_err("no result can come"),
            Err(error) => error,
        };
        let exit = error.ending().unwrap_or_else(|| panic!("{error:?}")).exit.clone().unwrap();
        assert_eq!((exit.code, &*exit.stderr_tail), (Some(9), "fatal: nothing to do\n"));
        let error = session.set_model(Some("m")).await.unwrap_err();
        assert_eq!(error.ending().unwrap().exit.as_ref().unwrap().code, Some(9));
    });
}

fn closed_input_after_the_handshake_is_reported() {
    play("close-stdin", async |cli| {
        let mut session = cli.hasty().connect().await.unwrap();
        let error = match session.ask("x".repeat(1_000_000)).await {
            Ok(turn) => turn.finish().await.expect_err("no result can come"),
            Err(error) => error,
        };
        assert!(error.ending().is_some(), "{error:?}");
        let received = Received::by(&mut session).await;
        assert_eq!(received.words, [""; 0]);
    });
}

fn callback_in_the_handshake_is_answered() {
    play("early-request", async |cli| {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        let hooks = Hooks::new().on(PreToolUse, move |_, _| {
            counted.fetch_add(1, Ordering::SeqCst);
            async { HookReply::deny("too early") }
        });
        let mut session = cli.builder().hooks(hooks).connect().await.unwrap();
        assert_eq!(calls.load(Ordering::SeqCst), 1);
        let received = Received::turn(&mut session, "hi").await;
        let output = &received.answers()[0]["response"]["hookSpecificOutput"];
        assert_eq!(output["permissionDecisionReason"], "too early");
        session.close().await.unwrap();
    });
}

fn unknown_request_in_the_handshake_gets_an_error_reply() {
    play("early-request", async |cli| {
        let (session, received) = cli.turn().await;
        assert_eq!(received.kinds(), ["unhandled control_request", "fault_report", "assistant", "result"]);
        assert!(received.answers()[0]["error"].as_str().unwrap().contains("from_the_future"));
        completes_a_turn_and_closes(session).await;
    });
}

fn abandoned_handshakes_leave_nothing_after_seconds() {
    for faults in ["no-reply=initialize deaf", "no-reply=initialize stubborn"] {
        play(faults, async |cli| {
            let mut connecting: Vec<_> = (0..50).map(|_| Box::pin(cli.builder().connect())).collect();
            for connecting in &mut connecting {
                let limit = Duration::from_millis(1);
                tokio::time::timeout(limit, connecting).await.expect_err("a handshake");
            }
            let given_up = Instant::now();
            drop(connecting);
            cli.leaves_nothing();
            assert!(given_up.elapsed() < BELOW_GRACE, "{:?}", given_up.elapsed());
        });
    }
}
