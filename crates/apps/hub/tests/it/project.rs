//! A project of a user: its files, and a hub that follows them.

use std::{
    fs,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use agentwire_hub::{
    Backoff, Hub, HubBuilder, ServerState,
    config::{Sources, Stdio, Variables},
};
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::{LIMIT, program};

/// A project, and a list of the starts of its servers.
pub(crate) struct Project {
    pub(crate) folder: TempDir,
    pub(crate) token: Arc<Mutex<String>>,
}

impl Project {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), token: Arc::new(Mutex::new("one".into())) }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Replaces a file as editors do.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path.with_extension("tmp"), text).unwrap();
        fs::rename(path.with_extension("tmp"), path).unwrap();
    }

    pub(crate) fn configure(&self, name: &str, servers: Value) {
        self.write(name, &json!({ "mcpServers": servers }).to_string());
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Returns a server that notes each of its starts, with a token of its environment.
    pub(crate) fn server(&self, name: &str, more: Value) -> Value {
        let Stdio { command, args, .. } = program();
        let log = self.path("starts");
        let script = format!("echo \"{name} $TOKEN\" >> '{}'; {}", log.display(), args[1]);
        let mut server = json!({
            "command": command, "args": ["-c", script, args[2]], "env": {"TOKEN": "${env:TOKEN}"},
        });
        let Value::Object(more) = more else { panic!("{more} is not an object") };
        server.as_object_mut().unwrap().extend(more);
        server
    }

    /// Returns the tokens with which a server was started.
    pub(crate) fn starts(&self, name: &str) -> Vec<String> {
        let log = fs::read_to_string(self.path("starts")).unwrap_or_default();
        let of = |line: &str| line.strip_prefix(&format!("{name} ")).map(str::to_owned);
        log.lines().filter_map(of).collect()
    }

    pub(crate) async fn hub(&self, build: impl FnOnce(HubBuilder) -> HubBuilder) -> Hub {
        let token = Arc::clone(&self.token);
        let environment = move |name: &str| match name {
            "TOKEN" => Some(token.lock().unwrap().clone()),
            _ => std::env::var(name).ok(),
        };
        let sources = Sources::new().project(self.folder.path()).global(self.path("global.json"));
        let variables = Variables::new().environment(environment);
        let builder = Hub::builder().sources(sources).variables(variables).debounce(DEBOUNCE);
        let builder = builder.backoff(Backoff { first: DEBOUNCE, longest: DEBOUNCE, ..Backoff::default() });
        let hub = build(builder.trust_projects(true)).build();
        assert!(hub.wait_until_ready(LIMIT).await);
        hub
    }
}

/// Waits until a condition holds.
pub(crate) async fn until(hub: &Hub, is_so: impl Fn() -> bool) {
    let mut events = hub.events();
    let so = async {
        while !is_so() {
            events.next().await.unwrap();
        }
    };
    tokio::time::timeout(LIMIT, so).await.unwrap();
}

pub(crate) fn is_connected(hub: &Hub, server: &str) -> bool {
    matches!(hub.server(server), Some(server) if matches!(server.state, ServerState::Connected { .. }))
}

pub(crate) const DEBOUNCE: Duration = Duration::from_millis(40);
