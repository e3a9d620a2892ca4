//! Other people's servers: installed by `cargo xtask mcp-servers`, found by the variable `AGENTWIRE_MCP_SERVERS`.

mod everything;
#[cfg(feature = "http")]
mod over_http;
mod small;

use std::{env, path::PathBuf, time::Duration};

use agentwire_hub::{
    Approval, CallOutcome, CallRequest, ClientHandlers, Hub,
    config::{ServerConfig, Sources, Stdio},
};
use rmcp::model::ContentBlock;
use serde_json::Value;

/// Returns a connected hub with one server.
async fn connected(name: &str, config: ServerConfig, handlers: ClientHandlers) -> Hub {
    let sources = Sources::new().server(name, config);
    let hub = Hub::builder().sources(sources).handlers(handlers).approval(Approval::allowed()).build();
    assert!(hub.wait_until_ready(LIMIT).await);
    let state = hub.server(name).unwrap().state;
    assert!(matches!(state, agentwire_hub::ServerState::Connected { .. }), "{state:?}");
    hub
}

async fn call(hub: &Hub, server: &str, tool: &str, arguments: Value) -> CallOutcome {
    hub.call(CallRequest::new(server, tool).arguments(arguments)).await.unwrap()
}

/// Returns all text of an outcome.
fn text(outcome: &CallOutcome) -> String {
    let parts = outcome.content.iter().filter_map(ContentBlock::as_text);
    parts.map(|part| part.text.as_str()).collect()
}

/// Returns a script of the `node` that is installed beside the servers.
pub(crate) fn node(script: &str, args: &[&str]) -> ServerConfig {
    let script = installed("node_modules").join(script);
    let args = [script.to_str().unwrap()].into_iter().chain(args.iter().copied());
    program("node", args)
}

/// Returns a program of the Python environment.
fn python(name: &str, args: &[&str]) -> ServerConfig {
    let program_file = installed("venv").join("bin").join(name);
    program(program_file.to_str().unwrap(), args.iter().copied())
}

fn program<'a>(command: &str, args: impl IntoIterator<Item = &'a str>) -> ServerConfig {
    let mut stdio = Stdio::new(command);
    stdio.args = args.into_iter().map(str::to_owned).collect();
    ServerConfig::new(stdio)
}

fn installed(folder: &str) -> PathBuf {
    let folder = servers().join(folder);
    assert!(folder.is_dir(), "{} is not there", folder.display());
    folder
}

/// Returns the folder with `node_modules` and `venv`.
fn servers() -> PathBuf {
    let folder = env::var_os("AGENTWIRE_MCP_SERVERS").expect("cargo xtask mcp-servers sets it");
    PathBuf::from(folder)
}

const LIMIT: Duration = Duration::from_secs(60);
