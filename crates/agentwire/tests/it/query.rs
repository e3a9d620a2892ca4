//! One prompt: the input ends when the run is over, not at the first result, and the end is bounded.

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake},
    thread::{self, Thread},
    time::Duration,
};

use agentwire::{
    Decision, Session,
    hooks::PermissionHandler,
    transport::{ExitReport, Signal},
};
use tokio::{
    sync::Notify,
    time::{Instant, timeout},
};

use crate::peer::{assistant, can_use_tool, connected, error_result, init, kind, query, read, result, state};

#[tokio::test(start_paused = true)]
async fn the_input_ends_at_idle() {
    let (reading, mut peer) = query(Session::builder()).await;
    peer.say(state("running")).await;
    peer.complete_turn("hello").await;
    peer.is_left_alone().await;
    peer.say(state("idle")).await;
    peer.exit_after_input().await;
    let (kinds, error) = reading.await.unwrap();
    assert_eq!(kinds, ["system", "assistant", "result", "system"]);
    assert!(error.is_none(), "{error:?}");
    assert_eq!(peer.raw.terminations(), []);
}

#[tokio::test(start_paused = true)]
async fn background_work_keeps_the_input_open() {
    let (reading, mut peer) = query(Session::builder()).await;
    peer.say(state("running")).await;
    peer.say(result("started an agent")).await;
    peer.is_left_alone().await;
    // The agent sends a request, and a handler answers.
    peer.ask("q", can_use_tool("Bash")).await;
    peer.refusal("q").await;
    peer.say(assistant("the agent is done")).await;
    peer.say(result("done")).await;
    peer.is_left_alone().await;
    peer.say(state("idle")).await;
    peer.exit_after_input().await;
    let (kinds, error) = reading.await.unwrap();
    assert_eq!(kinds, ["system", "result", "unhandled control_request", "assistant", "result", "system"]);
    assert!(error.is_none(), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn end_of_an_earlier_run_does_not_end_the_query() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let turn = peer.start_turn(&mut session, "first").await;
    peer.say(result("first")).await;
    turn.finish().await.unwrap();
    // The end of the first run was not read yet, and is outdated when it is.
    let reading = read(session.into_query("second").await.unwrap());
    assert_eq!(peer.prompt().await, "second");
    peer.is_left_alone().await;
    peer.say(result("second")).await;
    peer.exit_after_input().await;
    assert!(reading.await.unwrap().1.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_cli_that_does_not_exit_is_bounded() {
    let (reading, mut peer) = query(Session::builder()).await;
    peer.say(result("hello")).await;
    peer.input_ended().await;
    let start = Instant::now();
    let (kinds, error) = reading.await.unwrap();
    assert!(start.elapsed() <= Duration::from_secs(21), "{:?}", start.elapsed());
    assert_eq!(kinds, ["result"]);
    assert_eq!(peer.raw.terminations(), [Signal::Term, Signal::Kill]);
    assert!(error.unwrap().to_string().contains("could not be terminated"));
    peer.raw.released().await;
}

#[tokio::test(start_paused = true)]
async fn silence_after_a_result_is_bounded() {
    let (reading, mut peer) = query(Session::builder()).await;
    peer.say(state("running")).await;
    peer.say(result("hello")).await;
    // It freezes, or reports idle in a way that can't be decoded.
    let start = Instant::now();
    peer.input_ended().await;
    assert_eq!(start.elapsed().as_secs(), 600);
    let (kinds, error) = reading.await.unwrap();
    assert_eq!(kinds, ["system", "result"]);
    assert!(error.unwrap().to_string().contains("could not be terminated"));
    assert_eq!(peer.raw.terminations(), [Signal::Term, Signal::Kill]);
}

#[tokio::test(start_paused = true)]
async fn silence_during_a_turn_is_not_bounded() {
    let (reading, mut peer) = query(Session::builder()).await;
    let long = Duration::from_secs(1200);
    assert!(timeout(long, peer.line()).await.is_err());
    peer.say(state("running")).await;
    peer.say(result("started an agent")).await;
    // The agent's end starts another turn, which may take any time.
    peer.say(init()).await;
    assert!(timeout(long, peer.line()).await.is_err());
    peer.say(result("done")).await;
    let start = Instant::now();
    peer.exit_after_input().await;
    assert_eq!(start.elapsed().as_secs(), 600);
    reading.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn running_callback_pauses_the_limit() {
    let answered = Arc::new(Notify::new());
    let waiting = Arc::clone(&answered);
    let permissions = PermissionHandler::new(move |_request, _cx| {
        let waiting = Arc::clone(&waiting);
        async move {
            waiting.notified().await;
            Decision::allow()
        }
    });
    let limit = Duration::from_secs(60);
    let builder = Session::builder().permissions(permissions).background_limit(limit);
    let (reading, mut peer) = query(builder).await;
    peer.say(state("running")).await;
    peer.say(result("started an agent")).await;
    peer.ask("q", can_use_tool("Bash")).await;
    // The callback takes longer than the limit.
    assert!(timeout(limit * 5, peer.line()).await.is_err());
    answered.notify_one();
    assert_eq!(peer.response("q").await["subtype"], "success");
    let start = Instant::now();
    peer.exit_after_input().await;
    assert!((limit..=limit * 2).contains(&start.elapsed()), "{:?}", start.elapsed());
    reading.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn zero_grace_periods_work() {
    let grace = Duration::from_millis(10);
    let (reading, peer) = query(Session::builder().grace(grace, grace)).await;
    peer.say(result("hello")).await;
    let start = Instant::now();
    reading.await.unwrap().1.unwrap();
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn an_error_result_is_the_error() {
    let (reading, mut peer) = query(Session::builder()).await;
    peer.say(error_result("out of luck")).await;
    peer.input_ended().await;
    peer.exit(ExitReport::exited(1));
    let (kinds, error) = reading.await.unwrap();
    assert_eq!(kinds, ["result"]);
    let error = error.unwrap();
    assert!(
        error.to_string().contains("out of luck") && error.to_string().contains("exit code 1"),
        "{error}"
    );
    let ending = error.ending().unwrap();
    assert!(ending.error_result.is_some());
    assert_eq!(ending.exit.as_ref().unwrap().code, Some(1));
}

/// Wakes a thread that is not of tokio.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

#[test]
fn query_is_read_outside_of_its_runtime() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (mut query, _peer) = runtime.block_on(async {
        let (session, mut peer) = connected(Session::builder()).await;
        let query = session.into_query("hello").await.unwrap();
        peer.prompt().await;
        peer.say(result("hi")).await;
        (query, peer)
    });
    let waker = Arc::new(Unpark(thread::current())).into();
    let mut next = pin!(query.next());
    let message = loop {
        match next.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(message) => break message,
            Poll::Pending => thread::park(),
        }
    };
    assert_eq!(kind(&message.unwrap().unwrap()), "result");
}
