//! Guards without a decision when their host exits: the guarded action does not happen.
//!
//! Each case has a host in a process of its own, which is this program.

mod guard;
mod host;

use std::{fs, path::Path, process::Command, sync::Arc, time::Duration};

use agentwire_testkit::eventually;
use tokio::{sync::Semaphore, task::JoinSet, time::sleep};

use super::{Place, killed::Host};
use guard::{GUARDS, Guard};
use host::{HOST, WAYS};

/// The guards and ways that are tried on every run: each way, and each guard, at least once.
const USUAL: &[(&str, &str)] = &[
    ("UserPromptSubmit", "close()"),
    ("UserPromptSubmit", "runtime shutdown"),
    ("UserPromptSubmit", "SIGKILL"),
    ("UserPromptSubmit, not asked yet", "drop"),
    ("UserPromptExpansion", "end_input()"),
    ("PreToolUse", "SIGTERM"),
    ("PreToolUse", "reinitialize"),
    ("PreToolUse, not asked yet", "close()"),
    ("PostToolBatch", "drop"),
    ("PostToolBatch", "SIGKILL"),
    ("PostToolBatch, not asked yet", "end_input()"),
    ("PermissionRequest", "turn dropped"),
    ("PreCompact", "close()"),
    ("Stop", "drop"),
    ("permission handler", "interrupt"),
];

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn guards_hold_when_the_host_goes_away() {
    let chosen = |guard: &Guard, way: &str| USUAL.contains(&(guard.name, way));
    let tried = try_all(chosen).await;
    assert_eq!(tried.len(), USUAL.len(), "each name is that of a guard and of a way");
    assert_all_hold(&tried);
}

#[tokio::test]
#[ignore = "takes minutes: cargo xtask leaving"]
async fn guards_hold_with_every_way_of_leaving() {
    assert_all_hold(&try_all(|_, _| true).await);
}

/// The test that a host process runs; it does nothing unless this process is a host.
#[test]
#[ignore = "is started by the others"]
fn host() {
    if let Ok(arguments) = std::env::var(HOST) {
        host::play(&arguments);
    }
}

/// Returns for each guard whether it was passed, in order.
async fn try_all(chosen: impl Fn(&Guard, &str) -> bool) -> Vec<(&'static str, &'static str, bool)> {
    let room = Arc::new(Semaphore::new(AT_ONCE));
    let mut cases = JoinSet::new();
    let all = GUARDS.iter().flat_map(|guard| WAYS.iter().map(move |way| (guard, *way)));
    for (number, (guard, way)) in all.filter(|(guard, way)| chosen(guard, way)).enumerate() {
        let room = Arc::clone(&room);
        cases.spawn(async move {
            let _room = room.acquire_owned().await.unwrap();
            (number, guard.name, way, is_passed(guard, way).await)
        });
    }
    let mut tried = cases.join_all().await;
    tried.sort_unstable();
    tried.into_iter().map(|(_, guard, way, passed)| (guard, way, passed)).collect()
}

fn assert_all_hold(tried: &[(&str, &str, bool)]) {
    let passed: Vec<_> = tried.iter().filter(|(_, _, passed)| *passed).collect();
    assert!(passed.is_empty(), "passed, by guard and way: {passed:?}");
}

async fn is_passed(guard: &'static Guard, way: &str) -> bool {
    let place = guard.place().await;
    let words = [guard.name, way, place.root(), place.model.base_url()];
    let mut host = Host::start("live::leaving::host", HOST, &words);
    eventually(|| guard.has_come(&place)).await;
    // Time for the CLI to reach the state in which it waits.
    sleep(Duration::from_millis(200)).await;
    match way {
        "SIGKILL" => host.0.kill().unwrap(),
        "SIGTERM" => {
            let kill = Command::new("kill").arg(host.0.id().to_string()).status().unwrap();
            assert!(kill.success());
        }
        _ => fs::write(place.file("go"), "").unwrap(),
    }
    if matches!(way, "turn dropped" | "interrupt" | "reinitialize") {
        // The session goes on.
        sleep(Duration::from_secs(3)).await;
        assert!(!guard.is_passed(&place), "{} is passed at {way}", guard.name);
        drop(host);
    }
    eventually(|| !is_used(&place.file("project"))).await;
    guard.is_passed(&place)
}

/// Returns whether a process works in this folder.
fn is_used(folder: &Path) -> bool {
    let folder = fs::canonicalize(folder).unwrap();
    let mut processes = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path().join("cwd"));
    processes.any(|dir| fs::read_link(dir).is_ok_and(|dir| dir == folder))
}

/// How many hosts run at once; most of the time is waiting.
const AT_ONCE: usize = 3;
