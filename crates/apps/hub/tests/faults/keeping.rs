//! Servers that end by themselves, their restarts, and events.

use std::{
    fs,
    os::unix::fs::symlink,
    time::{Duration, SystemTime},
};

use agentwire_hub::{
    Backoff, Change, Hub, KeepAlive, ServerState,
    config::{Launch, Sources},
};
use agentwire_testkit::eventually;
use futures_util::{FutureExt, StreamExt};
use serde_json::json;

use crate::{
    left::{Mark, kill},
    played::{becomes, call, echo, failed, hasty, is_connected, play, seen, state, with_server},
    runner::tests,
};

tests!(keeping:
    killed_server_is_restarted, server_whose_program_was_replaced_is_restarted, server_that_keeps_exiting_fails,
    steady_connection_resets_the_count_of_losses,
    restart_ends_the_delay_before_the_next_attempt, every_change_is_an_event_in_order,
    slow_reader_of_events_is_notified_of_lost_events, concurrent_restarts_and_switches_end_connected,
    idle_unresponsive_server_is_restarted, server_without_ping_support_is_not_pinged_again,
    long_call_is_not_silence,
);

fn killed_server_is_restarted() {
    with_server(&["quiet-grandchild"], async |mark, hub| {
        // For a moment during `exec`, a process has no environment, by which it is found.
        eventually(|| mark.processes().len() == 2).await;
        let before = mark.processes();
        let pid = seen(&hub).await["pid"].as_u64().unwrap();
        kill(u32::try_from(pid).unwrap());
        let state = becomes(&hub, "s", |state| matches!(state, ServerState::Reconnecting { .. })).await;
        let ServerState::Reconnecting { attempt, why, .. } = state else { unreachable!() };
        assert_eq!((attempt, &*why), (0, "was ended by signal 9"));
        becomes(&hub, "s", is_connected).await;
        assert_ne!(seen(&hub).await["pid"].as_u64().unwrap(), pid);
        let left: Vec<_> = mark.processes().into_iter().filter(|one| before.contains(one)).collect();
        assert_eq!(left, [], "the old grandchild has gone with its server");
        eventually(|| mark.processes().len() == 2).await;
    });
}

fn server_whose_program_was_replaced_is_restarted() {
    play(async |mark| {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        let mut config = mark.server(&[]);
        let Launch::Stdio(stdio) = &mut config.launch else { unreachable!() };
        let original = std::mem::replace(&mut stdio.command, program.to_str().unwrap().to_owned());
        symlink(&original, &program).unwrap();
        // There are attempts for as long as the program is missing.
        let wait = Duration::from_millis(10);
        let backoff = Backoff { first: wait, longest: wait, restarts: u32::MAX, ..Backoff::default() };
        let hub = hasty(Sources::new().server("s", config)).backoff(backoff).build();
        becomes(&hub, "s", is_connected).await;
        let pid = seen(&hub).await["pid"].as_u64().unwrap();
        fs::remove_file(&program).unwrap();
        kill(u32::try_from(pid).unwrap());
        let is_missing = |state: &ServerState| match state {
            ServerState::Reconnecting { why, .. } => why.ends_with("does not exist"),
            _ => false,
        };
        becomes(&hub, "s", is_missing).await;
        symlink(&original, &program).unwrap();
        becomes(&hub, "s", is_connected).await;
        echo(&hub).await;
    });
}

fn server_that_keeps_exiting_fails() {
    play(async |mark| {
        let hub = mark.hub(&["exit-soon=4"]).build();
        let mut events = hub.events();
        let why = failed(&hub, "s").await;
        assert_eq!(why, "not restarted again after 5 restarts in a row; last failure: exited with code 4");
        let mut attempts = Vec::new();
        while let Some(Some(event)) = events.next().now_or_never() {
            if let Change::State(ServerState::Reconnecting { attempt, .. }) = event.change {
                attempts.push(attempt);
            }
        }
        assert_eq!(attempts, [0, 1, 2, 3, 4]);
        mark.is_gone();
        assert_eq!(hub.troubles("s").unwrap()[0].times, 6, "the same thing again counts");
    });
}

fn steady_connection_resets_the_count_of_losses() {
    play(async |mark| {
        let wait = Duration::from_millis(10);
        let backoff = Backoff { first: wait, restarts: 1, steady: Duration::ZERO, ..Backoff::default() };
        let hub = mark.hub(&[]).backoff(backoff).build();
        for _ in 0..4 {
            becomes(&hub, "s", is_connected).await;
            let pid = seen(&hub).await["pid"].as_u64().unwrap();
            kill(u32::try_from(pid).unwrap());
            becomes(&hub, "s", |state| !is_connected(state)).await;
        }
        becomes(&hub, "s", is_connected).await;
        echo(&hub).await;
    });
}

