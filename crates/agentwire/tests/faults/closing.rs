//! Closing and dropping: flushed first, bounded, and nothing is left.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use agentwire::{ControlError, EndedBy, Session, protocol::control::McpStatus};

use crate::{
    fault_cli::{BELOW_GRACE, FaultCli, play, runtime},
    left::{BOUND, eventually},
    runner::tests,
    told::{Told, ends_well, goes_on, word},
};

tests!(closing:
    a_good_session, frozen, stopped, a_query_whose_output_is_held_open, a_query_that_is_dropped, a_query_whose_cli_is_deaf, the_end_of_input_is_ignored, sigterm_is_ignored,
    close_in_mid_turn_stores, without_a_grace_nothing_is_stored, drop_in_mid_turn_stores, drop_while_nobody_drives_the_runtime_stores,
    drop_after_the_runtime_stores, a_grandchild_outlives_it, a_quiet_grandchild_outlives_it, dropped_with_a_grandchild,
    a_stranger_outlives_it, session_without_a_prompt_has_a_short_grace, spare_that_is_never_claimed_has_a_short_grace,
);

fn a_good_session() {
    play("", async |cli| {
        let mut session = cli.connect().await;
        goes_on(&mut session).await;
        goes_on(&mut session).await;
        ends_well(session).await;
        cli.is_gone();
    });
}

