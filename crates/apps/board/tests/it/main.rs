//! The router over a real connection.

#![expect(clippy::unwrap_used, reason = "what the tests share is test code too")]

use std::sync::{Arc, Mutex};

use agentwire_board::{Engine, EngineFuture, SessionState, router};
use agentwire_eventlog::MemoryLog;
use agentwire_protocol::RawJson;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

/// An engine with one open question, which notes the calls.
#[derive(Default)]
struct Noted(Mutex<Vec<String>>);

impl Noted {
    fn note(&self, call: String) {
        self.0.lock().unwrap().push(call);
    }
}

impl Engine for Noted {
    fn sessions(&self) -> EngineFuture<'_, Vec<SessionState>> {
        // The page shows the digits of the input.
        let input = RawJson::parse(r#"{"account":9007199254740993,"amount":1.10}"#).unwrap();
        let state = SessionState::new("me/1", "Parked", 1).question("toolu_1", "mcp__bank__transfer", input);
        Box::pin(std::future::ready(Ok(vec![state])))
    }

    fn prompt<'a>(
        &'a self,
        session: Option<&'a str>,
        id: &'a str,
        text: &'a str,
    ) -> EngineFuture<'a, String> {
        self.note(format!("prompt {session:?} {id} {text}"));
        Box::pin(std::future::ready(Err("the queue is full".to_owned())))
    }

    fn answer<'a>(&'a self, session: &'a str, question: &'a str, allow: bool) -> EngineFuture<'a, bool> {
        self.note(format!("answer {session} {question} {allow}"));
        Box::pin(std::future::ready(Ok(true)))
    }
}

struct Server {
    engine: Arc<Noted>,
    host: String,
    _task: JoinSet<()>,
}

impl Server {
    async fn start() -> Self {
        Self::start_as(None).await
    }

    /// Starts a server that is known by another name than its address.
    async fn start_as(name: Option<&str>) -> Self {
        let engine = Arc::new(Noted::default());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let app = router(engine.clone(), Arc::new(MemoryLog::new()), name.unwrap_or(&host));
        let mut task = JoinSet::new();
        task.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { engine, host, _task: task }
    }

    async fn send(&self, request: &str, host: &str, kind: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).await.unwrap();
        let head = format!(
            "{request} HTTP/1.0\r\nHost: {host}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).await.unwrap();
        response
    }

    fn calls(&self) -> Vec<String> {
        self.engine.0.lock().unwrap().clone()
    }
}

const JSON: &str = "application/json";
const ANSWER: &str = "POST /sessions/me%2F1/answers";
const ALLOW: &str = r#"{"question":"toolu_1","allow":true}"#;

#[tokio::test]
async fn page_may_load_nothing_from_elsewhere() {
    let server = Server::start().await;
    let page = server.send("GET /", &server.host, JSON, "").await;
    assert!(page.contains("content-security-policy: default-src 'none'"), "{page}");
    assert!(page.contains("<title>Sessions</title>"), "{page}");
}

#[tokio::test]
async fn answer_reaches_the_engine() {
    let server = Server::start().await;
    let listed = server.send("GET /sessions", &server.host, JSON, "").await;
    let expected = r#"[{"name":"me/1","phase":"Parked","prompts":1,"questions":[{"id":"toolu_1","tool":"mcp__bank__transfer","input":{"account":9007199254740993,"amount":1.10}}]}]"#;
    assert!(listed.ends_with(expected), "{listed}");
    assert!(server.send(ANSWER, &server.host, JSON, ALLOW).await.ends_with("true"));
    assert_eq!(server.calls(), ["answer me/1 toolu_1 true"]);
}

#[tokio::test]
async fn page_of_another_site_changes_nothing() {
    let server = Server::start().await;
    // The name of another site that leads to this server.
    let other = server.send(ANSWER, "evil.example:80", JSON, ALLOW).await;
    assert!(other.contains(" 421 "), "{other}");
    // A form of another site: it can't send JSON without a permission that the router never gives.
    let form = server.send(ANSWER, &server.host, "text/plain", ALLOW).await;
    assert!(form.contains(" 415 "), "{form}");
    assert!(server.calls().is_empty());
}

#[tokio::test]
async fn default_port_is_optional_in_the_host() {
    for name in ["127.0.0.1:80", "127.0.0.1"] {
        let server = Server::start_as(Some(name)).await;
        for host in ["127.0.0.1", "127.0.0.1:80"] {
            let page = server.send("GET /", host, JSON, "").await;
            assert!(page.contains(" 200 "), "{host} for {name}: {page}");
        }
        let other = server.send("GET /", "127.0.0.1:8080", JSON, "").await;
        assert!(other.contains(" 421 "), "{other}");
    }
}

#[tokio::test]
async fn host_is_compared_without_case() {
    let server = Server::start_as(Some("Board.example:8080")).await;
    let page = server.send("GET /", "board.example:8080", JSON, "").await;
    assert!(page.contains(" 200 "), "{page}");
}

#[tokio::test]
async fn error_of_the_engine_is_in_the_response() {
    let server = Server::start().await;
    let body = r#"{"session":null,"id":"5f3f4c52","text":"Go."}"#;
    let refused = server.send("POST /prompts", &server.host, JSON, body).await;
    assert!(refused.contains(" 500 ") && refused.ends_with("the queue is full"), "{refused}");
    assert_eq!(server.calls(), ["prompt None 5f3f4c52 Go."]);
}
