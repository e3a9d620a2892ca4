//! Tasks, which the gateway does not offer: they are declined as MCP asks, and no tool that needs them is called.

use agentwire_hub::{CallError, CallRequest, Gateway, Hub};
use serde_json::{Value, json};
use tokio::{
    io::{
        AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
        duplex, split,
    },
    time::timeout,
};

use crate::server::{LIMIT, config, hub};

/// A client that sends JSON as it is, and reads only when it waits for a message.
pub(crate) struct Raw {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
    next: u64,
}

impl Raw {
    pub(crate) async fn connect(hub: &Hub) -> (Self, Value) {
        let (ours, theirs) = duplex(1 << 16);
        let gateway = Gateway::new(hub);
        tokio::spawn(async move { drop(gateway.serve(ours).await.unwrap().waiting().await) });
        Self::shake_hands(theirs, json!({"tasks": {"list": {}, "cancel": {}}})).await
    }

    /// Performs the handshake of 2025-11-25, and returns its result.
    pub(crate) async fn shake_hands(pipe: DuplexStream, capabilities: Value) -> (Self, Value) {
        let (read, write) = split(pipe);
        let mut raw = Self { lines: BufReader::with_capacity(64, read).lines(), write, next: 1 };
        let us = json!({"name": "raw", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": us});
        let answer = raw.request("initialize", params).await;
        raw.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        (raw, answer["result"].clone())
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.write.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    pub(crate) async fn next_message(&mut self) -> Value {
        let line = timeout(LIMIT, self.lines.next_line()).await.unwrap().unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Returns the answer to a request. Other messages are skipped.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.next;
        self.next += 1;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        loop {
            let message = self.next_message().await;
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls the tool `tick` and asks for its progress. The call is the first request after the handshake.
    pub(crate) async fn tick(&mut self, times: u64, every: u64) {
        let arguments = json!({"times": times, "every": every});
        let params = json!({"name": "test__tick", "arguments": arguments, "_meta": {"progressToken": "t"}});
        self.send(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})).await;
    }

    /// Returns the steps of that call, and its answer.
    pub(crate) async fn ticked(&mut self) -> (Vec<f64>, Value) {
        let mut steps = Vec::new();
        loop {
            let message = self.next_message().await;
            if message["id"] == 2 {
                return (steps, message);
            }
            if message["method"] == "notifications/progress" {
                steps.push(message["params"]["progress"].as_f64().unwrap());
            }
        }
    }

    /// Makes the server list one more tool, which returns its arguments, and waits until the gateway lists it.
    async fn add(&mut self, name: &str, execution: Value) -> Value {
        let tool = json!({"name": name, "inputSchema": {"type": "object"}, "execution": execution});
        let arguments = json!({"method": "notifications/tools/list_changed", "params": {}, "add": tool});
        self.request("tools/call", json!({"name": "test__notify", "arguments": arguments})).await;
        let search = async {
            loop {
                let listed = self.request("tools/list", json!({})).await;
                let tools = listed["result"]["tools"].as_array().unwrap();
                if let Some(tool) = tools.iter().find(|tool| tool["name"] == format!("test__{name}")) {
                    return tool.clone();
                }
                tokio::task::yield_now().await;
            }
        };
        timeout(LIMIT, search).await.unwrap()
    }
}

#[tokio::test]
async fn call_with_a_task_is_a_plain_call() {
    let hub = hub(config(), |builder| builder).await;
    let (mut client, initialized) = Raw::connect(&hub).await;
    assert!(
        initialized["capabilities"]["tools"].is_object() && initialized["capabilities"]["tasks"].is_null()
    );
    let params = json!({"name": "test__echo", "arguments": {"text": "hello"}, "task": {"ttl": 60000}});
    let answer = client.request("tools/call", params).await;
    assert_eq!(answer["result"]["content"], json!([{"type": "text", "text": "hello"}]));
    assert!(answer["result"]["task"].is_null() && answer["result"]["isError"] != true, "{answer}");
}

#[tokio::test]
async fn methods_of_tasks_are_not_found() {
    let hub = hub(config(), |builder| builder).await;
    let (mut client, _) = Raw::connect(&hub).await;
    let of_task = json!({"taskId": "786512e2-9e0d-44bd-8f29-789f320fe840"});
    for (method, params) in [
        ("tasks/get", of_task.clone()),
        ("tasks/result", of_task.clone()),
        ("tasks/cancel", of_task.clone()),
        ("tasks/list", json!({})),
        ("tasks/list", json!({"cursor": "a"})),
        ("tasks/get", json!({})),
    ] {
        let answer = client.request(method, params).await;
        assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
    }
    // The session goes on.
    assert!(client.request("ping", json!({})).await["result"].is_object());
}

#[tokio::test]
async fn tool_that_needs_a_task_is_listed_and_not_called() {
    let hub = hub(config(), |builder| builder).await;
    let (mut client, _) = Raw::connect(&hub).await;
    let listed = client.add("give-slowly", json!({"taskSupport": "required"})).await;
    assert_eq!(listed["execution"], json!({"taskSupport": "required"}));
    assert_eq!(listed["_meta"], Value::Null);
    let arguments = json!({"content": [{"type": "text", "text": "it was called"}]});
    for task in [Value::Null, json!({"ttl": 60000})] {
        let mut params = json!({"name": "test__give-slowly", "arguments": arguments});
        if !task.is_null() {
            params["task"] = task;
        }
        let answer = client.request("tools/call", params).await;
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("as a task"), "{answer}");
    }
    let call = CallRequest::new("test", "give-slowly").arguments(arguments.clone());
    let error = hub.call(call).await.unwrap_err();
    assert!(matches!(&error, CallError::NeedsTask { tool, .. } if **tool == *"give-slowly"), "{error}");
    // If a task is optional, the tool is called without one.
    client.add("give-anyhow", json!({"taskSupport": "optional"})).await;
    let params = json!({"name": "test__give-anyhow", "arguments": arguments});
    let answer = client.request("tools/call", params).await;
    assert_eq!(answer["result"]["content"][0]["text"], "it was called");
}
