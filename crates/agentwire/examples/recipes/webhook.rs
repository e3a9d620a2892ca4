//! Recipe `webhook`: reports each used tool to another program without delaying the session.

use std::{
    future::ready,
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use agentwire::{
    hooks::Hooks,
    protocol::hook::{LaterReply, PostToolUse},
};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::mpsc::{Receiver, Sender, channel},
    task::JoinHandle,
    time::timeout,
};

/// Passes a JSON text for each used tool to `send`, one after another, from a task that [`Webhook`] owns.
///
/// The hook replies that the CLI need not wait (`{"async": true}`). Use this only for hooks that guard nothing: on an
/// event that can refuse, such a reply allows everything.
/// Texts that exceed the bounded queue, time out or fail are dropped and counted: a webhook that must not lose anything
/// needs a store instead of a hook.
///
/// Not covered: inputs and outputs, which are left out because they may contain secrets.
pub(crate) fn report<F, Fut>(hooks: Hooks, send: F) -> (Hooks, Webhook)
where
    F: Fn(String) -> Fut + Send + 'static,
    Fut: Future<Output = io::Result<()>> + Send + 'static,
{
    let (queue, texts) = channel(QUEUE);
    let lost = Arc::new(AtomicU64::new(0));
    let task = tokio::spawn(deliver(texts, send, Arc::clone(&lost)));
    let (queued, count) = (queue.clone(), Arc::clone(&lost));
    let hooks = hooks.on(PostToolUse, move |input, _cx| {
        let text = json!({"session": input.session_id, "used": input.tool_name, "id": input.tool_use_id})
            .to_string();
        if queued.try_send(Some(text)).is_err() {
            count.fetch_add(1, Ordering::Relaxed);
        }
        ready(LaterReply::new())
    });
    (hooks, Webhook { queue, lost, task })
}

/// The owner of the sending task. Dropping it aborts the task and discards the queue.
#[derive(Debug)]
pub(crate) struct Webhook {
    queue: Sender<Option<String>>,
    lost: Arc<AtomicU64>,
    task: JoinHandle<()>,
}

impl Webhook {
    /// Sends the queued texts and returns the number lost, including those not sent within ten seconds in all.
    pub(crate) async fn finish(mut self) -> u64 {
        let sent = async {
            // Both fail only if the task has already ended.
            drop(self.queue.send(None).await);
            drop((&mut self.task).await);
        };
        let in_time = timeout(LIMIT, sent).await.is_ok();
        // The queued texts, and the one being sent.
        let left = if in_time { 0 } else { self.queue.max_capacity() - self.queue.capacity() };
        self.lost.load(Ordering::Relaxed) + left as u64
    }
}

impl Drop for Webhook {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Posts the text to `http://ADDRESS/PATH` without TLS, for a program on this machine; a status that is not 2xx is an
/// error.
///
/// For other targets, pass [`report`] a closure with an HTTP client of your own.
pub(crate) async fn post(address: &str, path: &str, text: &str) -> io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        text.len()
    );
    stream.write_all(format!("{head}{text}").as_bytes()).await?;
    let mut answer = [0; "HTTP/1.1 200".len()];
    stream.read_exact(&mut answer).await?;
    let good = answer.starts_with(b"HTTP/1.") && answer[8..10] == *b" 2";
    if good { Ok(()) } else { Err(io::Error::other("the webhook has refused")) }
}

async fn deliver<F, Fut>(mut texts: Receiver<Option<String>>, send: F, lost: Arc<AtomicU64>)
where
    F: Fn(String) -> Fut,
    Fut: Future<Output = io::Result<()>>,
{
    while let Some(Some(text)) = texts.recv().await {
        if !matches!(timeout(LIMIT, send(text)).await, Ok(Ok(()))) {
            lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The capacity of the queue, in texts.
const QUEUE: usize = 256;

/// The time limit of one text.
const LIMIT: Duration = Duration::from_secs(10);
