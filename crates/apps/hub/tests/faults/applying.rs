//! Configurations that change while servers run.

use std::{sync::Arc, time::Duration};

use agentwire_hub::{
    CallError, CallRequest, Change, DisabledBy, ServerState,
    config::{Patterns, Sources},
};
use agentwire_testkit::eventually;
use futures_util::StreamExt;
use serde_json::json;
use tokio::sync::Notify;

use crate::{
    left::BOUND,
    played::{becomes, call, configuration, echo, hasty, is_connected, play, seen, with_server},
    runner::tests,
};

tests!(applying:
    servers_are_added_removed_and_kept, call_of_a_removed_server_names_the_removal,
    only_a_changed_launch_restarts_a_server, changed_limit_applies_at_once,
    disabled_server_ends_and_starts_when_enabled,
    reused_name_waits_for_the_end_of_the_old_server, servers_have_the_order_of_the_configuration,
);

fn servers_are_added_removed_and_kept() {
    play(async |mark| {
        let sources = Sources::new().server("s", mark.server(&[])).server("old", mark.server(&["deaf"]));
        let hub = hasty(sources).build();
        assert!(hub.wait_until_ready(BOUND).await);
        let pid = seen(&hub).await["pid"].clone();
        let mut events = hub.events();
        hub.apply(configuration([("new", mark.server(&[])), ("s", mark.server(&[]))]));
        becomes(&hub, "new", is_connected).await;
        assert_eq!(seen(&hub).await["pid"], pid, "it runs on");
        eventually(|| mark.processes().len() == 2).await;
        let mut removed = false;
        while !removed {
            let event = events.next().await.unwrap();
            removed = event.server == Some("old".into()) && matches!(event.change, Change::Removed);
        }
    });
}

fn call_of_a_removed_server_names_the_removal() {
    with_server(&["progress=1000"], async |_, hub| {
        let begun = Arc::new(Notify::new());
        let begins = Arc::clone(&begun);
        let call = CallRequest::new("s", "fault").on_progress(move |_| begins.notify_one());
        let remove = async {
            begun.notified().await;
            hub.apply(configuration([]));
        };
        let (lost, ()) = tokio::join!(hub.call(call), remove);
        let error = lost.unwrap_err().to_string();
        assert!(error.ends_with(": it was removed from the configuration"), "{error}");
    });
}

fn only_a_changed_launch_restarts_a_server() {
    with_server(&[], async |mark, hub| {
        let pid = seen(&hub).await["pid"].clone();
        let mut config = mark.server(&[]);
        config.timeout = Duration::from_secs(7);
        config.always_allow = Patterns::from_iter(["echo", "seen"]);
        hub.apply(configuration([("s", config)]));
        assert_eq!(hub.server("s").unwrap().configured.config.timeout, Duration::from_secs(7));
        assert_eq!(seen(&hub).await["pid"], pid);
        hub.apply(configuration([("s", mark.server(&["noise"]))]));
        becomes(&hub, "s", |state| !is_connected(state)).await;
        becomes(&hub, "s", is_connected).await;
        assert_ne!(seen(&hub).await["pid"], pid);
    });
}

fn changed_limit_applies_at_once() {
    with_server(&["never"], async |mark, hub| {
        let limited = |limit| {
            let mut config = mark.server(&["never"]);
            config.timeout = limit;
            hub.apply(configuration([("s", config)]));
        };
        limited(Duration::from_millis(1));
        let error = call(&hub, "fault", json!({})).await.unwrap_err();
        assert!(matches!(error, CallError::TimedOut { .. }), "{error}");
        limited(BOUND);
        echo(&hub).await;
    });
}

fn disabled_server_ends_and_starts_when_enabled() {
    with_server(&[], async |mark, hub| {
        let mut off = mark.server(&[]);
        off.disabled = true;
        hub.apply(configuration([("s", off)]));
        becomes(&hub, "s", |state| matches!(state, ServerState::Disabled(DisabledBy::Config))).await;
        eventually(|| mark.processes().is_empty()).await;
        hub.apply(configuration([("s", mark.server(&[]))]));
        becomes(&hub, "s", is_connected).await;
        echo(&hub).await;
    });
}

fn reused_name_waits_for_the_end_of_the_old_server() {
    with_server(&["deaf"], async |mark, hub| {
        let pid = seen(&hub).await["pid"].as_u64().unwrap();
        let mut events = hub.events();
        hub.apply(configuration([]));
        hub.apply(configuration([("s", mark.server(&[]))]));
        hub.apply(configuration([]));
        hub.apply(configuration([("s", mark.server(&[]))]));
        becomes(&hub, "s", is_connected).await;
        let left = mark.processes();
        assert_eq!(left.len(), 1, "{left:?}");
        assert_ne!(u64::from(left[0].0), pid);
        echo(&hub).await;
        hub.close().await;
        drop(hub);
        let mut changes = Vec::new();
        while let Some(event) = events.next().await {
            changes.push(match event.change {
                Change::Configuration => continue,
                Change::Added => "added",
                Change::Removed => "removed",
                Change::State(ServerState::Starting) => "starting",
                Change::State(ServerState::Connected { .. }) => "connected",
                Change::State(ServerState::Failed { why }) if &*why == "the hub was closed" => "closed",
                _ => "other",
            });
        }
        let anew = ["removed", "added", "starting"];
        assert_eq!(
            changes,
            [&anew[..], &anew[..], &["connected", "closed"][..]].concat(),
            "the old one sends no more events"
        );
    });
}

fn servers_have_the_order_of_the_configuration() {
    play(async |mark| {
        let hub = hasty(Sources::new()).build();
        let mut off = mark.server(&[]);
        off.disabled = true;
        let names = |hub: &agentwire_hub::Hub| {
            hub.snapshot().iter().map(|server| server.configured.name.to_string()).collect::<Vec<_>>()
        };
        hub.apply(configuration([("b", off.clone()), ("a", off.clone())]));
        assert_eq!(names(&hub), ["b", "a"]);
        hub.apply(configuration([("a", off.clone()), ("c", off.clone()), ("b", off)]));
        assert_eq!(names(&hub), ["a", "c", "b"]);
        assert!(hub.wait_until_ready(Duration::ZERO).await, "what is switched off is not waited for");
    });
}
