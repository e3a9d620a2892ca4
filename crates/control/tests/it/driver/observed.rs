//! Observers get events on arrival, in order with the callbacks, and the end once.

use std::sync::{Arc, Mutex};

use agentwire_codec::Incoming;
use agentwire_control::{
    CallContext, Config, Connection, Observer, Prepared, RawEvent, Reply, Responder, SessionEvent,
    SessionExit,
};
use agentwire_protocol::{InboundRequest, RawJson, control::Initialize, message::UserInput};

use super::{Session, link, news, next};
use crate::script::{inbound, success};

/// A log of observed events, one word for each.
#[derive(Clone, Default)]
struct Seen {
    words: Arc<Mutex<Vec<String>>>,
}

impl Seen {
    fn note(&self, what: impl Into<String>) {
        self.words.lock().unwrap().push(what.into());
    }

    fn take(&self) -> Vec<String> {
        let mut seen = std::mem::take(&mut *self.words.lock().unwrap());
        // The batches of lines do not matter.
        seen.dedup();
        seen
    }
}

impl Observer for Seen {
    fn sending(&self, prompt: &UserInput) {
        self.note(format!("sending {:?}", prompt.message.content));
    }

    fn arrived(&self, event: &RawEvent) {
        self.note(match event.clone().decode() {
            SessionEvent::Incoming(Incoming::Message(message, _), _) => message.kind().to_owned(),
            other => format!("{other:?}"),
        });
    }

    fn settle(&self) {
        self.note("settle");
    }

    fn ended(&self, ending: &SessionExit) {
        self.note(format!("ended: {ending}"));
    }
}

impl Responder for Seen {
    fn respond(&self, _: InboundRequest, _: CallContext) -> Option<Reply> {
        self.note("callback");
        Some(Box::pin(async { Ok(RawJson::empty_object()) }))
    }
}

/// Starts a session after the handshake, with this observer and responder.
async fn start(seen: &Seen) -> Session {
    let (link, cli) = link(1 << 16).await;
    let prepared = Prepared::new(Arc::new(seen.clone()), Arc::new(seen.clone()), Config::default());
    let Connection { control, messages, driver } = prepared.connect(link);
    let driver = tokio::spawn(driver.run());
    let handshake = async {
        let id = cli.next_request_id().await;
        cli.send_line(&success(&id, "{}")).await;
    };
    let initialize = Initialize::default();
    tokio::join!(control.call(&initialize), handshake).0.unwrap();
    seen.take();
    Session { control, messages, driver, cli }
}

#[tokio::test(start_paused = true)]
async fn observer_gets_events_before_later_callbacks_and_before_the_reader() {
    let seen = Seen::default();
    let Session { control, messages: _messages, driver, cli } = start(&seen).await;
    control.send(&UserInput::new("hi")).await.unwrap();
    assert_eq!(cli.next_line().await.unwrap()["type"], "user");
    cli.send_line(&format!("{}\n{}\n{}", news(1), inbound("a"), news(2))).await;
    cli.next_line().await.unwrap();
    cli.peer.close_output();
    driver.await.unwrap();
    let end = "ended: the session ended in the middle of a turn, which has no result";
    // The end of the turn is observed before the end of the session.
    let turn = "TurnEnded(NoResult)";
    let expected = ["sending Text(\"hi\")", "news", "settle", "callback", "news", "settle", turn, end];
    assert_eq!(seen.take(), expected);
}

#[tokio::test(start_paused = true)]
async fn observer_and_reader_both_get_pieces_of_answers() {
    let seen = Seen::default();
    let Session { control: _control, mut messages, driver, cli } = start(&seen).await;
    let piece = r#"{"type":"stream_event","uuid":"u","session_id":"s","event":{"type":"ping"}}"#;
    cli.send_line(&format!("{}\n{piece}\n{piece}\n{}", news(1), news(2))).await;
    cli.peer.close_output();
    driver.await.unwrap();
    for expected in [&news(1), piece, piece, &news(2)] {
        assert_eq!(next(&mut messages).await, expected);
    }
    let pieces = seen.take().iter().filter(|kind| *kind == "stream_event").count();
    // `take` merges two in a row.
    assert_eq!(pieces, 1);
}

#[tokio::test(start_paused = true)]
async fn end_of_a_dropped_session_is_observed_once() {
    let (link, cli) = link(1 << 16).await;
    let seen = Seen::default();
    let prepared = Prepared::new(Arc::new(seen.clone()), Arc::new(seen.clone()), Config::default());
    drop(prepared.connect(link));
    assert_eq!(seen.take(), ["ended: the session ended (the session was aborted)"]);
    assert!(cli.next_line().await.is_none());
}
