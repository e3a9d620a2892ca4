//! Refused and dropped changes.

use std::{fs, path::Path, time::Duration};

use agentwire_hub::{
    Hub,
    config::{EditError, EditRefusal, Endpoint, Launch, ServerConfig, Sources, Stdio},
};
use futures_util::FutureExt as _;
use serde_json::json;

use crate::{
    call::{add_tool, call},
    project::Project,
    server,
};

/// A file of one server that is never started.
const FILE: &str = "{\"mcpServers\": {\"a\": {\"command\": \"x\", \"disabled\": true}}}\n";

fn hub(project: &Path) -> Hub {
    Hub::builder().sources(Sources::new().project(project)).build()
}

fn off(launch: impl Into<Launch>) -> ServerConfig {
    let mut config = ServerConfig::new(launch);
    config.disabled = true;
    config
}

#[tokio::test]
async fn invalid_server_is_not_added() {
    let folder = tempfile::tempdir().unwrap();
    let (file, new) = (folder.path().join(".mcp.json"), folder.path().join(".roo/mcp.json"));
    fs::write(&file, FILE).unwrap();
    let hub = hub(folder.path());
    let mut hasty = off(Stdio::new("x"));
    hasty.timeout = Duration::from_millis(500);
    let mut endless = off(Stdio::new("x"));
    endless.startup_timeout = Duration::from_secs(3601);
    let nowhere = off(Launch::Http(Endpoint::new("example.org")));
    for config in [hasty, endless, off(Stdio::new("")), nowhere] {
        for file in [&file, &new] {
            let refused = hub.add(file, "b", config.clone()).await;
            let Err(EditError::Refused { source: EditRefusal::Invalid { problems }, .. }) = refused else {
                panic!("{config:?}: {refused:?}")
            };
            assert_eq!(problems.len(), 1, "{problems:?}");
        }
    }
    for name in ["a\nb", " "] {
        let unnamed = hub.add(&file, name, off(Stdio::new("x"))).await;
        assert!(
            matches!(unnamed, Err(EditError::Refused { source: EditRefusal::ServerName, .. })),
            "{unnamed:?}"
        );
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), FILE);
    assert!(!new.parent().unwrap().exists());
    assert!(hub.server("b").is_none() && hub.problems().is_empty());
}

#[tokio::test]
async fn invalid_time_limit_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".mcp.json");
    fs::write(&file, FILE).unwrap();
    let hub = hub(folder.path());
    let longest = Duration::from_secs(3600);
    for timeout in
        [Duration::ZERO, Duration::from_millis(999), longest + Duration::from_nanos(1), Duration::MAX]
    {
        let refused = hub.set_timeout("a", timeout).await;
        assert!(
            matches!(refused, Err(EditError::Refused { source: EditRefusal::Timeout, .. })),
            "{refused:?}"
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), FILE);
    }
    for timeout in [Duration::from_secs(1), Duration::from_millis(1500), longest] {
        hub.set_timeout("a", timeout).await.unwrap();
        assert_eq!(hub.server("a").unwrap().configured.config.timeout, timeout);
        assert!(hub.problems().is_empty());
    }
}

#[tokio::test]
async fn change_of_a_broken_server_is_refused_unless_it_repairs_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".mcp.json");
    fs::write(&file, r#"{"servers": {"a": {"command": "x"}}}"#).unwrap();
    let hub = hub(folder.path());
    // Claude Code's time limits are in milliseconds.
    let broken = r#"{"servers": {"a": {"command": "x", "timeout": 60000}}}"#;
    fs::write(&file, broken).unwrap();
    hub.reload().await;
    for refused in [
        hub.set_disabled("a", true).await,
        hub.set_tool_enabled("a", "t", false).await,
        hub.set_always_allow("a", "t", true).await,
    ] {
        let Err(EditError::Refused { source: EditRefusal::Invalid { problems }, .. }) = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(problems.iter().map(|problem| &*problem.path).collect::<Vec<_>>(), ["timeout"]);
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), broken);
    hub.set_timeout("a", Duration::from_secs(9)).await.unwrap();
    hub.set_disabled("a", true).await.unwrap();
    let config = hub.server("a").unwrap().configured.config.clone();
    assert_eq!((config.timeout, config.disabled), (Duration::from_secs(9), true));
}

#[tokio::test]
async fn broken_server_is_removed_from_the_file_with_precedence() {
    let folder = tempfile::tempdir().unwrap();
    let (global, project) = (folder.path().join("a.json"), folder.path().join("z/.mcp.json"));
    fs::create_dir(project.parent().unwrap()).unwrap();
    fs::write(folder.path().join("z/.roo"), "no folder").unwrap();
    fs::write(&global, FILE).unwrap();
    fs::write(&project, r#"{"mcpServers": {"a": {}}}"#).unwrap();
    let sources = Sources::new().global(&global).project(folder.path().join("z"));
    let hub = Hub::builder().sources(sources).build();
    assert!(hub.server("a").is_none());
    hub.remove("a").await.unwrap();
    assert_eq!(fs::read_to_string(&global).unwrap(), FILE);
    assert_eq!(fs::read_to_string(&project).unwrap(), r#"{"mcpServers": {}}"#);
    assert!(hub.server("a").is_some());
}

#[tokio::test]
async fn server_in_a_file_that_the_hub_does_not_read_is_not_changed() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = other.path().join("servers.json");
    fs::write(&file, FILE).unwrap();
    let hub = hub(folder.path());
    let mut elsewhere = Sources::new().global(&file).server("ours", off(Stdio::new("y")));
    hub.apply(elsewhere.read());
    assert_eq!(hub.snapshot().len(), 2);
    let changes = [hub.set_disabled("a", false).await, hub.remove("a").await];
    for refused in changes {
        let Err(EditError::NotRead { file: named }) = &refused else { panic!("{refused:?}") };
        assert_eq!(*named, file);
    }
    let ours = hub.set_disabled("ours", false).await;
    assert!(matches!(ours, Err(EditError::NoFile { .. })), "{ours:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), FILE);
}

#[tokio::test]
async fn definition_is_allowed_from_the_start_of_a_change_and_not_after_a_failed_one() {
    let project = Project::new();
    let in_project = project.server("test", json!({"alwaysAllow": ["notify", "give2"]}));
    project.configure(".mcp.json", json!({ "test": in_project }));
    let in_file = project.hub(|builder| builder).await;
    let mut config = ServerConfig::new(server::program());
    config.always_allow = ["notify", "give2"].into_iter().collect();
    let in_program = server::hub(config, |builder| builder).await;
    for (hub, is_editable) in [(in_file, true), (in_program, false)] {
        for description in ["one", "two"] {
            let tool =
                json!({"name": "give2", "description": description, "inputSchema": {"type": "object"}});
            add_tool(&hub, "test", &tool).await;
        }
        let give = async || hub.call(call("give2", json!({"content": []}))).await;
        assert_eq!(give().await.unwrap_err().code(), "denied");
        if is_editable {
            // Dropping the future does not stop the change.
            assert!(hub.set_always_allow("test", "give2", true).now_or_never().is_none());
        } else {
            hub.set_always_allow("test", "give2", true).await.unwrap_err();
        }
        assert_eq!(give().await.is_ok(), is_editable);
    }
}
