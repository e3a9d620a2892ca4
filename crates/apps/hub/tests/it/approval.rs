//! Approval of calls, and their records.

mod changes;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use agentwire_hub::{
    Approval, Arguments, Audit, CallDecision, CallEnd, CallError, CallRequest, DeniedBy, Hub, PromptRequest,
    Proposed, ReadRequest, Rule, Use,
    config::{ServerConfig, Sources},
};
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    call::{add_tool, call, received, text},
    project::{Project, is_connected, until},
    server::{LIMIT, hub, program},
};

/// Returns a server that may always call `received` and `give`.
fn config() -> ServerConfig {
    let mut config = ServerConfig::new(program());
    config.always_allow = ["received", "gi*"].into_iter().collect();
    config
}

async fn asking<F, Fut>(handler: F) -> (Hub, Arc<AtomicUsize>)
where
    F: Fn(Proposed) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = CallDecision> + Send + 'static,
{
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let approval = Approval::asked(move |call| {
        count.fetch_add(1, Ordering::Relaxed);
        handler(call)
    });
    let hub = hub(config(), |builder| builder.approval(approval.within(Duration::from_millis(300)))).await;
    (hub, asked)
}

fn echo() -> CallRequest {
    call("echo", json!({"text": "secret"})).caller("the test")
}

#[tokio::test]
async fn calls_are_denied_by_default() {
    let hub = hub(config(), |builder| builder).await;
    hub.call(call("give", json!({"content": []}))).await.unwrap();
    let error = hub.call(echo()).await.unwrap_err();
    assert!(matches!(error, CallError::Denied { by: DeniedBy::Default, .. }), "{error}");
    assert!(!error.was_sent());
}

