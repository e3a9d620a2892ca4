//! Closing and dropping: pending output is flushed, the time is bounded, and no process remains.

use std::{
    fs,
    time::{Duration, Instant},
};

use agentwire::{ControlError, EndedBy, Session, SessionBuilder, protocol::control::McpStatus};

use crate::{
    fault_cli::{BELOW_GRACE, FaultCli, play, runtime},
    left::{BOUND, eventually},
    received::{Received, completes_a_turn, word},
    runner::tests,
};

tests!(closing:
    session_without_faults_leaves_no_process, frozen_cli_is_terminated, stopped_cli_is_killed, query_ends_though_its_output_is_held_open, dropped_query_lets_the_cli_store, query_ends_though_the_cli_ignores_the_end_of_input, cli_that_ignores_the_end_of_input_is_terminated_or_killed,
    close_during_a_turn_lets_the_cli_store, without_grace_period_nothing_is_stored, drop_during_a_turn_lets_the_cli_store, drop_in_an_idle_runtime_lets_the_cli_store,
    drop_after_the_runtime_lets_the_cli_store, surviving_grandchild_is_ended, drop_ends_grandchildren,
    dropping_leaves_no_process, drop_writes_sent_prompts, process_outside_the_group_does_not_delay_close, session_without_a_prompt_has_a_short_grace_period, unclaimed_spare_has_a_short_grace_period,
);

fn session_without_faults_leaves_no_process() {
    play("", async |cli| {
        let mut session = cli.connect().await;
        completes_a_turn(&mut session).await;
        completes_a_turn(&mut session).await;
        assert_eq!(session.close().await.unwrap().by, EndedBy::Itself);
        cli.is_gone();
    });
}

fn frozen_cli_is_terminated() {
    play("frozen", async |cli| {
        let session = cli.hasty_at_first().connect().await.unwrap();
        let limit = Duration::from_millis(200);
        let error = session.control().within(limit).call(&McpStatus::default()).await.unwrap_err();
        assert!(matches!(error, ControlError::TimedOut { .. }), "{error:?}");
        // Far more than the pipe holds, which the CLI does not read.
        session.send("x".repeat(900_000)).await.unwrap();
        let waiting = session.send("x".repeat(5_000_000));
        tokio::time::timeout(limit, waiting).await.map(|sent| sent.map(drop)).ok();
        let error = session.close().await.unwrap_err();
        cli.is_gone();
        assert_eq!(error.ending().unwrap().exit.as_ref().unwrap().signal, Some(15));
    });
    play("frozen", async |cli| {
        let session = cli.hasty().connect().await.unwrap();
        session.send("x".repeat(900_000)).await.unwrap();
        drop(session);
    });
}

fn stopped_cli_is_killed() {
    for ended in ["closed", "dropped"] {
        play("stopped", async |cli| {
            let session = in_mid_turn(cli.hasty()).await;
            // The process stops itself after that.
            let pid = session.initialized().pid.unwrap();
            eventually(|| if is_stopped(pid) { Ok(()) } else { Err("it goes on".to_owned()) });
            if ended == "closed" {
                let error = session.close().await.unwrap_err();
                cli.is_gone();
                assert_eq!(error.ending().unwrap().exit.as_ref().unwrap().signal, Some(9));
            }
        });
    }
}

fn is_stopped(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit_once(')').unwrap().1.trim_start().starts_with('T')
}

fn query_ends_though_its_output_is_held_open() {
    for faults in ["", "grandchild", "quiet-grandchild", "stranger"] {
        play(faults, async |cli| {
            let mut query = cli.hasty_afterwards().connect().await.unwrap().into_query("hi").await.unwrap();
            let received = Received::by_query(&mut query).await;
            assert!(received.error.is_none(), "{received:?}");
            assert_eq!(received.kinds(), ["assistant", "result"]);
            drop(query);
            if faults == "stranger" {
                cli.end_strangers();
            }
        });
    }
}

fn dropped_query_lets_the_cli_store() {
    storing(|cli| {
        runtime().block_on(async {
            let mut query = cli.connect().await.into_query("hi").await.unwrap();
            while word(&query.next().await.unwrap().unwrap()) != "assistant" {}
        });
    });
}

fn query_ends_though_the_cli_ignores_the_end_of_input() {
    play("deaf", async |cli| {
        let mut query = cli.hasty_at_first().connect().await.unwrap().into_query("hi").await.unwrap();
        let received = Received::by_query(&mut query).await;
        assert_eq!(received.kinds(), ["assistant", "result"]);
        assert!(received.error.is_none(), "{received:?}");
    });
}

fn cli_that_ignores_the_end_of_input_is_terminated_or_killed() {
    for (faults, signal, by) in [("deaf", 15, EndedBy::Terminated), ("stubborn", 9, EndedBy::Killed)] {
        play(faults, async |cli| {
            let builder = if by == EndedBy::Killed { cli.hasty() } else { cli.hasty_at_first() };
            let mut session = builder.connect().await.unwrap();
            completes_a_turn(&mut session).await;
            let closed = session.close().await.unwrap();
            cli.is_gone();
            assert_eq!((closed.exit.unwrap().signal, closed.by), (Some(signal), by));
        });
    }
}

/// Returns a session during a turn.
async fn in_mid_turn(builder: SessionBuilder) -> Session {
    let mut session = builder.connect().await.unwrap();
    session.send("hi").await.unwrap();
    while word(&session.next().await.unwrap().unwrap()) != "assistant" {}
    session
}

