//! Servers that misbehave while they are called.

use std::time::{Duration, Instant};

use agentwire_hub::{CallError, CallLimits, ServerState};
use agentwire_testkit::eventually;
use futures_util::{StreamExt, stream::FuturesUnordered};
use serde_json::json;

use crate::{
    left::BOUND,
    played::{becomes, call, configuration, echo, is_connected, play, seen, state, with_server},
    runner::tests,
};

tests!(calls:
    noise_is_skipped_and_recorded, server_that_dies_in_a_call_fails_it_at_once_and_is_restarted,
    truncated_answer_fails_the_call, server_that_closes_its_stdout_is_restarted,
    server_that_closes_its_stdin_is_restarted, queue_of_a_server_that_reads_nothing_is_bounded,
    call_without_an_answer_times_out_and_others_work, answer_of_fifty_megabytes_is_received,
    line_past_the_limit_fails_its_call_and_the_server_stays, duplicate_answer_counts_once,
    slowly_written_answer_is_received, many_list_changes_do_not_delay_calls, stderr_is_kept_within_a_bound,
    stderr_is_no_trouble,
);

fn noise_is_skipped_and_recorded() {
    with_server(&["noise=4"], async |_, hub| {
        for _ in 0..20 {
            echo(&hub).await;
        }
        let troubles = hub.troubles("s").unwrap();
        assert!(troubles[0].what.contains("line 1 on its stdout that is not a message"), "{troubles:?}");
        assert!(troubles[0].what.ends_with("Server running on stdio"), "{troubles:?}");
        assert!(troubles.len() < 12, "{troubles:?}");
    });
}

fn server_that_dies_in_a_call_fails_it_at_once_and_is_restarted() {
    with_server(&["die=5"], async |_, hub| {
        let error = call(&hub, "fault", json!({})).await.unwrap_err();
        assert!(error.was_sent(), "{error}");
        becomes(&hub, "s", |state| matches!(state, ServerState::Reconnecting { .. })).await;
        becomes(&hub, "s", is_connected).await;
        assert_eq!(&*hub.troubles("s").unwrap()[0].what, "exited with code 5; stderr: FATAL: out of memory");
        echo(&hub).await;
    });
}

fn truncated_answer_fails_the_call() {
    with_server(&["cut-answer"], async |_, hub| {
        call(&hub, "fault", json!({})).await.unwrap_err();
        becomes(&hub, "s", is_connected).await;
        let troubles = hub.troubles("s").unwrap();
        assert!(troubles[0].what.contains("not a message"), "{troubles:?}");
    });
}

fn server_that_closes_its_stdout_is_restarted() {
    with_server(&["close-stdout"], async |mark, hub| {
        call(&hub, "fault", json!({})).await.unwrap_err();
        becomes(&hub, "s", |state| matches!(state, ServerState::Reconnecting { .. })).await;
        becomes(&hub, "s", is_connected).await;
        assert_eq!(&*hub.troubles("s").unwrap()[0].what, "it closed its stdout");
        echo(&hub).await;
        eventually(|| mark.processes().len() == 1).await;
    });
}

fn server_that_closes_its_stdin_is_restarted() {
    with_server(&["close-stdin"], async |mark, hub| {
        let start = Instant::now();
        let later = async {
            eventually(|| mark.processes().iter().any(|(_, command)| command.starts_with("sleep"))).await;
            call(&hub, "echo", json!({"text": "x"})).await.unwrap_err();
        };
        let (first, ()) = tokio::join!(call(&hub, "fault", json!({})), later);
        first.unwrap_err();
        assert!(start.elapsed() < Duration::from_secs(30), "the limit of calls is a minute");
        becomes(&hub, "s", |state| matches!(state, ServerState::Reconnecting { .. })).await;
        becomes(&hub, "s", is_connected).await;
        echo(&hub).await;
    });
}

