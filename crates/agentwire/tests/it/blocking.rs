//! The blocking API: turns as iterators, callbacks between calls, and no panic in async code.

use std::{
    future::{pending, poll_fn},
    panic,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    task::Poll,
    thread::{self, JoinHandle},
    time::Duration,
};

use agentwire::{
    Error, Observation, Options, Session, SessionBuilder, Warning, blocking,
    control::Config,
    hooks::Hooks,
    protocol::{
        control::Interrupt,
        hook::{HookReply, PreToolUse},
    },
    transport::{ExitReport, memory},
};
use serde_json::{Value, json};

use crate::peer::{Peer, assistant, kind, pre_tool_use, result};

/// Returns a session, and the thread of its peer.
fn played<T: Send + 'static>(
    builder: SessionBuilder,
    part: impl AsyncFnOnce(Peer) -> T + Send + 'static,
) -> (blocking::Session, JoinHandle<T>) {
    let (transport, peer) = memory(1 << 16);
    let playing = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut peer = Peer::new(peer);
            peer.shake_hands().await;
            tokio::time::timeout(LIMIT, part(peer)).await.expect("the peer hangs")
        })
    });
    (builder.transport(transport).connect_blocking().unwrap(), playing)
}

#[test]
fn a_turn_is_an_iterator() {
    let (mut session, peer) = played(Session::builder(), async |mut peer| {
        assert_eq!(peer.prompt().await, "hello");
        peer.complete_turn("hi").await;
        peer.exit_after_input().await;
    });
    let mut turn = session.ask("hello").unwrap();
    let kinds: Vec<String> = turn.by_ref().map(|incoming| kind(&incoming.unwrap())).collect();
    assert_eq!(kinds, ["assistant", "result"]);
    assert_eq!(turn.result().unwrap().result.as_deref(), Some("hi"));
    session.close().unwrap();
    peer.join().unwrap();
}

#[test]
fn a_query_ends_with_the_cli() {
    let (session, peer) = played(Session::builder(), async |mut peer| {
        peer.prompt().await;
        peer.say(result("done")).await;
        peer.exit_after_input().await;
    });
    let query = session.into_query("go").unwrap();
    assert_eq!(query.map(|incoming| kind(&incoming.unwrap())).collect::<Vec<_>>(), ["result"]);
    peer.join().unwrap();
}

#[test]
fn callbacks_run_while_no_call_is_under_way() {
    let hooks = Hooks::new().on(PreToolUse, async |_, _| HookReply::deny("not now"));
    let (answered, answer) = mpsc::channel();
    let (session, peer) = played(Session::builder().hooks(hooks), async move |mut peer| {
        peer.ask("h1", pre_tool_use("Write")).await;
        answered.send(peer.response("h1").await).unwrap();
        peer.exit_after_input().await;
    });
    let response = answer.recv_timeout(LIMIT).unwrap();
    assert_eq!(response["response"]["hookSpecificOutput"]["permissionDecision"], "deny", "{response}");
    session.close().unwrap();
    peer.join().unwrap();
}

#[test]
fn a_callback_may_block_on_a_call() {
    let control: Arc<OnceLock<blocking::ControlHandle>> = Arc::default();
    let called = Arc::clone(&control);
    let hooks = Hooks::new().on(PreToolUse, move |_, _| {
        let called = Arc::clone(&called);
        async move {
            let reply = called.get().expect("a control").call(&Interrupt::default());
            HookReply::deny(format!("{} wait", reply.unwrap().still_queued.len()))
        }
    });
    let (answered, answer) = mpsc::channel();
    let (session, peer) = played(Session::builder().hooks(hooks), async move |mut peer| {
        assert_eq!(peer.prompt().await, "go");
        peer.ask("h1", pre_tool_use("Write")).await;
        peer.answer("interrupt", json!({"still_queued": ["a"]})).await;
        answered.send(peer.response("h1").await).unwrap();
        peer.say(result("stopped")).await;
        peer.exit_after_input().await;
    });
    control.set(session.control()).unwrap();
    session.send("go").unwrap();
    let response = answer.recv_timeout(Duration::from_secs(20)).expect("the callback holds up the session");
    let reason = &response["response"]["hookSpecificOutput"]["permissionDecisionReason"];
    assert_eq!(reason, "1 wait", "{response}");
    session.close().unwrap();
    peer.join().unwrap();
}

/// Blocks the thread of a callback.
#[derive(Clone)]
struct Block {
    begun: mpsc::Sender<()>,
    held: Arc<Mutex<mpsc::Receiver<()>>>,
}

/// The other end of a [`Block`].
struct Blocked {
    has_begun: mpsc::Receiver<()>,
    /// Releases the thread when it is dropped.
    _release: mpsc::Sender<()>,
}

