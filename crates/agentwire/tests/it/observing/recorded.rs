//! Recorded sessions: activity trees of observations and of spans, background agents, ids and costs.

use std::{collections::HashMap, path::Path, sync::Arc};

use agentwire::{
    Block, Decision, Incoming, Message, Observation, RawJson, Session, SessionBuilder, System,
    control::CallContext,
    hooks::{HookContext, Hooks, Matcher, PermissionHandler},
    protocol::message::SessionState,
};
use agentwire_testkit::{Replay, Transcript, transcript::Entry};
use serde_json::Value;

use super::{ask, rest, spans::RecordedSpans, tree};

/// The recorded answers, by request id.
type Answers = Arc<HashMap<String, Result<RawJson, String>>>;

async fn answer(answers: Answers, id: String, cancelled: impl Future) -> Result<RawJson, String> {
    match answers.get(&id) {
        Some(answer) => answer.clone(),
        None => {
            cancelled.await;
            Err("no answer was recorded".to_owned())
        }
    }
}

/// Returns a session that replays a recorded session, with callbacks that return the recorded answers.
fn session(name: &str) -> SessionBuilder {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("../../fixtures/sessions/2.1.330/{name}.transcript"));
    let transcript = Transcript::parse(std::fs::read(path).unwrap()).unwrap();
    let (mut answers, mut hooks) = (HashMap::new(), Value::Null);
    for entry in &transcript.entries {
        let Entry::Outbound(line) = entry else { continue };
        let line: Value = serde_json::from_slice(line).unwrap();
        if line["request"]["subtype"] == "initialize" {
            hooks = line["request"]["hooks"].clone();
        }
        let response = &line["response"];
        if let Some(id) = response["request_id"].as_str() {
            let answer = match response["error"].as_str() {
                Some(error) => Err(error.to_owned()),
                None => Ok(RawJson::encode(&response["response"]).unwrap()),
            };
            answers.insert(id.to_owned(), answer);
        }
    }
    let answers = Arc::new(answers);
    let (of_hooks, of_permissions) = (Arc::clone(&answers), Arc::clone(&answers));
    let declared = hooks.as_object().into_iter().flatten();
    let declared =
        declared.flat_map(|(event, matchers)| matchers.as_array().unwrap().iter().map(move |_| event));
    let hooks = declared.fold(Hooks::new(), |hooks, event| {
        let answers = Arc::clone(&of_hooks);
        hooks.on_named(event, Matcher::any(), move |_, cx: HookContext| {
            let (answers, id) = (Arc::clone(&answers), cx.request_id.as_str().to_owned());
            async move { answer(answers, id, cx.cancelled.cancelled()).await }
        })
    });
    let permissions = PermissionHandler::new(move |_, cx: CallContext| {
        let (answers, id) = (Arc::clone(&of_permissions), cx.request_id.as_str().to_owned());
        async move {
            let answer = answer(answers, id, cx.cancelled.cancelled()).await?;
            answer.decode::<Decision>().map_err(|error| error.to_string())
        }
    });
    let builder = Session::builder().hooks(hooks).permissions(permissions);
    #[cfg(feature = "mcp")]
    let builder = builder.mcp_servers(servers(&transcript, &answers));
    builder.transport(Replay::new(&transcript).foreign())
}

/// Returns the servers of the recorded session with the recorded answers, by method.
#[cfg(feature = "mcp")]
fn servers(transcript: &Transcript, answers: &Answers) -> agentwire::mcp::McpServers {
    let mut servers = HashMap::<String, HashMap<String, Value>>::new();
    for entry in &transcript.entries {
        let Entry::Inbound(line) = entry else { continue };
        let Ok(line) = serde_json::from_slice::<Value>(line) else { continue };
        let request = &line["request"];
        if request["subtype"] == "mcp_message" {
            let answer =
                answers[line["request_id"].as_str().unwrap()].as_ref().unwrap().decode::<Value>().unwrap();
            let methods = servers.entry(request["server_name"].as_str().unwrap().to_owned()).or_default();
            let method = request["message"]["method"].as_str().unwrap();
            methods.insert(method.to_owned(), answer["mcp_response"].clone());
        }
    }
    let served = servers.into_iter();
    served.fold(agentwire::mcp::McpServers::new(), |servers, (name, methods)| {
        servers.with(name, RecordedServer(Arc::new(methods)))
    })
}

