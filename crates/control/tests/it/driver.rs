//! The driver over an in-memory transport, with a paused clock that advances only while every task waits.
//!
//! A test shows that a future waits by giving it half a minute of that clock. No real time passes.

mod backlog;
mod callbacks;
mod calls;
mod ends;
mod leaving;
mod named;
mod observed;
mod prompts;
mod woken;
mod written;

use std::{
    collections::VecDeque,
    future::Future,
    sync::{Arc, Mutex},
    time::Duration,
};

use agentwire_codec::{Incoming, LineDecoder};
use agentwire_control::{
    CallContext, CallbackError, Config, Connection, Control, Messages, NoResponder, Reply, Responder,
    SessionEvent, connect,
};
use agentwire_protocol::{InboundRequest, RawJson};
use agentwire_transport::{
    Connected, ExitReport, MemoryPeer, MemoryPeerHandle, MemorySink, MemorySource, PeerHandle, Signal,
    Transport, TransportError, memory,
};
use tokio::{task::JoinHandle, time::timeout};

/// The CLI's side, which the test plays. Clones share it.
#[derive(Clone)]
struct Cli {
    peer: Arc<MemoryPeer>,
    received: Arc<Mutex<LineDecoder>>,
}

impl Cli {
    async fn send_line(&self, line: &str) {
        let write = self.peer.write(format!("{line}\n"));
        timeout(HOUR, write).await.unwrap().unwrap();
    }

    /// Returns the next line from the host, or `None` at the end of input.
    async fn next_line(&self) -> Option<serde_json::Value> {
        loop {
            if let Some(line) = self.received.lock().unwrap().next() {
                return Some(serde_json::from_slice(line.unwrap().as_bytes()).unwrap());
            }
            let chunk = timeout(HOUR, self.peer.read()).await.unwrap()?;
            self.received.lock().unwrap().push(chunk);
        }
    }

    /// Returns the id of the next request from the host.
    async fn next_request_id(&self) -> String {
        let line = self.next_line().await.unwrap();
        assert_eq!(line["type"], "control_request", "{line}");
        line["request_id"].as_str().unwrap().to_owned()
    }

    async fn end(&self, report: ExitReport) {
        self.peer.end(report);
        self.peer.close_output();
    }
}

/// A session and the CLI's side of it.
struct Session {
    control: Control,
    messages: Messages,
    driver: JoinHandle<()>,
    cli: Cli,
}

type MemoryConnected = Connected<MemorySource, MemorySink, MemoryPeerHandle>;

async fn link(capacity: usize) -> (MemoryConnected, Cli) {
    let (transport, peer) = memory(capacity);
    (transport.open().await.unwrap(), Cli { peer: Arc::new(peer), received: Arc::default() })
}

async fn start(responder: impl Responder, config: Config) -> Session {
    start_with(1, responder, config).await
}

async fn start_with(capacity: usize, responder: impl Responder, config: Config) -> Session {
    let (link, cli) = link(capacity).await;
    let Connection { control, messages, driver } = connect(link, Arc::new(responder), config);
    Session { control, messages, driver: tokio::spawn(driver.run()), cli }
}

/// Starts a session with a peer that looks like a process.
async fn start_process(responder: impl Responder, config: Config) -> Session {
    let (Connected { source, sink, handle }, cli) = link(1).await;
    let link = Connected { source, sink, handle: Process(handle) };
    let Connection { control, messages, driver } = connect(link, Arc::new(responder), config);
    Session { control, messages, driver: tokio::spawn(driver.run()), cli }
}

async fn quiet() -> Session {
    start(NoResponder::default(), Config::default()).await
}

/// A responder from a closure.
struct With<F>(F);

impl<F, A> Responder for With<F>
where
    F: Fn(CallContext) -> A + Send + Sync + 'static,
    A: Future<Output = Result<RawJson, CallbackError>> + Send + 'static,
{
    fn respond(&self, _: InboundRequest, context: CallContext) -> Option<Reply> {
        Some(Box::pin((self.0)(context)))
    }
}

/// A handle with a process, which the peer simulates.
struct Process(MemoryPeerHandle);

impl PeerHandle for Process {
    async fn wait(&self) -> ExitReport {
        self.0.wait().await
    }

    fn signal(&self, signal: Signal) -> Result<(), TransportError> {
        self.0.signal(signal)
    }

    fn stderr_tail(&self) -> String {
        self.0.stderr_tail()
    }

    fn has_process(&self) -> bool {
        true
    }
}

async fn ask(control: &Control) -> Result<RawJson, agentwire_control::ControlError> {
    control.call_raw("ask", &RawJson::parse(r#"{"subtype":"ask"}"#).unwrap()).await
}

/// Returns the text of the next message.
async fn next(messages: &mut Messages) -> String {
    match messages.next().await.unwrap() {
        SessionEvent::Incoming(Incoming::Message(_, line) | Incoming::NonJson(line), _) => {
            line.to_str().unwrap().to_owned()
        }
        SessionEvent::Incoming(Incoming::Unhandled(_, line), _) => {
            format!("unhandled {}", line.to_str().unwrap())
        }
        other => format!("{other:?}"),
    }
}

/// Returns whether the future waits for half a minute of the paused clock, which passes only while every task waits.
///
/// Less than `Config::call_limit`, so that no call or sender times out meanwhile.
async fn waits(future: impl Future) -> bool {
    timeout(Duration::from_secs(30), future).await.is_err()
}

fn news(number: usize) -> String {
    format!(r#"{{"type":"news","n":{number}}}"#)
}

/// Sends news, numbered from 0.
async fn speak(cli: Cli, count: usize) {
    for number in 0..count {
        cli.send_line(&news(number)).await;
    }
}

/// Checks that the next messages are news, numbered from 0.
async fn delivers(messages: &mut Messages, count: usize) {
    for number in 0..count {
        assert_eq!(next(messages).await, news(number));
    }
}

/// Returns a changed default configuration.
fn config(change: impl FnOnce(&mut Config)) -> Config {
    let mut config = Config::default();
    change(&mut config);
    config
}

/// Returns numbers in a scrambled order, the same in each run.
fn shuffled(count: usize) -> VecDeque<usize> {
    let mut numbers: Vec<_> = (0..count).collect();
    numbers.sort_by_key(|number| (number * 7919) % 104_729 % 13);
    numbers.into()
}

/// Longer than any intended wait, on the paused clock.
const HOUR: Duration = Duration::from_secs(3600);
