//! Files that servers depend on: of an env file, only the content counts; of a watched folder, everything in it.

use std::fs;

use agentwire_hub::{Hub, ServerState};
use serde_json::json;

use crate::project::{Project, is_connected, until};

/// Waits until all earlier changes of files were handled.
async fn wait_for_changes(project: &Project, hub: &Hub) {
    let starts = project.starts("sign").len();
    project.write("sign", &starts.to_string());
    until(hub, || project.starts("sign").len() > starts && is_connected(hub, "sign")).await;
}

fn has_failed(hub: &Hub, server: &str) -> bool {
    matches!(hub.server(server), Some(server) if matches!(server.state, ServerState::Failed { .. }))
}

/// Configures a server with its token in an env file, and a second one: its restart shows that all changes were handled.
fn configure(project: &Project) {
    project.write("sign", "");
    let servers = json!({
        "a": project.server("a", json!({"env": {}, "envFile": "${workspaceFolder}/vars"})),
        "sign": project.server("sign", json!({"watchPaths": ["sign"]})),
    });
    project.configure(".mcp.json", servers);
}

#[tokio::test]
async fn another_content_restarts_the_server_and_nothing_else_does() {
    let project = Project::new();
    project.write("vars", "TOKEN=1");
    configure(&project);
    let hub = project.hub(|builder| builder).await;
    // Written again with the same content.
    project.write("vars", "TOKEN=1");
    wait_for_changes(&project, &hub).await;
    assert_eq!(project.starts("a"), ["1"]);
    project.write("vars", "TOKEN=2");
    until(&hub, || project.starts("a").len() == 2 && is_connected(&hub, "a")).await;
    // A running server is not ended when a file that it needs to start is removed.
    fs::remove_file(project.path("vars")).unwrap();
    wait_for_changes(&project, &hub).await;
    assert!(is_connected(&hub, "a"));
    project.write("vars", "TOKEN=2");
    wait_for_changes(&project, &hub).await;
    project.write("vars", "TOKEN=3");
    until(&hub, || project.starts("a").len() > 2 && is_connected(&hub, "a")).await;
    assert_eq!(project.starts("a"), ["1", "2", "3"]);
    // Changed while the server is off.
    hub.set_disabled("a", true).await.unwrap();
    project.write("vars", "TOKEN=off");
    hub.set_disabled("a", false).await.unwrap();
    until(&hub, || is_connected(&hub, "a")).await;
    project.write("vars", "TOKEN=on");
    until(&hub, || project.starts("a").last().is_some_and(|token| token == "on") && is_connected(&hub, "a"))
        .await;
}

#[tokio::test]
async fn new_file_starts_the_server_that_failed_without_it() {
    let project = Project::new();
    configure(&project);
    let hub = project.hub(|builder| builder).await;
    assert!(has_failed(&hub, "a"));
    for _ in 0..2 {
        project.write("vars", "TOKEN=same");
        until(&hub, || is_connected(&hub, "a")).await;
        fs::remove_file(project.path("vars")).unwrap();
        wait_for_changes(&project, &hub).await;
        hub.restart("a").await;
        assert!(has_failed(&hub, "a"));
    }
}

// Otherwise each change by the program would restart the servers that watch the folder of the configuration.
#[tokio::test]
async fn configuration_in_a_watched_folder_restarts_no_server() {
    let project = Project::new();
    project.write("sign", "");
    let servers = json!({
        "a": project.server("a", json!({"watchPaths": [".roo"]})),
        "sign": project.server("sign", json!({"watchPaths": ["sign"]})),
    });
    project.configure(".roo/mcp.json", servers);
    let hub = project.hub(|builder| builder).await;
    for tool in ["s", "t"] {
        hub.set_always_allow("a", tool, true).await.unwrap();
        wait_for_changes(&project, &hub).await;
    }
    assert_eq!(project.starts("a").len(), 1);
    project.write(".roo/deep/er/file", "");
    until(&hub, || project.starts("a").len() > 1 && is_connected(&hub, "a")).await;
}
