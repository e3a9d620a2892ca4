//! Notifications: a webhook with a server of its own, and notices.

use std::{io, sync::Arc};

use agentwire::{
    Decision, Session,
    hooks::{Hooks, PermissionHandler},
};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Notify,
};

use super::{Place, held, hold, notices, webhook};

/// Reads a request to its end, without answering it.
async fn request(server: &TcpListener) -> (TcpStream, String) {
    let (mut stream, _) = server.accept().await.unwrap();
    let mut text = Vec::new();
    loop {
        assert_ne!(stream.read_buf(&mut text).await.unwrap(), 0, "a request was cut");
        let text = String::from_utf8(text.clone()).unwrap();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap();
        if body.len() == length.parse::<usize>().unwrap() {
            return (stream, text);
        }
    }
}

async fn answer(mut stream: TcpStream, status: &str) {
    stream.write_all(format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").as_bytes()).await.unwrap();
}

fn hooked(server: &TcpListener) -> (Hooks, webhook::Webhook) {
    let address = server.local_addr().unwrap().to_string();
    webhook::report(Hooks::new(), move |text| {
        let address = address.clone();
        async move { webhook::post(&address, "/used", &text).await }
    })
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn webhook_is_called_without_waiting() {
    let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (hooks, hook) = hooked(&server);
    let command = || ("Bash", json!({"command": "echo hush"}));
    let place = Place::calling(&[command(), command()]).await;
    // The server answers nothing before the session has ended.
    let seen = held(&place, hooks).await;
    assert_eq!((seen.refused(), seen.answer.as_str()), (vec![false, false], "Done."));
    let finishing = tokio::spawn(hook.finish());
    for status in ["204 No Content", "500 Internal Server Error"] {
        let (stream, text) = request(&server).await;
        assert!(text.starts_with("POST /used HTTP/1.1\r\n"), "{text}");
        assert!(text.contains("\"used\":\"Bash\"") && !text.contains("hush"), "{text}");
        answer(stream, status).await;
    }
    // One call of the webhook has failed: the one with status 500.
    assert_eq!(finishing.await.unwrap(), 1);
}

#[tokio::test]
async fn post_fails_without_a_good_answer() {
    let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = server.local_addr().unwrap().to_string();
    for (status, fits) in [("200 OK", true), ("404 Not Found", false)] {
        let (posted, ()) = tokio::join!(webhook::post(&address, "/", "{}"), async {
            answer(request(&server).await.0, status).await;
        });
        assert_eq!(posted.is_ok(), fits, "{status}");
    }
    drop(server);
    let refused = webhook::post(&address, "/", "{}").await.unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn open_question_is_reported() {
    let place = Place::calling(&[("Bash", json!({"command": "echo one > b.txt"}))]).await;
    let noticed = Arc::new(Notify::new());
    let notice = Arc::clone(&noticed);
    let hooks = notices::forward(Hooks::new(), move |kind, text| {
        if kind == "permission_prompt" && text.contains("Bash") {
            notice.notify_one();
        }
    });
    // The question is open until its notice has come.
    let permissions = PermissionHandler::new(move |_request, _cx| {
        let noticed = Arc::clone(&noticed);
        async move {
            noticed.notified().await;
            Decision::allow()
        }
    });
    let options = place.in_project();
    let seen = hold(Session::builder().options(options).hooks(hooks).permissions(permissions)).await;
    assert_eq!(seen.refused(), [false], "{seen:#?}");
    assert!(place.file("project/b.txt").exists());
}
