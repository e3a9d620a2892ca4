//! In-process MCP servers: their messages on the wire, and the CLI's reaction.

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use agentwire::{
    Decision, Session, SessionBuilder,
    hooks::PermissionHandler,
    mcp::{
        McpServers, RmcpServer, Server, ServerPolicy, ServerRequestError, Tool, ToolContext, ToolOutput,
        rmcp::{
            self,
            model::{ServerCapabilities, ServerConfig},
            service::NotificationContext,
        },
        schemars,
    },
    protocol::{
        control::ManifestFate,
        mcp::{McpServerConfig, SdkServer},
    },
    transport::{BoxTransport, process::ProcessTransport},
};
use agentwire_testkit::{Recorder, transcript::Entry};
use serde_json::{Value, json};
use tokio::{
    sync::{Barrier, Notify, mpsc},
    time::timeout,
};

use super::Place;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct NoInput {}

/// The lines on the wire, as JSON.
struct Wire(Recorder);

impl Wire {
    /// Returns each line, and whether it is ours.
    fn lines(&self) -> Vec<(bool, Value)> {
        let transcript = self.0.transcript().unwrap();
        let lines = transcript.entries.iter().filter_map(|entry| match entry {
            Entry::Outbound(line) => Some((true, line)),
            Entry::Inbound(line) => Some((false, line)),
            _ => None,
        });
        lines.filter_map(|(ours, line)| Some((ours, serde_json::from_slice(line).ok()?))).collect()
    }

    /// Returns the methods of the JSON-RPC messages of the CLI.
    fn asked(&self) -> Vec<String> {
        let lines = self.lines().into_iter().filter(|(ours, _)| !ours);
        let messages = lines.filter(|(_, line)| line["request"]["subtype"] == "mcp_message");
        let methods = messages.map(|(_, line)| line["request"]["message"]["method"].clone());
        methods.map(|method| method.as_str().unwrap_or("a response").to_owned()).collect()
    }

    /// Returns the results of tools that the CLI reports.
    fn tool_results(&self) -> Vec<Value> {
        let users = self.lines().into_iter().filter(|(ours, line)| !ours && line["type"] == "user");
        let blocks = users.filter_map(|(_, line)| line["message"]["content"].as_array().cloned());
        blocks.flatten().filter(|block| block["type"] == "tool_result").collect()
    }

    /// Returns the CLI's replies to our messages for it.
    fn replies(&self) -> Vec<(String, Value)> {
        let lines = self.lines();
        let ours = lines.iter().filter(|(ours, line)| *ours && line["request"]["subtype"] == "mcp_message");
        ours.map(|(_, line)| {
            let reply = lines.iter().find(|(ours, reply)| {
                !ours
                    && reply["response"]["request_id"] == line["request_id"]
                    && reply["type"] == "control_response"
            });
            let method = line["request"]["message"]["method"].as_str().unwrap_or("a response").to_owned();
            (method, reply.map_or(Value::Null, |(_, reply)| reply["response"].clone()))
        })
        .collect()
    }
}

/// Starts a session with recorded lines.
async fn recorded(builder: SessionBuilder) -> (Session, Wire) {
    let recorder = Recorder::new();
    let launch = builder.launch().unwrap();
    let transport = BoxTransport::new(recorder.record(ProcessTransport::new(launch)));
    (builder.transport(transport).connect().await.unwrap(), Wire(recorder))
}

/// Makes the model call these tools of the server `s`, all of which a rule allows.
async fn run(
    tools: &[&str],
    servers: McpServers,
    with: impl FnOnce(SessionBuilder) -> SessionBuilder,
) -> Wire {
    let names: Vec<String> = tools.iter().map(|tool| format!("mcp__s__{tool}")).collect();
    let calls: Vec<_> = names.iter().map(|name| (name.as_str(), json!({}))).collect();
    let place = Place::calling(&calls).await;
    let options = place.in_project().allowed_tools(["mcp__s"]);
    let builder = with(Session::builder().options(options).mcp_servers(servers.manifest_limit(LONG)));
    let (mut session, wire) = recorded(builder).await;
    let turn = session.ask("Go.").await.unwrap();
    let result = turn.finish().await.unwrap().unwrap();
    assert_eq!(result.result.as_deref(), Some("Done."), "{result:?}");
    session.close().await.unwrap();
    wire
}

fn echo(name: &str) -> Server {
    Server::new(name, "1.0.0").tool("echo", "Says hello.", async |_: NoInput, _| "hello")
}