#[cfg(feature = "mcp")]
#[derive(Clone)]
struct RecordedServer(Arc<HashMap<String, Value>>);

#[cfg(feature = "mcp")]
impl agentwire::mcp::McpService for RecordedServer {
    fn open(&self, _: agentwire::mcp::Outbox) -> Box<dyn agentwire::mcp::ServerInstance> {
        Box::new(self.clone())
    }
}

#[cfg(feature = "mcp")]
impl agentwire::mcp::ServerInstance for RecordedServer {
    fn handle(&self, message: RawJson) -> agentwire::mcp::ResponseFuture {
        let message: Value = message.decode().unwrap();
        let answer = message.get("id").map(|id| {
            let mut answer = self.0[message["method"].as_str().unwrap()].clone();
            answer["id"] = id.clone();
            RawJson::encode(&answer).unwrap()
        });
        Box::pin(async { answer })
    }
}

/// Replays a session, and checks the tree of its observations from the first turn on.
///
/// Spans form the same tree, except that they start before the handshake; returns it.
async fn replayed(name: &str, play: impl AsyncFnOnce(&mut Session), expected: &[&str]) -> Vec<String> {
    let (spans, _guard) = RecordedSpans::here();
    let mut session = session(name).connect().await.unwrap();
    let observations = session.observe();
    play(&mut session).await;
    session.close().await.unwrap();
    let (observed, tree) = (tree::of(&rest(observations).await), spans.tree());
    let turn = observed.iter().position(|line| line.starts_with("  turn")).unwrap();
    assert_eq!(observed[0], "session done");
    assert_eq!(observed[turn..], *expected);
    assert!(turn == 1 || name.starts_with("mcp-"), "{observed:#?}");
    let early = tree.len() - observed.len();
    let mut before = tree[1..=early].iter().chain(&observed[1..turn]);
    assert!(before.all(|line| line.starts_with("  mcp ")), "{tree:#?}\n{observed:#?}");
    assert_eq!(tree[early + 1..], observed[1..]);
    assert_eq!(spans.open(), 0, "{}", spans.text());
    tree
}

#[tokio::test]
async fn turn_is_a_tree() {
    for (name, prompt, expected) in [
        (
            "pre-tool-use-deny",
            "Write one into a.txt.",
            &["  turn 1 done", "    tool_use Bash deny", "      hook PreToolUse deny"][..],
        ),
        (
            "pre-tool-use-defer",
            "Write one into a.txt.",
            &["  turn 1 done", "    tool_use Bash defer", "      hook PreToolUse defer"],
        ),
        (
            "agents-parallel",
            "Let two agents read.",
            &[
                "  turn 1 done",
                "    tool_use Task done",
                "      tool_use Read done",
                "    tool_use Task done",
                "      tool_use Read done",
            ],
        ),
        // The hook decides first, and the CLI cancels the question.
        (
            "permission-request-hook-wins",
            "Write one into a.txt.",
            &[
                "  turn 1 done",
                "    tool_use Bash done",
                "      permission Bash cancelled",
                "      hook PermissionRequest allow",
            ],
        ),
    ] {
        replayed(name, async |session| ask(session, prompt).await, expected).await;
    }
}

#[cfg(feature = "mcp")]
#[tokio::test]
async fn mcp_call_belongs_to_its_tool_use() {
    let play = async |session: &mut Session| {
        ask(session, "Use the tool.").await;
        session.mcp_status().await.unwrap();
    };
    let expected =
        ["  turn 1 done", "    tool_use mcp__calc__add done", "      mcp calc tools/call add done"];
    let spans = replayed("mcp-tool-text", play, &expected).await;
    assert!(spans.contains(&"  mcp calc initialize done".to_owned()), "{spans:#?}");
}

