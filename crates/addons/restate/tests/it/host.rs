//! The HTTP interface of a worker.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use agentwire::{Options, protocol::message::UserInput, sessions::FolderStore};
use agentwire_restate::{Host, HostConfig, Ingress};
use agentwire_worker::{Admission, Start, TurnSpec, WorkerConfig};
use axum::http::StatusCode;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{net::TcpListener, time::timeout};

use crate::{
    PROMPT, SESSION,
    node::{Asked, LIMIT, Node},
    session,
};

/// A script in place of the CLI: each prompt but `hold` leads to a question, and an interrupt to the result.
const ASKING: &str = r#"#!/bin/sh
case $1 in --version | -v) echo '2.1.330 (Claude Code)'; exit ;; esac
field() { printf '%s' "$line" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
while read -r line; do
    case $line in
    *'"type":"user"'*)
        prompt=$(field uuid)
        case $line in *'"hold"'*) continue ;; esac
        echo '{"type":"control_request","request_id":"ask","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"rm a"},"tool_use_id":"toolu_1","permission_suggestions":[]}}' ;;
    *'"type":"control_request"'*)
        echo "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"$(field request_id)\",\"response\":{}}}"
        case $line in
        *'"subtype":"interrupt"'*)
            echo "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"Interrupted.\",\"total_cost_usd\":0.5,\"user_message_uuids\":[\"$prompt\"]}" ;;
        esac ;;
    esac
done
"#;

/// A worker, and the node that gets its reports.
struct Place {
    address: String,
    node: Node,
    client: reqwest::Client,
    host: Host,
    _folder: TempDir,
}

impl Place {
    /// Starts a worker without a CLI.
    async fn new(answer: impl FnMut(&Asked) -> (StatusCode, Value) + Send + 'static) -> Self {
        Self::with("", answer).await
    }

