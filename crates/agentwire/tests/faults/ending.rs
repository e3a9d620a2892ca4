//! The CLI ends in the middle of its work: earlier messages are delivered, then one cause.

use std::{path::PathBuf, sync::mpsc, time::Duration};

use agentwire::{ControlError, Error, control::Config, query};

use crate::{
    fault_cli::play,
    left::{BOUND, kill},
    received::{Received, completes_a_turn},
    runner::tests,
};

tests!(ending:
    crash_is_reported_after_earlier_messages, crash_ends_a_query_with_an_error, crash_keeps_the_end_of_a_stderr_flood, crash_fails_every_call, kill_is_reported_with_its_signal, error_result_is_reported_with_the_exit_code,
    exit_0_during_a_turn_is_an_error, truncated_result_is_an_error, end_is_reported_though_a_grandchild_holds_stdout, end_is_reported_though_a_stranger_holds_stdout,
    end_is_reported_though_a_stranger_holds_stderr, kill_of_an_idle_cli_is_reported, crash_of_an_unread_session_loses_no_messages, truncated_query_ends_with_an_error, closed_stdout_ends_the_session,
);

fn crash_is_reported_after_earlier_messages() {
    play("crash=7", async |cli| {
        let (sender, lines) = mpsc::channel();
        let builder = cli.builder().on_stderr(move |line| sender.send(line.to_owned()).unwrap());
        let (session, received) = Received::to_the_end(builder).await;
        assert_eq!(received.words, ["system session_state_changed", "system init", "assistant"]);
        is_a_crash(received.error(), 7);
        assert_eq!(lines.recv_timeout(BOUND).unwrap(), "fatal: out of memory");
        // The error was reported once.
        session.close().await.unwrap();
    });
}

fn is_a_crash(error: &Error, code: i32) {
    let ending = error.ending().expect("an ending");
    assert!(ending.in_turn);
    let exit = ending.exit.as_ref().unwrap();
    assert_eq!((exit.code, exit.signal), (Some(code), None));
    assert!(exit.stderr_tail.ends_with("fatal: out of memory\n"), "{exit:?}");
    for part in [&*format!("exit code {code}"), "fatal: out of memory", "in the middle of a turn"] {
        assert!(error.to_string().contains(part), "{error}");
    }
}

fn crash_ends_a_query_with_an_error() {
    play("crash", async |cli| {
        let mut query = query("hi", cli.options()).await.unwrap();
        let received = Received::by_query(&mut query).await;
        assert_eq!(received.kinds(), ["assistant"]);
        is_a_crash(received.error(), 3);
    });
}

fn crash_keeps_the_end_of_a_stderr_flood() {
    play("crash stderr-flood=10000000", async |cli| {
        let (_session, received) = Received::to_the_end(cli.builder()).await;
        is_a_crash(received.error(), 3);
        let tail = &received.error().ending().unwrap().exit.as_ref().unwrap().stderr_tail;
        assert!(tail.contains("\nthe last line of stderr\n"), "{tail}");
        assert!(tail.len() <= 1 << 20, "{}", tail.len());
    });
}

fn crash_fails_every_call() {
    play("crash no-reply", async |cli| {
        let mut session = cli.connect().await;
        let control = session.control().clone();
        let call =
            tokio::spawn(
                async move { control.call(&agentwire::protocol::control::McpStatus::default()).await },
            );
        let finished = session.ask("hi").await.unwrap().finish().await;
        is_a_crash(&finished.unwrap_err(), 3);
        let error = call.await.unwrap().unwrap_err();
        assert!(matches!(error, ControlError::Closed { .. }), "{error:?}");
        // For the user of a session it is the end of the session.
        is_a_crash(&error.into(), 3);
        // Later calls fail as well.
        is_a_crash(&session.interrupt().await.unwrap_err(), 3);
        is_a_crash(&session.send("late").await.unwrap_err(), 3);
    });
}

fn kill_is_reported_with_its_signal() {
    play("killed", async |cli| {
        let (_session, received) = Received::to_the_end(cli.builder()).await;
        assert_eq!(received.kinds(), ["assistant"]);
        let ending = received.error().ending().unwrap();
        let exit = ending.exit.as_ref().unwrap();
        assert_eq!((ending.in_turn, exit.code, exit.signal), (true, None, Some(9)));
    });
}

fn error_result_is_reported_with_the_exit_code() {
    play("error-result", async |cli| {
        let mut session = cli.connect().await;
        let result = session.ask("hi").await.unwrap().finish().await.unwrap().expect("a result");
        assert!(result.is_error);
        assert_eq!(result.result.as_deref(), Some("API Error: out of luck"));
        let error = Received::by(&mut session).await.error.expect("an error");
        assert!(error.to_string().starts_with("API Error: out of luck"), "{error}");
        let ending = error.ending().unwrap();
        assert_eq!((ending.in_turn, ending.exit.as_ref().unwrap().code), (false, Some(1)));
    });
}

