//! The CLI ends, or asks, while the handshake is open.

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
    runner::tests,
    told::{Told, ends_well, goes_on},
};

tests!(handshake:
    a_refused_resume, a_refused_start, no_answer, an_exit_right_after_it, input_is_refused_right_after_it,
    a_callback_in_the_handshake, an_unknown_request_in_the_handshake,
    given_up_handshakes_leave_nothing_after_seconds,
);

/// The error, which must not take as long as any limit.
async fn refused(cli: &FaultCli) -> Error {
    let start = Instant::now();
    let error = cli.connect_fails().await;
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    assert_eq!(error.ending().unwrap().exit.as_ref().unwrap().code, Some(1));
    error
}

impl FaultCli {
    async fn connect_fails(&self) -> Error {
        self.builder().connect().await.expect_err("a refusal")
    }
}

fn a_refused_resume() {
    play("refuse-resume", async |cli| {
        let error = refused(cli).await;
        let text = "No conversation found with session ID: 00000000-0000-4000-8000-00000000fa17";
        assert!(error.to_string().starts_with(text), "{error}");
    });
}

fn a_refused_start() {
    play("refuse-start", async |cli| {
        let error = refused(cli).await;
        assert!(error.to_string().contains("error: unknown option '--nope'"), "{error}");
    });
}

fn no_answer() {
    play("no-reply=initialize", async |cli| {
        // It has said nothing, and was given up; what is left of it then is looked at by the test's end.
        let connecting = cli.builder().connect();
        tokio::time::timeout(Duration::from_millis(200), connecting).await.expect_err("a handshake");
        let limit = Duration::from_millis(200);
        let error = cli.builder().handshake_limit(limit).connect().await.unwrap_err();
        let Error::Control(ControlError::TimedOut { subtype, after }) = &error else { panic!("{error:?}") };
        assert_eq!((&**subtype, *after), ("initialize", limit));
    });
}

fn an_exit_right_after_it() {
    play("exit-idle=9", async |cli| {
        let mut session = cli.connect().await;
        // Whether the pipe is known to be broken by then is not ours to say; the cause is told all the same.
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

fn input_is_refused_right_after_it() {
    play("close-stdin", async |cli| {
        let mut session = cli.hasty().connect().await.unwrap();
        let error = match session.ask("x".repeat(1_000_000)).await {
            Ok(turn) => turn.finish().await.expect_err("no result can come"),
            Err(error) => error,
        };
        assert!(error.ending().is_some(), "{error:?}");
        let told = Told::by(&mut session).await;
        assert_eq!(told.words, [""; 0]);
    });
}

fn a_callback_in_the_handshake() {
    play("early-request", async |cli| {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        let hooks = Hooks::new().on(PreToolUse, move |_, _| {
            counted.fetch_add(1, Ordering::SeqCst);
            async { HookReply::deny("too early") }
        });
        let mut session = cli.builder().hooks(hooks).connect().await.unwrap();
        assert_eq!(calls.load(Ordering::SeqCst), 1);
        let told = Told::turn(&mut session, "hi").await;
        let output = &told.answers()[0]["response"]["hookSpecificOutput"];
        assert_eq!(output["permissionDecisionReason"], "too early");
        ends_well(session).await;
    });
}

fn an_unknown_request_in_the_handshake() {
    play("early-request", async |cli| {
        let mut session = cli.connect().await;
        let told = Told::turn(&mut session, "hi").await;
        assert_eq!(told.said(), ["unhandled control_request", "fault_report", "assistant", "result"]);
        assert!(told.answers()[0]["error"].as_str().unwrap().contains("from_the_future"));
        goes_on(&mut session).await;
        ends_well(session).await;
    });
}

fn given_up_handshakes_leave_nothing_after_seconds() {
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
