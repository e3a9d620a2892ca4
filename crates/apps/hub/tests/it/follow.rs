//! The hub follows its files and edits them.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use agentwire_hub::{
    Backoff, Change, DisabledBy, EventStream, Hub, ServerState,
    config::{EditError, EditRefusal, ProblemKind, ServerConfig, Severity, Sources, Stdio},
};
use agentwire_testkit::eventually;
use futures_util::{FutureExt as _, StreamExt as _};
use serde_json::{Value, json};

use crate::{
    project::{Project, is_connected, until},
    server::{LIMIT, program},
};

fn config(hub: &Hub, server: &str) -> ServerConfig {
    hub.server(server).unwrap().configured.config
}

/// Waits until the configuration is applied.
async fn configured(events: &mut EventStream) {
    let applied = async { while !matches!(events.next().await.unwrap().change, Change::Configuration) {} };
    tokio::time::timeout(LIMIT, applied).await.unwrap();
}

/// Returns how often the configuration was applied up to now.
fn configurations(events: &mut EventStream) -> usize {
    let mut count = 0;
    while let Some(event) = events.next().now_or_never() {
        count += usize::from(matches!(event.unwrap().change, Change::Configuration));
    }
    count
}

// A comparison of resolved with raw configuration would restart each server with a variable at each event, and a restart
// would use old values.
#[tokio::test]
async fn only_changed_servers_are_restarted_and_with_current_values() {
    let project = Project::new();
    let servers = |more: Value| json!({"a": project.server("a", json!({})), "b": project.server("b", more)});
    project.configure(".mcp.json", servers(json!({})));
    let hub = project.hub(|builder| builder).await;
    for change in ["1", "2"] {
        *project.token.lock().unwrap() = change.into();
        project.configure(".mcp.json", servers(json!({"env": {"TOKEN": "${env:TOKEN}", "CHANGE": change}})));
        until(&hub, || project.starts("b").last().is_some_and(|token| token == change)).await;
    }
    assert_eq!(project.starts("a"), ["one"]);
    assert_eq!(project.starts("b"), ["one", "1", "2"]);
    assert!(matches!(hub.restart("a").await, Some(ServerState::Connected { .. })));
    assert_eq!(project.starts("a"), ["one", "2"]);
}

// Regression test: watches were lost when the configuration changed, or a server of the same name in another file.
#[tokio::test]
async fn watched_files_restart_their_servers_whatever_else_changes() {
    let project = Project::new();
    project.write("src/watched", "");
    let a = |more| project.server("a", more);
    let watched = json!({"watchPaths": ["watched"], "cwd": project.path("src")});
    project.configure(".mcp.json", json!({"a": a(watched.clone()), "b": project.server("b", json!({}))}));
    project.configure("global.json", json!({"a": a(json!({"watchPaths": ["other"]}))}));
    let hub = project.hub(|builder| builder).await;
    let changes = [
        (".mcp.json", json!({"a": a(watched.clone()), "b": project.server("b", json!({"timeout": 5}))})),
        ("global.json", json!({"a": a(json!({"timeout": 5}))})),
        ("global.json", json!({})),
    ];
    for ((file, servers), starts) in changes.into_iter().zip(2..) {
        let mut events = hub.events();
        project.configure(file, servers);
        configured(&mut events).await;
        project.write("src/watched", &starts.to_string());
        until(&hub, || project.starts("a").len() == starts && is_connected(&hub, "a")).await;
    }
    // A change of the watched files applies to a running server.
    let mut events = hub.events();
    let other = json!({"watchPaths": ["other"], "cwd": project.path("src")});
    project.configure(".mcp.json", json!({"a": a(other), "b": project.server("b", json!({"timeout": 5}))}));
    configured(&mut events).await;
    project.write("src/other", "");
    until(&hub, || project.starts("a").len() == 5 && is_connected(&hub, "a")).await;
    assert_eq!(project.starts("b").len(), 1);
}

