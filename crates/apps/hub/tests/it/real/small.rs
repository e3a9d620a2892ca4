//! The servers for files, memory, time, the web and git.

use std::{fs, process::Command};

use agentwire_hub::{Approval, CallRequest, ClientHandlers, Hub, ServerState, config::Sources};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::{LIMIT, call, connected, node, python, text};

#[tokio::test]
#[ignore = "needs the real servers: cargo xtask mcp-servers"]
async fn filesystem_server_works() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    fs::write(root.join("a.txt"), "in the file").unwrap();
    let script = "@modelcontextprotocol/server-filesystem/dist/index.js";
    let hub = connected("files", node(script, &[root.to_str().unwrap()]), ClientHandlers::new()).await;
    assert_eq!(hub.catalog("files").unwrap().tools().len(), 14);
    let read = call(&hub, "files", "read_text_file", json!({"path": root.join("a.txt")})).await;
    assert_eq!(text(&read), "in the file");
    call(&hub, "files", "write_file", json!({"path": root.join("b.txt"), "content": "written"})).await;
    assert_eq!(fs::read_to_string(root.join("b.txt")).unwrap(), "written");
    let outside = call(&hub, "files", "read_text_file", json!({"path": "/etc/hostname"})).await;
    assert!(outside.is_error);
    hub.close().await;
}

#[tokio::test]
#[ignore = "needs the real servers: cargo xtask mcp-servers"]
async fn memory_server_works() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = node("@modelcontextprotocol/server-memory/dist/index.js", &[]);
    let agentwire_hub::config::Launch::Stdio(stdio) = &mut config.launch else { unreachable!() };
    let file = folder.path().join("memory.jsonl").to_str().unwrap().to_owned();
    stdio.env.insert("MEMORY_FILE_PATH".to_owned(), file);
    let hub = connected("memory", config, ClientHandlers::new()).await;
    let entity =
        json!({"entities": [{"name": "Ada", "entityType": "person", "observations": ["writes programs"]}]});
    call(&hub, "memory", "create_entities", entity).await;
    // The stored data outlives the server.
    assert!(matches!(hub.restart("memory").await, Some(ServerState::Connected { .. })));
    let found = call(&hub, "memory", "search_nodes", json!({"query": "Ada"})).await;
    assert!(text(&found).contains("writes programs"));
    hub.close().await;
}

#[tokio::test]
#[ignore = "needs the real servers: cargo xtask mcp-servers"]
async fn time_server_works() {
    let hub =
        connected("time", python("mcp-server-time", &["--local-timezone", "UTC"]), ClientHandlers::new())
            .await;
    let noon = json!({"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"});
    assert!(text(&call(&hub, "time", "convert_time", noon).await).contains("T21:00:00+09:00"));
    hub.close().await;
}

#[tokio::test]
#[ignore = "needs the real servers: cargo xtask mcp-servers"]
async fn fetch_server_works() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/page", listener.local_addr().unwrap());
    let serving = tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 4096];
            let length = stream.read(&mut request).await.unwrap();
            let answer = if request[..length].starts_with(b"GET /robots.txt") {
                "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            } else {
                "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 12\r\nconnection: close\r\n\r\nfetched text"
            };
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    let hub =
        connected("fetch", python("mcp-server-fetch", &["--allow-private-ips"]), ClientHandlers::new()).await;
    let output = text(&call(&hub, "fetch", "fetch", json!({"url": url})).await);
    assert!(output.contains("fetched text"), "{output}");
    hub.close().await;
    serving.abort();
}

#[tokio::test]
#[ignore = "needs the real servers: cargo xtask mcp-servers"]
async fn git_server_works() {
    let folder = tempfile::tempdir().unwrap();
    let repository = folder.path();
    assert!(Command::new("git").args(["init", "-q"]).arg(repository).status().unwrap().success());
    fs::write(repository.join("new.txt"), "new").unwrap();
    let hub = connected("git", python("mcp-server-git", &[]), ClientHandlers::new()).await;
    let status = call(&hub, "git", "git_status", json!({"repo_path": repository})).await;
    assert!(text(&status).contains("new.txt"));
    hub.close().await;
}

/// All at once, as a program has them.
#[tokio::test]
#[ignore = "needs the real servers: cargo xtask mcp-servers"]
async fn all_servers_work_in_one_hub() {
    let folder = tempfile::tempdir().unwrap();
    let sources = Sources::new()
        .server("everything", node("@modelcontextprotocol/server-everything/dist/index.js", &["stdio"]))
        .server(
            "files",
            node("@modelcontextprotocol/server-filesystem/dist/index.js", &[folder.path().to_str().unwrap()]),
        )
        .server("memory", node("@modelcontextprotocol/server-memory/dist/index.js", &[]))
        .server("time", python("mcp-server-time", &[]))
        .server("fetch", python("mcp-server-fetch", &[]))
        .server("git", python("mcp-server-git", &[]));
    let hub = Hub::builder().sources(sources).approval(Approval::allowed()).build();
    assert!(hub.wait_until_ready(LIMIT).await);
    for server in hub.snapshot() {
        assert!(matches!(server.state, ServerState::Connected { .. }), "{:?}", server.state);
    }
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..200 {
        let hub = hub.clone();
        calls.spawn(async move {
            let request = if number % 2 == 0 {
                CallRequest::new("everything", "echo").arguments(json!({"message": format!("n{number}")}))
            } else {
                CallRequest::new("time", "get_current_time").arguments(json!({"timezone": "UTC"}))
            };
            hub.call(request).await.unwrap()
        });
    }
    assert!(calls.join_all().await.iter().all(|outcome| !outcome.is_error));
    hub.close().await;
}
