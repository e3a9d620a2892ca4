//! A resumed session continues a deferred tool use without a prompt: the hooks are known before that.

mod answers;
mod elsewhere;

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use agentwire::{
    Control, ControlError, Options, Session, SessionBuilder,
    hooks::{Hooks, Matcher},
    mcp::{McpServers, McpService, Outbox, ResponseFuture, ServerInstance},
    protocol::{
        RawJson,
        hook::{HookReply, PreToolUse},
    },
    transport::{
        BoxPeerHandle, BoxSink, BoxSource, BoxTransport, Connected, Transport, TransportError,
        process::ProcessTransport,
    },
};
use tokio::{task::JoinHandle, time::timeout};

use super::place::{Place, turn};

/// Returns a place with a stored session in which a command waits for its hook, and the session's id.
async fn deferred() -> (Place, String) {
    let place = Place::writing().await;
    let hooks = Hooks::new().on(PreToolUse, async |_, _| HookReply::defer());
    let result = turn(Session::builder().options(options(&place)).hooks(hooks), "Go.").await;
    assert!(result.deferred_tool_use.is_some(), "{result:?}");
    (place, result.session_id.unwrap().to_string())
}

fn options(place: &Place) -> Options {
    place.in_project().allowed_tools(["Bash"])
}

/// Continues the session with a hook that denies, and returns how often the hook was called.
async fn denied(place: &Place, session: &str, with: impl FnOnce(SessionBuilder) -> SessionBuilder) -> usize {
    let asked = Arc::<AtomicUsize>::default();
    let count = Arc::clone(&asked);
    let hooks = Hooks::new().on_matching(PreToolUse, Matcher::tools(["Bash"]), move |_, _| {
        count.fetch_add(1, Ordering::Relaxed);
        async { HookReply::deny("no") }
    });
    let builder = Session::builder().options(options(place).resume(session)).hooks(hooks);
    let mut session = with(builder).connect().await.unwrap();
    // It continues without a prompt.
    let result = session.turn().finish().await.unwrap().unwrap();
    session.close().await.unwrap();
    assert_eq!(result.result.as_deref(), Some("Done."));
    let written = std::fs::read_to_string(place.file("project/a.txt")).unwrap();
    assert_eq!(written, "one\n", "the command ran");
    asked.load(Ordering::Relaxed)
}

/// A server that never answers, and asks the CLI for something as soon as it is opened.
struct Hangs;

impl McpService for Hangs {
    fn open(&self, outbox: Outbox) -> Box<dyn ServerInstance> {
        let control: Control = outbox.control().clone();
        let asking = tokio::spawn(async move { control.mcp_status().await.map(drop) });
        Box::new(Asking(asking))
    }
}

struct Asking(JoinHandle<Result<(), ControlError>>);

impl ServerInstance for Asking {
    fn handle(&self, _: RawJson) -> ResponseFuture {
        Box::pin(pending())
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn deferred_tool_calls_the_hook_despite_a_slow_server() {
    // A failure is a race, so one run is not enough.
    let five = || async {
        for _ in 0..5 {
            let (place, session) = deferred().await;
            let servers = McpServers::new().with("hangs", Hangs).manifest_limit(SLOW);
            assert_eq!(denied(&place, &session, |builder| builder.mcp_servers(servers)).await, 1);
        }
    };
    tokio::join!(five(), five(), five(), five());
}

/// A process with a transport that opens slowly.
struct Late(ProcessTransport);

impl Transport for Late {
    type Source = BoxSource;
    type Sink = BoxSink;
    type Handle = BoxPeerHandle;

    async fn open(self) -> Result<Connected<BoxSource, BoxSink, BoxPeerHandle>, TransportError> {
        let link = self.0.open().await?.boxed();
        // The delay itself is tested: nothing ends it early.
        let _elapsed = timeout(SLOW, pending::<()>()).await;
        Ok(link)
    }
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn deferred_tool_calls_the_hook_despite_a_slow_transport() {
    let (place, session) = deferred().await;
    let asked = denied(&place, &session, |builder| {
        let launch = builder.launch().unwrap();
        builder.transport(BoxTransport::new(Late(ProcessTransport::new(launch))))
    });
    assert_eq!(asked.await, 1);
}

/// Longer than the CLI takes from its start to the deferred tool.
const SLOW: Duration = Duration::from_secs(2);
