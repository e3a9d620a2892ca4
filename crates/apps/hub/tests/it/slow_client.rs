//! A client of the gateway that does not read its input.

use std::time::Duration;

use agentwire_hub::{Audit, Gateway};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf},
    time::timeout,
};

use crate::server::{LIMIT, config, hub};

/// A client by hand: it reads when it wants to.
struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    input: WriteHalf<DuplexStream>,
}

impl Client {
    async fn shaken_hands(pipe: DuplexStream) -> Self {
        let (output, input) = tokio::io::split(pipe);
        let mut client = Self { lines: BufReader::with_capacity(64, output).lines(), input };
        let us = json!({"name": "slow", "version": "1"});
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": us});
        client.tell(json!({"id": 1, "method": "initialize", "params": hello})).await;
        assert_eq!(client.hear().await["id"], 1);
        client.tell(json!({"method": "notifications/initialized"})).await;
        client
    }

    async fn tell(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        self.input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn hear(&mut self) -> Value {
        let line = timeout(LIMIT, self.lines.next_line()).await.unwrap().unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

#[tokio::test]
async fn client_that_reads_nothing_delays_no_call_and_gets_some_progress_and_the_outcome() {
    let (audit, mut records) = Audit::new(10);
    let mut config = config();
    config.timeout = Duration::from_secs(600);
    let hub = hub(config, |builder| builder.audit(audit)).await;
    let (ours, theirs) = tokio::io::duplex(256);
    let gateway = Gateway::new(&hub).patience(LIMIT);
    let (gateway, mut client) = tokio::join!(gateway.serve(ours), Client::shaken_hands(theirs));
    let gateway = gateway.unwrap();
    let arguments = json!({"times": 20_000, "every": 0});
    let params =
        json!({"name": "test__tick", "arguments": arguments, "_meta": {"progressToken": "progress"}});
    client.tell(json!({"id": 2, "method": "tools/call", "params": params})).await;
    // The call has ended, and nothing of it was read.
    let record = timeout(LIMIT * 3, records.recv()).await.unwrap().unwrap();
    assert_eq!(&*record.name, "tick");
    let mut steps = Vec::new();
    let outcome = loop {
        let message = client.hear().await;
        if message["id"] == 2 {
            break message;
        }
        if message["method"] == "notifications/progress" {
            steps.push(message["params"]["progress"].as_f64().unwrap());
        }
    };
    assert_eq!(outcome["result"]["content"][0]["text"], "done", "{outcome}");
    assert!(steps.is_sorted(), "{steps:?}");
    assert!((1..10_000).contains(&steps.len()), "{}", steps.len());
    drop(client);
    timeout(LIMIT, gateway.waiting()).await.unwrap().unwrap();
    hub.close().await;
}
