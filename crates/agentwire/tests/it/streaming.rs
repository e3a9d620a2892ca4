//! Streams of prompts, and the duration of a run.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
    time::Duration,
};

use agentwire::{ControlError, Error, Options, Session, SessionBuilder, control::Config};
use futures_core::Stream;
use tokio::time::{Instant, timeout};

use crate::peer::{
    Peer, Reading, assistant, connected, connected_to_a_process, connected_with, init, kind, query, read,
    result, state,
};

/// A stream that a test feeds.
#[derive(Clone, Default)]
struct Feed(Arc<Mutex<Fed>>);

#[derive(Default)]
struct Fed {
    prompts: VecDeque<String>,
    ended: bool,
    taken: usize,
    waker: Option<Waker>,
}

impl Feed {
    fn of(prompts: impl IntoIterator<Item = String>) -> Self {
        let feed = Self::default();
        prompts.into_iter().for_each(|prompt| feed.push(&prompt));
        feed
    }

    fn push(&self, prompt: &str) {
        self.change(|fed| fed.prompts.push_back(prompt.to_owned()));
    }

    fn end(&self) {
        self.change(|fed| fed.ended = true);
    }

    fn taken(&self) -> usize {
        self.0.lock().unwrap().taken
    }

    fn change(&self, change: impl FnOnce(&mut Fed)) {
        let mut fed = self.0.lock().unwrap();
        change(&mut fed);
        fed.waker.take().into_iter().for_each(Waker::wake);
    }
}

