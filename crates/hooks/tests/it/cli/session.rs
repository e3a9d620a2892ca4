//! The CLI's side of a session over an in-memory transport. The tests of `agentwire-mcp` include this file too.

use std::{iter, sync::Arc, time::Duration};

use agentwire_codec::LineDecoder;
use agentwire_control::{Config, Connection, Control, Messages, Responder, connect};
use agentwire_transport::{MemoryPeer, Transport, memory};
use serde_json::{Value, json};
use tokio::{task::JoinHandle, time::timeout};

pub(crate) struct Cli {
    pub(crate) peer: MemoryPeer,
    pub(crate) received: LineDecoder,
    pub(crate) control: Control,
    messages: Messages,
    driver: JoinHandle<()>,
}

impl Cli {
    pub(crate) async fn with_grace(callback_grace: Duration, responder: impl Responder) -> Self {
        let (transport, peer) = memory(1 << 16);
        let link = transport.open().await.unwrap();
        let mut settings = Config::default();
        settings.callback_grace = callback_grace;
        let Connection { control, messages, driver } = connect(link, Arc::new(responder), settings);
        let driver = tokio::spawn(driver.run());
        Self { peer, received: LineDecoder::default(), control, messages, driver }
    }

    pub(crate) async fn send(&self, frame: Value) {
        self.peer.write(format!("{frame}\n").into_bytes()).await.unwrap();
    }

    pub(crate) async fn ask(&self, id: &str, request: Value) {
        self.send(json!({"type": "control_request", "request_id": id, "request": request})).await;
    }

    pub(crate) async fn cancel(&self, id: &str) {
        self.send(json!({"type": "control_cancel_request", "request_id": id})).await;
    }

    /// Returns the host's next line.
    pub(crate) async fn line(&mut self) -> Value {
        loop {
            if let Some(line) = self.received_line() {
                return line;
            }
            self.received.push(within(self.peer.read()).await.unwrap());
        }
    }

    fn received_line(&mut self) -> Option<Value> {
        self.received.next().map(|line| serde_json::from_slice(line.unwrap().as_bytes()).unwrap())
    }

    /// Returns the host's next answer: its id, and the response or the error's text.
    pub(crate) async fn answer(&mut self) -> (String, Result<Value, String>) {
        let line = self.line().await;
        assert_eq!(line["type"], "control_response", "{line}");
        let response = &line["response"];
        let id = response["request_id"].as_str().unwrap().to_owned();
        match response["subtype"].as_str() {
            Some("success") => (id, Ok(response["response"].clone())),
            _ => (id, Err(response["error"].as_str().unwrap().to_owned())),
        }
    }

    /// Ends the session, and returns the host's remaining lines.
    pub(crate) async fn end(mut self) -> Vec<Value> {
        self.peer.close_output();
        within(&mut self.driver).await.unwrap();
        while let Some(chunk) = self.peer.read().await {
            self.received.push(chunk);
        }
        let rest = iter::from_fn(|| self.received_line()).collect();
        // The session lasts as long as these are held.
        drop((self.control, self.messages));
        rest
    }
}

/// Waits, and fails at the limit.
pub(crate) async fn within<T>(what: impl Future<Output = T>) -> T {
    timeout(LIMIT, what).await.expect("it does not come")
}

/// The limit of a test's waits.
const LIMIT: Duration = Duration::from_secs(60);
