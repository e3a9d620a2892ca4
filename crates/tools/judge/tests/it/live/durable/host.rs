//! Hosts that are killed in a turn: no effect is repeated, and the turn is reported.

use agentwire_testkit::eventually;
use agentwire_worker::Recovery;

use super::*;
use crate::live::killed::Host;

/// How many sessions run in the host.
const SESSIONS: usize = 5;

/// Kills a host while each session runs a tool, and returns its place.
async fn killed() -> Place {
    let tool = bash("toolu_1", "echo began >> ran.txt; exec sleep 60");
    let script = json!({"replies": [
        {"blocks": [tool], "times": SESSIONS},
        {"blocks": [{"text": "Done."}], "times": 99},
    ]});
    let place = Place::scripted(&script.to_string()).await;
    let mut host = Host::start("live::durable::host::host", HOST, &[place.root(), place.model.base_url()]);
    eventually(|| (0..SESSIONS).all(|n| noted(&place, n) == "began\n")).await;
    host.kill();
    place
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn turns_of_a_killed_host_are_reported_and_not_repeated() {
    let place = killed().await;
    let engine = engine(&place, worker(&place)).await;
    for n in 0..SESSIONS {
        let outcome = ended(&engine, n, n).await;
        let Outcome::Interrupted { state: Recovery::Interrupted { tools }, .. } = outcome else {
            panic!("{outcome:?}")
        };
        assert_eq!(tools.iter().map(|tool| tool.id.as_str()).collect::<Vec<_>>(), ["toolu_1"]);
        // The session is resumed here.
        engine.prompt(&session(n), prompt(100 + n)).await.unwrap();
    }
    for n in 0..SESSIONS {
        assert_eq!(ended(&engine, n, 100 + n).await, done("Done."));
        assert_eq!(noted(&place, n), "began\n", "the effect is not repeated");
    }
    engine.close(LIMIT).await;
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn turns_of_a_killed_host_continue_with_a_notice() {
    let place = killed().await;
    let policy = LossPolicy::Resume("The machine was lost. Check before you repeat a command.".to_owned());
    let engine = engine_in(Path::new(place.root()), worker(&place), policy).await;
    for n in 0..SESSIONS {
        assert_eq!(ended(&engine, n, n).await, done("Done."));
        assert_eq!(noted(&place, n), "began\n", "the effect is not repeated");
    }
    engine.close(LIMIT).await;
}

/// Not a test: the others start it in a process of its own.
#[test]
#[ignore = "is started by the others"]
fn host() {
    let Ok(arguments) = std::env::var(HOST) else { return };
    let (root, model) = arguments.split_once('\t').unwrap();
    let root = Path::new(root);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let engine = engine_in(root, worker_in(root, options(root, model)), LossPolicy::Tell).await;
        for n in 0..SESSIONS {
            engine.prompt(&session(n), prompt(n)).await.unwrap();
        }
        std::future::pending::<()>().await;
    });
}

/// The variable with the arguments of a host: the folder, and the address of the model.
const HOST: &str = "AGENTWIRE_DURABLE_HOST";