fn exit_0_during_a_turn_is_an_error() {
    play("exit-in-turn", async |cli| {
        let (_session, received) = cli.turn().await;
        assert_eq!(received.kinds(), ["assistant"]);
        has_no_result(received.error());
    });
}

fn truncated_result_is_an_error() {
    play("cut-result", async |cli| {
        let (_session, received) = Received::to_the_end(cli.builder()).await;
        assert_eq!(received.kinds(), ["assistant", "undecodable"]);
        assert!(
            received.all.last().unwrap().line().unwrap().to_str().unwrap().contains(r#""type":"result""#)
        );
        has_no_result(received.error());
    });
}

/// Checks that the CLI exited with 0 and the turn has no result.
fn has_no_result(error: &Error) {
    let ending = error.ending().unwrap();
    assert!(ending.in_turn);
    assert_eq!(ending.exit.as_ref().unwrap().code, Some(0));
    assert!(error.to_string().contains("in the middle of a turn"), "{error}");
}

fn end_is_reported_though_a_grandchild_holds_stdout() {
    for faults in ["grandchild exit-in-turn", "grandchild crash=0"] {
        play(faults, async |cli| {
            let (_session, received) = Received::to_the_end(cli.hasty()).await;
            assert_eq!(received.kinds(), ["assistant"]);
            has_no_result(received.error());
        });
    }
}

fn end_is_reported_though_a_stranger_holds_stdout() {
    play("stranger exit-in-turn", async |cli| {
        let (session, received) = Received::to_the_end(cli.hasty()).await;
        assert_eq!(received.kinds(), ["assistant"]);
        has_no_result(received.error());
        drop(session);
        cli.end_strangers();
    });
}

fn end_is_reported_though_a_stranger_holds_stderr() {
    for faults in ["stranger crash", "grandchild crash"] {
        play(faults, async |cli| {
            let (session, received) = Received::to_the_end(cli.hasty()).await;
            assert_eq!(received.kinds(), ["assistant"]);
            is_a_crash(received.error(), 3);
            drop(session);
            cli.end_strangers();
        });
    }
}

fn kill_of_an_idle_cli_is_reported() {
    play("", async |cli| {
        let mut session = cli.connect().await;
        completes_a_turn(&mut session).await;
        kill(session.initialized().pid.unwrap());
        let received = Received::by(&mut session).await;
        assert_eq!(received.kinds(), [""; 0]);
        let ending = received.error().ending().unwrap();
        assert_eq!((ending.in_turn, ending.exit.as_ref().unwrap().signal), (false, Some(9)));
    });
}

fn crash_of_an_unread_session_loses_no_messages() {
    play("messages=20 crash", async |cli| {
        let mut config = Config::default();
        // Part of it is read ahead, and the rest stays in the pipe, however small that is.
        (config.unread_soft_limit, config.exit_grace) = (15_000, Duration::from_millis(20));
        let mut session = cli.builder().config(config).connect().await.unwrap();
        session.send("hi").await.unwrap();
        // The process has been dead for longer than one side may outlive the other.
        let process = PathBuf::from(format!("/proc/{}", session.initialized().pid.unwrap()));
        while process.exists() {
            tokio::task::yield_now().await;
        }
        let moment = Duration::from_millis(200);
        tokio::time::timeout(moment, std::future::pending::<()>()).await.unwrap_err();
        let received = Received::by(&mut session).await;
        let texts = received.texts();
        assert_eq!(texts.len(), 21);
        for (number, text) in (1..=20).zip(&texts) {
            assert!(text.starts_with(&format!("{number} of 20 x")), "{number}: {}", &text[..20]);
        }
        is_a_crash(received.error(), 3);
    });
}

fn truncated_query_ends_with_an_error() {
    for faults in ["cut-result", "exit-in-turn", "close-stdout"] {
        play(faults, async |cli| {
            let mut query = cli.hasty().connect().await.unwrap().into_query("hi").await.unwrap();
            let received = Received::by_query(&mut query).await;
            assert_eq!(received.kinds()[0], "assistant");
            let ending = received.error().ending().unwrap();
            assert!(ending.in_turn, "{ending:?}");
        });
    }
}

fn closed_stdout_ends_the_session() {
    play("close-stdout", async |cli| {
        let (session, received) = Received::to_the_end(cli.hasty()).await;
        assert_eq!(received.kinds(), ["assistant"]);
        assert!(received.error().ending().unwrap().in_turn);
        // The session is over, and the process ends soon without further steps.
        cli.goes().await;
        drop(session);
    });
}
