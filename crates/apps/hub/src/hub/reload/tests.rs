//! Files that can't be watched properly.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Condvar, Mutex, OnceLock},
    time::Duration,
};

use agentwire_testkit::eventually;
use tokio::time::timeout;

use super::WatchSettings;
use crate::{
    Hub,
    config::{ProblemKind, Severity, Sources, Variables, unresponsive},
};

#[tokio::test]
async fn unwatchable_files_are_a_problem_and_are_polled() {
    let folder = tempfile::tempdir().unwrap();
    let mut builder = Hub::builder().sources(Sources::new().project(folder.path()));
    builder.watch = WatchSettings::unwatchable();
    let hub = builder.build();
    hub.reload().await;
    let problems = hub.problems();
    assert!(
        matches!(&problems[..], [only] if matches!(only.kind, ProblemKind::Unwatched(_))),
        "{problems:?}"
    );
    assert_eq!(problems[0].severity(), Severity::Warning);
    assert!(problems[0].to_string().starts_with("warning: files in "), "{}", problems[0]);
    let text = r#"{"mcpServers": {"a": {"command": "x", "disabled": true}}}"#;
    fs::write(folder.path().join(".mcp.json"), text).unwrap();
    eventually(|| hub.server("a").is_some()).await;
}

// The file does not change when the file system answers, so no event reports it.
#[tokio::test]
async fn file_that_was_not_read_in_time_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".mcp.json");
    fs::write(&file, r#"{"mcpServers": {"a": {"command": "x", "disabled": true}}}"#).unwrap();
    let is_unresponsive = unresponsive(&file);
    let hub = Hub::builder().sources(Sources::new().project(folder.path())).build();
    hub.reload().await;
    let problems = hub.problems();
    assert!(problems.iter().any(|problem| problem.kind == ProblemKind::Unresponsive), "{problems:?}");
    assert!(hub.server("a").is_none());
    drop(is_unresponsive);
    eventually(|| hub.server("a").is_some() && hub.problems().is_empty()).await;
    hub.close().await;
}

// A network share blocks each access after its server is gone.
#[tokio::test]
async fn hanging_folder_is_a_problem_and_delays_no_other_file() {
    static ENDED: OnceLock<()> = OnceLock::new();
    let answer = |_: &Path| {
        ENDED.wait();
        None
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".mcp.json");
    let write = |timeout| write_server(&file, timeout);
    write(1);
    let mut builder = Hub::builder().sources(Sources::new().project(folder.path()));
    builder.watch = WatchSettings::hanging(answer);
    let hub = builder.build();
    timeout(LIMIT, hub.reload()).await.unwrap();
    assert_eq!(time_limit(&hub), Some(1));
    let problems = hub.problems();
    assert!(
        matches!(&problems[..], [only] if only.to_string().starts_with("warning: some files are not watched yet")),
        "{problems:?}"
    );
    timeout(LIMIT, hub.set_timeout("a", Duration::from_secs(2))).await.unwrap().unwrap();
    assert_eq!(time_limit(&hub), Some(2));
    // Changes are still noticed, by polling.
    write(3);
    eventually(|| time_limit(&hub) == Some(3)).await;
    ENDED.set(()).unwrap();
    eventually(|| hub.problems().is_empty()).await;
    write(4);
    eventually(|| time_limit(&hub) == Some(4)).await;
}

// The hanging folder blocks the watcher's thread.
#[tokio::test]
async fn change_is_applied_while_the_folder_of_another_file_hangs() {
    static HANGING: OnceLock<PathBuf> = OnceLock::new();
    static ASKED: OnceLock<()> = OnceLock::new();
    static ENDED: OnceLock<()> = OnceLock::new();
    let answer = |path: &Path| {
        if HANGING.get().is_some_and(|folder| path.starts_with(folder)) {
            ASKED.get_or_init(|| ());
            ENDED.wait();
        }
        None
    };
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (project, global) = (root.join("project"), root.join("user/mcp.json"));
    fs::create_dir_all(&project).unwrap();
    fs::create_dir_all(root.join("user")).unwrap();
    let write = |timeout| write_server(&global, timeout);
    write(1);
    let mut builder = Hub::builder().sources(Sources::new().project(&project).global(&global));
    builder.watch = WatchSettings::hanging(answer);
    let hub = builder.build();
    hub.reload().await;
    eventually(|| time_limit(&hub) == Some(1)).await;
    HANGING.set(project.clone()).unwrap();
    // One more folder to watch, which the thread finds without a request.
    fs::create_dir(project.join(".roo")).unwrap();
    eventually(|| ASKED.get().is_some()).await;
    for seconds in 2..=3 {
        write(seconds);
        eventually(|| time_limit(&hub) == Some(seconds)).await;
    }
    ENDED.set(()).unwrap();
    eventually(|| hub.problems().is_empty()).await;
    write(4);
    eventually(|| time_limit(&hub) == Some(4)).await;
    hub.close().await;
}

// A change between the start of a server and the first watch of its files would be missed.
#[tokio::test]
async fn server_starts_after_its_files_are_watched() {
    static STARTED: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());
    static EARLY: OnceLock<bool> = OnceLock::new();
    let answer = |_: &Path| {
        let (started, news) = &STARTED;
        let moment = Duration::from_millis(500);
        let (started, _) =
            news.wait_timeout_while(started.lock().unwrap(), moment, |started| !*started).unwrap();
        EARLY.get_or_init(|| *started);
        None
    };
    let folder = tempfile::tempdir().unwrap();
    let server = r#"{"command": "x", "env": {"A": "${env:A}"}}"#;
    fs::write(folder.path().join(".mcp.json"), format!(r#"{{"mcpServers": {{"a": {server}}}}}"#)).unwrap();
    // Values are looked up when a server starts.
    let variables = Variables::new().environment(|_| {
        *STARTED.0.lock().unwrap() = true;
        STARTED.1.notify_all();
        None
    });
    let sources = Sources::new().project(folder.path());
    let mut builder = Hub::builder().sources(sources).trust_projects(true).variables(variables);
    builder.watch = WatchSettings::hanging(answer);
    builder.watch.patience = LIMIT;
    let hub = builder.build();
    assert!(hub.wait_until_ready(LIMIT).await);
    assert!(*STARTED.0.lock().unwrap(), "it was started");
    hub.reload().await;
    assert_eq!(EARLY.get(), Some(&false), "it was started before its files were watched");
}

const LIMIT: Duration = Duration::from_secs(20);

/// Returns the time limit of the server `a`, in seconds.
fn time_limit(hub: &Hub) -> Option<u64> {
    hub.server("a").map(|server| server.configured.config.timeout.as_secs())
}

fn write_server(file: &Path, timeout: u64) {
    let server = format!(r#"{{"command": "x", "disabled": true, "timeout": {timeout}}}"#);
    fs::write(file, format!(r#"{{"mcpServers": {{"a": {server}}}}}"#)).unwrap();
}
