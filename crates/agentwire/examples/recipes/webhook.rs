//! Recipe `webhook`: another program is told of each tool that was used, and the session does not wait for it.

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

/// Hands `send` a JSON text for each tool that was used, one after another, from a task that [`Webhook`] owns.
///
/// The CLI is told not to wait (`{"async": true}`), which is right for what guards nothing: on an event that can refuse,
/// such a reply lets everything through.
/// What does not fit into a bounded queue, takes too long or fails is dropped and counted: a webhook that must not lose
/// anything needs a store and not a hook.
///
/// Not covered: inputs and outputs, which are left out on purpose since they may hold secrets.
pub(crate) fn tell<F, Fut>(hooks: Hooks, send: F) -> (Hooks, Webhook)
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

/// The owner of the task that sends; dropping it ends the task, with what is queued.
#[derive(Debug)]
pub(crate) struct Webhook {
    queue: Sender<Option<String>>,
    lost: Arc<AtomicU64>,
    task: JoinHandle<()>,
}

impl Webhook {
    /// Sends what is queued, and tells how many were lost; what takes longer than ten seconds in all is lost too.
    pub(crate) async fn finish(mut self) -> u64 {
        let sent = async {
            // Either fails only where the task has ended already.
            drop(self.queue.send(None).await);
            drop((&mut self.task).await);
        };
        let in_time = timeout(LIMIT, sent).await.is_ok();
        // Those that are queued, and the one that is being sent.
        let left = if in_time { 0 } else { self.queue.max_capacity() - self.queue.capacity() };
        self.lost.load(Ordering::Relaxed) + left as u64
    }
}

impl Drop for Webhook {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Posts the text to `http://ADDRESS/PATH`, without TLS: for a program on this machine.
///
/// Whoever needs more gives [`tell`] a closure with an HTTP client of his own.
///
/// # Errors
///
/// When nobody answers there, or answers with another status than 2xx.
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

/// The most texts that wait to be sent.
const QUEUE: usize = 256;

/// How long one may take.
const LIMIT: Duration = Duration::from_secs(10);
