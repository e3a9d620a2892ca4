//! Dropping any future loses nothing and blocks nothing, with room for one byte and one message.

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use agentwire::{Session, SessionBuilder, control::Config, transport::memory};
use serde_json::json;

use crate::peer::{Peer, assistant, connected_with, kind, rest, result};

/// Returns a session with pipes of one byte and minimal limits.
fn narrow() -> SessionBuilder {
    let mut config = Config::default();
    (config.unread_soft_limit, config.write_buffer_limit) = (1, 1);
    Session::builder().config(config)
}

/// Polls a future a few times between other tasks, then drops it; returns its output if it was ready.
async fn poked<T>(future: impl Future<Output = T>, times: usize) -> Option<T> {
    let mut future = pin!(future);
    for _ in 0..times {
        if let Poll::Ready(ready) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return Some(ready);
        }
        tokio::task::yield_now().await;
    }
    None
}

/// Takes a prompt, and answers it with twenty messages and a result.
async fn speak(mut peer: Peer) -> Peer {
    peer.prompt().await;
    for number in 0..20 {
        peer.say(assistant(&number.to_string())).await;
    }
    peer.say(result("done")).await;
    peer
}

#[tokio::test(start_paused = true)]
async fn next_and_turns_are_cancel_safe() {
    let (mut session, peer) = connected_with(narrow(), 1).await;
    let speaking = tokio::spawn(speak(peer));
    let mut turn = session.ask("hi").await.unwrap();
    let mut texts = Vec::new();
    while texts.len() < 10 {
        if let Some(next) = poked(turn.next(), 2).await {
            texts.push(next.unwrap().unwrap().line().unwrap().to_str().unwrap().to_owned());
        }
    }
    // Functions that read to the end may be dropped as well: only the messages they have read are gone.
    assert!(poked(turn.finish(), 1).await.is_none());
    while texts.len() < 20 {
        if let Some(next) = poked(session.next(), 2).await {
            texts.push(next.unwrap().unwrap().line().unwrap().to_str().unwrap().to_owned());
        }
    }
    let expected: Vec<_> = (0..20).map(|number| assistant(&number.to_string()).to_string()).collect();
    assert_eq!(texts, expected);
    assert_eq!(rest(&mut session.turn()).await, ["result"]);
    drop(speaking.await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn send_and_ask_are_cancel_safe() {
    let (mut session, mut peer) = connected_with(narrow(), 1).await;
    // One is being written and one is queued; there is no room for a third.
    session.send("a".repeat(500)).await.unwrap();
    session.send("b".repeat(500)).await.unwrap();
    assert!(poked(session.send("never"), 20).await.is_none());
    assert!(poked(session.ask("never either"), 20).await.is_none());
    let (sent, ()) = tokio::join!(session.send("c"), async {
        assert_eq!(peer.prompt().await, "a".repeat(500));
        assert_eq!(peer.prompt().await, "b".repeat(500));
        assert_eq!(peer.prompt().await, "c");
    });
    sent.unwrap();
}

#[tokio::test(start_paused = true)]
async fn calls_are_cancel_safe() {
    let (session, mut peer) = connected_with(narrow(), 1).await;
    // Dropped while it is written: the CLI receives a cancellation, and the next call gets its own reply.
    assert!(poked(session.interrupt(), 3).await.is_none());
    let model = Some("m");
    let (reply, ()) = tokio::join!(session.set_model(model), async {
        let dropped = peer.request("interrupt").await;
        let cancelled = peer.line().await.unwrap();
        assert_eq!(cancelled["type"], "control_cancel_request", "{cancelled}");
        assert_eq!(cancelled["request_id"], dropped["request_id"]);
        let request = peer.request("set_model").await;
        peer.reply(&dropped, json!({"still_queued": []})).await;
        peer.reply(&request, json!({"model": "m"})).await;
    });
    assert_eq!(reply.unwrap().model.as_deref(), Some("m"));
    assert_eq!(session.control().ignored().responses, 1);
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_prompt_is_cancel_safe() {
    let (mut session, peer) = connected_with(narrow(), 1).await;
    let prompt = session.send("hi").await.unwrap();
    let speaking = tokio::spawn(speak(peer));
    for _ in 0..5 {
        drop(poked(session.settled(&prompt), 2).await);
    }
    session.settled(&prompt).await.unwrap();
    assert_eq!(rest(&mut session.turn()).await.len(), 21);
    drop(speaking.await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn query_is_cancel_safe() {
    let (session, peer) = connected_with(narrow(), 1).await;
    let speaking = tokio::spawn(async move { speak(peer).await.exit_after_input().await });
    let mut query = session.into_query("hi").await.unwrap();
    let mut kinds = Vec::new();
    loop {
        match poked(query.next(), 2).await {
            Some(Some(incoming)) => kinds.push(kind(&incoming.unwrap())),
            Some(None) => break,
            None => {}
        }
    }
    assert_eq!(kinds, [vec!["assistant"; 20], vec!["result"]].concat());
    speaking.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn connect_and_close_are_cancel_safe() {
    for times in [1, 2, 5, 20] {
        let (transport, peer) = memory(1);
        drop(poked(narrow().transport(transport).connect(), times).await);
        peer.released().await;

        let (session, peer) = connected_with(narrow(), 1).await;
        drop(poked(session.close(), times).await);
        peer.raw.released().await;
    }
}

/// The prompt is in the pipe before its end: closing first writes sent prompts.
#[tokio::test(start_paused = true)]
async fn close_first_writes_sent_prompts() {
    let (session, mut peer) = connected_with(Session::builder(), 1).await;
    session.send("x".repeat(5000)).await.unwrap();
    session.send("y").await.unwrap();
    let (closed, ()) = tokio::join!(session.close(), async {
        assert_eq!(peer.prompt().await, "x".repeat(5000));
        assert_eq!(peer.prompt().await, "y");
        peer.say(result("both")).await;
        peer.exit_after_input().await;
    });
    closed.unwrap();
}

#[tokio::test(start_paused = true)]
async fn dropped_reader_does_not_block_the_next() {
    let (mut session, mut peer) = connected_with(narrow(), 1).await;
    // The last poller is woken, not the dropped one.
    assert!(poked(session.next(), 3).await.is_none());
    let next = tokio::spawn(async move { session.next().await.unwrap().map(|incoming| kind(&incoming)) });
    tokio::task::yield_now().await;
    peer.say(assistant("hello")).await;
    assert_eq!(next.await.unwrap().unwrap(), "assistant");
    peer.input_ended().await;
}