impl Block {
    fn new() -> (Self, Blocked) {
        let ((begun, has_begun), (_release, held)) = (mpsc::channel(), mpsc::channel());
        (Self { begun, held: Arc::new(Mutex::new(held)) }, Blocked { has_begun, _release })
    }

    fn hold(&self) {
        self.begun.send(()).unwrap();
        self.held.lock().unwrap().recv().unwrap_err();
    }
}

/// Calls a session and closes it while the callback of the request that the peer sends is blocked.
///
/// Returns the lines that the peer gets after the call.
fn used_while_blocked(
    builder: SessionBuilder,
    blocked: Blocked,
    ask: impl AsyncFnOnce(&Peer) + Send + 'static,
) -> Vec<Value> {
    let (session, peer) = played(builder, async move |mut peer| {
        ask(&peer).await;
        peer.answer("interrupt", json!({"still_queued": []})).await;
        let mut lines = Vec::new();
        while let Some(line) = peer.line().await {
            lines.push(line);
        }
        peer.exit(ExitReport::exited(0));
        lines
    });
    blocked.has_begun.recv_timeout(LIMIT).unwrap();
    let (done, is_done) = mpsc::channel();
    thread::spawn(move || {
        done.send(session.control().call(&Interrupt::default()).map(drop)).unwrap();
        done.send(session.close().map(drop)).unwrap();
    });
    for what in ["a call", "the end"] {
        let outcome = is_done.recv_timeout(Duration::from_secs(20));
        outcome.unwrap_or_else(|_| panic!("the callback holds up {what}")).unwrap();
    }
    peer.join().unwrap()
}

#[test]
fn a_blocked_callback_holds_up_neither_calls_nor_the_end() {
    let (block, blocked) = Block::new();
    let hooks = Hooks::new().on(PreToolUse, move |_, _| {
        let block = block.clone();
        async move {
            block.hold();
            HookReply::deny("too late")
        }
    });
    let asking = async |peer: &Peer| peer.ask("h1", pre_tool_use("Write")).await;
    let lines = used_while_blocked(Session::builder().hooks(hooks), blocked, asking);
    let [Value::Object(line)] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!(line["response"]["request_id"], "h1");
    let response = &line["response"]["response"];
    assert_eq!(response["hookSpecificOutput"]["permissionDecision"], "deny", "{response}");
}

/// Returns a call of the tool `slow` of the server `s`.
#[cfg(feature = "mcp")]
fn slow() -> Value {
    let params = json!({"name": "slow", "arguments": {}});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    json!({"subtype": "mcp_message", "server_name": "s", "message": message})
}

/// Such a tool runs on in a task of its own.
#[cfg(feature = "mcp")]
#[test]
fn a_tool_that_blocks_after_its_cancellation_holds_up_neither_calls_nor_the_end() {
    use agentwire::mcp::{McpServers, Server, ToolContext};

    let (block, blocked) = Block::new();
    let started = Arc::new(tokio::sync::Notify::new());
    let starts = Arc::clone(&started);
    let server = Server::new("s", "1").tool("slow", "", move |_: Value, cx: ToolContext| {
        let (block, starts) = (block.clone(), Arc::clone(&starts));
        async move {
            starts.notify_one();
            cx.cancelled.cancelled().await;
            block.hold();
            "too late"
        }
    });
    let builder = Session::builder().mcp_servers(McpServers::new().with("s", server));
    let lines = used_while_blocked(builder, blocked, async move |peer| {
        peer.ask("m1", slow()).await;
        started.notified().await;
        peer.say(json!({"type": "control_cancel_request", "request_id": "m1"})).await;
    });
    assert!(lines.is_empty(), "{lines:?}");
}

/// `rmcp` runs each handler in a task of its own.
#[cfg(feature = "rmcp")]
#[test]
fn a_blocked_tool_of_rmcp_holds_up_neither_calls_nor_the_end() {
    use agentwire::mcp::{
        McpServers, RmcpServer,
        rmcp::{
            ErrorData, RoleServer, ServerHandler,
            model::{CallToolRequestParams, CallToolResponse, ServerCapabilities, ServerConfig},
            service::RequestContext,
        },
    };

    #[derive(Clone)]
    struct Slow(Block);

    impl ServerHandler for Slow {
        fn get_info(&self) -> ServerConfig {
            ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
        }

        async fn call_tool(
            &self,
            _: CallToolRequestParams,
            _: RequestContext<RoleServer>,
        ) -> Result<CallToolResponse, ErrorData> {
            self.0.hold();
            Err(ErrorData::internal_error("too late", None))
        }
    }

    let (block, blocked) = Block::new();
    let servers = McpServers::new().with("s", RmcpServer::new(Slow(block)));
    let asking = async |peer: &Peer| peer.ask("m1", slow()).await;
    let lines = used_while_blocked(Session::builder().mcp_servers(servers), blocked, asking);
    let [Value::Object(line)] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!(line["response"]["request_id"], "m1");
}