#[tokio::test]
async fn new_build_restarts_the_server() {
    let project = Project::new();
    project.write("build/index.js", "1");
    let mut server = project.server("a", json!({}));
    server["args"].as_array_mut().unwrap().push("build/index.js".into());
    project.configure(".roo/mcp.json", json!({"a": server, "b": project.server("b", json!({}))}));
    let hub = project.hub(|builder| builder).await;
    for starts in 2..4 {
        project.write("build/index.js", &starts.to_string());
        until(&hub, || project.starts("a").len() == starts && is_connected(&hub, "a")).await;
    }
    // Built while the server is off: nothing to restart, and the file is watched again when it is on.
    hub.set_disabled("a", true).await.unwrap();
    project.write("build/index.js", "off");
    hub.set_disabled("a", false).await.unwrap();
    until(&hub, || is_connected(&hub, "a")).await;
    let starts = project.starts("a").len();
    project.write("build/index.js", "on");
    until(&hub, || project.starts("a").len() > starts && is_connected(&hub, "a")).await;
    assert_eq!(project.starts("b").len(), 1);
}

#[tokio::test]
async fn frequent_changes_restart_the_server_with_delays() {
    let project = Project::new();
    project.write("built", "1");
    project.configure(".mcp.json", json!({"a": project.server("a", json!({"watchPaths": ["built"]}))}));
    let wait = Duration::from_secs(3);
    let hub = project.hub(|builder| builder.backoff(Backoff { first: wait, ..Backoff::default() })).await;
    let start = Instant::now();
    for starts in 2..4 {
        project.write("built", &starts.to_string());
        until(&hub, || project.starts("a").len() == starts && is_connected(&hub, "a")).await;
    }
    assert!(start.elapsed() >= wait, "the first change counts at once, the next when that was a while ago");
}

#[tokio::test]
async fn requested_restart_does_not_wait_for_the_delay() {
    let project = Project::new();
    project.write("built", "1");
    project.write("sign", "1");
    let servers = json!({
        "a": project.server("a", json!({"watchPaths": ["built"]})),
        "b": project.server("b", json!({"watchPaths": ["sign"]})),
    });
    project.configure(".mcp.json", servers);
    let hour = Duration::from_secs(3600);
    let hub = project
        .hub(|builder| builder.backoff(Backoff { first: hour, longest: hour, ..Backoff::default() }))
        .await;
    project.write("built", "2");
    until(&hub, || project.starts("a").len() == 2 && is_connected(&hub, "a")).await;
    project.write("built", "3");
    // Changes are handled in order, so the restart of `a` is scheduled when `b` restarts.
    project.write("sign", "2");
    until(&hub, || project.starts("b").len() == 2 && is_connected(&hub, "b")).await;
    assert_eq!(project.starts("a").len(), 2);
    tokio::time::timeout(LIMIT, hub.restart("a")).await.unwrap();
    assert_eq!(project.starts("a").len(), 3);
}

// A file that is being edited.
#[tokio::test]
async fn broken_file_changes_only_the_problems() {
    let project = Project::new();
    project.configure(".mcp.json", json!({"a": project.server("a", json!({}))}));
    project.configure("global.json", json!({"b": project.server("b", json!({}))}));
    let hub = project.hub(|builder| builder).await;
    for file in ["global.json", ".mcp.json"] {
        let text = project.read(file);
        project.write(file, &text[..text.len() - 1]);
        until(&hub, || !hub.problems().is_empty()).await;
        let problems = hub.problems();
        let broken = problems.iter().find(|problem| problem.severity() == Severity::Error).unwrap();
        assert!(broken.file.as_ref().is_some_and(|broken| broken.ends_with(file)), "{broken}");
        assert!(problems.iter().any(|problem| problem.kind == ProblemKind::Kept));
        assert!(is_connected(&hub, "a") && is_connected(&hub, "b"));
        let refused = hub.set_disabled(if file == ".mcp.json" { "a" } else { "b" }, true).await;
        assert!(
            matches!(refused, Err(EditError::Refused { source: EditRefusal::Broken { .. }, .. })),
            "{refused:?}"
        );
        project.write(file, &text);
        until(&hub, || hub.problems().is_empty()).await;
    }
    assert_eq!((project.starts("a").len(), project.starts("b").len()), (1, 1));
}

