//! Servers that do not want to end, and the ways to end them.

use std::time::Duration;

use agentwire_hub::{DisabledBy, ServerState, config::Sources};
use agentwire_testkit::eventually;

use crate::{
    left::{BOUND, Mark},
    played::{becomes, configuration, echo, hasty, is_connected, play, runtime, state, with_server},
    runner::tests,
};

tests!(ending:
    close_ends_the_process_tree, dropping_the_last_clone_ends_the_process_tree,
    runtime_shutdown_leaves_no_process, runtime_shutdown_during_start_leaves_no_process,
    restart_ends_the_process_tree, disabling_ends_the_process_tree,
    removal_ends_the_process_tree, hanging_start_ends_with_the_hub,
    hub_that_is_dropped_at_once_leaves_no_process, failed_start_leaves_no_grandchild,
    close_is_bounded_and_can_be_repeated, dropped_close_still_ends_the_servers, servers_end_concurrently,
);

/// The ways in which a server resists its end.
const STUBBORN: &[&[&str]] = &[
    &[],
    &["deaf"],
    &["deaf", "stubborn"],
    &["grandchild"],
    &["quiet-grandchild"],
    &["deaf", "stubborn", "grandchild", "quiet-grandchild"],
];

fn close_ends_the_process_tree() {
    for faults in STUBBORN {
        play(async |mark| {
            let hub = mark.connected(faults).await;
            let other = hub.clone();
            hub.close().await;
            mark.is_gone();
            assert!(other.restart("s").await.is_some(), "a closed hub answers, and starts nothing");
            mark.is_gone();
        });
    }
}

fn dropping_the_last_clone_ends_the_process_tree() {
    for faults in STUBBORN {
        play(async |mark| {
            let hub = mark.connected(faults).await;
            let other = hub.clone();
            drop(hub);
            echo(&other).await;
            drop(other);
            eventually(|| mark.processes().is_empty()).await;
        });
    }
}

fn runtime_shutdown_leaves_no_process() {
    for faults in STUBBORN {
        let mark = Mark::new();
        let runtime = runtime();
        let hub = runtime.block_on(mark.connected(faults));
        drop(runtime);
        mark.leaves_nothing();
        drop(hub);
    }
}

fn runtime_shutdown_during_start_leaves_no_process() {
    for is_begun in [false, true] {
        let mark = Mark::new();
        let runtime = runtime();
        let hub = runtime.block_on(async {
            let hub = mark.hub(&["hang-start", "deaf", "stubborn", "grandchild"]).build();
            eventually(|| !is_begun || mark.processes().len() >= 2).await;
            hub
        });
        drop(runtime);
        mark.leaves_nothing();
        // All tasks have ended, and all calls have returned.
        crate::played::runtime().block_on(async {
            hub.close().await;
            assert!(hub.restart("s").await.is_some());
        });
    }
}

fn restart_ends_the_process_tree() {
    for faults in STUBBORN {
        play(async |mark| {
            let hub = mark.connected(faults).await;
            let before = mark.processes();
            assert!(is_connected(&hub.restart("s").await.unwrap()));
            let after = mark.processes();
            assert!(before.iter().all(|process| !after.contains(process)), "{before:?} {after:?}");
            echo(&hub).await;
            hub.close().await;
            mark.is_gone();
        });
    }
}

fn disabling_ends_the_process_tree() {
    play(async |mark| {
        let hub = mark.connected(STUBBORN[5]).await;
        hub.set_enabled(false);
        assert!(!hub.is_enabled());
        becomes(&hub, "s", |state| matches!(state, ServerState::Disabled(DisabledBy::Hub))).await;
        eventually(|| mark.processes().is_empty()).await;
        assert!(matches!(hub.restart("s").await, Some(ServerState::Disabled(DisabledBy::Hub))));
        mark.is_gone();
        hub.set_enabled(true);
        becomes(&hub, "s", is_connected).await;
        echo(&hub).await;
    });
}

fn removal_ends_the_process_tree() {
    play(async |mark| {
        let hub = mark.connected(STUBBORN[5]).await;
        hub.apply(configuration([]));
        assert!(hub.server("s").is_none());
        eventually(|| mark.processes().is_empty()).await;
        hub.close().await;
    });
}

fn hanging_start_ends_with_the_hub() {
    for drops in [false, true] {
        play(async |mark| {
            let hub = mark.hub(&["hang-start", "deaf", "stubborn", "grandchild"]).build();
            // The server and its grandchild.
            eventually(|| mark.processes().len() >= 2).await;
            assert!(matches!(state(&hub, "s"), ServerState::Starting));
            if drops {
                drop(hub);
                eventually(|| mark.processes().is_empty()).await;
            } else {
                hub.close().await;
                mark.is_gone();
            }
        });
    }
}

fn hub_that_is_dropped_at_once_leaves_no_process() {
    play(async |mark| {
        drop(mark.hub(STUBBORN[5]).build());
        let hub = mark.hub(STUBBORN[5]).build();
        tokio::task::yield_now().await;
        drop(hub);
        let hub = mark.hub(STUBBORN[5]).build();
        hub.close().await;
        eventually(|| mark.processes().is_empty()).await;
    });
}

fn failed_start_leaves_no_grandchild() {
    play(async |mark| {
        let hub = mark.hub(&["grandchild", "quiet-grandchild", "exit-start"]).build();
        becomes(&hub, "s", |state| matches!(state, ServerState::Failed { .. })).await;
        eventually(|| mark.processes().is_empty()).await;
    });
}

fn close_is_bounded_and_can_be_repeated() {
    with_server(&["deaf", "stubborn"], async |mark, hub| {
        tokio::join!(hub.close(), hub.close());
        mark.is_gone();
        hub.close().await;
        hub.apply(configuration([("s", mark.server(&[])), ("t", mark.server(&[]))]));
        assert_eq!(hub.snapshot().len(), 1, "a closed hub takes no configuration");
        mark.is_gone();
    });
}

fn dropped_close_still_ends_the_servers() {
    with_server(&["deaf", "stubborn"], async |mark, hub| {
        assert!(tokio::time::timeout(Duration::from_millis(1), hub.close()).await.is_err());
        eventually(|| mark.processes().is_empty()).await;
        hub.close().await;
    });
}

fn servers_end_concurrently() {
    play(async |mark| {
        let deaf = mark.server(&["deaf", "stubborn"]);
        let names: Vec<String> = (0..6).map(|number| format!("s{number}")).collect();
        let sources =
            names.iter().fold(Sources::new(), |sources, name| sources.server(name.as_str(), deaf.clone()));
        let grace = Duration::from_secs(1);
        let hub = hasty(sources).grace(grace, grace).build();
        assert!(hub.wait_until_ready(BOUND).await);
        let start = std::time::Instant::now();
        hub.close().await;
        assert!(start.elapsed() < 10 * grace, "one after the other takes 12 s: {:?}", start.elapsed());
        mark.is_gone();
    });
}