#[tokio::test]
async fn interrupted_turn_is_observed_as_interrupted() {
    let play = async |session: &mut Session| {
        let mut turn = session.ask("Wait a minute.").await.unwrap();
        while turn.next().await.unwrap().unwrap().message().unwrap().kind() != "assistant" {}
        turn.control().interrupt().await.unwrap();
        turn.finish().await.unwrap();
        ask(session, "Are you there?").await;
    };
    let expected = ["  turn 1 interrupted", "    tool_use Bash interrupted", "  turn 2 done"];
    replayed("interrupt-mid-tool", play, &expected).await;
}

#[tokio::test]
async fn a_subagent_in_the_background_goes_on_between_turns() {
    let play = async |session: &mut Session| {
        ask(session, "Send an agent away.").await;
        while session.next().await.unwrap().unwrap().message().unwrap().kind() != "result" {}
    };
    let expected = ["  turn 1 done", "    tool_use Task done", "  turn 2 done"];
    replayed("agent-background", play, &expected).await;
}

/// The turn that starts the agent ends before the agent. `docs/subagents.md` names two ways to read on: a query, and a
/// session that is read until the CLI is idle.
#[tokio::test]
async fn messages_of_a_background_agent_and_the_turn_about_it_are_read() {
    let expected = ["main: It is on its way.", "subagent: Here I am.", "main: It has come back."];

    let by_query = session("agent-background").connect().await.unwrap();
    let mut query = by_query.into_query("Send an agent away.").await.unwrap();
    let mut texts = Vec::new();
    while let Some(incoming) = query.next().await {
        texts.extend(texts_of(&incoming.unwrap()));
    }
    assert_eq!(texts, expected);

    let mut session = session("agent-background").connect().await.unwrap();
    session.send("Send an agent away.").await.unwrap();
    let mut texts = Vec::new();
    loop {
        let incoming = session.next().await.unwrap().unwrap();
        texts.extend(texts_of(&incoming));
        if let Some(Message::System(System::SessionStateChanged(changed))) = incoming.message()
            && changed.state == SessionState::Idle
        {
            break;
        }
    }
    assert_eq!(texts, expected);
    session.close().await.unwrap();
}

/// Returns the texts of an assistant message, each with its conversation.
fn texts_of(incoming: &Incoming) -> Vec<String> {
    let Some(Message::Assistant(assistant)) = incoming.message() else { return Vec::new() };
    let by = if assistant.parent_tool_use_id.is_some() { "subagent" } else { "main" };
    let texts = assistant.message.content.iter().filter_map(Block::as_text);
    texts.map(|text| format!("{by}: {text}")).collect()
}

#[tokio::test]
async fn id_of_a_session_is_a_new_one_after_clear() {
    let mut session = session("slash-clear").connect().await.unwrap();
    let mut ids = Vec::new();
    for prompt in ["A first question.", "/clear", "A second question."] {
        ask(&mut session, prompt).await;
        ids.push(session.id().unwrap().to_string());
    }
    session.close().await.unwrap();
    let [first, cleared] = ["00000000-0000-4000-8000-000000000002", "00000000-0000-4000-8000-000000000011"];
    assert_eq!(ids, [first, cleared, cleared]);
}

/// The sum of no costs is not negative zero, which is printed as `-0`.
#[tokio::test]
async fn turn_without_a_model_costs_nothing() {
    let mut session = session("slash-context").connect().await.unwrap();
    let result = session.ask("/context").await.unwrap().finish().await.unwrap().unwrap();
    session.close().await.unwrap();
    let cost = result.cost_since_last_result().unwrap();
    assert!(cost == 0.0 && cost.is_sign_positive(), "{cost}");
}

/// The total includes the cost of the conversation that was forked.
#[tokio::test]
async fn first_turn_of_a_fork_has_a_cost_of_its_own() {
    let mut session = session("fork").connect().await.unwrap();
    let observations = session.observe();
    let result = session.ask("A second question.").await.unwrap().finish().await.unwrap().unwrap();
    session.close().await.unwrap();
    let own_cost = Some(result.total_cost_usd / 2.0);
    assert_eq!(result.cost_since_last_result(), own_cost);
    let observed = rest(observations).await;
    let totals = observed.iter().find_map(|observation| match observation {
        Observation::Ended(ended) => ended.totals.as_ref(),
        _ => None,
    });
    assert_eq!(totals.unwrap().cost_usd, own_cost);
}
