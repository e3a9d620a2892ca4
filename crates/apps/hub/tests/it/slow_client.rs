//! A client of the gateway that does not read its input.

use std::time::Duration;

use agentwire_hub::{Audit, Gateway};
use serde_json::json;
use tokio::time::timeout;

use crate::{
    server::{LIMIT, config, hub},
    tasks::Raw,
};

#[tokio::test]
async fn client_that_reads_nothing_delays_no_call_and_gets_some_progress_and_the_outcome() {
    let (audit, mut records) = Audit::new(10);
    let mut config = config();
    config.timeout = Duration::from_secs(600);
    let hub = hub(config, |builder| builder.audit(audit)).await;
    let (ours, theirs) = tokio::io::duplex(256);
    let gateway = Gateway::new(&hub).patience(LIMIT);
    let (gateway, (mut client, _)) = tokio::join!(gateway.serve(ours), Raw::shake_hands(theirs, json!({})));
    let gateway = gateway.unwrap();
    let arguments = json!({"times": 20_000, "every": 0});
    let params =
        json!({"name": "test__tick", "arguments": arguments, "_meta": {"progressToken": "progress"}});
    client.send(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})).await;
    // The call has ended, and nothing of it was read.
    let record = timeout(LIMIT * 3, records.recv()).await.unwrap().unwrap();
    assert_eq!(&*record.name, "tick");
    let mut steps = Vec::new();
    let outcome = loop {
        let message = client.next_message().await;
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
}
