//! Observers get events on arrival, in order with the callbacks, and the end once.

use std::sync::{Arc, Mutex};

use agentwire_codec::{Frame, Incoming};
use agentwire_control::{
    CallContext, Config, Connection, FrameFilter, Observer, Prepared, RawEvent, Reply, Responder,
    SessionEvent, SessionExit,
};
use agentwire_protocol::{InboundRequest, RawJson, control::Initialize, message::UserInput};
use tokio::time::timeout;

use super::{HOUR, Session, link, news, next};
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
        self.note(word(event.clone().decode()));
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

/// Returns one word for an event.
fn word(event: SessionEvent) -> String {
    match event {
        SessionEvent::Incoming(Incoming::Message(message, _), _) => message.kind().to_owned(),
        other => format!("{other:?}"),
    }
}

/// An observer that notes each event and then panics. Its first panic poisons the lock, so that all later calls panic at
/// that.
struct Panicking {
    seen: Seen,
    lock: Mutex<()>,
}

impl Panicking {
    fn new(seen: &Seen) -> Self {
        Self { seen: seen.clone(), lock: Mutex::default() }
    }

    fn fail(&self) {
        let _lock = self.lock.lock().unwrap();
        panic!("as told");
    }
}

impl Observer for Panicking {
    fn sending(&self, prompt: &UserInput) {
        self.seen.sending(prompt);
        self.fail();
    }

    fn arrived(&self, event: &RawEvent) {
        self.seen.arrived(event);
        self.fail();
    }

    fn settle(&self) {
        self.seen.settle();
        self.fail();
    }

    fn ended(&self, ending: &SessionExit) {
        self.seen.ended(ending);
        self.fail();
    }
}

/// A filter that panics at its first line.
struct PanickingFilter;

impl FrameFilter for PanickingFilter {
    fn filter(&self, _: Frame) -> Option<Frame> {
        panic!("as told");
    }
}

/// Starts a session after the handshake, with this observer and responder.
async fn start(seen: &Seen) -> Session {
    start_observed(seen, seen.clone()).await
}

/// As [`start`], with another observer.
async fn start_observed(seen: &Seen, observer: impl Observer) -> Session {
    let (link, cli) = link(1 << 16).await;
    let prepared = Prepared::new(Arc::new(seen.clone()), Arc::new(observer), Config::default());
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

#[tokio::test(start_paused = true)]
async fn panics_of_an_observer_change_neither_the_messages_nor_the_end() {
    let seen = Seen::default();
    let Session { control, mut messages, driver, cli } = start_observed(&seen, Panicking::new(&seen)).await;
    // This task waits for a message when the session ends.
    let reading = tokio::spawn(async move {
        let mut read = Vec::new();
        loop {
            match messages.next().await {
                Ok(event) => read.push(word(event)),
                Err(ending) => return (read, ending.to_string()),
            }
        }
    });
    control.send(&UserInput::new("hi")).await.unwrap();
    assert_eq!(cli.next_line().await.unwrap()["type"], "user");
    cli.send_line(&format!("{}\n{}\n{}", news(1), inbound("a"), news(2))).await;
    assert_eq!(cli.next_line().await.unwrap()["response"]["subtype"], "success");
    cli.peer.close_output();
    let (read, end) = timeout(HOUR, reading).await.unwrap().unwrap();
    driver.await.unwrap();
    let turn = "TurnEnded(NoResult)";
    assert_eq!(read, ["news", "news", turn]);
    assert_eq!(end, "the session ended in the middle of a turn, which has no result");
    let end = format!("ended: {end}");
    let expected = ["sending Text(\"hi\")", "news", "settle", "callback", "news", "settle", turn, &end];
    assert_eq!(seen.take(), expected);
}

/// A panic in a destructor that runs because of another panic aborts the process.
#[tokio::test(start_paused = true)]
async fn observer_may_panic_while_another_panic_ends_the_session() {
    let (link, cli) = link(1 << 16).await;
    let seen = Seen::default();
    let observer = Arc::new(Panicking::new(&seen));
    let prepared = Prepared::new(Arc::new(seen.clone()), observer, Config::default());
    let filter: Arc<dyn FrameFilter> = Arc::new(PanickingFilter);
    let Connection { control: _control, mut messages, driver } = prepared.filter(filter).connect(link);
    let driver = tokio::spawn(driver.run());
    cli.send_line(&news(1)).await;
    let end = "the session ended (the session was aborted by a panic)";
    assert_eq!(messages.next().await.unwrap_err().to_string(), end);
    assert!(driver.await.unwrap_err().is_panic());
    assert_eq!(seen.take(), [format!("ended: {end}")]);
}
