//! Tests of the program with its options and its own environment.

use std::process::Stdio;
use std::time::Duration;

use rmcp::model::CallToolRequestParams;
use rmcp::transport::TokioChildProcess;
use rmcp::{ServiceExt, object};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

use crate::client::text;
use crate::site::{Site, ok};
use crate::tls::SecureSite;

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_agentwire-fetch-mcp"))
}

async fn fetched(command: Command, url: &str) -> String {
    let client = ().serve(TokioChildProcess::new(command).unwrap()).await.unwrap();
    let call = CallToolRequestParams::new("fetch").with_arguments(object!({ "url": url }));
    let result = client.call_tool(call).await.unwrap();
    client.cancel().await.unwrap();
    text(&result)
}

#[tokio::test]
async fn options_are_kept_to_and_proxies_are_not_used() {
    let site = Site::start(|_| ok("text/plain", "direct")).await;
    let mut command = program();
    command
        .args(["--allow-address", "127.0.0.1"])
        .env("http_proxy", "http://127.0.0.1:9")
        .env("ALL_PROXY", "http://127.0.0.1:9");
    assert!(fetched(command, &site.url("/")).await.ends_with("\n\ndirect"));
    assert!(fetched(program(), &site.url("/")).await.ends_with("not a public address"));
}

#[tokio::test]
async fn sites_with_trusted_certificates_are_fetched() {
    let site = SecureSite::start().await;
    let authority = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/tls/authority.pem");
    let mut command = program();
    command.arg("--allow-private").env("SSL_CERT_FILE", authority).env_remove("SSL_CERT_DIR");
    assert!(fetched(command, &format!("https://localhost:{}/", site.port)).await.ends_with("\n\nover TLS"));
}

#[tokio::test]
async fn it_ends_with_its_input() {
    let site = Site::start(|_| crate::site::Reply::Silence).await;
    let mut child =
        program().arg("--allow-private").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let lines = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
        format!(r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"fetch","arguments":{{"url":"{}"}}}}}}"#, site.url("/")),
    ];
    for line in lines {
        input.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }
    let answered = output.read_u8().await.unwrap();
    assert_eq!(answered, b'{');
    drop(input);
    let ended = tokio::time::timeout(Duration::from_secs(20), child.wait()).await.unwrap().unwrap();
    assert!(ended.success(), "{ended}");
}

#[tokio::test]
async fn a_missing_client_is_explained() {
    let output = program().stdin(Stdio::null()).output().await.unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.starts_with("agentwire-fetch-mcp: the input ended before the handshake: an MCP client"),
        "{stderr}"
    );
}

#[tokio::test]
async fn a_wrong_option_is_named() {
    let output = program().arg("--allow-everything").output().await.unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("unexpected argument '--allow-everything'"));
    let help = program().arg("--help").output().await.unwrap();
    assert!(help.status.success());
    assert!(String::from_utf8_lossy(&help.stdout).contains("--max-bytes"));
}
