//! The gateway over HTTP and stdio.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use agentwire_testkit::eventually;
use serde_json::Value;
use tempfile::TempDir;

use super::agentwire;
use super::captures::{SIGNALS, Serving, code_after};
use super::hub::{server, without_servers};
use super::running::code_of;

/// Returns `agentwire hub serve` with these arguments and no servers, and the folder of its configuration.
fn gateway(arguments: &[&str]) -> (Command, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let config = without_servers(folder.path());
    (agentwire(&[&["hub", "serve", "--config", &*config], arguments].concat()), folder)
}

impl Serving {
    /// Starts a session of MCP. Returns the answer to the handshake, and the header lines of the next requests.
    fn shake_hands(&self, initialize: &str) -> (String, String) {
        let (address, path) = self.place();
        let token = self.first["token"].as_str().unwrap();
        let headers = format!(
            "Host: {address}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n"
        );
        let answer = self.send("POST", path, &headers, initialize);
        let session = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap();
        let headers = format!("{headers}Mcp-Session-Id: {session}\r\n");
        let accepted = self.send("POST", path, &headers, INITIALIZED);
        assert!(accepted.starts_with("HTTP/1.1 202"), "{accepted}");
        (answer, headers)
    }
}

#[test]
fn gateway_reports_a_server_that_fails() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("servers.json");
    let refused = format!(r#"{{"type": "http", "url": "{}"}}"#, refusing_server());
    for (config_or_tools, why) in [
        (r#"{"command": "/no/such/program"}"#, "/no/such/program"),
        // Port 1 refuses connections.
        (r#"{"type": "http", "url": "http://127.0.0.1:1/mcp"}"#, "refused"),
        (&*refused, "a valid header Authorization in its configuration; its challenge: Bearer realm=x"),
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

/// Returns the URL of a server that answers each request with status 401.
fn refusing_server() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let mut streams = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let head = BufReader::new(&stream).lines().map(Result::unwrap);
            head.take_while(|line| !line.is_empty()).for_each(drop);
            stream.write_all(REFUSAL.as_bytes()).unwrap();
            // The rest of the request is not read, so a closed stream would be a failure.
            streams.push(stream);
        }
    });
    url
}