fn frozen() {
    play("frozen", async |cli| {
        let session = cli.hasty_at_first().connect().await.unwrap();
        let limit = Duration::from_millis(200);
        let error = session.control().call_within(limit, &McpStatus::default()).await.unwrap_err();
        assert!(matches!(error, ControlError::TimedOut { .. }), "{error:?}");
        // Far more than the pipe holds, which nobody takes.
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

fn stopped() {
    for ended in ["closed", "dropped"] {
        play("stopped", async |cli| {
            let mut session = cli.hasty().connect().await.unwrap();
            session.send("hi").await.unwrap();
            while word(&session.next().await.unwrap().unwrap()) != "assistant" {}
            // It has itself stopped behind that, by another program.
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

fn a_query_whose_output_is_held_open() {
    for faults in ["grandchild", "quiet-grandchild", "stranger"] {
        play(faults, async |cli| {
            let mut query = cli.hasty_afterwards().connect().await.unwrap().into_query("hi").await.unwrap();
            let told = Told::by_query(&mut query).await;
            assert!(told.error.is_none(), "{told:?}");
            assert_eq!(told.said(), ["assistant", "result"]);
            drop(query);
            if faults == "stranger" {
                cli.end_strangers();
            }
        });
    }
}

fn a_query_that_is_dropped() {
    storing(|cli| {
        runtime().block_on(async {
            let mut query = cli.connect().await.into_query("hi").await.unwrap();
            while word(&query.next().await.unwrap().unwrap()) != "assistant" {}
        });
    });
}

fn a_query_whose_cli_is_deaf() {
    play("deaf", async |cli| {
        let mut query = cli.hasty_at_first().connect().await.unwrap().into_query("hi").await.unwrap();
        let told = Told::by_query(&mut query).await;
        assert_eq!(told.said(), ["assistant", "result"]);
        assert!(told.error.is_none(), "{told:?}");
    });
}

fn the_end_of_input_is_ignored() {
    play("deaf", async |cli| {
        let mut session = cli.hasty_at_first().connect().await.unwrap();
        goes_on(&mut session).await;
        let closed = session.close().await.unwrap();
        cli.is_gone();
        assert_eq!((closed.exit.unwrap().signal, closed.by), (Some(15), EndedBy::Terminated));
    });
}

fn sigterm_is_ignored() {
    play("stubborn", async |cli| {
        let mut session = cli.hasty().connect().await.unwrap();
        goes_on(&mut session).await;
        let closed = session.close().await.unwrap();
        cli.is_gone();
        assert_eq!((closed.exit.unwrap().signal, closed.by), (Some(9), EndedBy::Killed));
    });
}

/// A session in the middle of a turn, whose CLI takes a while to store the conversation in this file.
async fn in_mid_turn(cli: &FaultCli) -> Session {
    let mut session = cli.connect().await;
    session.send("hi").await.unwrap();
    while word(&session.next().await.unwrap().unwrap()) != "assistant" {}
    session
}

/// Plays with a CLI that stores what it says, and checks that it has come to the end of it.
fn storing(test: impl FnOnce(&FaultCli)) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("transcript");
    let cli = FaultCli::new(&format!("hold-turn transcript={}", file.display()));
    test(&cli);
    cli.leaves_nothing();
    is_whole(&file);
}

fn is_whole(file: &Path) {
    let stored = fs::read_to_string(file).unwrap();
    assert!(stored.contains(r#""type":"result""#), "{stored}");
    assert!(stored.ends_with("\nthe end\n"), "{stored}");
}

fn close_in_mid_turn_stores() {
    storing(|cli| {
        runtime().block_on(async {
            let session = in_mid_turn(cli).await;
            tokio::time::timeout(BOUND, session.close()).await.expect("it hangs").unwrap();
            cli.is_gone();
        });
    });
}

/// The grace it is that lets it be stored: without one the check above fails.
fn without_a_grace_nothing_is_stored() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("transcript");
    play(&format!("hold-turn transcript={}", file.display()), async |cli| {
        let none = Duration::ZERO;
        let mut session = cli.builder().grace(none, none).connect().await.unwrap();
        session.send("hi").await.unwrap();
        while word(&session.next().await.unwrap().unwrap()) != "assistant" {}
        // The turn may come to its end before the signal.
        let exit = match session.close().await {
            Ok(closed) => closed.exit,
            Err(error) => error.ending().unwrap().exit.clone(),
        };
        assert!(exit.as_ref().unwrap().signal.is_some(), "{exit:?}");
    });
    assert!(!fs::read_to_string(&file).unwrap().contains("the end"));
}

fn drop_in_mid_turn_stores() {
    storing(|cli| {
        runtime().block_on(async {
            drop(in_mid_turn(cli).await);
            // The runtime has nothing to do with it any more.
            eventually(|| if cli.processes().is_empty() { Ok(()) } else { Err("still there".to_owned()) });
        });
    });
}

fn drop_while_nobody_drives_the_runtime_stores() {
    storing(|cli| {
        let idle = runtime();
        let session = idle.block_on(in_mid_turn(cli));
        drop(session);
        cli.leaves_nothing();
    });
}

fn drop_after_the_runtime_stores() {
    storing(|cli| {
        let session = runtime().block_on(in_mid_turn(cli));
        drop(session);
    });
}

fn a_grandchild_outlives_it() {
    play("grandchild", async |cli| {
        let start = Instant::now();
        let mut session = cli.hasty_afterwards().connect().await.unwrap();
        goes_on(&mut session).await;
        session.close().await.unwrap();
        cli.is_gone();
        assert!(start.elapsed() < BOUND / 2, "{:?}", start.elapsed());
    });
}

fn a_quiet_grandchild_outlives_it() {
    play("quiet-grandchild", async |cli| {
        let mut session = cli.hasty_afterwards().connect().await.unwrap();
        goes_on(&mut session).await;
        session.close().await.unwrap();
        cli.is_gone();
    });
}

fn dropped_with_a_grandchild() {
    for faults in ["grandchild", "quiet-grandchild", "grandchild stubborn", "quiet-grandchild deaf hold-turn"]
    {
        play(faults, async |cli| {
            let mut session = cli.hasty().connect().await.unwrap();
            session.send("hi").await.unwrap();
            while word(&session.next().await.unwrap().unwrap()) != "assistant" {}
            drop(session);
        });
    }
}

fn a_stranger_outlives_it() {
    play("stranger", async |cli| {
        let mut session = cli.hasty_afterwards().connect().await.unwrap();
        goes_on(&mut session).await;
        session.close().await.unwrap();
        // It has left the group, so nothing but itself is left, and nothing waits for it.
        assert_eq!(cli.processes().len(), 1);
        cli.end_strangers();
    });
}

fn session_without_a_prompt_has_a_short_grace() {
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

fn spare_that_is_never_claimed_has_a_short_grace() {
    play("deaf", async |cli| {
        let start = Instant::now();
        drop(cli.builder().prewarm().await.unwrap());
        cli.leaves_nothing();
        assert!(start.elapsed() < BELOW_GRACE, "{:?}", start.elapsed());
    });
}