    /// Starts a worker with this script in place of the CLI, which parks questions at once.
    async fn with(script: &str, answer: impl FnMut(&Asked) -> (StatusCode, Value) + Send + 'static) -> Self {
        // The tests' own client needs it; an error means that another test has installed it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let node = Node::new(answer).await;
        let ingress = Ingress::new([node.address.as_str()]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(FolderStore::at(folder.path().join("store")));
        let cli = folder.path().join("claude");
        if !script.is_empty() {
            fs::write(&cli, script).unwrap();
            fs::set_permissions(&cli, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let worker = WorkerConfig::new(store, folder.path().join("workspaces"))
            .options(Options::new().path_to_claude_code_executable(cli))
            .question_grace(Duration::ZERO)
            .admission(Admission::slots(2));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let config = HostConfig::new(ingress, "agents", address.as_str()).lease(Duration::from_secs(10));
        let host = Host::start(worker, config, listener).unwrap();
        Self { address, node, client: reqwest::Client::new(), host, _folder: folder }
    }

    /// Starts a worker whose node accepts each request.
    async fn ready() -> Self {
        Self::new(|_| (StatusCode::OK, Value::Null)).await
    }

    async fn call(&self, body: &Value) -> Value {
        let (status, text) = self.post(body.to_string()).await;
        assert_eq!(status, 200, "{text}");
        serde_json::from_str(&text).unwrap()
    }

    async fn post(&self, body: String) -> (u16, String) {
        let request = self.client.post(&self.address).header("content-type", "application/json").body(body);
        let response = timeout(LIMIT, request.send()).await.unwrap().unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    /// Asks for a fence after each beat, until Restate knows the worker.
    async fn fence(&self) -> Value {
        loop {
            let seen = self.node.requests().len();
            let fence = self.call(&json!({"Fence": [name(), 1]})).await;
            if fence.is_object() {
                return fence;
            }
            self.node.until(|requests| requests.len() > seen).await;
        }
    }

    /// Waits for this many requests whose path has this prefix.
    async fn requests(&self, prefix: &str, count: usize) -> Vec<Asked> {
        let is_meant = |asked: &Asked| asked.path.starts_with(prefix);
        self.node.until(|requests| requests.iter().filter(|asked| is_meant(asked)).count() >= count).await;
        self.node.requests().into_iter().filter(is_meant).collect()
    }
}

fn name() -> Value {
    json!({"tenant": "tenant", "session": SESSION})
}

fn turn(text: &str) -> Value {
    json!({
        "input": {"Prompt": {"id": PROMPT, "text": text}},
        "budget_usd": null, "revision": null, "ticket": "prom_1",
    })
}

/// Requests for the turn of a fence: an answer, an interrupt and a prompt.
fn requests(fence: &Value) -> [Value; 3] {
    [
        json!({"Answer": [fence, "toolu_1", {"Deny": {"reason": "no"}}]}),
        json!({"Interrupt": fence}),
        json!({"Steer": [fence, UserInput::new("hold")]}),
    ]
}

#[tokio::test]
async fn worker_gives_no_fence_before_restate_knows_it() {
    let is_up = Arc::new(AtomicBool::new(false));
    let up = Arc::clone(&is_up);
    let place = Place::new(move |_| match up.load(Ordering::Relaxed) {
        true => (StatusCode::OK, Value::Null),
        false => (StatusCode::SERVICE_UNAVAILABLE, json!("starting")),
    })
    .await;
    place.requests("/AgentWorker/", 1).await;
    assert_eq!(place.call(&json!({"Fence": [name(), 1]})).await, Value::Null);
    is_up.store(true, Ordering::Relaxed);
    let fence = place.fence().await;
    let beats = place.requests("/AgentWorker/", 2).await;
    assert_eq!(beats[0].path, format!("/AgentWorker/{}/beat", fence["boot"].as_str().unwrap()));
    assert_eq!(beats[0].body, json!({"pool": "agents", "address": place.address, "lease_ms": 10_000}));
    let beats = place.requests("/AgentWorker/", 3).await;
    assert_eq!((&beats[1].body["is_known"], &beats[2].body["is_known"]), (&Value::Null, &json!(true)));
}

#[tokio::test]
async fn end_of_a_turn_is_reported_until_a_node_takes_it() {
    let mut refusals = 2;
    let place = Place::new(move |asked| {
        if asked.path.contains("awakeables") && refusals > 0 {
            refusals -= 1;
            return (StatusCode::SERVICE_UNAVAILABLE, json!("no leader"));
        }
        (StatusCode::OK, Value::Null)
    })
    .await;
    let fence = place.fence().await;
    let start = json!({"Start": [fence, turn("Go.")]});
    assert_eq!(place.call(&start).await, "Started");
    let reports = place.requests("/restate/awakeables/", 3).await;
    for report in reports {
        assert_eq!(report.path, "/restate/awakeables/prom_1/resolve");
        let end = &report.body["Turn"][0];
        assert_eq!((&end["fence"], &end["outcome"]["Interrupted"]["state"]), (&fence, &json!("Unstarted")));
    }
    assert_eq!(place.call(&start).await, "Started", "a repeated start has the same answer");
    let ended = place.node.requests().iter().filter(|asked| asked.path.contains("awakeables")).count();
    assert_eq!(ended, 3, "and starts nothing");
}

/// Returns the first two reports of a turn, of which Restate refuses the first with this status.
async fn refused_once(script: &str, status: StatusCode) -> [Value; 2] {
    let mut is_refused = false;
    let place = Place::with(script, move |asked| {
        if asked.path.contains("awakeables") && !std::mem::replace(&mut is_refused, true) {
            return (status, json!("refused"));
        }
        (StatusCode::OK, Value::Null)
    })
    .await;
    let fence = place.fence().await;
    assert_eq!(place.call(&json!({"Start": [fence, turn("Go.")]})).await, "Started");
    let reports = place.requests("/restate/awakeables/", 2).await;
    [0, 1].map(|n: usize| reports[n].body["Turn"].clone())
}

#[tokio::test]
async fn refused_report_is_repeated() {
    let [first, second] = refused_once(ASKING, StatusCode::NOT_FOUND).await;
    assert!(first[0]["outcome"]["Parked"].is_array(), "{first}");
    assert_eq!(first, second);
}

#[tokio::test]
async fn report_that_is_too_long_is_repeated_without_its_long_parts() {
    let [first, second] = refused_once(ASKING, StatusCode::PAYLOAD_TOO_LARGE).await;
    assert!(first[0]["outcome"]["Parked"].is_array(), "{first}");
    let interrupted = &second[0]["outcome"]["Interrupted"];
    assert_eq!(interrupted["state"], json!({"Interrupted": {"tools": []}}), "{second}");
    let why = interrupted["why"].as_str().unwrap();
    assert!(why.starts_with("the end of the turn can't be reported: ") && why.contains("413"), "{why}");
    assert_eq!((&second[0]["fence"], &second[1]), (&first[0]["fence"], &json!([])));
    // Without a CLI the turn was not started, which is safe to start again.
    let [first, second] = refused_once("", StatusCode::PAYLOAD_TOO_LARGE).await;
    assert_eq!(first[0]["outcome"]["Interrupted"]["state"], "Unstarted", "{first}");
    assert_eq!(first, second);
}

#[tokio::test]
async fn run_that_restate_has_lost_ends() {
    let is_lost = Arc::new(AtomicBool::new(false));
    let lost = Arc::clone(&is_lost);
    let place = Place::new(move |_| match lost.load(Ordering::Relaxed) {
        true => (StatusCode::GONE, json!("the run of the worker is lost")),
        false => (StatusCode::OK, Value::Null),
    })
    .await;
    let fence = place.fence().await;
    is_lost.store(true, Ordering::Relaxed);
    while place.call(&json!({"Fence": [name(), 2]})).await.is_object() {}
    assert_eq!(place.call(&json!({"Start": [fence, turn("Go.")]})).await, "Lost");
}

#[tokio::test]
async fn answer_to_a_question_that_is_being_parked_is_to_be_sent_again() {
    let place = Place::with(ASKING, |asked| match asked.path.contains("awakeables") {
        true => (StatusCode::SERVICE_UNAVAILABLE, json!("no leader")),
        false => (StatusCode::OK, Value::Null),
    })
    .await;
    let fence = place.fence().await;
    assert_eq!(place.call(&json!({"Start": [fence, turn("Go.")]})).await, "Started");
    let reports = place.requests("/restate/awakeables/", 1).await;
    assert_eq!(reports[0].body["Turn"][0]["outcome"]["Parked"][0]["id"], "toolu_1", "{reports:?}");
    let answer = json!({"Answer": [fence, "toolu_1", {"Deny": {"reason": "no"}}]});
    let (status, text) = place.post(answer.to_string()).await;
    assert_eq!((status, text.as_str()), (409, "the worker takes no answer now; send it again"));
}

#[tokio::test]
async fn question_with_a_lone_surrogate_is_listed() {
    let script = ASKING.replace("rm a", r"rm \ud83d").replace("interrupt", "none");
    let place = Place::with(&script, |_| (StatusCode::OK, Value::Null)).await;
    let fence = place.fence().await;
    assert_eq!(place.call(&json!({"Start": [fence, turn("Go.")]})).await, "Started");
    let listed = async {
        loop {
            let (status, text) = place.post(json!({"Phase": name()}).to_string()).await;
            assert_eq!(status, 200, "{text}");
            if text.contains("toolu_1") {
                return text;
            }
        }
    };
    let listed = timeout(LIMIT, listed).await.unwrap();
    assert!(listed.contains(r#""input":{"command":"rm \ud83d"}"#), "{listed}");
}

#[tokio::test]
async fn answer_that_arrives_while_its_question_is_being_parked_is_in_the_report() {
    // The worker sends the first interrupt to park the question. Only the second one ends the turn.
    let parks = r#"interrupt"'*)
            if [ -z "$parking" ]; then parking=1; continue; fi"#;
    let script = ASKING.replacen("interrupt\"'*)", parks, 1);
    let place = Place::with(&script, |_| (StatusCode::OK, Value::Null)).await;
    let fence = place.fence().await;
    assert_eq!(place.call(&json!({"Start": [fence, turn("Go.")]})).await, "Started");
    let parking = async { while place.call(&json!({"Phase": name()})).await[0] != "Parking" {} };
    timeout(LIMIT, parking).await.unwrap();
    let [answer, interrupt, _] = requests(&fence);
    assert_eq!(place.call(&answer).await, json!(true));
    assert_eq!(place.call(&interrupt).await, json!(true));
    let reports = place.requests("/restate/awakeables/", 1).await;
    assert_eq!(reports[0].body["Turn"][1], json!([["toolu_1", {"Deny": {"reason": "no"}}]]));
}

#[tokio::test]
async fn worker_of_a_dropped_host_starts_no_turn() {
    let place = Place::ready().await;
    // An open connection keeps the worker alive in the same way.
    let worker = place.host.worker().clone();
    let fence = worker.fence(&session(), 1);
    drop(place.host);
    assert_eq!(worker.start(&fence, &TurnSpec::prompt(PROMPT, "Go.")), Start::Lost);
}

#[tokio::test]
async fn fence_of_another_run_is_lost() {
    let place = Place::ready().await;
    let mut fence = place.fence().await;
    fence["boot"] = json!("another");
    assert_eq!(place.call(&json!({"Start": [fence, turn("Go.")]})).await, "Lost");
}

#[tokio::test]
async fn cancelled_fence_starts_no_turn() {
    let place = Place::ready().await;
    let fence = place.fence().await;
    assert_eq!(place.call(&json!({"Cancel": fence})).await, json!(false));
    assert_eq!(place.call(&json!({"Cancel": fence})).await, json!(false), "the first answer may be lost");
    assert_eq!(place.call(&json!({"HasEnded": fence})).await, json!(true), "it has none");
    assert_eq!(place.call(&json!({"Start": [fence, turn("Go.")]})).await, "Lost");
    let mut of_another_run = fence.clone();
    of_another_run["boot"] = json!("another");
    assert_eq!(place.call(&json!({"Cancel": of_another_run})).await, json!(true), "its loss is reported");
    assert_eq!(place.call(&json!({"HasEnded": of_another_run})).await, json!(false), "it may run there");

    let fence = place.fence().await;
    assert_eq!(place.call(&json!({"Start": [fence, turn("Go.")]})).await, "Started");
    place.requests("/restate/awakeables/", 1).await;
    assert_eq!(place.call(&json!({"Cancel": fence})).await, json!(true), "its end is reported");
    assert_eq!(place.call(&json!({"HasEnded": fence})).await, json!(true));
}

#[tokio::test]
async fn session_without_a_turn_takes_no_request() {
    let place = Place::ready().await;
    let fence = place.fence().await;
    for request in requests(&fence) {
        assert_eq!(place.call(&request).await, json!(false), "{request}");
    }
    assert_eq!(place.call(&json!({"Phase": name()})).await, json!(["Cold", []]));
    let input = json!({"Prompt": {"id": PROMPT, "text": "Go."}});
    assert_eq!(place.call(&json!({"Recovery": [name(), input]})).await, "Unstarted");
}

#[tokio::test]
async fn request_for_an_ended_turn_does_not_reach_the_next() {
    let place = Place::with(ASKING, |_| (StatusCode::OK, Value::Null)).await;
    let ended = place.fence().await;
    assert_eq!(place.call(&json!({"Start": [ended, turn("Go.")]})).await, "Started");
    place.requests("/restate/awakeables/", 1).await;
    let fence = place.call(&json!({"Fence": [name(), 2]})).await;
    assert_eq!(place.call(&json!({"Start": [fence, turn("hold")]})).await, "Started");
    for request in requests(&ended) {
        assert_eq!(place.call(&request).await, json!(false), "{request}");
    }
    let [_, interrupt, steer] = requests(&fence);
    assert_eq!(place.call(&steer).await, json!(true));
    assert_eq!(place.call(&interrupt).await, json!(true));
}

#[tokio::test]
async fn call_of_3_mib_is_taken_and_one_of_64_mib_refused_with_the_limit() {
    let place = Place::ready().await;
    let fence = place.fence().await;
    let start = |bytes: usize| json!({"Start": [fence, turn(&"x".repeat(bytes))]}).to_string();
    // The limit of the HTTP library is 2 MB.
    let (status, text) = place.post(start(3 * 1024 * 1024)).await;
    assert_eq!((status, text.as_str()), (200, "\"Started\""));
    let (status, text) = place.post(start(64 * 1024 * 1024)).await;
    assert_eq!((status, text.as_str()), (413, "a call may have 67108864 bytes; send a shorter prompt"));
}

#[tokio::test]
async fn call_of_an_unknown_kind_is_refused_with_the_reason() {
    let place = Place::ready().await;
    let (status, text) = place.post(json!({"Dance": name()}).to_string()).await;
    assert_eq!(status, 422);
    assert!(text.contains("unknown variant `Dance`"), "{text}");
}

#[tokio::test]
async fn address_that_handlers_cannot_use_is_refused() {
    let store = Arc::new(FolderStore::at("unused"));
    let ingress = Ingress::new(["http://127.0.0.1:1"]).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let config = HostConfig::new(ingress, "agents", "10.0.0.7:9090");
    let refused = Host::start(WorkerConfig::new(store, "unused"), config, listener).unwrap_err();
    assert!(refused.to_string().starts_with("`10.0.0.7:9090` is not an HTTP URL"), "{refused}");
}

#[tokio::test]
async fn metrics_have_the_slots() {
    let place = Place::ready().await;
    let response = place.client.get(format!("{}/metrics", place.address)).send().await.unwrap();
    let text = response.text().await.unwrap();
    for line in [
        "# TYPE agentwire_worker_slots gauge",
        "agentwire_worker_slots 2",
        "agentwire_worker_processes 0",
        "agentwire_worker_turns_running 0",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
    }
}