#[tokio::test]
async fn files_may_come_and_go_with_their_servers() {
    let project = Project::new();
    let hub = project.hub(|builder| builder).await;
    assert!(hub.snapshot().is_empty());
    for _ in 0..2 {
        project.configure(".vscode/mcp.json", json!({"a": project.server("a", json!({}))}));
        until(&hub, || is_connected(&hub, "a")).await;
        fs::remove_dir_all(project.path(".vscode")).unwrap();
        until(&hub, || hub.snapshot().is_empty()).await;
    }
}

// Regression test: the timeout did not apply, other keys were lost, and the flag that hid the hub's own write also hid
// writes of other programs.
#[tokio::test]
async fn change_by_the_program_is_in_force_and_hides_no_other_change() {
    let project = Project::new();
    let (a, b) = (project.server("a", json!({})), project.server("b", json!({})));
    let text = format!(
        "{{\n  // mine\n  \"inputs\": [],\n  \"mcpServers\": {{\n    \"a\": {a}, // a\n    \"b\": {b}\n  }}\n}}\n"
    );
    project.write(".mcp.json", &text);
    let hub = project.hub(|builder| builder).await;
    let mut events = hub.events();
    hub.set_timeout("a", Duration::from_secs(7)).await.unwrap();
    assert_eq!(config(&hub, "a").timeout, Duration::from_secs(7));
    let written = project.read(".mcp.json");
    assert!(written.contains(", \"timeout\": 7}, // a"), "{written}");
    assert_eq!(written.replace(", \"timeout\": 7", ""), text);
    // Another program changes the file before the watcher reports the first change.
    let theirs = project.read(".mcp.json").replace("// mine", "// theirs");
    let theirs = theirs.replacen("\"b\": {", "\"b\": {\"timeout\": 9, ", 1);
    project.write(".mcp.json", &theirs);
    until(&hub, || config(&hub, "b").timeout == Duration::from_secs(9)).await;
    assert_eq!(config(&hub, "a").timeout, Duration::from_secs(7));
    // Each change is in force when its future completes, even if another program changes the file in between.
    hub.set_always_allow("a", "t", true).await.unwrap();
    assert!(config(&hub, "a").always_allow.matches("t"));
    project.write(".mcp.json", &format!("{}\n", project.read(".mcp.json")));
    hub.set_always_allow("a", "t", false).await.unwrap();
    assert!(!config(&hub, "a").always_allow.matches("t"));
    hub.set_tool_enabled("b", "t", false).await.unwrap();
    assert!(!config(&hub, "b").enables("t"));
    hub.set_tool_enabled("b", "t", true).await.unwrap();
    assert!(config(&hub, "b").enables("t"));
    hub.set_disabled("b", true).await.unwrap();
    assert!(config(&hub, "b").disabled);
    until(&hub, || matches!(hub.server("b").unwrap().state, ServerState::Disabled(DisabledBy::Config))).await;
    project.configure("global.json", json!({"c": project.server("c", json!({}))}));
    until(&hub, || is_connected(&hub, "c")).await;
    // On a busy machine, the added line may be read before the change that follows it.
    assert!(matches!(configurations(&mut events), 8 | 9));
    assert_eq!((project.starts("a").len(), project.starts("b").len()), (1, 1));
}

#[tokio::test]
async fn own_edit_is_not_read_twice() {
    let project = Project::new();
    project.write("sign", "");
    let servers = json!({
        "a": project.server("a", json!({})), "b": project.server("b", json!({"watchPaths": ["sign"]})),
    });
    project.configure(".mcp.json", servers);
    let hub = project.hub(|builder| builder).await;
    for seconds in 1..5 {
        let mut events = hub.events();
        hub.set_timeout("a", Duration::from_secs(seconds)).await.unwrap();
        // Changes are handled in order.
        project.write("sign", "");
        until(&hub, || project.starts("b").len() as u64 > seconds && is_connected(&hub, "b")).await;
        assert_eq!(configurations(&mut events), 1);
    }
}

