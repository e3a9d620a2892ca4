//! Observers: they see what arrives when it does, in order with the callbacks, and the end once.

use std::sync::{Arc, Mutex};

use agentwire_codec::{FrameKind, Incoming};
use agentwire_control::{
    CallContext, Config, Connection, Delivery, Observer, Reply, Responder, SessionEnd, connect_observed,
};
use agentwire_protocol::{InboundRequest, RawJson, message::UserInput};

use super::{link, news, next};
use crate::script::inbound;

/// What was seen, in a word each.
#[derive(Clone, Default)]
struct Seen {
    words: Arc<Mutex<Vec<String>>>,
    /// Whether pieces of answers are wanted.
    pieces: bool,
}

impl Seen {
    fn note(&self, what: impl Into<String>) {
        self.words.lock().unwrap().push(what.into());
    }

    fn take(&self) -> Vec<String> {
        let mut seen = std::mem::take(&mut *self.words.lock().unwrap());
        // How lines fall into batches is no matter.
        seen.dedup();
        seen
    }
}

impl Observer for Seen {
    fn sending(&self, prompt: &UserInput) {
        self.note(format!("sending {:?}", prompt.message.content));
    }

    fn wants(&self, head: &FrameKind) -> bool {
        assert!(matches!(head, FrameKind::StreamEvent | FrameKind::User));
        self.pieces
    }

    fn arrived(&self, delivery: &Delivery) {
        self.note(match delivery {
            Delivery::Incoming(Incoming::Message(message, _)) => message.kind().to_owned(),
            other => format!("{other:?}"),
        });
    }

    fn settle(&self) {
        self.note("settle");
    }

    fn ended(&self, ending: &SessionEnd) {
        self.note(format!("ended: {ending}"));
    }
}

impl Responder for Seen {
    fn respond(&self, _: InboundRequest, _: CallContext) -> Option<Reply> {
        self.note("callback");
        Some(Box::pin(async { Ok(RawJson::empty_object()) }))
    }
}

#[tokio::test(start_paused = true)]
async fn what_arrives_is_seen_before_the_callbacks_behind_it_and_unread() {
    let (link, cli) = link(1 << 16).await;
    let seen = Seen::default();
    let (responder, observer) = (Arc::new(seen.clone()), Arc::new(seen.clone()));
    let Connection { control, messages: _messages, driver } =
        connect_observed(link, responder, observer, Config::default());
    let driver = tokio::spawn(driver.run());
    control.send(&UserInput::new("hi")).await.unwrap();
    assert_eq!(cli.hear().await.unwrap()["type"], "user");
    cli.say(&format!("{}\n{}\n{}", news(1), inbound("a"), news(2))).await;
    cli.hear().await.unwrap();
    cli.peer.close_output();
    driver.await.unwrap();
    let end = "ended: the session ended in the middle of a turn, which has no result";
    // The turn that was cut is told of before the end.
    let turn = "TurnEnded(NoResult)";
    let expected = ["sending Text(\"hi\")", "news", "settle", "callback", "news", "settle", turn, end];
    assert_eq!(seen.take(), expected);
}

#[tokio::test(start_paused = true)]
async fn an_observer_that_wants_no_pieces_sees_none_and_the_reader_has_them_all() {
    for wants in [false, true] {
        let (link, cli) = link(1 << 16).await;
        let seen = Seen { pieces: wants, ..Seen::default() };
        let observer = Arc::new(seen.clone());
        let Connection { control: _control, mut messages, driver } =
            connect_observed(link, Arc::new(seen.clone()), observer, Config::default());
        let driver = tokio::spawn(driver.run());
        let piece = r#"{"type":"stream_event","uuid":"u","session_id":"s","event":{"type":"ping"}}"#;
        cli.say(&format!("{}\n{piece}\n{piece}\n{}", news(1), news(2))).await;
        cli.peer.close_output();
        driver.await.unwrap();
        for expected in [&news(1), piece, piece, &news(2)] {
            assert_eq!(next(&mut messages).await, expected);
        }
        let pieces = seen.take().iter().filter(|kind| *kind == "stream_event").count();
        // Two in a row are told of in one word.
        assert_eq!(pieces, usize::from(wants));
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_dropped_session_is_seen_once() {
    let (link, cli) = link(1 << 16).await;
    let seen = Seen::default();
    let (responder, observer) = (Arc::new(seen.clone()), Arc::new(seen.clone()));
    let connection = connect_observed(link, responder, observer, Config::default());
    drop(connection);
    assert_eq!(seen.take(), ["ended: the session ended (the session was given up)"]);
    assert!(cli.hear().await.is_none());
}
