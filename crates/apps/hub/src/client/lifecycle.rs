//! Opening a connection, with the handshake of versions before 2026-07-28 or without a handshake.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rmcp::{
    RoleClient,
    model::{ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, ProtocolVersion, RequestId},
    service::{ClientLifecycleMode, RxJsonRpcMessage, TxJsonRpcMessage},
};
use tokio::time::Instant;

/// How a connection is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Lifecycle {
    /// Sends `server/discover`, then `initialize` if the server does not know that method or does not answer.
    #[default]
    Probe,
    /// Sends only `server/discover`, to a server that needs no handshake.
    Discover,
    /// Sends only `initialize`, to a server that needs a handshake.
    Initialize,
}

impl Lifecycle {
    pub(super) fn mode(self) -> ClientLifecycleMode {
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        match self {
            Self::Probe => ClientLifecycleMode::Auto {
                preferred_versions,
                legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
            },
            Self::Discover => ClientLifecycleMode::Discover { preferred_versions },
            Self::Initialize => ClientLifecycleMode::Initialize,
        }
    }
}

/// The `server/discover` request of a [`Lifecycle::Probe`], and its time limit.
///
/// rmcp waits 10 seconds for the answer, and would accept a later answer as the answer to `initialize`.
#[derive(Debug)]
pub(super) struct Probe {
    patience: Duration,
    id: Option<RequestId>,
    /// `Some` while the answer is awaited.
    pub(super) deadline: Option<Instant>,
    /// Whether the server answered after `initialize` was sent that it needs no handshake.
    is_late: Arc<AtomicBool>,
}

impl Probe {
    pub(super) fn new(patience: Duration, is_late: Arc<AtomicBool>) -> Self {
        Self { patience, id: None, deadline: None, is_late }
    }

    /// Notes a message that is about to be sent.
    pub(super) fn send(&mut self, message: &TxJsonRpcMessage<RoleClient>) {
        let JsonRpcMessage::Request(request) = message else { return };
        match request.request {
            ClientRequest::DiscoverRequest(_) => {
                self.id = Some(request.id.clone());
                self.deadline = Some(Instant::now() + self.patience);
            }
            _ => self.deadline = None,
        }
    }

    /// Stops waiting. Returns the answer that a server without the method would send.
    pub(super) fn expire(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.deadline = None;
        let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "server/discover was not answered", None);
        Some(JsonRpcMessage::error(error, Some(self.id.clone()?)))
    }

    /// Returns whether a received message is a late answer to the probe.
    pub(super) fn discards(&mut self, message: &RxJsonRpcMessage<RoleClient>) -> bool {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => return false,
        };
        let is_answer = self.id.as_ref().zip(id).is_some_and(|(ours, id)| ours.to_string() == id.to_string());
        if !is_answer || self.deadline.take().is_some() {
            return false;
        }
        if matches!(message, JsonRpcMessage::Response(_)) {
            self.is_late.store(true, Ordering::Relaxed);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use rmcp::{RoleClient, service::RunningService, transport::async_rw::AsyncRwTransport};
    use serde_json::{Value, json};
    use tokio::{
        io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, duplex, split},
        task::JoinHandle,
    };

    use super::{Duration, Instant, Lifecycle};
    use crate::{
        ClientHandlers,
        client::{Client, StaleLists},
    };

    const PATIENCE: Duration = Duration::from_secs(5);

    /// Opens a connection to a server with these answers, computed from the method and id of each request.
    async fn open(
        mut answers: impl FnMut(&str, &Value) -> Vec<Value> + Send + 'static,
    ) -> (RunningService<RoleClient, Client>, Client, JoinHandle<()>) {
        let (ours, theirs) = duplex(1 << 16);
        let server = tokio::spawn(async move {
            let (read, mut write) = split(theirs);
            let mut lines = BufReader::new(read).lines();
            while let Some(line) = lines.next_line().await.unwrap() {
                let request: Value = serde_json::from_str(&line).unwrap();
                for mut answer in answers(request["method"].as_str().unwrap(), &request["id"]) {
                    answer["jsonrpc"] = json!("2.0");
                    write.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
                }
            }
        });
        let client = Client::new("s".into(), ClientHandlers::new().into(), StaleLists::default());
        let (read, write) = split(ours);
        let transport = AsyncRwTransport::new(read, write);
        let service = client.clone().serve(transport, Lifecycle::Probe, PATIENCE).await.unwrap();
        (service, client, server)
    }

    fn version(service: &RunningService<RoleClient, Client>) -> String {
        service.peer().peer_info().unwrap().protocol_version.to_string()
    }

    fn discovered(id: &Value) -> Value {
        json!({"id": id, "result": {"resultType": "complete", "supportedVersions": ["2026-07-28"],
            "capabilities": {}, "ttlMs": 0, "cacheScope": "private", "serverInfo": {"name": "s", "version": "1"}}})
    }

    fn initialized(id: &Value) -> Value {
        json!({"id": id, "result": {"protocolVersion": "2025-06-18", "capabilities": {},
            "serverInfo": {"name": "s", "version": "1"}}})
    }

    #[tokio::test]
    async fn server_that_answers_the_probe_gets_no_handshake() {
        let (service, ..) = open(|method, id| {
            assert_eq!(method, "server/discover");
            vec![discovered(id)]
        })
        .await;
        assert_eq!(version(&service), "2026-07-28");
    }

    #[tokio::test]
    async fn server_that_answers_the_probe_with_an_error_gets_a_handshake() {
        for code in [-32601, -32602, -32600, -32000, 7] {
            let (service, ..) = open(move |method, id| match method {
                "server/discover" => vec![json!({"id": id, "error": {"code": code, "message": "what?"}})],
                "initialize" => vec![initialized(id)],
                _ => Vec::new(),
            })
            .await;
            assert_eq!(version(&service), "2025-06-18", "{code}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn silent_server_gets_a_handshake_and_its_late_answer_is_dropped() {
        for (is_late, late) in [
            (false, None),
            (false, Some(json!({"error": {"code": -32601, "message": "what?"}}))),
            (true, Some(json!({"result": discovered(&json!(0))["result"]}))),
        ] {
            let start = Instant::now();
            let mut probe = Value::Null;
            let (service, client, _server) = open(move |method, id| match method {
                "server/discover" => {
                    probe = id.clone();
                    Vec::new()
                }
                "initialize" => {
                    let late = late.clone().map(|mut late| {
                        late["id"] = probe.clone();
                        late
                    });
                    late.into_iter().chain([initialized(id)]).collect()
                }
                _ => Vec::new(),
            })
            .await;
            assert_eq!(start.elapsed(), PATIENCE);
            assert_eq!((version(&service).as_str(), client.is_late()), ("2025-06-18", is_late));
        }
    }
}