#[tokio::test]
async fn requested_reload_does_not_wait_for_the_debounce() {
    let project = Project::new();
    let hub = project.hub(|builder| builder.debounce(Duration::from_secs(3600))).await;
    project.configure(".mcp.json", json!({"a": project.server("a", json!({}))}));
    hub.reload().await;
    until(&hub, || is_connected(&hub, "a")).await;
    project.configure("global.json", json!({"b": project.server("b", json!({}))}));
    hub.set_disabled("a", true).await.unwrap();
    assert!(config(&hub, "a").disabled && hub.server("b").is_some());
}

#[tokio::test]
async fn servers_are_added_and_removed() {
    let project = Project::new();
    project.configure("global.json", json!({"a": project.server("a", json!({"timeout": 5})), "broken": 1}));
    let sources = Sources::new().project(project.folder.path()).global(project.path("global.json"));
    let sources = sources.server("ours", ServerConfig::new(Stdio::new("agentwire-no-such-command")));
    let hub = project.hub(|builder| builder.sources(sources).trust_projects(false)).await;
    let file = project.path(".roo/mcp.json");
    hub.add(&file, "a", ServerConfig::new(program())).await.unwrap();
    // The server of the project takes precedence over the user's.
    assert_eq!(config(&hub, "a").timeout, Duration::from_secs(60));
    until(&hub, || is_connected(&hub, "a")).await;
    let again = hub.add(&file, "a", ServerConfig::new(program())).await;
    assert!(matches!(again, Err(EditError::Refused { source: EditRefusal::Exists { .. }, .. })), "{again:?}");
    hub.remove("a").await.unwrap();
    assert_eq!(config(&hub, "a").timeout, Duration::from_secs(5));
    hub.remove("a").await.unwrap();
    assert!(hub.server("a").is_none());
    // An invalid server can be removed, too.
    hub.remove("broken").await.unwrap();
    assert_eq!(project.read("global.json"), "{\"mcpServers\":{}}");
    let unknown = hub.remove("a").await;
    assert!(
        matches!(unknown, Err(EditError::Refused { source: EditRefusal::NoServer { .. }, .. })),
        "{unknown:?}"
    );
    let ours = hub.set_disabled("ours", true).await;
    assert!(matches!(ours, Err(EditError::NoFile { .. })), "{ours:?}");
    let elsewhere = hub.add(project.path("other.json"), "a", ServerConfig::new(program())).await;
    assert!(matches!(elsewhere, Err(EditError::NotRead { .. })), "{elsewhere:?}");
    hub.close().await;
    assert!(matches!(hub.remove("a").await, Err(EditError::Closed)));
}

// Dropping the future does not undo the change.
#[tokio::test]
async fn change_is_made_after_its_future_is_dropped() {
    let project = Project::new();
    project.configure(".mcp.json", json!({"a": project.server("a", json!({}))}));
    let hub = project.hub(|builder| builder).await;
    assert!(hub.set_timeout("a", Duration::from_secs(7)).now_or_never().is_none());
    until(&hub, || config(&hub, "a").timeout == Duration::from_secs(7)).await;
}

/// The counters cover the whole process.
#[cfg(target_os = "linux")]
#[test]
fn no_file_is_watched_after_the_hub_is_closed_or_dropped() {
    let run = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "follow::watches_end_with_the_hub", "--ignored"])
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && stdout.contains("1 passed"), "{stdout}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
#[ignore = "run by the test above, in a process of its own"]
async fn watches_end_with_the_hub() {
    let watches = || {
        let all = |folder: &str| fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
        let threads = all("/proc/self/task").filter_map(|task| fs::read_to_string(task.join("comm")).ok());
        let queues = all("/proc/self/fd").filter_map(|file| fs::read_link(file).ok());
        threads.filter(|name| name.trim() == "agentwire-watch").count()
            + queues.filter(|to| to == Path::new("anon_inode:inotify")).count()
    };
    for is_closed in [true, false] {
        let project = Project::new();
        let hub = project.hub(|builder| builder).await;
        project.configure(".mcp.json", json!({"a": project.server("a", json!({}))}));
        until(&hub, || is_connected(&hub, "a")).await;
        assert_eq!(watches(), 2);
        if is_closed {
            hub.close().await;
        } else {
            drop(hub);
        }
        eventually(|| watches() == 0).await;
    }
}