fn restart_ends_the_delay_before_the_next_attempt() {
    // The longer delay ends at a time that no clock can represent.
    for wait in [Duration::from_secs(3600), Duration::MAX] {
        play(async |mark| {
            let hub =
                mark.hub(&[]).backoff(Backoff { first: wait, longest: wait, ..Backoff::default() }).build();
            becomes(&hub, "s", is_connected).await;
            let pid = seen(&hub).await["pid"].as_u64().unwrap();
            kill(u32::try_from(pid).unwrap());
            let state = becomes(&hub, "s", |state| !is_connected(state)).await;
            let ServerState::Reconnecting { next, .. } = state else { panic!("{state:?}") };
            assert!(next > SystemTime::now());
            assert!(is_connected(&hub.restart("s").await.unwrap()));
            echo(&hub).await;
        });
    }
}

fn every_change_is_an_event_in_order() {
    play(async |mark| {
        let hub = mark.hub(&[]).enabled(false).build();
        let mut events = hub.events();
        hub.set_enabled(true);
        becomes(&hub, "s", is_connected).await;
        hub.refresh("s").await;
        hub.restart("s").await;
        hub.close().await;
        drop(hub);
        let mut changes = Vec::new();
        while let Some(event) = events.next().await {
            changes.push(match event.change {
                Change::State(ServerState::Disabled(_)) => "disabled",
                Change::State(ServerState::Starting) => "starting",
                Change::State(ServerState::Connected { .. }) => "connected",
                Change::Tools => "tools",
                Change::Resources => "resources",
                Change::Prompts => "prompts",
                Change::State(ServerState::Failed { why }) if &*why == "the hub was closed" => "closed",
                _ => "other",
            });
        }
        let starts = ["starting", "connected"];
        let lists = ["tools", "resources", "prompts"];
        assert_eq!(changes, [&starts[..], &lists[..], &starts[..], &["closed"]].concat());
    });
}

fn slow_reader_of_events_is_notified_of_lost_events() {
    play(async |mark| {
        let hub = hasty(Sources::new()).build();
        let mut events = hub.events();
        for _ in 0..2000 {
            hub.apply(crate::played::configuration([]));
        }
        let first = events.next().await.unwrap();
        assert!(matches!(first.change, Change::Missed(missed) if missed == 2000 - 1024), "{first:?}");
        assert!(matches!(events.next().await.unwrap().change, Change::Configuration));
        mark.is_gone();
    });
}

fn concurrent_restarts_and_switches_end_connected() {
    play(async |mark| {
        let hub = mark.hub(&[]).build();
        let restarts = futures_util::future::join_all((0..10).map(|_| hub.restart("s")));
        let switches = async {
            for number in 0..20 {
                hub.set_enabled(number % 2 == 1);
                tokio::task::yield_now().await;
            }
        };
        tokio::join!(restarts, switches, hub.refresh("s"), hub.restart("s"));
        becomes(&hub, "s", is_connected).await;
        echo(&hub).await;
        assert_eq!(mark.processes().len(), 1);
        hub.close().await;
        mark.is_gone();
    });
}

/// Returns a hub that pings its server constantly.
async fn asked_often(mark: &Mark, faults: &[&str], limit: Duration) -> Hub {
    let often = KeepAlive { idle: Duration::from_millis(1), limit };
    let hub = mark.hub(faults).keep_alive(often).build();
    becomes(&hub, "s", is_connected).await;
    hub
}

/// Waits until the server was pinged.
async fn is_pinged(hub: &Hub) {
    // Between two calls the server is idle and can be pinged.
    let mut looks = tokio::time::interval(Duration::from_millis(5));
    while seen(hub).await["pings"].as_u64().unwrap() < 2 {
        looks.tick().await;
    }
}

fn idle_unresponsive_server_is_restarted() {
    play(async |mark| {
        let hub = asked_often(mark, &["freeze"], Duration::from_secs(5)).await;
        is_pinged(&hub).await;
        assert_eq!(call(&hub, "fault", json!({})).await.unwrap(), "well");
        let lost = becomes(&hub, "s", |state| !is_connected(state)).await;
        let ServerState::Reconnecting { why, .. } = lost else { panic!("{lost:?}") };
        assert_eq!(&*why, "it did not answer a ping within 5 s");
        becomes(&hub, "s", is_connected).await;
        echo(&hub).await;
        eventually(|| mark.processes().len() == 1).await;
    });
}

fn server_without_ping_support_is_not_pinged_again() {
    play(async |mark| {
        let hub = asked_often(mark, &["no-ping"], Duration::from_millis(50)).await;
        let pid = seen(&hub).await["pid"].clone();
        eventually(|| hub.troubles("s").unwrap().iter().any(|trouble| trouble.what.contains("`ping`"))).await;
        assert_eq!(seen(&hub).await["pid"], pid);
        assert_eq!(seen(&hub).await["pings"], 1, "it is asked once");
        assert!(is_connected(&state(&hub, "s")));
    });
}

fn long_call_is_not_silence() {
    play(async |mark| {
        let hub = asked_often(mark, &["drip=50"], Duration::from_secs(3)).await;
        is_pinged(&hub).await;
        let pid = seen(&hub).await["pid"].clone();
        let start = std::time::Instant::now();
        assert_eq!(call(&hub, "fault", json!({})).await.unwrap(), "well");
        assert!(start.elapsed() > Duration::from_secs(3), "it took longer than a ping may");
        assert_eq!(seen(&hub).await["pid"], pid);
    });
}