fn queue_of_a_server_that_reads_nothing_is_bounded() {
    with_server(&["stop-reading"], async |_, hub| {
        let text = "x".repeat(33 << 20);
        let refused = async {
            let calls: FuturesUnordered<_> =
                (0..2).map(|_| call(&hub, "echo", json!({"text": text}))).collect();
            calls.map(|answer| answer.unwrap_err()).collect::<Vec<_>>().await
        };
        let (first, errors) = tokio::join!(call(&hub, "fault", json!({})), refused);
        first.unwrap_err();
        // A call that was sent is lost for the same reason.
        assert!(errors.iter().all(|error| error.to_string().contains("takes no input")), "{errors:?}");
        let (refused, lost): (Vec<_>, Vec<_>) = errors.iter().partition(|error| error.code() == "not_sent");
        assert_eq!(refused.len(), 1, "{errors:?}");
        assert!(refused.iter().all(|error| !error.was_sent()), "{errors:?}");
        assert!(lost.iter().all(|error| error.code() == "connection_lost"), "{errors:?}");
        let troubles = hub.troubles("s").unwrap();
        let why = &troubles.last().unwrap().what;
        assert!(
            why.starts_with("the server takes no input: ") && why.ends_with(" bytes wait"),
            "{troubles:?}"
        );
        becomes(&hub, "s", is_connected).await;
        echo(&hub).await;
    });
}

fn call_without_an_answer_times_out_and_others_work() {
    with_server(&["never"], async |mark, hub| {
        let limited = |limit| {
            let mut config = mark.server(&["never"]);
            config.timeout = limit;
            hub.apply(configuration([("s", config)]));
        };
        let others = async {
            echo(&hub).await;
            limited(Duration::from_millis(1));
        };
        let (error, ()) = tokio::join!(call(&hub, "fault", json!({})), others);
        assert!(matches!(error.unwrap_err(), CallError::TimedOut { .. }));
        limited(BOUND);
        // The notification of the cancellation arrives before this call.
        assert_eq!(seen(&hub).await["cancelled"], 1);
    });
}

fn answer_of_fifty_megabytes_is_received() {
    play(async |mark| {
        let limits = CallLimits { text: 100_000_000, ..CallLimits::default() };
        let hub = mark.hub(&["big=50000000"]).limits(limits).build();
        becomes(&hub, "s", is_connected).await;
        assert_eq!(call(&hub, "fault", json!({})).await.unwrap().len(), 50_000_000);
        echo(&hub).await;
        assert!(is_connected(&state(&hub, "s")));
    });
}

fn line_past_the_limit_fails_its_call_and_the_server_stays() {
    with_server(&["big=70000000"], async |_, hub| {
        let error = call(&hub, "fault", json!({})).await.unwrap_err();
        assert_eq!(error.code(), "protocol", "the server has refused nothing");
        assert!(error.to_string().contains("a line of more than 64 MiB"), "{error}");
        echo(&hub).await;
        assert!(is_connected(&state(&hub, "s")));
        let troubles = hub.troubles("s").unwrap();
        assert!(troubles[0].what.contains("a line of more than 64 MiB"), "{troubles:?}");
    });
}

fn duplicate_answer_counts_once() {
    with_server(&["twice"], async |_, hub| {
        for _ in 0..5 {
            assert_eq!(call(&hub, "fault", json!({})).await.unwrap(), "well");
            echo(&hub).await;
            echo(&hub).await;
        }
        assert!(is_connected(&state(&hub, "s")));
    });
}

fn slowly_written_answer_is_received() {
    with_server(&["drip=1"], async |_, hub| {
        assert_eq!(call(&hub, "fault", json!({})).await.unwrap(), "well");
        echo(&hub).await;
    });
}

fn many_list_changes_do_not_delay_calls() {
    with_server(&["storm=1000"], async |_, hub| {
        for _ in 0..5 {
            assert_eq!(call(&hub, "fault", json!({})).await.unwrap(), "well");
            echo(&hub).await;
        }
        let lists = seen(&hub).await["lists"].as_u64().unwrap();
        hub.refresh("s").await;
        let after = seen(&hub).await["lists"].as_u64().unwrap();
        assert!(after > lists, "a refresh lists");
        assert!(after < 200, "5,000 notifications caused {after} listings");
    });
}

fn stderr_is_kept_within_a_bound() {
    with_server(&["stderr-flood=5000000"], async |_, hub| {
        echo(&hub).await;
        let lines = || hub.stderr("s").unwrap();
        // stderr is a separate pipe, so its last line may be read later than the answer.
        eventually(|| lines().last().is_some_and(|line| &*line.text == "the last line of stderr")).await;
        assert_eq!(lines().len(), 500);
    });
}

fn stderr_is_no_trouble() {
    with_server(&["levels"], async |_, hub| {
        // The lines may arrive after the server is connected.
        eventually(|| hub.stderr("s").unwrap().len() >= 4).await;
        assert_eq!(hub.troubles("s").unwrap(), []);
    });
}