#[tokio::test]
async fn handler_gets_the_call_and_decides() {
    let (hub, asked) = asking(async |call: Proposed| {
        assert_eq!((call.server.as_str(), &*call.name, &*call.caller), ("test", "echo", "the test"));
        assert_eq!(
            (call.what, &*call.tool.as_ref().unwrap().name, call.has_changed),
            (Use::Tool, "echo", false)
        );
        assert!(!format!("{call:?}").contains("secret"));
        if call.arguments["text"] == "secret" {
            CallDecision::Allow
        } else {
            CallDecision::Deny { reason: Some("no such text".to_owned()) }
        }
    })
    .await;
    assert_eq!(text(&hub.call(echo()).await.unwrap()), "secret");
    let error = hub.call(call("echo", json!({"text": "other"})).caller("the test")).await.unwrap_err();
    assert_eq!(error.to_string(), "the call of `echo` of the server `test` was denied: no such text");
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn impossible_calls_need_no_approval() {
    let (hub, asked) = asking(async |_| CallDecision::Allow).await;
    for request in [
        call("nothing", json!({})),
        call("echo", json!({})),
        CallRequest::new("other", "echo"),
        // Allowed tools need no approval.
        call("give", json!({"content": []})),
    ] {
        let _ = hub.call(request).await;
    }
    assert_eq!(asked.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn failed_handler_denies() {
    let (hub, _) = asking(|call: Proposed| {
        assert_ne!(call.arguments["text"], "panics at once");
        async move {
            match call.arguments["text"].as_str().unwrap() {
                "panics" => panic!("on purpose"),
                _ => std::future::pending().await,
            }
        }
    })
    .await;
    let denied = async |text: &str| match hub.call(call("echo", json!({"text": text}))).await.unwrap_err() {
        CallError::Denied { by, .. } => by,
        other => panic!("{other}"),
    };
    assert_eq!(denied("panics").await, DeniedBy::Panic);
    assert_eq!(denied("panics at once").await, DeniedBy::Panic);
    assert_eq!(denied("hangs").await, DeniedBy::TimeLimit(Duration::from_millis(300)));
}

#[tokio::test]
async fn always_allowed_tool_is_written_and_needs_no_further_approval() {
    let project = Project::new();
    project.configure(".mcp.json", json!({"test": project.server("test", json!({}))}));
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let approval = Approval::asked(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        async { CallDecision::AllowAlways }
    });
    let hub = project.hub(|builder| builder.approval(approval)).await;
    for _ in 0..3 {
        assert_eq!(text(&hub.call(echo()).await.unwrap()), "secret");
    }
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    let written: Value = serde_json::from_str(&project.read(".mcp.json")).unwrap();
    assert_eq!(written["mcpServers"]["test"]["alwaysAllow"], json!(["echo"]));
}

#[tokio::test]
async fn allowed_tool_needs_approval_after_its_server_changes_it() {
    let (hub, asked) = asking(async |call: Proposed| {
        if &*call.name == "notify" {
            return CallDecision::Allow;
        }
        assert!(call.has_changed);
        match &*call.caller {
            "always" => CallDecision::AllowAlways,
            "once" => CallDecision::Allow,
            _ => CallDecision::Deny { reason: None },
        }
    })
    .await;
    let add = async |tool: &Value| add_tool(&hub, "test", tool).await;
    let give = async |caller: &str| {
        hub.call(call("give2", json!({"content": []})).caller(caller)).await.map_err(|error| error.code())
    };
    let first = json!({"name": "give2", "description": "one", "inputSchema": {"type": "object"}});
    add(&first).await;
    give("nobody").await.unwrap();
    let with = |key: &str, value: Value| {
        let mut other = first.clone();
        other[key] = value;
        other
    };
    for (count, change) in [
        with("description", json!("another")),
        with("title", json!("another")),
        with("inputSchema", json!({"type": "object", "properties": {"keys": {"type": "string"}}})),
        with("annotations", json!({"destructiveHint": true})),
    ]
    .iter()
    .enumerate()
    {
        add(change).await;
        assert_eq!(give("nobody").await.unwrap_err(), "denied", "{change}");
        // The handler is also asked about each call of `notify`, by which a tool is added.
        assert_eq!(asked.load(Ordering::Relaxed), 3 * count + 3);
        let troubles = hub.troubles("test").unwrap();
        assert!(troubles.last().unwrap().what.contains("`give2` has changed"), "{troubles:?}");
        // The earlier definition is allowed as before.
        add(&first).await;
        give("nobody").await.unwrap();
    }
    let second = with("description", json!("second"));
    add(&second).await;
    // A restart does not make the definition count as the first one.
    hub.restart("test").await;
    add(&second).await;
    assert_eq!(give("nobody").await.unwrap_err(), "denied");
    // Nor does removing and adding the server.
    hub.apply(Sources::new().read());
    hub.apply(Sources::new().server("test", config()).read());
    assert!(hub.wait_until_ready(LIMIT).await);
    add(&second).await;
    assert_eq!(give("nobody").await.unwrap_err(), "denied");
    give("once").await.unwrap();
    assert_eq!(give("nobody").await.unwrap_err(), "denied");
    give("always").await.unwrap();
    give("nobody").await.unwrap();
    add(&first).await;
    assert_eq!(give("nobody").await.unwrap_err(), "denied");
}

#[tokio::test]
async fn tool_that_the_program_allows_again_is_allowed_with_its_new_definition() {
    let project = Project::new();
    let server = project.server("a", json!({"alwaysAllow": ["notify", "give2"]}));
    project.configure(".mcp.json", json!({ "a": server }));
    let hub = project.hub(|builder| builder).await;
    let add = async |description: &str| {
        let tool = json!({"name": "give2", "description": description, "inputSchema": {"type": "object"}});
        add_tool(&hub, "a", &tool).await;
    };
    let give = async || hub.call(CallRequest::new("a", "give2").arguments(json!({"content": []}))).await;
    add("one").await;
    give().await.unwrap();
    add("two").await;
    let denied = give().await.unwrap_err().to_string();
    assert!(denied.contains("denied") && denied.contains("its server has changed the tool"), "{denied}");
    hub.set_always_allow("a", "give2", true).await.unwrap();
    give().await.unwrap();
    // If the way to reach a server changes, it is another server, with other tools.
    let server = project.server("a", json!({"alwaysAllow": ["notify", "give2"], "env": {"OTHER": "1"}}));
    project.configure(".mcp.json", json!({"a": server}));
    until(&hub, || project.starts("a").len() == 2 && is_connected(&hub, "a")).await;
    add("three").await;
    give().await.unwrap();
}

#[test]
fn record_of_calls_has_any_capacity() {
    for room in [0, usize::MAX] {
        drop(Audit::new(room));
    }
}

#[tokio::test]
async fn resource_needs_approval_if_the_request_requires_it() {
    let (hub, asked) = asking(async |call: Proposed| {
        assert_eq!((call.what, call.tool.is_none(), &*call.arguments), (Use::Resource, true, &json!(null)));
        if &*call.name == "test://a" { CallDecision::Allow } else { CallDecision::Deny { reason: None } }
    })
    .await;
    let read = |uri: &str| ReadRequest::new("test", uri).caller("model");
    hub.read_resource(read("test://secret")).await.unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    hub.read_resource(read("test://a").with_approval()).await.unwrap();
    let denied = hub.read_resource(read("test://secret").with_approval()).await.unwrap_err();
    assert_eq!(denied.to_string(), "the call of `test://secret` of the server `test` was denied");
    assert_eq!(asked.load(Ordering::Relaxed), 2);
    hub.close().await;
    // Without a handler the call is denied; `Approval::allowed` allows it.
    let denying = crate::server::hub(config(), |builder| builder).await;
    assert_eq!(denying.read_resource(read("test://a").with_approval()).await.unwrap_err().code(), "denied");
    denying.close().await;
    let (audit, mut records) = Audit::new(10);
    let build = |builder: agentwire_hub::HubBuilder| builder.approval(Approval::allowed()).audit(audit);
    let allowing = crate::server::hub(config(), build).await;
    allowing.read_resource(read("test://a").with_approval()).await.unwrap();
    assert_eq!(records.recv().await.unwrap().rule, Rule::Program);
    allowing.close().await;
}

#[tokio::test]
async fn read_that_waits_for_its_approval_is_not_recorded_as_free() {
    let (audit, mut records) = Audit::new(1);
    let asking = Approval::asked(|_| std::future::pending());
    let hub = hub(config(), |builder| builder.audit(audit).approval(asking)).await;
    let read = ReadRequest::new("test", "test://a").with_approval();
    assert!(hub.read_resource(read).now_or_never().is_none());
    assert_eq!(records.try_recv().unwrap().rule, Rule::None);
}

#[tokio::test]
async fn every_call_is_recorded_without_its_secrets() {
    let (audit, mut records) = Audit::new(100);
    let approval = Approval::asked(async |call: Proposed| match &*call.caller {
        "good" => CallDecision::Allow,
        "best" => CallDecision::AllowAlways,
        _ => CallDecision::Deny { reason: None },
    });
    let hub = hub(config(), |builder| builder.audit(audit).approval(approval)).await;
    for request in [
        echo().caller("good"),
        echo().caller("best"),
        echo().caller("bad"),
        call("give", json!({"content": [], "isError": true})),
        call("read_file", json!({"path": "secret"})).caller("good"),
        call("nothing", json!({})),
        CallRequest::new("other", "echo"),
        call("echo", json!({"text": 5})),
    ] {
        let _ = hub.call(request).await;
    }
    tokio::select! {
        biased;
        outcome = hub.call(call("wait", json!({})).caller("good")) => panic!("{outcome:?}"),
        // The call before it has been sent when this one is answered.
        read = hub.read_resource(ReadRequest::new("test", "test://a")) => drop(read.unwrap()),
    }
    hub.get_prompt(PromptRequest::new("test", "greet_all")).await.unwrap();
    let mut logged = Vec::new();
    for _ in 0..11 {
        let record = timeout(LIMIT, records.recv()).await.unwrap().unwrap();
        assert!(matches!(record.arguments, Arguments::Sha256(_)));
        assert!(!format!("{record:?} {record}").contains("secret"), "{record:?}");
        assert_eq!(record.missed, 0);
        logged.push((record.what, record.name.to_string(), record.rule, record.outcome));
    }
    assert!(records.try_recv().is_none());
    let answered = CallEnd::Answered { is_error: false };
    let of = |name: &str, rule, ended| (Use::Tool, name.to_owned(), rule, ended);
    assert_eq!(
        logged,
        [
            of("echo", Rule::Allowed, answered),
            of("echo", Rule::AllowedAlways, answered),
            of("echo", Rule::Denied(DeniedBy::Handler), CallEnd::Failed("denied")),
            of("give", Rule::Configuration("gi*".into()), CallEnd::Answered { is_error: true }),
            of("read-file", Rule::Allowed, answered),
            of("nothing", Rule::None, CallEnd::Failed("unknown")),
            of("echo", Rule::None, CallEnd::Failed("unknown_server")),
            of("echo", Rule::None, CallEnd::Failed("bad_arguments")),
            (Use::Resource, "test://a".to_owned(), Rule::Free, answered),
            of("wait", Rule::Allowed, CallEnd::Dropped),
            (Use::Prompt, "greet-all".to_owned(), Rule::Free, answered),
        ]
    );
}

#[tokio::test]
async fn records_delay_no_call_and_count_lost_records() {
    let (audit, mut records) = Audit::new(1);
    let hub = hub(config(), |builder| builder.audit(audit.with_arguments())).await;
    for _ in 0..5 {
        received(&hub).await;
    }
    assert_eq!(records.missed(), 4);
    let record = records.try_recv().unwrap();
    assert_eq!((record.missed, record.arguments), (0, Arguments::Text("{}".to_owned())));
    hub.call(call("give", json!({"content": []}))).await.unwrap();
    assert_eq!(records.try_recv().unwrap().missed, 4);
    // Calls continue without a receiver of records.
    drop(records);
    received(&hub).await;
}

#[tokio::test]
async fn allowed_approval_allows_all_enabled_tools() {
    let mut config = ServerConfig::new(program());
    config.disabled_tools = ["die"].into_iter().collect();
    let (audit, mut records) = Audit::new(10);
    let hub = hub(config, |builder| builder.approval(Approval::allowed()).audit(audit)).await;
    hub.call(echo()).await.unwrap();
    assert_eq!(records.recv().await.unwrap().rule, Rule::Program);
    assert_eq!(hub.call(call("die", json!({}))).await.unwrap_err().code(), "tool_disabled");
}