/// Returns `s` and more servers up to `number`.
fn servers(number: usize) -> McpServers {
    let more = (1..number).map(|index| format!("s{index}"));
    more.fold(McpServers::new().with("s", echo("s")), |servers, name| {
        let server = echo(&name);
        servers.with(name, server)
    })
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn manifests_spare_every_round_trip_before_the_first_turn() {
    for number in [1, 5, 20] {
        for limit in [None, Some(LONG)] {
            let place = Place::calling(&[("mcp__s__echo", json!({}))]).await;
            let options = place.in_project().allowed_tools(["mcp__s"]);
            let servers = servers(number).manifest_limit(limit);
            let (mut session, wire) =
                recorded(Session::builder().options(options).mcp_servers(servers)).await;
            let fates = session.initialized().sdk_mcp_manifests_parked.clone();
            let turn = session.ask("Go.").await.unwrap();
            let result = turn.finish().await.unwrap().unwrap();
            assert_eq!(result.result.as_deref(), Some("Done."));
            session.close().await.unwrap();
            let asked = wire.asked();
            let count = |method: &str| asked.iter().filter(|asked| *asked == method).count();
            let handshakes = if limit.is_some() { 0 } else { number };
            let counted = ["initialize", "notifications/initialized", "tools/list", "tools/call"].map(count);
            assert_eq!(counted, [handshakes, handshakes, handshakes, 1]);
            match limit {
                None => assert_eq!(fates, None),
                Some(_) => {
                    let fates = fates.unwrap();
                    assert_eq!(fates.len(), number);
                    assert!(fates.values().all(|fate| *fate == ManifestFate::Parked), "{fates:?}");
                }
            }
        }
    }
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_policy_asks_and_denies_where_a_rule_allows() {
    let mut seen = Vec::new();
    for policy in [
        ServerPolicy::new(),
        ServerPolicy::new().always_ask("touch"),
        ServerPolicy::new().always_deny("touch"),
    ] {
        let (asked, ran) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let (asks, runs) = (Arc::clone(&asked), Arc::clone(&ran));
        let server = Server::new("s", "1").tool("touch", "Touches.", move |_: NoInput, _| {
            runs.fetch_add(1, Ordering::Relaxed);
            async { "touched" }
        });
        let permissions = PermissionHandler::new(move |_, _| {
            asks.fetch_add(1, Ordering::Relaxed);
            async { Decision::allow() }
        });
        let servers = McpServers::new().with_policy("s", server, policy);
        run(&["touch"], servers, |builder| builder.permissions(permissions)).await;
        seen.push((asked.load(Ordering::Relaxed), ran.load(Ordering::Relaxed)));
    }
    assert_eq!(seen, [(0, 1), (1, 1), (0, 0)]);
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn policy_outlives_the_replacement_of_servers() {
    let asked = Arc::<AtomicUsize>::default();
    let asks = Arc::clone(&asked);
    let permissions = PermissionHandler::new(move |_, _| {
        asks.fetch_add(1, Ordering::Relaxed);
        async { Decision::allow() }
    });
    let call = ("mcp__s__echo", json!({}));
    let place = Place::calling(&[call.clone(), call]).await;
    let servers = McpServers::new().with_policy("s", echo("s"), ServerPolicy::new().always_ask("echo"));
    let options = place.in_project().allowed_tools(["mcp__s"]);
    let builder = Session::builder().options(options).mcp_servers(servers).permissions(permissions);
    let mut session = builder.connect().await.unwrap();
    let servers = [("s".into(), McpServerConfig::Sdk(SdkServer::new("s")))].into();
    session.control().mcp_set_servers(servers).await.unwrap();
    session.ask("Go.").await.unwrap().finish().await.unwrap().unwrap();
    session.close().await.unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn call_over_the_limit_is_aborted() {
    let (sender, mut cancellations) = mpsc::unbounded_channel();
    let server = Server::new("s", "1").tool("wait", "Waits.", move |_: NoInput, cx: ToolContext| {
        let sender = sender.clone();
        async move {
            cx.cancelled.cancelled().await;
            sender.send(()).unwrap();
        }
    });
    let policy = ServerPolicy::new().call_limit(Duration::from_secs(1));
    let wire = run(&["wait"], McpServers::new().with_policy("s", server, policy), |builder| builder).await;
    assert_eq!(cancellations.recv().await, Some(()));
    let result = &wire.tool_results()[0];
    assert_eq!(result["is_error"], true);
    assert_eq!(result["content"], "MCP server \"s\" tool \"wait\" timed out after 1s");
    assert_eq!(wire.asked(), ["tools/call", "notifications/cancelled"]);
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn long_call_goes_to_the_background_if_allowed() {
    for (policy, goes) in [(ServerPolicy::new(), true), (ServerPolicy::new().stay_in_foreground(), false)] {
        let release = Arc::new(Notify::new());
        let released = Arc::clone(&release);
        let server = Server::new("s", "1").tool("wait", "Waits.", move |_: NoInput, _| {
            let released = Arc::clone(&released);
            async move { released.notified().await }
        });
        let place = Place::calling(&[("mcp__s__wait", json!({}))]).await;
        let options = place.in_project().allowed_tools(["mcp__s"]);
        let options =
            options.env("CLAUDE_AUTO_BACKGROUND_TASKS", "1").env("CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS", "500");
        let servers = McpServers::new().with_policy("s", server, policy);
        let (mut session, wire) = recorded(Session::builder().options(options).mcp_servers(servers)).await;
        {
            let turn = session.ask("Go.").await.unwrap();
            let mut ended = pin!(turn.finish());
            if !goes {
                let early = timeout(Duration::from_secs(5), &mut ended).await;
                assert!(early.is_err(), "{:?}", wire.tool_results());
                release.notify_one();
            }
            ended.await.unwrap().unwrap();
        }
        release.notify_one();
        let text = wire.tool_results()[0]["content"].to_string();
        assert_eq!(text.contains("background"), goes, "{text}");
        session.close().await.unwrap();
    }
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn each_kind_of_content_reaches_the_model_in_its_way() {
    let server = Server::new("s", "1")
        .tool("image", "", async |_: NoInput, _| ToolOutput::image(PNG, "image/png"))
        .tool("audio", "", async |_: NoInput, _| ToolOutput::default().and_audio(b"RIFF", "audio/wav"))
        .tool("link", "", async |_: NoInput, _| ToolOutput::default().and_link("note://1", "one"))
        .tool("resource", "", async |_: NoInput, _| ToolOutput::default().and_resource("note://1", "hello"))
        .tool("blob", "", async |_: NoInput, _| {
            ToolOutput::default().and_blob("note://2", b"bytes", "application/octet-stream")
        })
        .tool("structured", "", async |_: NoInput, _| ToolOutput::structured(json!({"n": 1})))
        .tool("both", "", async |_: NoInput, _| ToolOutput::text("text").with_structured(json!({"n": 1})))
        .tool("nothing", "", async |_: NoInput, _| ());
    let tools = ["image", "audio", "link", "resource", "blob", "structured", "both", "nothing"];
    let wire = run(&tools, McpServers::new().with("s", server), |builder| builder).await;
    let results = wire.tool_results();
    let content = |index: usize| results[index]["content"].clone();
    let text = |index: usize| content(index)[0]["text"].as_str().unwrap_or_default().to_owned();
    assert_eq!(content(0)[0]["source"]["media_type"], "image/png");
    assert!(
        text(1).starts_with("[Audio from s] Binary content (audio/wav, 4 bytes) saved to "),
        "{}",
        text(1)
    );
    assert_eq!(text(2), "[Resource link: one] note://1");
    assert_eq!(text(3), "[Resource from s at note://1] hello");
    let blob = "[Resource from s at note://2] Binary content (application/octet-stream, 5 bytes) saved to ";
    assert!(text(4).starts_with(blob), "{}", text(4));
    // The model reads the structured content, with any text beside it.
    assert_eq!((content(5), content(6)), (json!(r#"{"n":1}"#), json!(r#"{"n":1}"#)));
    assert_eq!(content(7), "(mcp__s__nothing completed with no output)");
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_tool_that_is_always_loaded_need_not_be_searched_for() {
    let tool = |name| Tool::new(name, "", async |_: NoInput, _| ToolOutput::error("no"));
    let server = Server::new("s", "1").with(tool("found")).with(tool("loaded").always_load());
    let wire = run(&["found", "loaded"], McpServers::new().with("s", server), |builder| builder).await;
    let results = wire.tool_results();
    let text = results[0]["content"].as_str().unwrap();
    // The CLI adds that the called tool was not in the prompt.
    assert!(text.starts_with("no\n") && text.contains("ToolSearch"), "{text}");
    assert_eq!(results[1]["content"], "no");
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn long_result_is_complete_if_the_tool_declares_it() {
    let tool = |name, size: usize| Tool::new(name, "", move |_: NoInput, _| async move { "x".repeat(size) });
    let server = Server::new("s", "1")
        .with(tool("plain", 60_000))
        .with(tool("long", 60_000).max_result_chars(500_000))
        .with(tool("too_long", 600_000).max_result_chars(600_000));
    let tools = ["plain", "long", "too_long"];
    let wire = run(&tools, McpServers::new().with("s", server), |builder| builder).await;
    let results = wire.tool_results();
    assert!(results[0]["content"].as_str().unwrap().starts_with("<persisted-output>"), "{}", results[0]);
    assert_eq!(results[1]["content"][0]["text"].as_str().unwrap().len(), 60_000);
    assert!(results[2]["content"].as_str().unwrap().starts_with("<persisted-output>"), "{}", results[2]);
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn notifications_of_a_server_reach_the_cli() {
    let server = Server::new("s", "1").tool("talk", "", async |_: NoInput, cx: ToolContext| {
        cx.progress(0.5, 1.0, "half").await;
        cx.log("info", "a line").await;
        cx.notify("notifications/tools/list_changed", json!({})).await.unwrap();
        let ask = json!({"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}});
        let mut answers = Vec::new();
        for (method, params) in [("ping", json!({})), ("elicitation/create", ask), ("roots/list", json!({}))]
        {
            answers.push(match cx.request(method, params).await {
                Ok(_) => "answered".to_owned(),
                Err(ServerRequestError::Refused { code, .. }) => code.to_string(),
                Err(error) => error.to_string(),
            });
        }
        answers.join(" ")
    });
    let wire = run(&["talk"], McpServers::new().with("s", server), |builder| builder).await;
    assert_eq!(wire.tool_results()[0]["content"][0]["text"], "answered -32601 -32601");
    let replies = wire.replies();
    let methods: Vec<_> = replies.iter().map(|(method, _)| &**method).collect();
    let notes = ["notifications/progress", "notifications/message", "notifications/tools/list_changed"];
    assert_eq!(methods, [&notes[..], &["ping", "elicitation/create", "roots/list"]].concat());
    assert!(replies.iter().all(|(_, reply)| reply["subtype"] == "success"), "{replies:?}");
    // The list has changed, so the CLI requests it again.
    assert!(wire.asked().contains(&"tools/list".to_owned()), "{:?}", wire.asked());
}

/// Reports a change of its tools right after `initialize`, and declares all capabilities of MCP.
#[derive(Clone)]
struct Restless;

impl rmcp::ServerHandler for Restless {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed();
        #[expect(deprecated, reason = "the version of MCP that the CLI speaks has it")]
        let capabilities = capabilities.enable_logging();
        ServerConfig::new(capabilities.enable_resources().enable_prompts().build())
    }

    async fn on_initialized(&self, context: NotificationContext<rmcp::RoleServer>) {
        context.peer.notify_tool_list_changed().await.unwrap();
    }
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn server_messages_before_the_handshake_arrive_after_it() {
    let servers = servers(1).with("restless", RmcpServer::new(Restless));
    let wire = run(&["echo"], servers, |builder| builder).await;
    let lines = wire.lines();
    let ours: Vec<_> = lines.iter().filter(|(ours, _)| *ours).map(|(_, line)| &line["request"]).collect();
    assert_eq!(ours[0]["subtype"], "initialize");
    let manifests = &ours[0]["sdkMcpServerManifests"];
    assert!(manifests["s"]["toolsListResult"].is_object(), "{manifests}");
    assert!(manifests["restless"]["toolsListResult"].is_null(), "{manifests}");
    let replies = wire.replies();
    assert_eq!((replies.len(), &*replies[0].0), (1, "notifications/tools/list_changed"));
    assert_eq!(replies[0].1["subtype"], "success");
    // The handshake had no list, so the CLI requests it, and nothing else that the server offers.
    let asked = wire.asked();
    assert!(asked.contains(&"tools/list".to_owned()), "{asked:?}");
    assert!(asked.iter().all(|asked| ["tools/list", "tools/call"].contains(&&**asked)), "{asked:?}");
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn one_value_serves_three_sessions_at_once() {
    let meeting = Arc::new(Barrier::new(3));
    let server = Server::new("s", "1").tool("meet", "Waits for the others.", move |_: NoInput, _| {
        let meeting = Arc::clone(&meeting);
        async move {
            meeting.wait().await;
            "met"
        }
    });
    let servers = McpServers::new().with("s", server);
    let session = || run(&["meet"], servers.clone(), |builder| builder);
    let (one, two, three) = tokio::join!(session(), session(), session());
    for wire in [one, two, three] {
        assert_eq!(wire.tool_results()[0]["content"][0]["text"], "met");
        assert_eq!(wire.asked(), ["tools/call"]);
    }
}

/// Longer than any machine takes to make manifests: the limit has tests of its own.
const LONG: Duration = Duration::from_secs(30);
/// One grey pixel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x04\0\0\0\xb5\x1c\x0c\x02\
    \0\0\0\x0bIDATx\xdacd\xf8\x0f\0\x01\x05\x01\x01'\x18\xe3f\0\0\0\0IEND\xaeB`\x82";
