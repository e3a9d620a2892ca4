//! The commands that serve HTTP.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::Value;

#[cfg(feature = "hub")]
use super::running::server;
use super::{agentwire, fixture};

/// A serving program, which is ended on drop.
struct Serving {
    program: Child,
    first: Value,
}

impl Serving {
    fn start(arguments: &[&str]) -> Self {
        let mut program = agentwire(arguments).arg("--json").stdout(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(program.stdout.take().unwrap()).read_line(&mut first).unwrap();
        Self { program, first: serde_json::from_str(&first).unwrap() }
    }

    /// Returns the address and the path of the printed URL.
    fn place(&self) -> (&str, &str) {
        let url = self.first["url"].as_str().unwrap().strip_prefix("http://").unwrap();
        url.split_at(url.find('/').unwrap())
    }

    /// Sends a request with these header lines, and returns the answer.
    fn get(&self, path: &str, headers: &str) -> String {
        let mut stream = TcpStream::connect(self.place().0).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

#[cfg(feature = "hub")]
#[test]
fn gateway_reports_a_server_that_fails() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("servers.json");
    for (config_or_tools, why) in [
        (r#"{"command": "/no/such/program"}"#, "/no/such/program"),
        // Port 1 refuses connections.
        (r#"{"type": "http", "url": "http://127.0.0.1:1/mcp"}"#, "refused"),
        (r#"[{"name":"t"}]"#, "the list of tools: items that do not fit MCP are left out: 1"),
        ("5", "the list of tools: it contains something that does not fit"),
    ] {
        let file = if config_or_tools.starts_with('{') {
            fs::write(&file, format!(r#"{{"mcpServers": {{"s": {config_or_tools}}}}}"#)).unwrap();
            file.to_str().unwrap().to_owned()
        } else {
            server(folder.path(), config_or_tools, "{}")
        };
        let mut gateway = agentwire(&["hub", "serve", "--config", &file]);
        let mut program = gateway.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(program.stderr.take().unwrap()).read_line(&mut line).unwrap();
        drop(program.stdin.take());
        program.wait().unwrap();
        assert!(line.starts_with("s: ") && line.contains(why), "{line}");
    }
}

#[cfg(feature = "hub")]
#[test]
fn gateway_without_a_client_names_the_cause() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("mcp.json");
    fs::write(&config, r#"{"mcpServers": {}}"#).unwrap();
    let mut gateway = agentwire(&["hub", "serve", "--config", config.to_str().unwrap()]);
    let done = gateway.stdin(Stdio::null()).output().unwrap();
    assert_eq!(done.status.code(), Some(2));
    let errors = String::from_utf8(done.stderr).unwrap();
    assert!(errors.contains("agentwire: the input ended before the handshake"), "{errors}");
}

#[test]
fn served_page_follows_the_file_and_is_private() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.jsonl");
    fs::copy(fixture(), &file).unwrap();
    let serving = Serving::start(&["view", "--serve", file.to_str().unwrap()]);
    let (address, path) = serving.place();
    let host = format!("Host: {address}\r\n");
    assert!(serving.get(path, &host).contains("<iframe src=\"page\">"));
    assert!(serving.get(&format!("{path}page"), &host).contains("<!doctype html>"));
    let version = |serving: &Serving| {
        serving.get(&format!("{path}version"), &host).split("\r\n\r\n").nth(1).unwrap().to_owned()
    };
    let before = version(&serving);
    fs::OpenOptions::new().append(true).open(&file).unwrap().write_all(b"< {\"type\":\"later\"}\n").unwrap();
    assert_ne!(version(&serving), before);
    assert!(serving.get(&format!("{path}page"), &host).contains("later"));
    assert!(serving.get("/", &host).starts_with("HTTP/1.1 404"), "the path without the token");
    assert!(serving.get(path, "Host: example.org\r\n").starts_with("HTTP/1.1 403"));
    assert!(serving.get(path, &format!("{host}Origin: http://example.org\r\n")).starts_with("HTTP/1.1 403"));
}

#[cfg(feature = "hub")]
#[test]
fn hub_over_http_needs_the_token_and_its_own_name() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("mcp.json");
    fs::write(&config, r#"{"mcpServers": {}}"#).unwrap();
    let serving = Serving::start(&["hub", "serve", "--http", "--config", config.to_str().unwrap()]);
    let (address, path) = serving.place();
    let token = serving.first["token"].as_str().unwrap();
    let host = format!("Host: {address}\r\n");
    let bearer = format!("Authorization: Bearer {token}\r\n");
    assert!(serving.get(path, &host).starts_with("HTTP/1.1 401"));
    assert!(serving.get(path, &format!("{host}Authorization: Bearer x\r\n")).starts_with("HTTP/1.1 401"));
    assert!(serving.get(path, &format!("Host: example.org\r\n{bearer}")).starts_with("HTTP/1.1 403"));
    assert!(
        serving
            .get(path, &format!("{host}{bearer}Origin: http://example.org\r\n"))
            .starts_with("HTTP/1.1 403")
    );
    // The server itself answers: a GET without a session is no request of MCP.
    let answer = serving.get(path, &format!("{host}{bearer}"));
    assert!(
        answer.starts_with("HTTP/1.1 4")
            && !answer.starts_with("HTTP/1.1 401")
            && !answer.starts_with("HTTP/1.1 403"),
        "{answer}"
    );
}