#[test]
fn session_that_is_dropped_with_open_callbacks_does_not_panic() {
    let panics = Arc::new(AtomicUsize::new(0));
    let (count, report) = (Arc::clone(&panics), panic::take_hook());
    panic::set_hook(Box::new(move |panic| {
        let is_of_a_session = thread::current().name() == Some("agentwire");
        count.fetch_add(usize::from(is_of_a_session), Ordering::Relaxed);
        report(panic);
    }));
    for _ in 0..20 {
        let (begun, has_begun) = mpsc::channel();
        let hooks = Hooks::new().on(PreToolUse, move |_, _| {
            let begun = begun.clone();
            async move {
                begun.send(()).unwrap();
                pending::<()>().await;
                HookReply::deny("never")
            }
        });
        let mut config = Config::default();
        config.callback_grace = Duration::from_millis(20);
        let builder = Session::builder().config(config).hooks(hooks);
        let (session, peer) = played(builder, async |peer| {
            for id in 0..10 {
                peer.ask(&format!("h{id}"), pre_tool_use("Write")).await;
            }
            peer.raw.released().await;
        });
        assert_eq!(has_begun.iter().take(10).count(), 10);
        drop(session);
        peer.join().unwrap();
        // Each callback holds a sender.
        assert_eq!(has_begun.iter().count(), 0);
    }
    assert_eq!(panics.load(Ordering::Relaxed), 0);
}

#[test]
fn leftovers_can_be_taken() {
    let (mut session, peer) = played(Session::builder(), async |mut peer| {
        let mut named = Vec::new();
        for _ in 0..2 {
            named.push(peer.line().await.unwrap()["uuid"].clone());
        }
        for prompt in &named {
            peer.say(json!({"type": "command_lifecycle", "command_uuid": prompt, "state": "started"})).await;
            peer.complete_turn("hi").await;
            peer.say(json!({"type": "command_lifecycle", "command_uuid": prompt, "state": "completed"}))
                .await;
        }
        peer.exit_after_input().await;
    });
    session.send("first").unwrap();
    let mut turn = session.ask("second").unwrap();
    assert!(turn.prompt().is_some());
    assert!(turn.by_ref().all(|incoming| incoming.is_ok()));
    let kinds: Vec<_> = turn.leftovers().iter().map(kind).collect();
    assert_eq!(kinds, ["command_lifecycle", "assistant", "result"]);
    assert!(session.leftovers().is_empty());
    assert!(session.warnings().is_empty());
    session.close().unwrap();
    peer.join().unwrap();
}

#[test]
fn another_thread_can_interrupt_a_turn() {
    let (mut session, peer) = played(Session::builder(), async |mut peer| {
        peer.prompt().await;
        peer.answer("interrupt", json!({"still_queued": []})).await;
        peer.say(result("stopped")).await;
        peer.exit_after_input().await;
    });
    let control = session.control();
    let turn = session.ask("go on for ever").unwrap();
    let interrupting = thread::spawn(move || control.call(&Interrupt::default()));
    let reply = interrupting.join().unwrap().unwrap();
    assert_eq!(reply.still_queued.len(), 0);
    assert_eq!(turn.finish().unwrap().unwrap().result.as_deref(), Some("stopped"));
    session.close().unwrap();
    peer.join().unwrap();
}

#[test]
fn running_turn_can_be_interrupted_and_reports_its_usage() {
    let (mut session, peer) = played(Session::builder(), async |mut peer| {
        peer.prompt().await;
        peer.say(assistant("one")).await;
        peer.answer("interrupt", json!({"still_queued": []})).await;
        let usage = json!({"input_tokens": 10, "output_tokens": 3});
        peer.say(json!({"type": "result", "subtype": "success", "is_error": false, "usage": usage})).await;
        peer.exit_after_input().await;
    });
    let mut turn = session.ask("count").unwrap();
    assert_eq!(kind(&turn.next().unwrap().unwrap()), "assistant");
    assert!(turn.usage().is_none());
    turn.control().call(&Interrupt::default()).unwrap();
    assert!(turn.by_ref().all(|incoming| incoming.is_ok()));
    assert_eq!(turn.usage().unwrap().output_tokens, 3);
    session.close().unwrap();
    peer.join().unwrap();
}

#[test]
fn handshake_is_repeated_and_the_status_of_servers_is_read() {
    let (mut session, peer) = played(Session::builder(), async |mut peer| {
        peer.answer("initialize", json!({"pid": 9})).await;
        peer.answer("mcp_status", json!({"mcpServers": [{"name": "a", "status": "connected"}]})).await;
        peer.exit_after_input().await;
    });
    assert_eq!(session.initialized().pid, Some(7));
    assert_eq!(session.reinitialize().unwrap().pid, Some(9));
    assert_eq!(session.initialized().pid, Some(9));
    assert_eq!(&*session.mcp_status().unwrap().mcp_servers[0].name, "a");
    session.close().unwrap();
    peer.join().unwrap();
}

