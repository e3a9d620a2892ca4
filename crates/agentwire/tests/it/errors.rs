//! Provokes each error as a user meets it, and checks that its report names the cause.
//!
//! `docs/errors.md` lists them; errors that other tests provoke are not repeated here.

use agentwire::{
    ControlError, Error, Options, RawJson, Session, SessionBuilder,
    codec::Limits,
    control::Config,
    hooks::{Hooks, HooksError, Matcher},
    protocol::{
        control::{ControlCall, HookFailure, Interrupt},
        hook::PreToolUse,
    },
    transport::{ExitReport, TransportError, process::CliSearch},
};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;
use tokio::runtime::Builder;

use crate::peer::{Peer, connect, connected, connected_with, error_result, fails, init};

/// Checks that the report contains all of these.
#[track_caller]
fn names(error: &Error, causes: &[&str]) {
    let report = error.report().to_string();
    for cause in causes {
        assert!(report.contains(cause), "{report:?} does not name {cause:?}");
    }
}

/// Sends an interrupt, which the peer answers with this response; the session continues.
async fn answered(response: &str) -> Error {
    let mut config = Config::default();
    config.limits = Limits::max_line(1000);
    let (session, mut peer) = connected(Session::builder().config(config)).await;
    let (reply, ()) = tokio::join!(session.interrupt(), async {
        let request = peer.request("interrupt").await;
        let id = request["request_id"].as_str().unwrap();
        peer.say(format!(r#"{{"type":"control_response","response":{{"request_id":"{id}",{response}}}}}"#))
            .await;
    });
    let (next, _) = tokio::join!(session.interrupt(), peer.answer("interrupt", json!({})));
    next.unwrap();
    reply.unwrap_err()
}

/// The environment belongs to the test: a CLI installed on this machine is neither found nor started.
#[test]
fn cli_not_found() {
    let mut search = CliSearch::new(|name| (name == "PATH").then(|| "/nonexistent/bin".into()));
    search.installs.clear();
    let error = Error::from(search.find().unwrap_err());
    assert!(matches!(error, Error::CliNotFound(TransportError::NotFound { .. })), "{error:?}");
    names(&error, &["the Claude Code CLI was not found", "searched /nonexistent/bin/claude"]);
    // The output of Rust when `main` returns it.
    let printed = format!("{error:?}");
    let lines: Vec<_> = printed.lines().collect();
    assert_eq!(
        lines[..2],
        [
            "the Claude Code CLI was not found",
            "  caused by: no agent CLI found; searched /nonexistent/bin/claude",
        ]
    );
    assert!(lines[2].starts_with("  help: install Claude Code"), "{printed}");
    assert!(format!("{error:#?}").starts_with("CliNotFound(\n"), "{error:#?}");
}

#[tokio::test]
async fn error_of_a_missing_program_or_option_names_the_option() {
    let missing = Options::new().path_to_claude_code_executable("/nonexistent/claude");
    let missing = Session::connect(missing).await.unwrap_err();
    assert!(matches!(missing, Error::Start(TransportError::NoSuchProgram { .. })), "{missing:#?}");
    let unstructured = Error::NoStructuredOutput { text: String::new() };
    for (error, option) in [(missing, "`pathToClaudeCodeExecutable`"), (unstructured, "`outputFormat`")] {
        let printed = format!("{error:?}");
        assert!(printed.lines().last().unwrap().starts_with("  help: "), "{printed}");
        assert!(printed.contains(option), "{printed}");
    }
}

#[test]
fn start_without_a_runtime() {
    let mut connecting =
        Box::pin(Session::connect(Options::new().path_to_claude_code_executable("/bin/true")));
    let waker = std::task::Waker::noop();
    let polled = connecting.as_mut().poll(&mut std::task::Context::from_waker(waker));
    let std::task::Poll::Ready(Err(error)) = polled else { panic!("{polled:?}") };
    assert!(matches!(error, Error::Start(TransportError::Io { .. })), "{error:?}");
    names(&error, &["could not be started", "finding the tokio runtime"]);
}

/// tokio prints a panic message.
#[test]
fn start_without_a_timer_or_io() {
    type Enable = fn(&mut Builder) -> &mut Builder;
    for (enable, cause) in
        [(Builder::enable_io as Enable, "timer"), (Builder::enable_time, "I/O is disabled")]
    {
        for mut runtime in [Builder::new_current_thread(), Builder::new_multi_thread()] {
            let runtime = enable(&mut runtime).build().unwrap();
            let options = Options::new().path_to_claude_code_executable("/bin/true");
            let error = runtime.block_on(Session::connect(options)).unwrap_err();
            assert!(matches!(error, Error::Start(TransportError::Io { .. })), "{error:?}");
            names(&error, &["could not be started", cause, "`enable_all`"]);
        }
    }
}

#[tokio::test]
async fn options() {
    let error = Session::connect(Options::new().max_turns(0)).await.unwrap_err();
    assert!(matches!(error, Error::Options { option: "maxTurns", .. }), "{error:?}");
    names(&error, &["the option `maxTurns` can't be used", "at least 1"]);
}

fn guarded(matcher: Matcher) -> SessionBuilder {
    Session::builder().hooks(Hooks::new().on_matching(PreToolUse, matcher, async |_, _| ()))
}

#[tokio::test]
async fn hooks_whose_matcher_matches_nothing() {
    let error = guarded(Matcher::pattern("Ba(")).connect().await.unwrap_err();
    assert!(matches!(error, Error::Hooks(HooksError::Matcher { .. })), "{error:?}");
    names(&error, &["the hooks can't be used", "`Ba(`", "PreToolUse", "parenthesis"]);
}

#[tokio::test(start_paused = true)]
async fn hooks_that_need_an_unsupported_feature() {
    let by_name = || Matcher::any().on_failure(HookFailure::Block);
    let (session, mut peer, _) = connect(guarded(by_name()), Peer::shake_hands).await;
    let error = session.unwrap_err();
    assert!(matches!(error, Error::Hooks(HooksError::BlockUnsupported { .. })), "{error:?}");
    names(&error, &["PreToolUse", "does not support"]);
    peer.input_ended().await;
    // The same CLI suffices for the default, and a newer one for the requirement.
    connected(guarded(Matcher::any())).await;
    let supported = json!({"hook_on_failure_supported": true});
    let newer = connect(guarded(by_name()), async |peer| peer.answer("initialize", supported).await);
    newer.await.0.unwrap();
}

#[tokio::test(start_paused = true)]
async fn hooks_that_the_cli_did_not_register() {
    let joined = json!({"hook_on_failure_supported": true, "hooks_applied": false});
    let (session, mut peer, _) =
        connect(guarded(Matcher::any()), async |peer| peer.answer("initialize", joined).await).await;
    let error = session.unwrap_err();
    assert!(matches!(error, Error::Hooks(HooksError::NotRegistered)), "{error:?}");
    names(&error, &["the hooks can't be used", "did not register"]);
    peer.input_ended().await;
}

#[tokio::test(start_paused = true)]
async fn ended_in_a_turn() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    peer.receive_prompt(&session, "go").await;
    peer.say(init()).await;
    peer.exit(ExitReport::signalled(9).with_stderr_tail("Killed\n"));
    session.next().await.unwrap().unwrap();
    let error = fails(&mut session).await;
    assert_eq!(error.ending().unwrap().exit.as_ref().unwrap().signal, Some(9));
    names(&error, &["in the middle of a turn", "signal 9", "Killed"]);
}

#[tokio::test(start_paused = true)]
async fn ended_after_an_error_result() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    peer.receive_prompt(&session, "go").await;
    peer.say(error_result("No conversation found")).await;
    peer.exit(ExitReport::exited(1));
    session.next().await.unwrap().unwrap();
    let error = fails(&mut session).await;
    assert!(error.ending().unwrap().error_result.is_some());
    names(&error, &["No conversation found", "exit code 1"]);
}

