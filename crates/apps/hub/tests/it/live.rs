//! The hub as a server of the real CLI's, which a scripted model uses.
//!
//! `cargo xtask live-tests` names the CLI in `AGENTWIRE_CLI`; the servers are found as in [`real`](crate::real).

mod jupyter;

use std::{fs, path::PathBuf};

use agentwire::{Options, Session, SessionBuilder, mcp::McpServers, protocol::Message};
use agentwire_hub::{
    Audit, CallRecords, Hub,
    config::{Launch, ServerConfig, Sources, Stdio},
};
use agentwire_testkit::{Script, ScriptedModel};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{gateway_program, real::node};

/// A home and a project for the CLI, and a model.
struct Place {
    folder: TempDir,
    model: ScriptedModel,
}

impl Place {
    /// Returns a model that calls one of these tools per turn.
    async fn calling(calls: &[(&str, Value)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "project"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let turn = |(name, input): &(&str, Value)| {
            let call = json!({"blocks": [{"tool_use": {"name": name, "input": input}}]});
            [call, json!({"blocks": [{"text": "Done."}]})]
        };
        let script = json!({"replies": calls.iter().flat_map(turn).collect::<Vec<_>>()});
        let model = ScriptedModel::start(Script::from_json(&script.to_string()).unwrap()).await.unwrap();
        Self { folder, model }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn path(&self, name: &str) -> String {
        self.file(name).to_str().unwrap().to_owned()
    }

    /// Returns a session with the hub as the server `hub` and permission for all of its tools.
    async fn session(&self, hub: &Hub) -> Session {
        let servers = McpServers::new().with("hub", hub.serve());
        connected(Session::builder().options(self.options("mcp__hub")).mcp_servers(servers)).await
    }

    /// Returns options with which the CLI sees only this place and may use these tools.
    fn options(&self, allowed: &str) -> Options {
        let mut options = Options::new().env_clear().cwd(self.path("project")).allowed_tools([allowed]);
        options.env = self.model.environment(self.path("home"));
        options
    }
}

/// Returns `server-everything` over stdio, with two allowed tools.
fn everything() -> ServerConfig {
    let mut config = node("@modelcontextprotocol/server-everything/dist/index.js", &["stdio"]);
    config.always_allow = ["echo", "get-tiny-image"].into_iter().collect();
    config
}

fn hub(sources: Sources) -> (Hub, CallRecords) {
    let (audit, records) = Audit::new(100);
    (Hub::builder().sources(sources).audit(audit).build(), records)
}

/// Starts a session. The future is boxed because it is large.
async fn connected(builder: SessionBuilder) -> Session {
    Box::pin(builder.connect()).await.unwrap()
}

/// Waits until the CLI knows a tool of a server.
async fn knows(session: &Session, server: &str, tool: &str) {
    loop {
        let status = session.mcp_status().await.unwrap();
        let found = status.mcp_servers.iter().find(|one| &*one.name == server);
        if found.is_some_and(|found| found.tools.iter().any(|one| &*one.name == tool)) {
            return;
        }
        tokio::task::yield_now().await;
    }
}

/// Runs the model's next turn and returns the content of its tool results.
async fn asked(session: &mut Session) -> String {
    let mut turn = session.ask("Go.").await.unwrap();
    let mut results = Vec::new();
    while let Some(incoming) = turn.next().await {
        let incoming = incoming.unwrap();
        if let (Some(Message::User(_)), Some(line)) = (incoming.message(), incoming.line()) {
            results.push(String::from_utf8_lossy(line.as_bytes()).into_owned());
        }
    }
    results.concat()
}

#[tokio::test]
#[ignore = "needs the real CLI and the real servers: cargo xtask live-tests"]
async fn model_calls_a_tool_of_a_server_through_the_hub() {
    let place = Place::calling(&[
        ("mcp__hub__everything__echo", json!({"message": "hello"})),
        ("mcp__hub__everything__get-sum", json!({"a": 2, "b": 3})),
        ("mcp__hub__everything__get-tiny-image", json!({})),
    ])
    .await;
    let (hub, mut records) = hub(Sources::new().server("everything", everything()));
    let mut session = place.session(&hub).await;
    knows(&session, "hub", "everything__echo").await;
    let results = asked(&mut session).await;
    assert!(results.contains("Echo: hello"), "{results}");
    let record = records.recv().await.unwrap();
    assert_eq!(
        (record.server.as_str(), &*record.name, &*record.caller),
        ("everything", "echo", "claude-code")
    );
    // The model receives the hub's refusal.
    let results = asked(&mut session).await;
    assert!(results.contains("the call of `get-sum` of the server `everything` was denied"), "{results}");
    let results = asked(&mut session).await;
    assert!(results.contains("image/png"), "{results}");
    session.close().await.unwrap();
    hub.close().await;
}

#[tokio::test]
#[ignore = "needs the real CLI and the real servers: cargo xtask live-tests"]
async fn server_that_is_added_during_a_session_can_be_called() {
    let call = ("mcp__hub__late__echo", json!({"message": "hello"}));
    let place = Place::calling(&[call.clone(), call]).await;
    let (hub, _records) = hub(Sources::new());
    let mut session = place.session(&hub).await;
    let before = asked(&mut session).await;
    assert!(before.contains("No such tool"), "{before}");
    hub.apply(Sources::new().server("late", everything()).read());
    knows(&session, "hub", "late__echo").await;
    let after = asked(&mut session).await;
    assert!(after.contains("Echo: hello"), "{after}");
    session.close().await.unwrap();
    hub.close().await;
}

#[tokio::test]
#[ignore = "needs the real CLI and the real servers: cargo xtask live-tests"]
async fn gateway_example_serves_an_agent() {
    let place = Place::calling(&[("mcp__gateway__everything__echo", json!({"message": "hello"}))]).await;
    let (inner, outer) = (place.file("servers.json"), place.file("mcp.json"));
    let program = everything();
    let Launch::Stdio(Stdio { command, args, .. }) = &program.launch else { panic!() };
    let servers = json!({"mcpServers": {"everything": {"command": command, "args": args}}});
    fs::write(&inner, servers.to_string()).unwrap();
    fs::write(&outer, json!({"mcpServers": {"gateway": gateway_program::config(&inner)}}).to_string())
        .unwrap();
    let options = place.options("mcp__gateway").mcp_config_files([outer]);
    let mut session = connected(Session::builder().options(options)).await;
    knows(&session, "gateway", "everything__echo").await;
    let results = asked(&mut session).await;
    assert!(results.contains("Echo: hello"), "{results}");
    session.close().await.unwrap();
}
