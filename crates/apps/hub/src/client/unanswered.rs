//! A bound on the unanswered requests of a server.

use std::sync::Arc;

use tokio::sync::watch;

/// Counts the requests of a server that are being answered, and the answers that are being written.
///
/// rmcp handles each request in a task of its own. So reading must stop while a server sends many requests and reads no
/// answers.
#[derive(Clone, Debug, Default)]
pub(super) struct Unanswered(watch::Sender<usize>);

/// A request that is being answered, or an answer that is being written. It counts until its last clone is dropped.
pub(super) struct UnansweredRequest(watch::Sender<usize>);

impl Unanswered {
    pub(super) fn open(&self) -> Arc<UnansweredRequest> {
        self.0.send_modify(|count| *count += 1);
        Arc::new(UnansweredRequest(self.0.clone()))
    }

    /// Waits until there is room for another request. Cancel-safe.
    pub(super) async fn room(&self) {
        let mut count = self.0.subscribe();
        // The sender is in `self`.
        let _ = count.wait_for(|count| *count < MAX_OPEN).await;
    }
}

impl Drop for UnansweredRequest {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

/// Twice the maximum number of open questions, so that only a server that reads no answers reaches it.
const MAX_OPEN: usize = 2 * super::questions::MAX_OPEN;

#[cfg(test)]
mod tests {
    use std::{collections::HashSet, time::Duration};

    use rmcp::transport::async_rw::AsyncRwTransport;
    use serde_json::{Value, json};
    use tokio::{
        io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex, split},
        runtime::Handle,
        time::timeout,
    };

    use super::MAX_OPEN;
    use crate::{
        ClientHandlers,
        client::{Client, Lifecycle, StaleLists},
    };

    const MANY: usize = 3_000;

    struct Server(BufReader<DuplexStream>);

    impl Server {
        async fn read(&mut self) -> Value {
            let mut line = String::new();
            self.0.read_line(&mut line).await.unwrap();
            serde_json::from_str(&line).unwrap()
        }

        async fn write(&mut self, message: &Value) {
            self.0.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        }

        /// Sends requests until they are not read any more, or `MANY` were read. The last one may be written in part.
        async fn flood(&mut self, method: &str, id: impl Fn(usize) -> Value) -> usize {
            for asked in 0..MANY {
                let request =
                    json!({"jsonrpc": "2.0", "id": id(asked), "method": method, "params": params(method)});
                if timeout(Duration::from_secs(1), self.write(&request)).await.is_err() {
                    return asked;
                }
            }
            MANY
        }
    }

    fn params(method: &str) -> Value {
        match method {
            "elicitation/create" => {
                json!({"message": "?", "requestedSchema": {"type": "object", "properties": {}}})
            }
            "sampling/createMessage" => json!({"messages": [], "maxTokens": 1}),
            _ => json!({}),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn reading_stops_while_a_server_reads_no_answers() {
        for method in ["roots/list", "ping", "elicitation/create", "sampling/createMessage", "no/such"] {
            for is_one_id in [false, true] {
                let (ours, theirs) = duplex(1 << 10);
                let (read, write) = split(ours);
                let client = Client::new(
                    "s".into(),
                    ClientHandlers::new().roots(|_| Vec::new()).into(),
                    StaleLists::default(),
                );
                let serving = tokio::spawn(client.serve(
                    AsyncRwTransport::new(read, write),
                    Lifecycle::Initialize,
                    Duration::from_secs(1),
                ));
                let mut server = Server(BufReader::new(theirs));
                let hello = server.read().await;
                let result = json!({"protocolVersion": hello["params"]["protocolVersion"], "capabilities": {},
                    "serverInfo": {"name": "s", "version": "1"}});
                server.write(&json!({"jsonrpc": "2.0", "id": hello["id"], "result": result})).await;
                let service = serving.await.unwrap().unwrap();
                assert_eq!(server.read().await["method"], "notifications/initialized");

                let before = Handle::current().metrics().num_alive_tasks();
                let id = |asked: usize| if is_one_id { json!("r") } else { json!(format!("r{asked}")) };
                let asked = server.flood(method, id).await;
                let tasks = Handle::current().metrics().num_alive_tasks() - before;
                assert!(tasks < 2 * MAX_OPEN, "{method}, {is_one_id}: {tasks} tasks");

                // Of several requests with one id, only one gets an answer.
                if !is_one_id {
                    assert!(asked < 2 * MAX_OPEN, "{method}: {asked}");
                    // When the server reads again, each request gets its answer.
                    let mut answered = HashSet::new();
                    while answered.len() < asked {
                        let answer = server.read().await;
                        assert!(answered.insert(answer["id"].to_string()), "{answer}");
                    }
                }
                drop(server);
                service.cancel().await.unwrap();
            }
        }
    }
}
