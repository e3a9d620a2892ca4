//! The CLI ends in the middle of something: what came is delivered, then one cause.

use std::{path::PathBuf, time::Duration};

use agentwire::{Error, control::Config, query};

use crate::{
    fault_cli::play,
    left::kill,
    runner::tests,
    told::{Told, goes_on},
};

tests!(ending:
    a_crash, a_crash_of_a_query, a_crash_after_a_flood_of_stderr, a_crash_fails_every_call, killed, an_error_result,
    exit_0_in_mid_turn, a_cut_result, a_grandchild_holds_stdout, a_stranger_holds_stdout,
    a_stranger_holds_stderr, killed_while_idle, a_crash_while_nobody_reads, a_query_that_is_cut, stdout_is_closed,
);

fn a_crash() {
    play("crash=7", async |cli| {
        let mut session = cli.connect().await;
        session.send("hi").await.unwrap();
        let told = Told::by(&mut session).await;
        assert_eq!(told.words, ["system session_state_changed", "system init", "assistant"]);
        is_a_crash(told.error(), 7);
        // It was told once.
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

fn a_crash_of_a_query() {
    play("crash", async |cli| {
        let mut query = query("hi", cli.options()).await.unwrap();
        let told = Told::by_query(&mut query).await;
        assert_eq!(told.said(), ["assistant"]);
        is_a_crash(told.error(), 3);
    });
}

fn a_crash_after_a_flood_of_stderr() {
    play("crash stderr-flood=10000000", async |cli| {
        let mut session = cli.connect().await;
        session.send("hi").await.unwrap();
        let told = Told::by(&mut session).await;
        is_a_crash(told.error(), 3);
        let tail = &told.error().ending().unwrap().exit.as_ref().unwrap().stderr_tail;
        assert!(tail.contains("\nthe last line of stderr\n"), "{tail}");
        assert!(tail.len() <= 1 << 20, "{}", tail.len());
    });
}

fn a_crash_fails_every_call() {
    play("crash no-reply", async |cli| {
        let mut session = cli.connect().await;
        let control = session.control().clone();
        let call =
            tokio::spawn(
                async move { control.call(&agentwire::protocol::control::McpStatus::default()).await },
            );
        let finished = session.ask("hi").await.unwrap().finish().await;
        is_a_crash(&finished.unwrap_err(), 3);
        is_a_crash(&call.await.unwrap().unwrap_err().into(), 3);
        // And so does what comes later.
        is_a_crash(&session.interrupt().await.unwrap_err(), 3);
        is_a_crash(&session.send("late").await.unwrap_err(), 3);
    });
}

fn killed() {
    play("killed", async |cli| {
        let mut session = cli.connect().await;
        session.send("hi").await.unwrap();
        let told = Told::by(&mut session).await;
        assert_eq!(told.said(), ["assistant"]);
        let ending = told.error().ending().unwrap();
        let exit = ending.exit.as_ref().unwrap();
        assert_eq!((ending.in_turn, exit.code, exit.signal), (true, None, Some(9)));
    });
}

fn an_error_result() {
    play("error-result", async |cli| {
        let mut session = cli.connect().await;
        let result = session.ask("hi").await.unwrap().finish().await.unwrap().expect("a result");
        assert!(result.is_error);
        assert_eq!(result.result.as_deref(), Some("API Error: out of luck"));
        let error = Told::by(&mut session).await.error.expect("an error");
        assert!(error.to_string().starts_with("API Error: out of luck"), "{error}");
        let ending = error.ending().unwrap();
        assert_eq!((ending.in_turn, ending.exit.as_ref().unwrap().code), (false, Some(1)));
    });
}

fn exit_0_in_mid_turn() {
    play("exit-in-turn", async |cli| {
        let mut session = cli.connect().await;
        let told = Told::turn(&mut session, "hi").await;
        assert_eq!(told.said(), ["assistant"]);
        has_no_result(told.error());
    });
}

fn a_cut_result() {
    play("cut-result", async |cli| {
        let mut session = cli.connect().await;
        session.send("hi").await.unwrap();
        let told = Told::by(&mut session).await;
        assert_eq!(told.said(), ["assistant", "undecodable"]);
        assert!(told.all.last().unwrap().line().unwrap().to_str().unwrap().contains(r#""type":"result""#));
        let exit = told.error().ending().unwrap().exit.clone().unwrap();
        assert_eq!(exit.code, Some(0));
    });
}

/// The CLI exited with 0, and the turn has no result.
fn has_no_result(error: &Error) {
    let ending = error.ending().unwrap();
    assert!(ending.in_turn);
    assert_eq!(ending.exit.as_ref().unwrap().code, Some(0));
    assert!(error.to_string().contains("in the middle of a turn"), "{error}");
}

fn a_grandchild_holds_stdout() {
    for faults in ["grandchild exit-in-turn", "grandchild crash=0"] {
        play(faults, async |cli| {
            let mut session = cli.hasty().connect().await.unwrap();
            session.send("hi").await.unwrap();
            let told = Told::by(&mut session).await;
            assert_eq!(told.said(), ["assistant"]);
            has_no_result(told.error());
        });
    }
}

fn a_stranger_holds_stdout() {
    play("stranger exit-in-turn", async |cli| {
        let mut session = cli.hasty().connect().await.unwrap();
        session.send("hi").await.unwrap();
        let told = Told::by(&mut session).await;
        assert_eq!(told.said(), ["assistant"]);
        has_no_result(told.error());
        drop(session);
        cli.end_strangers();
    });
}

fn a_stranger_holds_stderr() {
    for faults in ["stranger crash", "grandchild crash"] {
        play(faults, async |cli| {
            let mut session = cli.hasty().connect().await.unwrap();
            session.send("hi").await.unwrap();
            let told = Told::by(&mut session).await;
            assert_eq!(told.said(), ["assistant"]);
            is_a_crash(told.error(), 3);
            drop(session);
            cli.end_strangers();
        });
    }
}

fn killed_while_idle() {
    play("", async |cli| {
        let mut session = cli.connect().await;
        goes_on(&mut session).await;
        kill(session.initialized().pid.unwrap());
        let told = Told::by(&mut session).await;
        assert_eq!(told.said(), [""; 0]);
        let ending = told.error().ending().unwrap();
        assert_eq!((ending.in_turn, ending.exit.as_ref().unwrap().signal), (false, Some(9)));
    });
}

fn a_crash_while_nobody_reads() {
    play("messages=20 crash", async |cli| {
        let mut config = Config::default();
        // So that a part of it is read ahead, and the rest still is in the pipe, however small that is.
        (config.unread_soft_limit, config.exit_grace) = (15_000, Duration::from_millis(20));
        let mut session = cli.builder().config(config).connect().await.unwrap();
        session.send("hi").await.unwrap();
        // It is dead, and for longer than one side may outlive the other.
        let process = PathBuf::from(format!("/proc/{}", session.initialized().pid.unwrap()));
        while process.exists() {
            tokio::task::yield_now().await;
        }
        let moment = Duration::from_millis(200);
        tokio::time::timeout(moment, std::future::pending::<()>()).await.unwrap_err();
        let told = Told::by(&mut session).await;
        let texts = told.texts();
        assert_eq!(texts.len(), 21);
        for (number, text) in (1..=20).zip(&texts) {
            assert!(text.starts_with(&format!("{number} of 20 x")), "{number}: {}", &text[..20]);
        }
        is_a_crash(told.error(), 3);
    });
}

fn a_query_that_is_cut() {
    for faults in ["cut-result", "exit-in-turn", "close-stdout"] {
        play(faults, async |cli| {
            let mut query = cli.hasty().connect().await.unwrap().into_query("hi").await.unwrap();
            let told = Told::by_query(&mut query).await;
            assert_eq!(told.said()[0], "assistant");
            let ending = told.error().ending().unwrap();
            assert!(ending.in_turn, "{ending:?}");
        });
    }
}

fn stdout_is_closed() {
    play("close-stdout", async |cli| {
        let mut session = cli.hasty().connect().await.unwrap();
        session.send("hi").await.unwrap();
        let told = Told::by(&mut session).await;
        assert_eq!(told.said(), ["assistant"]);
        assert!(told.error().ending().unwrap().in_turn);
        // The session is over, and so is the process soon, without anything being done about it.
        cli.goes().await;
        drop(session);
    });
}
