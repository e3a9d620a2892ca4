//! `server-everything` over streamable HTTP and over the older transport.

use std::{
    net::TcpListener,
    process::{Child, Command, Stdio},
    time::Duration,
};

use agentwire_hub::{
    Backoff, Hub, ServerState,
    config::{Endpoint, Launch, ServerConfig, Sources},
};

use futures_util::StreamExt as _;

use super::servers;

/// The server as a process of its own.
struct Everything(Child);

impl Everything {
    fn start(mode: &str, port: u16) -> Self {
        let modules = servers().join("node_modules");
        let script = modules.join("@modelcontextprotocol/server-everything/dist/index.js");
        let child = Command::new("node")
            .arg(script)
            .arg(mode)
            .env("PORT", port.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self(child)
    }
}

impl Drop for Everything {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn everything_works(mode: &str, path: &str, way: fn(Endpoint) -> Launch) {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = Everything::start(mode, port);
    let config = ServerConfig::new(way(Endpoint::new(format!("http://127.0.0.1:{port}{path}"))));
    let backoff = Backoff {
        first: Duration::from_millis(50),
        longest: Duration::from_millis(500),
        ..Backoff::default()
    };
    let hub = Hub::builder().sources(Sources::new().server("everything", config)).backoff(backoff).build();
    wait(&hub, true).await;
    sees_everything(&hub);
    drop(server);
    wait(&hub, false).await;
    let _server = Everything::start(mode, port);
    wait(&hub, true).await;
    sees_everything(&hub);
    hub.close().await;
}

fn sees_everything(hub: &Hub) {
    let catalog = hub.catalog("everything").unwrap();
    assert!(catalog.tools().iter().any(|tool| tool.name == "echo"));
    assert!(!catalog.resources().is_empty() && !catalog.templates().is_empty());
    assert!(!catalog.prompts().is_empty());
    assert_eq!(catalog.problems().count(), 0);
}

/// Waits until the server is connected, or until it is not.
async fn wait(hub: &Hub, wanted: bool) {
    let mut events = hub.events();
    let change = async {
        while matches!(hub.server("everything").unwrap().state, ServerState::Connected { .. }) != wanted {
            events.next().await;
        }
    };
    if tokio::time::timeout(Duration::from_secs(60), change).await.is_err() {
        panic!("{:?} {:?}", hub.snapshot(), hub.troubles("everything"));
    }
}

#[tokio::test]
#[ignore = "needs the real servers: cargo xtask mcp-servers"]
async fn everything_server_works_over_streamable_http() {
    everything_works("streamableHttp", "/mcp", Launch::Http).await;
}

#[tokio::test]
#[ignore = "needs the real servers: cargo xtask mcp-servers"]
async fn everything_server_works_over_sse() {
    everything_works("sse", "/sse", Launch::Sse).await;
}
