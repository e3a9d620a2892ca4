//! Many requests at once.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use agentwire_protocol::RawJson;
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use crate::{
    cli::{Cli, call, within},
    played::{Answer, Played},
};

#[tokio::test]
async fn sixty_four_calls_are_answered_in_any_order() {
    let waiting: Arc<Mutex<HashMap<i64, oneshot::Sender<()>>>> = Arc::default();
    let (entered, mut came) = mpsc::channel(64);
    let waits = Arc::clone(&waiting);
    let server = Played::new(move |message, _| {
        if message["method"] != "tools/call" {
            return Answer::Result(json!({"tools": []}));
        }
        let (release, released) = oneshot::channel();
        let id = message["id"].clone();
        waits.lock().unwrap().insert(id.as_i64().unwrap(), release);
        entered.try_send(()).unwrap();
        Answer::Later(Box::pin(async move {
            released.await.unwrap();
            let result = json!({"content": [], "of": id});
            RawJson::encode(&json!({"jsonrpc": "2.0", "id": id, "result": result})).ok()
        }))
    });
    let mut cli = Cli::serving(server).await;
    for id in 0..CALLS {
        cli.post(&format!("r{id}"), "s", call(id, "t", json!({}))).await;
    }
    for _ in 0..CALLS {
        within(came.recv()).await.unwrap();
    }
    // One after the other, in a scrambled order without repetition: 37 and 64 have no common divisor.
    for step in 0..CALLS {
        let id = (step * 37 + 11) % CALLS;
        let release = waiting.lock().unwrap().remove(&id).unwrap();
        release.send(()).unwrap();
        let (request, answer) = cli.answer().await;
        assert_eq!(request, format!("r{id}"));
        assert_eq!(answer.unwrap()["mcp_response"]["result"]["of"], id);
    }
    cli.nothing_more();
}

const CALLS: i64 = 64;
