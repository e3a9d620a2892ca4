//! An HTTP server for one test, over plain sockets, which replies as the test specifies and counts connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// The reply to a path.
pub(crate) enum Reply {
    /// A complete response with head and body.
    Whole(Vec<u8>),
    /// A head, and then the same bytes endlessly; without bytes, silence.
    Endless(&'static str, &'static [u8]),
    /// No reply, on a connection that stays open.
    Silence,
}

/// A server; dropping it closes its connections.
pub(crate) struct Site {
    pub(crate) port: u16,
    requests: Arc<AtomicUsize>,
    open: Arc<AtomicUsize>,
    _serving: JoinSet<()>,
}

impl Site {
    pub(crate) async fn start(answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_on("127.0.0.1", answer).await
    }

    pub(crate) async fn start_on(ip: &str, answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((ip, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (requests, open) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut serving = JoinSet::new();
        let (counted, opened, answer) = (Arc::clone(&requests), Arc::clone(&open), Arc::new(answer));
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                let (answer, opened) = (Arc::clone(&answer), Arc::clone(&opened));
                connections.spawn(async move {
                    opened.fetch_add(1, Ordering::SeqCst);
                    respond(stream, answer.as_ref()).await;
                    opened.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Self { port, requests, open, _serving: serving }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Returns how many connections were accepted.
    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    /// Returns how many connections are open.
    pub(crate) fn open(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }
}

/// Replies to one request; the connection ends with the reply or with the client.
pub(crate) async fn respond<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    answer: &(impl Fn(&str) -> Reply + ?Sized),
) {
    let mut head = Vec::new();
    let mut buffer = [0; 1024];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(read) => head.extend_from_slice(&buffer[..read]),
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default();
    // Some tests close the client early, so write errors are ignored.
    match answer(path) {
        Reply::Whole(bytes) => {
            let _gone = stream.write_all(&bytes).await;
            let _gone = stream.shutdown().await;
        }
        Reply::Endless(head, bytes) => {
            let mut written = stream.write_all(head.as_bytes()).await;
            while written.is_ok() && !bytes.is_empty() {
                written = stream.write_all(bytes).await;
            }
            wait_for_end(stream).await;
        }
        Reply::Silence => wait_for_end(stream).await,
    }
}

/// Reads until the client closes the connection.
async fn wait_for_end<S: AsyncRead + Unpin>(mut stream: S) {
    let mut buffer = [0; 1024];
    while matches!(stream.read(&mut buffer).await, Ok(1..)) {}
}

/// Returns a response with a body of this type.
pub(crate) fn ok(content_type: &str, body: impl AsRef<[u8]>) -> Reply {
    with("200 OK", &format!("Content-Type: {content_type}\r\n"), body)
}

pub(crate) fn moved(location: &str) -> Reply {
    with("302 Found", &format!("Location: {location}\r\n"), "")
}

pub(crate) fn with(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Reply {
    let body = body.as_ref();
    let head =
        format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    Reply::Whole([head.as_bytes(), body].concat())
}
