//! A hub as a program that serves it over stdio, as `examples/gateway.rs` does: this one, started by the tests.

use std::path::Path;

use agentwire_hub::{Approval, Gateway, Hub, config::Sources};
use serde_json::{Value, json};

/// Returns the configuration of a server that serves the hub of this configuration file.
pub(crate) fn config(file: &Path) -> Value {
    // The harness prints on stdout, so the wire is the third descriptor; a pipe, since a socket can't be opened by name.
    let script = "\"$0\" gateway_program::serve --exact --ignored --nocapture 3>&1 1>/dev/null | cat";
    let this = std::env::current_exe().unwrap();
    json!({"command": "sh", "args": ["-c", script, this], "env": {MARK: file}, "alwaysAllow": ["*"]})
}

#[tokio::test]
#[ignore = "the program of other tests"]
async fn serve() {
    let Some(file) = std::env::var_os(MARK) else { return };
    let output = tokio::fs::OpenOptions::new().write(true).open("/dev/fd/3").await.unwrap();
    let sources = Sources::new().project_file(file);
    let hub = Hub::builder().sources(sources).trust_projects(true).approval(Approval::allowed()).build();
    Gateway::new(&hub).serve((tokio::io::stdin(), output)).await.unwrap().waiting().await.unwrap();
}

const MARK: &str = "AGENTWIRE_GATEWAY_CONFIG";
