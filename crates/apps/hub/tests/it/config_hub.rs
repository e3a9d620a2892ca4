//! How a hub uses the configuration that it has read.

#![cfg(unix)]

use std::{
    fs,
    sync::{Arc, Mutex},
};

use agentwire_hub::{
    Hub,
    config::{Sources, Variables},
};

use crate::{hub::why, server::LIMIT};

#[tokio::test]
async fn variables_are_read_when_a_server_starts() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().canonicalize().unwrap();
    let text = r#"{"mcpServers": {
        "tells": {"command": "sh", "args": ["-c", "pwd >&2; echo \"<$T>\" >&2; exit 3"],
            "env": {"T": "${workspaceFolder} ${SET} ${UNSET:-d}"}},
        "unset": {"command": "sh", "env": {"T": "${UNSET}"}}}}"#;
    fs::write(project.join(".mcp.json"), text).unwrap();
    let set = Arc::new(Mutex::new("a\"\\'$x"));
    let variables = Variables::new().environment({
        let set = Arc::clone(&set);
        move |name| (name == "SET").then(|| (*set.lock().unwrap()).to_owned())
    });
    let sources = Sources::new().project(&project);
    let hub = Hub::builder().sources(sources).trust_projects(true).variables(variables).build();
    assert!(hub.wait_until_ready(LIMIT).await);

    let folder = project.to_str().unwrap();
    let reason = why(&hub, "tells");
    // The server runs in the folder of the project.
    assert!(reason.contains(&format!("stderr: {folder}")), "{reason}");
    assert!(reason.contains(&format!("<{folder} a\"\\'$x d>")), "{reason}");
    let reason = why(&hub, "unset");
    assert!(
        reason.ends_with(".mcp.json:4:49: mcpServers.unset.env.T: the variable `UNSET` is not set"),
        "{reason}"
    );

    // The current value is used.
    *set.lock().unwrap() = "other";
    hub.restart("tells").await;
    assert!(hub.wait_until_ready(LIMIT).await);
    let reason = why(&hub, "tells");
    assert!(reason.contains(&format!("<{folder} other d>")), "{reason}");
}