/// Plays with a CLI that stores the conversation, and returns what it stored.
fn stored(faults: &str, test: impl FnOnce(&FaultCli)) -> String {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("transcript");
    let cli = FaultCli::new(&format!("{faults} transcript={}", file.display()));
    test(&cli);
    cli.leaves_nothing();
    fs::read_to_string(&file).unwrap()
}

/// Plays during a turn, and checks that the CLI finished storing.
fn storing(test: impl FnOnce(&FaultCli)) {
    let stored = stored("hold-turn", test);
    assert!(stored.contains(r#""type":"result""#), "{stored}");
    assert!(stored.ends_with("\nthe end\n"), "{stored}");
}

fn close_during_a_turn_lets_the_cli_store() {
    storing(|cli| {
        runtime().block_on(async {
            let session = in_mid_turn(cli.builder()).await;
            tokio::time::timeout(BOUND, session.close()).await.expect("it hangs").unwrap();
            cli.is_gone();
        });
    });
}

/// The grace period makes the difference: without one, the check above fails.
fn without_grace_period_nothing_is_stored() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("transcript");
    play(&format!("hold-turn transcript={}", file.display()), async |cli| {
        let none = Duration::ZERO;
        let session = in_mid_turn(cli.builder().grace(none, none)).await;
        // The turn may end before the signal.
        let exit = match session.close().await {
            Ok(closed) => closed.exit,
            Err(error) => error.ending().unwrap().exit.clone(),
        };
        assert!(exit.as_ref().unwrap().signal.is_some(), "{exit:?}");
    });
    assert!(!fs::read_to_string(&file).unwrap().contains("the end"));
}

fn drop_during_a_turn_lets_the_cli_store() {
    storing(|cli| {
        runtime().block_on(async {
            drop(in_mid_turn(cli.builder()).await);
            // The runtime is not involved any more.
            eventually(|| if cli.processes().is_empty() { Ok(()) } else { Err("still there".to_owned()) });
        });
    });
}

fn drop_in_an_idle_runtime_lets_the_cli_store() {
    storing(|cli| {
        let idle = runtime();
        let session = idle.block_on(in_mid_turn(cli.builder()));
        drop(session);
        cli.leaves_nothing();
    });
}

fn drop_after_the_runtime_lets_the_cli_store() {
    storing(|cli| {
        let session = runtime().block_on(in_mid_turn(cli.builder()));
        drop(session);
    });
}

fn dropping_leaves_no_process() {
    for faults in ["", "deaf", "stubborn"] {
        let cli = FaultCli::new(faults);
        let soon_gone = || {
            let start = Instant::now();
            cli.leaves_nothing();
            // Less than the transport's default grace periods: those of the session apply.
            assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        };
        runtime().block_on(async {
            drop(cli.hasty().connect().await.unwrap());
            soon_gone();
        });
        let idle = runtime();
        drop(idle.block_on(cli.hasty().connect()).unwrap());
        soon_gone();
        let session = runtime().block_on(cli.hasty().connect()).unwrap();
        drop(session);
        soon_gone();
    }
}

fn drop_writes_sent_prompts() {
    let stored = stored("", |cli| {
        runtime().block_on(async {
            let session = cli.connect().await;
            // Each is larger than a pipe, and nothing is written while this task does not wait.
            for _ in 0..3 {
                session.send("x".repeat(300_000)).await.unwrap();
            }
            drop(session);
        });
    });
    assert_eq!(stored.matches(r#""type":"result""#).count(), 3);
}

fn surviving_grandchild_is_ended() {
    for faults in ["grandchild", "quiet-grandchild"] {
        play(faults, async |cli| {
            let start = Instant::now();
            let mut session = cli.hasty_afterwards().connect().await.unwrap();
            completes_a_turn(&mut session).await;
            session.close().await.unwrap();
            cli.is_gone();
            assert!(start.elapsed() < BOUND / 2, "{:?}", start.elapsed());
        });
    }
}

fn drop_ends_grandchildren() {
    for faults in ["grandchild", "quiet-grandchild", "grandchild stubborn", "quiet-grandchild deaf hold-turn"]
    {
        play(faults, async |cli| {
            drop(in_mid_turn(cli.hasty()).await);
        });
    }
}

fn process_outside_the_group_does_not_delay_close() {
    play("stranger", async |cli| {
        let mut session = cli.hasty_afterwards().connect().await.unwrap();
        completes_a_turn(&mut session).await;
        session.close().await.unwrap();
        // It has left the group, so only the process itself remains, and nothing waits for it.
        assert_eq!(cli.processes().len(), 1);
        cli.end_strangers();
    });
}

fn session_without_a_prompt_has_a_short_grace_period() {
    for (faults, by) in [("deaf", EndedBy::Terminated), ("stubborn", EndedBy::Killed)] {
        play(faults, async |cli| {
            let session = cli.connect().await;
            let start = Instant::now();
            let closed = session.close().await.unwrap();
            cli.is_gone();
            assert_eq!(closed.by, by);
            assert!(start.elapsed() < BELOW_GRACE, "{:?}", start.elapsed());
            let session = cli.connect().await;
            let start = Instant::now();
            drop(session);
            cli.leaves_nothing();
            assert!(start.elapsed() < BELOW_GRACE, "{:?}", start.elapsed());
        });
    }
}

fn unclaimed_spare_has_a_short_grace_period() {
    play("deaf", async |cli| {
        let start = Instant::now();
        drop(cli.builder().prewarm().await.unwrap());
        cli.leaves_nothing();
        assert!(start.elapsed() < BELOW_GRACE, "{:?}", start.elapsed());
    });
}
