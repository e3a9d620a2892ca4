//! A client of the gateway that does not read its input.

use std::time::Duration;

use agentwire_hub::{Audit, Gateway};
use serde_json::json;
use tokio::time::timeout;

use crate::{
    server::{LIMIT, hub, limited_to},
    tasks::Raw,
};

#[tokio::test]
async fn client_that_reads_nothing_delays_no_call_and_gets_some_progress_and_the_outcome() {
    let (audit, mut records) = Audit::new(10);
    let hub = hub(limited_to(Duration::from_secs(600)), |builder| builder.audit(audit)).await;
    let (ours, theirs) = tokio::io::duplex(256);
    let gateway = Gateway::new(&hub).patience(LIMIT);
    let (gateway, (mut client, _)) = tokio::join!(gateway.serve(ours), Raw::shake_hands(theirs, json!({})));
    let gateway = gateway.unwrap();
    client.tick(20_000, 0).await;
    // The call has ended, and nothing of it was read.
    let record = timeout(LIMIT * 3, records.recv()).await.unwrap().unwrap();
    assert_eq!(&*record.name, "tick");
    let (steps, outcome) = client.ticked().await;
    assert_eq!(outcome["result"]["content"][0]["text"], "done", "{outcome}");
    assert!(steps.is_sorted(), "{steps:?}");
    assert!((1..10_000).contains(&steps.len()), "{}", steps.len());
    drop(client);
    timeout(LIMIT, gateway.waiting()).await.unwrap().unwrap();
}