#[tokio::test(start_paused = true)]
async fn control_rejected_or_unreadable() {
    let rejected = r#""subtype":"error","error":"No such thing","error_code":"unsupported_request""#;
    let long = format!(r#""subtype":"success","response":{{"text":"{}"}}"#, "x".repeat(2000));
    for (response, variant, cause) in [
        (rejected, "Rejected", "No such thing"),
        (r#""subtype":"success","response":{"still_queued":7}"#, "BadReply", "still_queued"),
        (r#""subtype":"perhaps""#, "UnknownReply", "unknown kind"),
        (&*long, "TooLong", "limit of 1000 bytes"),
    ] {
        let error = answered(response).await;
        assert!(format!("{error:#?}").starts_with(&format!("Control(\n    {variant}")), "{error:#?}");
        names(&error, &["`interrupt`", cause]);
    }
}

#[tokio::test(start_paused = true)]
async fn control_timed_out() {
    let (session, _peer) = connected(Session::builder()).await;
    let error = session.interrupt().await.unwrap_err();
    assert!(matches!(error, Error::Control(ControlError::TimedOut { .. })), "{error:?}");
    names(&error, &["`interrupt`", "60s"]);
}

#[tokio::test(start_paused = true)]
async fn control_closed() {
    let (session, mut peer) = connected(Session::builder()).await;
    let interrupt = Interrupt::default();
    let (reply, ()) = tokio::join!(session.control().call(&interrupt), async {
        peer.request("interrupt").await;
        peer.exit(ExitReport::exited(4));
    });
    let error = reply.unwrap_err();
    assert!(matches!(error, ControlError::Closed { .. }), "{error:?}");
    // For the user of a session it is the end of the session.
    names(&Error::from(error), &["exit code 4"]);
}

#[tokio::test(start_paused = true)]
async fn control_input_ended() {
    let (session, _peer) = connected(Session::builder()).await;
    session.end_input();
    let error = session.interrupt().await.unwrap_err();
    assert!(matches!(error, Error::Control(ControlError::InputEnded { .. })), "{error:?}");
    names(&error, &["`interrupt`", "input was ended"]);
}

/// A custom request with a field that can't be serialized.
#[derive(Deserialize)]
struct Unwritable;

impl Serialize for Unwritable {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("the clock is broken"))
    }
}

impl ControlCall for Unwritable {
    const SUBTYPE: &'static str = "unwritable";
    type Reply = ();
}

#[tokio::test(start_paused = true)]
async fn control_encode() {
    let (session, mut peer) = connected(Session::builder()).await;
    let error = session.call(&Unwritable).await.unwrap_err();
    assert!(matches!(error, Error::Control(ControlError::Encode { .. })), "{error:?}");
    names(&error, &["`unwritable`", "the clock is broken"]);
    for request in ["[1]", "null", "{}", r#"["raw"]"#, r#"{"subtype":"other"}"#] {
        let request = RawJson::parse(request).unwrap();
        let error = session.control().call_raw("raw", &request).await.unwrap_err();
        assert!(matches!(error, ControlError::Encode { .. }), "{error:?}");
        names(&error.into(), &["`raw`", "a request must be an object"]);
    }
    peer.is_left_alone().await;
}

#[tokio::test(start_paused = true)]
async fn control_not_sent() {
    let mut config = Config::default();
    config.write_buffer_limit = 100;
    // The pipe holds one byte, and the peer does not read.
    let (mut session, mut peer) = connected_with(Session::builder().config(config), 1).await;
    session.send("first").await.unwrap();
    session.send("second").await.unwrap();
    let error = session.send("third").await.unwrap_err();
    assert!(matches!(error, Error::Control(ControlError::NotSent { .. })), "{error:?}");
    names(&error, &["`user` was not sent", "within 60s"]);
    let error = session.ask("third").await.map(drop).unwrap_err();
    assert!(matches!(error, Error::Control(ControlError::NotSent { .. })), "{error:?}");
    let (sent, ()) = tokio::join!(session.send("third"), async {
        for prompt in ["first", "second", "third"] {
            assert_eq!(peer.prompt().await, prompt);
        }
    });
    sent.unwrap();
    session.end_input();
    peer.input_ended().await;
}