#[tokio::test]
async fn files_that_appear_later_are_followed() {
    let [home, folder] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let notes = home.path().join("notes");
    let mut gateway = agentwire(&["hub", "serve", "--http"]);
    gateway.env("HOME", home.path()).current_dir(&folder).stderr(fs::File::create(&notes).unwrap());
    let serving = Serving::spawn(&mut gateway);
    let (_, headers) = serving.shake_hands(INITIALIZE);
    let file = server(home.path(), r#"[{"name": "t", "inputSchema": {"type": "object"}}]"#, "{}");
    fs::rename(file, home.path().join(".claude.json")).unwrap();
    let mut ids = 2_u64..;
    eventually(|| {
        let list = format!(r#"{{"jsonrpc":"2.0","id":{},"method":"tools/list"}}"#, ids.next().unwrap());
        serving.send("POST", serving.place().1, &headers, &list).contains("s__t")
    })
    .await;
    // Servers of the folder are not started, but named.
    fs::write(folder.path().join(".mcp.json"), r#"{"mcpServers": {"p": {"command": "a-program"}}}"#).unwrap();
    let note = "p: not started, because a file of this folder configures it; see --trust (\"a-program\")\n";
    eventually(|| fs::read_to_string(&notes).unwrap().contains(note)).await;
}

#[tokio::test]
async fn server_is_listed_while_another_one_starts() {
    let folder = tempfile::tempdir().unwrap();
    let file = server(folder.path(), "[]", "{}");
    let mut config: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    // It never answers, and its limit is longer than that of this test.
    let silent =
        serde_json::json!({"command": "sh", "args": ["-c", "cat >/dev/null"], "startupTimeout": 600});
    config["mcpServers"]["t"] = silent;
    fs::write(&file, config.to_string()).unwrap();
    let [lines, notes] = ["lines", "notes"].map(|name| folder.path().join(name));
    let mut list = agentwire(&["hub", "list", "--config", &file]);
    list.stdout(fs::File::create(&lines).unwrap()).stderr(fs::File::create(&notes).unwrap());
    let _list = Serving { program: list.spawn().unwrap(), first: Value::Null };
    let has = |file: &Path, text: &str| fs::read_to_string(file).unwrap().contains(text);
    eventually(|| has(&lines, "s: connected") && has(&notes, "the MCP server t still starts")).await;
}

#[test]
fn gateway_without_a_client_names_the_cause() {
    let (mut gateway, _folder) = gateway(&[]);
    let done = gateway.stdin(Stdio::null()).output().unwrap();
    assert_eq!(done.status.code(), Some(2));
    let errors = String::from_utf8(done.stderr).unwrap();
    assert!(errors.contains("agentwire: the input ended before the handshake"), "{errors}");
}

#[tokio::test]
async fn standard_error_without_a_reader_stops_neither_requests_nor_the_end() {
    let folder = tempfile::tempdir().unwrap();
    // The note about this server is longer than a pipe holds.
    let server = format!(r#"{{"command": "{}"}}"#, "x".repeat(200_000));
    fs::write(folder.path().join(".mcp.json"), format!(r#"{{"mcpServers": {{"s": {server}}}}}"#)).unwrap();
    for (input, code) in [(format!("{INITIALIZE}\n{INITIALIZED}\n"), 0), (String::new(), 2)] {
        let mut gateway = agentwire(&["hub", "serve"]);
        gateway.current_dir(&folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let Serving { program, .. } = &mut Serving { program: gateway.spawn().unwrap(), first: Value::Null };
        program.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        assert_eq!(code_of(program).await, Some(code));
        let mut answer = String::new();
        program.stdout.take().unwrap().read_to_string(&mut answer).unwrap();
        assert_eq!(answer.contains("\"serverInfo\""), code == 0, "{answer}");
    }
    let mut gateway = agentwire(&["hub", "serve", "--http"]);
    let mut serving = Serving::spawn(gateway.current_dir(&folder).stderr(Stdio::piped()));
    let (answer, _) = serving.shake_hands(INITIALIZE);
    assert!(answer.contains("\"serverInfo\""), "{answer}");
    assert_eq!(code_after("TERM", &mut serving.program).await, Some(0));
}

#[test]
fn request_with_a_lone_surrogate_is_answered() {
    let (mut gateway, _folder) = gateway(&[]);
    let mut program = gateway.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let request = INITIALIZE.replace(r#""client""#, r#""\ud83d""#);
    // The input ends here, so that a request without an answer ends the program too.
    writeln!(program.stdin.take().unwrap(), "{request}").unwrap();
    let done = program.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert!(answer["id"] == 1 && answer["result"]["serverInfo"].is_object(), "{answer}");
}

#[test]
fn request_that_is_nested_too_deeply_is_answered() {
    let call = call_with(&format!("{}0{}", r#"{"a":"#.repeat(130), "}".repeat(130)));
    let (answer, notes) = answer_and_notes(&call);
    assert_eq!(answer.unwrap()["error"]["code"], -32602, "{notes}");
}

#[test]
fn request_that_is_too_long_is_answered() {
    let call = |length: usize| call_with(&format!(r#"{{"a":"{}"}}"#, "a".repeat(length << 20)));
    let (answer, notes) = answer_and_notes(&call(17));
    assert_eq!(answer.unwrap()["error"]["code"], -32602, "{notes}");
    assert!(notes.contains("longer than 16 MiB"), "{notes}");
    // The gateway does not read the id of this request.
    let (answer, notes) = answer_and_notes(&call(65));
    assert!(answer.is_none() && notes.contains("longer than 16 MiB"), "{notes}");
}

/// Sends this line to a gateway over stdio. Returns its answer to the request 2, and its notes.
fn answer_and_notes(line: &str) -> (Option<Value>, String) {
    let (mut gateway, _folder) = gateway(&[]);
    gateway.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = gateway.spawn().unwrap();
    let mut input = program.stdin.take();
    let ping = r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#;
    writeln!(input.as_mut().unwrap(), "{INITIALIZE}\n{INITIALIZED}\n{line}\n{ping}").unwrap();
    let lines = BufReader::new(program.stdout.take().unwrap()).lines().map(Result::unwrap);
    // The end of the input ends the program, also if the line gets no answer.
    let lines: Vec<_> = lines.inspect(|line| drop(input.take_if(|_| line.contains("\"id\":3")))).collect();
    let notes = program.wait_with_output().unwrap().stderr;
    let answer = lines.iter().find(|line| line.contains("\"id\":2"));
    (answer.map(|answer| serde_json::from_str(answer).unwrap()), String::from_utf8(notes).unwrap())
}

/// Returns a call of the tool `t` of the server `s`, with its id at the end, as the SDKs write it.
fn call_with(arguments: &str) -> String {
    format!(
        r#"{{"method":"tools/call","params":{{"name":"s__t","arguments":{arguments}}},"jsonrpc":"2.0","id":2}}"#
    )
}

#[test]
fn large_image_over_stdio_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let image = r#"{"content": [{"type": "image", "mimeType": "image/png", "data": "@"}]}"#;
    let file = server(folder.path(), r#"[{"name": "t", "inputSchema": {"type": "object"}}]"#, image);
    // An argument can't hold the image, so the server makes it. In a configuration `$${` stands for `${`.
    let data = r"$${2%@*}$(head -c 12000000 /dev/zero | tr '\\0' A)$${2#*@}";
    fs::write(&file, fs::read_to_string(&file).unwrap().replacen("$2", data, 1)).unwrap();
    let answer = called(&["hub", "serve", "--allow", "--config", &file]);
    assert!(answer.len() < 10 << 20 && answer.contains("12000000 bytes of base64"), "{answer:.500}");
}

/// Calls the tool `t` of the server `s` through a gateway over stdio, and returns the line with the answer.
pub(super) fn called(gateway: &[&str]) -> String {
    let mut program = agentwire(gateway).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = program.stdin.take().unwrap();
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"s__t","arguments":{}}}"#;
    writeln!(input, "{INITIALIZE}\n{INITIALIZED}\n{call}").unwrap();
    let lines = BufReader::new(program.stdout.take().unwrap()).lines();
    let answer = lines.map(Result::unwrap).find(|line| line.contains("\"id\":2")).unwrap();
    drop(input);
    program.wait().unwrap();
    answer
}

#[test]
fn hub_over_http_needs_the_token_and_its_own_name() {
    let (mut gateway, _folder) = gateway(&["--http"]);
    let serving = Serving::spawn(&mut gateway);
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

#[test]
fn token_of_the_environment_fits_a_header() {
    let (mut gateway, _folder) = gateway(&["--http"]);
    let serving = Serving::spawn(gateway.env("AGENTWIRE_HUB_TOKEN", " secret\r\n"));
    assert_eq!(serving.first["token"], "secret");
    let (address, path) = serving.place();
    for (given, is_expected) in [
        ("Bearer secret", true),
        ("bearer secret", true),
        ("BEARER secret", true),
        ("Bearer SECRET", false),
        ("Basic  secret", false),
        ("secret", false),
    ] {
        let answer = serving.get(path, &format!("Host: {address}\r\nAuthorization: {given}\r\n"));
        assert_eq!(!answer.starts_with("HTTP/1.1 401"), is_expected, "{given}: {answer}");
    }
}

#[test]
fn answers_over_http_suit_the_version_of_the_client() {
    let (mut gateway, _folder) = gateway(&["--http"]);
    let serving = Serving::spawn(&mut gateway);
    let path = serving.place().1;
    let (answer, headers) = serving.shake_hands(INITIALIZE);
    assert!(answer.contains("\"serverInfo\"") && !answer.contains("data: \n"), "{answer}");
    for (id, version, has_empty_event) in [(2, "2025-06-18", false), (3, "2025-11-25", true)] {
        let headers = format!("{headers}Mcp-Protocol-Version: {version}\r\n");
        let ping = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let answer = serving.send("POST", path, &headers, &ping);
        assert!(answer.contains("\"result\""), "{answer}");
        assert_eq!(answer.contains("data: \n"), has_empty_event, "{version}: {answer}");
    }
    let answer = serving.send("DELETE", path, &headers, "");
    assert!(answer.starts_with("HTTP/1.1 204"), "{answer}");
}

#[test]
fn resumed_stream_starts_after_the_event_that_the_client_has() {
    let folder = tempfile::tempdir().unwrap();
    let tools = r#"[{"name": "t", "inputSchema": {"type": "object"}}]"#;
    let file = server(folder.path(), tools, r#"{"content": []}"#);
    let mut config: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    // The tool asks the user, and waits for the answer.
    let call = r#"*'"tools/call"'*)"#;
    let asking = format!(
        "{call} echo '{QUESTION}'; while read -r reply; do case $reply in *decline*) break ;; esac; done;"
    );
    let script = &mut config["mcpServers"]["s"]["args"][1];
    *script = script.as_str().unwrap().replace(call, &asking).into();
    fs::write(&file, config.to_string()).unwrap();
    let serving = Serving::start(&["hub", "serve", "--http", "--allow", "--config", &file]);
    let path = serving.place().1;
    let (_, headers) = serving
        .shake_hands(&INITIALIZE.replace(r#""capabilities":{}"#, r#""capabilities":{"elicitation":{}}"#));
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"s__t","arguments":{}}}"#;
    let mut lines = BufReader::new(serving.open("POST", path, &headers, call)).lines().map(Result::unwrap);
    let question: Option<Value> =
        lines.find_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok());
    let question = question.unwrap();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let last = lines.find_map(|line| Some(line.strip_prefix("id: ")?.to_owned())).unwrap();
    drop(lines);
    let resuming = format!("{headers}Last-Event-ID: {last}\r\n");
    let mut resumed = BufReader::new(serving.open("GET", path, &resuming, ""));
    // The status arrives once the stream is resumed.
    resumed.read_line(&mut String::new()).unwrap();
    let id = &question["id"];
    let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"action":"decline"}}}}"#);
    serving.send("POST", path, &headers, &answer);
    let mut events = String::new();
    resumed.read_to_string(&mut events).unwrap();
    assert!(events.contains("\"result\"") && !events.contains("elicitation/create"), "{events}");
}

#[test]
fn large_request_over_http_is_answered() {
    let (mut gateway, _folder) = gateway(&["--http"]);
    let serving = Serving::spawn(&mut gateway);
    let (_, headers) = serving.shake_hands(INITIALIZE);
    let call = call_with(&format!(r#"{{"a":"{}"}}"#, "a".repeat(5 << 20)));
    let answer = serving.send("POST", serving.place().1, &headers, &call);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"id\":2"), "{answer:.500}");
}

#[tokio::test]
async fn signal_ends_the_gateway_over_http() {
    for name in SIGNALS {
        let (mut gateway, _folder) = gateway(&["--http"]);
        let mut serving = Serving::spawn(&mut gateway);
        assert_eq!(code_after(name, &mut serving.program).await, Some(0), "{name}");
    }
}

#[tokio::test]
async fn signal_ends_the_gateway_over_stdio() {
    for name in SIGNALS {
        let (mut gateway, _folder) = gateway(&[]);
        let mut program = gateway.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        // The end of the input would end the program too.
        let mut input = program.stdin.take().unwrap();
        writeln!(input, "{INITIALIZE}").unwrap();
        let mut output = BufReader::new(program.stdout.take().unwrap());
        assert_ne!(output.read_line(&mut String::new()).unwrap(), 0, "{name}");
        assert_eq!(code_after(name, &mut program).await, Some(0), "{name}");
    }
}

/// The answer to a request without a valid token.
const REFUSAL: &str = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer realm=x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
/// The handshake of a client.
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"client","version":"1"}}}"#;
/// What a server sends to ask the user.
const QUESTION: &str = r#"{"jsonrpc":"2.0","id":77,"method":"elicitation/create","params":{"message":"who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