#[test]
fn a_query_has_the_warnings_of_its_session() {
    // There is no session to fork.
    let builder = Session::builder().options(Options::new().fork_session());
    let (session, peer) = played(builder, async |mut peer| {
        peer.prompt().await;
        peer.say(result("done")).await;
        peer.exit_after_input().await;
    });
    let mut query = session.into_query("go").unwrap();
    let warnings = query.warnings();
    assert!(matches!(warnings, [Warning::NoEffect { option: "forkSession", .. }]), "{warnings:?}");
    assert!(query.all(|incoming| incoming.is_ok()));
    peer.join().unwrap();
}

#[test]
fn another_thread_can_observe_a_session() {
    let (mut session, peer) = played(Session::builder(), async |mut peer| {
        peer.prompt().await;
        peer.complete_turn("hi").await;
        peer.exit_after_input().await;
    });
    let (control, mut observations) = (session.control(), session.observe());
    let observing = thread::spawn(move || {
        let mut ended = Vec::new();
        while let Some(observation) = control.wait(observations.next()) {
            if let Observation::Ended(end) = observation {
                ended.push(end.began.activity.name());
            }
        }
        ended
    });
    session.ask("hello").unwrap().finish().unwrap();
    session.close().unwrap();
    assert_eq!(observing.join().unwrap(), ["turn", "session"]);
    peer.join().unwrap();
}

#[cfg(feature = "sessions")]
#[test]
fn store_handle_waits_for_an_entry() {
    let options = Options::new().env("CLAUDE_CONFIG_DIR", "/config");
    let store = Arc::new(agentwire::sessions::MemoryStore::new());
    let builder = Session::builder().options(options).session_store(store);
    let (session, peer) = played(builder, async |mut peer| {
        let file = "/config/projects/-src-app/0b0e7a3e-57a1-4a4c-8d3f-0d8c5a2f1b11.jsonl";
        let entries = json!([{"type": "user", "uuid": "1"}]);
        peer.say(json!({"type": "transcript_mirror", "filePath": file, "entries": entries})).await;
        peer.exit_after_input().await;
    });
    let handle = session.store_handle().unwrap();
    session.control().wait(handle.message_stored(&"1".into())).unwrap();
    session.close().unwrap();
    peer.join().unwrap();
}

#[test]
fn wake_up_is_not_lost_if_the_future_parks_its_thread() {
    let (session, peer) = played(Session::builder(), async |mut peer| peer.exit_after_input().await);
    let mut polled = false;
    session.control().wait(poll_fn(|context| {
        if polled {
            return Poll::Ready(());
        }
        polled = true;
        context.waker().wake_by_ref();
        // As a blocking receiver in the future does; it uses up the unpark.
        thread::park();
        Poll::Pending
    }));
    session.close().unwrap();
    peer.join().unwrap();
}

/// tokio's own `block_on` panics here.
#[tokio::test]
async fn works_and_is_dropped_in_async_code() {
    let (mut session, peer) = played(Session::builder(), async |mut peer| {
        peer.prompt().await;
        peer.complete_turn("hi").await;
        peer.input_ended().await;
    });
    assert_eq!(session.ask("hello").unwrap().text().unwrap(), "hi");
    drop(session);
    tokio::task::spawn_blocking(move || peer.join()).await.unwrap().unwrap();
}

/// Nothing replenishes the task's budget while its thread is blocked.
#[test]
fn number_of_calls_in_one_task_is_not_limited() {
    let (session, peer) = played(Session::builder(), async |mut peer| peer.exit_after_input().await);
    let (done, is_done) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let calls = async {
                for _ in 0..1000 {
                    tokio::task::coop::consume_budget().await;
                }
            };
            session.control().wait(calls);
        });
        session.close().unwrap();
        done.send(()).unwrap();
    });
    is_done.recv_timeout(Duration::from_secs(20)).expect("the calls hang");
    peer.join().unwrap();
}

#[test]
fn unclean_end_is_the_same_error() {
    let (mut session, peer) = played(Session::builder(), async |mut peer| {
        peer.prompt().await;
        peer.exit(ExitReport::exited(3));
    });
    let mut turn = session.ask("hello").unwrap();
    let error = turn.next().expect("an error").expect_err("an error");
    assert!(matches!(&error, Error::Ended(ending) if ending.in_turn), "{error:?}");
    assert!(turn.next().is_none());
    peer.join().unwrap();
}

/// Far longer than anything here takes, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);
