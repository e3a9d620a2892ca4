//! A proxy to the server that breaks or stalls connections on request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A proxy; dropping it closes its connections.
pub(crate) struct Proxy {
    pub(crate) port: u16,
    will: Arc<Will>,
    task: JoinHandle<()>,
}

/// Requested and observed events.
#[derive(Default)]
struct Will {
    break_at_commit: AtomicBool,
    fall_silent_at_begin: AtomicBool,
    fall_silent_amid_entries: AtomicBool,
    /// The number of connections, and how many of the first are stalled.
    connections: AtomicUsize,
    silent: AtomicUsize,
}

impl Proxy {
    /// Starts a proxy to the server on this port of this machine.
    pub(crate) async fn to(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let will = Arc::new(Will::default());
        let known = Arc::clone(&will);
        let task = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((near, _)) = listener.accept().await {
                let far = TcpStream::connect(("127.0.0.1", server)).await.unwrap();
                connections.spawn(pass(near, far, Arc::clone(&known)));
            }
        });
        Self { port, will, task }
    }

    /// Closes the next connection that commits, after the commit and before its reply.
    pub(crate) fn break_at_the_next_commit(&self) {
        self.will.break_at_commit.store(true, Ordering::SeqCst);
    }

    /// Returns whether that is still pending.
    pub(crate) fn will_break(&self) -> bool {
        self.will.break_at_commit.load(Ordering::SeqCst)
    }

    /// Stalls the next connection that starts a transaction, in both directions.
    pub(crate) fn fall_silent_at_the_next_begin(&self) {
        self.will.fall_silent_at_begin.store(true, Ordering::SeqCst);
    }

    /// Stalls the next connection that sends entries, after a part of them and in both directions.
    pub(crate) fn fall_silent_amid_the_next_entries(&self) {
        self.will.fall_silent_amid_entries.store(true, Ordering::SeqCst);
    }

    /// Stalls all existing connections and returns their number; new ones work.
    pub(crate) fn fall_silent(&self) -> usize {
        self.will.silence()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Will {
    fn silence(&self) -> usize {
        let connections = self.connections.load(Ordering::SeqCst);
        self.silent.store(connections, Ordering::SeqCst);
        connections
    }

    /// Waits forever if the connection is stalled, so that it is not closed.
    async fn speak(&self, connection: usize) {
        if connection < self.silent.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
    }
}

async fn pass(near: TcpStream, far: TcpStream, will: Arc<Will>) {
    let number = will.connections.fetch_add(1, Ordering::SeqCst);
    let ((near_read, near_write), (far_read, far_write)) = (near.into_split(), far.into_split());
    // When one direction ends, the other ends too.
    tokio::select! {
        () = forth(near_read, far_write, &will, number) => {}
        () = back(far_read, near_write, &will, number) => {}
    }
}

async fn forth(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, will: &Will, number: usize) {
    let mut bytes = vec![0; 65536];
    loop {
        let read = from.read(&mut bytes).await;
        will.speak(number).await;
        let Ok(mut count @ 1..) = read else { return };
        // A word of the statement that adds entries, which follow it.
        if contains(&bytes[..count], b"with ordinality")
            && will.fall_silent_amid_entries.swap(false, Ordering::SeqCst)
        {
            will.silence();
            count /= 2;
        }
        if to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
}

async fn back(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, will: &Will, number: usize) {
    let mut bytes = vec![0; 65536];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        // The server reports that the commit is complete.
        if contains(&bytes[..count], b"COMMIT\0") && will.break_at_commit.swap(false, Ordering::SeqCst) {
            return;
        }
        if contains(&bytes[..count], b"BEGIN\0") && will.fall_silent_at_begin.swap(false, Ordering::SeqCst) {
            will.silence();
        }
        will.speak(number).await;
        if to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}