impl Stream for Feed {
    type Item = String;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<String>> {
        let mut fed = self.0.lock().unwrap();
        match fed.prompts.pop_front() {
            Some(prompt) => {
                fed.taken += 1;
                Poll::Ready(Some(prompt))
            }
            None if fed.ended => Poll::Ready(None),
            None => {
                fed.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

async fn querying(feed: &Feed) -> (Reading, Peer) {
    let (session, peer) = connected(Session::builder()).await;
    (read(session.into_query_all(feed.clone())), peer)
}

#[tokio::test(start_paused = true)]
async fn prompts_are_taken_only_when_there_is_room() {
    let mut config = Config::default();
    config.write_buffer_limit = 1000;
    let (session, mut peer) = connected_with(Session::builder().config(config), 1).await;
    let feed = Feed::of((0..50).map(|number| format!("{number}{}", "x".repeat(500))));
    feed.end();
    let mut sending = tokio::spawn(session.send_all(feed.clone()));
    // Less than the time limit within which the peer must read something.
    assert!(timeout(Duration::from_secs(30), &mut sending).await.is_err());
    assert!(feed.taken() < 5, "{}", feed.taken());
    for number in 0..50 {
        assert!(peer.prompt().await.starts_with(&format!("{number}x")));
    }
    sending.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_dropped_send_all_loses_no_prompt() {
    let mut config = Config::default();
    config.write_buffer_limit = 100;
    let (session, mut peer) = connected_with(Session::builder().config(config), 1).await;
    let feed = Feed::of((0..50).map(|number| format!("{number}{}", "x".repeat(200))));
    feed.end();
    let peer = tokio::spawn(async move {
        for number in 0..50 {
            assert!(peer.prompt().await.starts_with(&format!("{number}x")));
            tokio::task::yield_now().await;
        }
        peer
    });
    // Polled a little and dropped, repeatedly.
    while feed.taken() < 50 {
        tokio::select! {
            biased;
            sent = session.send_all(feed.clone()) => sent.unwrap(),
            () = tokio::task::yield_now() => {}
        }
    }
    drop(peer.await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn send_all_ends_with_the_session_while_it_waits_for_a_prompt() {
    let (session, mut peer) = connected(Session::builder()).await;
    let sending = tokio::spawn(session.send_all(Feed::of(["one".to_owned()])));
    assert_eq!(peer.prompt().await, "one");
    drop(peer);
    let error = sending.await.unwrap().unwrap_err();
    assert!(error.ending().is_some(), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn a_query_of_a_stream_ends_with_the_stream_and_its_last_run() {
    let feed = Feed::of(["one".to_owned()]);
    let (reading, mut peer) = querying(&feed).await;
    assert_eq!(peer.prompt().await, "one");
    peer.say(result("one")).await;
    peer.is_left_alone().await;
    feed.push("two");
    assert_eq!(peer.prompt().await, "two");
    feed.end();
    peer.is_left_alone().await;
    peer.say(result("two")).await;
    peer.exit_after_input().await;
    assert_eq!(reading.await.unwrap().0, ["result", "result"]);
}

/// A task reads at most 128 messages without a pause, and the rest is unread meanwhile.
#[tokio::test(start_paused = true)]
async fn unread_messages_do_not_fail_the_next_prompt_of_a_stream() {
    let mut config = Config::default();
    (config.unread_soft_limit, config.unread_hard_limit, config.write_buffer_limit) = (1024, 4096, 1);
    let (session, mut peer) = connected_with(Session::builder().config(config), 1 << 16).await;
    // The first fills the pipe, the second is queued, and the third waits for room.
    let prompts = ["a", "b", "c"].map(|text| text.repeat(1 << 16));
    let feed = Feed::of(prompts.clone());
    feed.end();
    let mut reading = read(session.into_query_all(feed.clone()));
    while feed.taken() < 2 {
        tokio::task::yield_now().await;
    }
    // In one write, so that all are queued before the limit stops the reading.
    peer.say([r#"{"type":"news"}"#; 1000].join("\n")).await;
    // Less than the time limit of the third prompt.
    assert!(timeout(Duration::from_secs(30), &mut reading).await.is_err());
    for prompt in prompts {
        assert_eq!(peer.prompt().await, prompt);
    }
    peer.say(result("done")).await;
    peer.exit_after_input().await;
    let (kinds, error) = reading.await.unwrap();
    assert!(error.is_none(), "{error:?}");
    assert_eq!(kinds.len(), 1001);
}

#[tokio::test(start_paused = true)]
async fn query_ends_with_a_late_or_empty_stream() {
    for prompts in [vec![], vec!["one".to_owned()]] {
        let feed = Feed::of(prompts.clone());
        let (reading, mut peer) = querying(&feed).await;
        for _ in &prompts {
            peer.prompt().await;
            peer.say(result("one")).await;
        }
        peer.is_left_alone().await;
        feed.end();
        peer.exit_after_input().await;
        assert!(reading.await.unwrap().1.is_none());
    }
}

/// Returns after how many seconds a query ends its input if its CLI never reports idle; `None` if it does not.
async fn idle_limit(builder: SessionBuilder) -> Option<u64> {
    let (reading, mut peer) = query(builder).await;
    peer.say(state("running")).await;
    peer.say(result("started an agent")).await;
    let start = Instant::now();
    let talking = async {
        let mut agent = assistant("an agent's words");
        agent["parent_tool_use_id"] = serde_json::json!("t");
        loop {
            // Messages do not extend the limit: it limits the time, not the silence.
            if let Ok(line) = timeout(Duration::from_secs(20), peer.line()).await {
                assert_eq!(line, None);
                return;
            }
            peer.say(&agent).await;
        }
    };
    let ended = timeout(Duration::from_secs(2000), talking).await.is_ok().then(|| start.elapsed().as_secs());
    reading.abort();
    ended
}

#[tokio::test(start_paused = true)]
async fn background_limit_ends_the_run() {
    let variable = |value: &str| {
        Session::builder().options(Options::new().env("CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS", value))
    };
    assert_eq!(idle_limit(Session::builder()).await, Some(600));
    assert_eq!(idle_limit(variable("90000")).await, Some(90));
    assert_eq!(idle_limit(variable("soon")).await, Some(600));
    assert_eq!(idle_limit(variable("0")).await, None);
    assert_eq!(idle_limit(Session::builder().background_limit(None::<Duration>)).await, None);
    // The builder takes precedence.
    let limited = variable("90000").background_limit(Duration::from_secs(70));
    assert_eq!(idle_limit(limited).await, Some(70));
}

#[tokio::test(start_paused = true)]
async fn a_shell_in_the_background_does_not_hold_the_run() {
    let (reading, mut peer) = query(Session::builder()).await;
    peer.say(state("running")).await;
    peer.say(init()).await;
    peer.say(serde_json::json!({
        "type": "system", "subtype": "background_tasks_changed",
        "tasks": [{"task_id": "b", "task_type": "local_bash", "description": "d"}],
    }))
    .await;
    peer.say(result("it runs")).await;
    let start = Instant::now();
    peer.say(state("idle")).await;
    peer.exit_after_input().await;
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    assert!(reading.await.unwrap().1.is_none());
}

#[tokio::test(start_paused = true)]
async fn stream_may_pause_longer_than_the_background_limit() {
    for tells_state in [true, false] {
        let feed = Feed::of(["one".to_owned()]);
        let (reading, mut peer) = querying(&feed).await;
        assert_eq!(peer.prompt().await, "one");
        if tells_state {
            peer.say(state("running")).await;
        }
        peer.say(result("one")).await;
        if tells_state {
            peer.say(state("idle")).await;
        }
        // The CLI is idle: it waits for us.
        assert!(timeout(Duration::from_secs(1800), peer.line()).await.is_err(), "the input was ended");
        feed.push("two");
        assert_eq!(peer.prompt().await, "two");
        feed.end();
        peer.say(result("two")).await;
        if tells_state {
            peer.say(state("idle")).await;
        }
        peer.exit_after_input().await;
        assert!(reading.await.unwrap().1.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn background_limit_starts_at_the_end_of_the_stream() {
    let feed = Feed::of(["one".to_owned()]);
    let (reading, mut peer) = querying(&feed).await;
    assert_eq!(peer.prompt().await, "one");
    peer.say(state("running")).await;
    let long = Duration::from_secs(1800);
    for next in [Some("two"), None] {
        // An agent works for longer than the limit.
        peer.say(result("started an agent")).await;
        assert!(timeout(long, peer.line()).await.is_err(), "the input was ended");
        let Some(next) = next else { break };
        feed.push(next);
        assert_eq!(peer.prompt().await, next);
    }
    feed.end();
    let start = Instant::now();
    peer.exit_after_input().await;
    assert_eq!(start.elapsed().as_secs(), 600);
    reading.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_prompt_that_can_not_be_sent_does_not_keep_the_run_open() {
    let feed = Feed::of(["one".to_owned()]);
    let (session, mut peer) = connected_to_a_process(Session::builder()).await;
    let control = session.control().clone();
    let reading = tokio::spawn(async move {
        let mut query = session.into_query_all(feed.clone());
        let mut ends = Vec::new();
        while let Some(incoming) = query.next().await {
            match incoming {
                Ok(incoming) if kind(&incoming) == "result" => {
                    control.end_input();
                    feed.push("two");
                }
                Ok(_) => {}
                Err(error) => ends.push(error),
            }
        }
        ends
    });
    assert_eq!(peer.prompt().await, "one");
    peer.say(result("one")).await;
    peer.input_ended().await;
    let start = Instant::now();
    // This CLI does not exit on its own and is killed.
    let errors = reading.await.unwrap();
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    assert!(matches!(errors[0], Error::Control(ControlError::InputEnded { .. })), "{errors:?}");
}

#[tokio::test(start_paused = true)]
async fn cancelled_last_prompt_ends_the_run() {
    let (session, mut peer) = connected(Session::builder()).await;
    let reading = read(session.into_query("never mind").await.unwrap());
    let prompt = peer.line().await.unwrap()["uuid"].clone();
    for state in ["queued", "cancelled"] {
        peer.say(serde_json::json!({"type": "command_lifecycle", "command_uuid": prompt, "state": state}))
            .await;
    }
    let start = Instant::now();
    peer.exit_after_input().await;
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    let (kinds, error) = reading.await.unwrap();
    assert!(error.is_none(), "{error:?}");
    assert_eq!(kinds, ["command_lifecycle", "command_lifecycle"]);
}
